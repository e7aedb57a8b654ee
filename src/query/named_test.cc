#include "query/named.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "query/catalog.h"
#include "query/embedded.h"
#include "query/text.h"

namespace warpscope::query {
namespace {

TEST(NamedQueries, EveryFileIsOne) {
  for (const EmbeddedQuery& embedded : EmbeddedQueries()) {
    const auto query = ParseNamedQuery(embedded.name, embedded.text);
    EXPECT_TRUE(query.ok()) << query.status().message();
  }
  EXPECT_EQ(NamedQueries().size(), EmbeddedQueries().size());
}

TEST(NamedQueries, NamesAndAliasesAreUniqueAndSorted) {
  std::set<std::string> seen;
  std::string before;
  for (const NamedQuery& query : NamedQueries()) {
    EXPECT_LT(before, query.name);
    before = query.name;
    EXPECT_TRUE(seen.insert(query.name).second) << query.name;
    for (const std::string& alias : query.aliases) EXPECT_TRUE(seen.insert(alias).second) << alias;
    EXPECT_EQ(FindNotCarried(query.name), nullptr) << query.name;
  }
}

TEST(NamedQueries, TablesAndParametersAreKnown) {
  model::Trace empty;
  empty.Finish();
  const analysis::Index index(empty);
  Recording recording(index);
  std::set<std::string_view> tables;
  for (const Table& table : BuildCatalog(recording)) tables.insert(table.name);
  for (const NamedQuery& query : NamedQueries()) {
    for (const std::string& name : query.needs) EXPECT_TRUE(tables.contains(name)) << query.name << " needs " << name;
    std::vector<std::string> declared;
    for (const QueryParam& param : query.params) declared.push_back(param.name);
    auto used = NumberParameters(query.sql).names;
    std::sort(used.begin(), used.end());
    std::sort(declared.begin(), declared.end());
    EXPECT_EQ(used, declared) << query.name;
    EXPECT_NE(query.sql.find("ORDER BY"), std::string::npos) << query.name << " has no total order";
  }
}

TEST(NamedQueries, OldNames) {
  ASSERT_NE(FindNamedQuery("gpukernsum"), nullptr);
  EXPECT_EQ(FindNamedQuery("gpukernsum")->name, "cuda_gpu_kern_sum");
  EXPECT_EQ(FindNamedQuery("nothing"), nullptr);
  EXPECT_NE(FindNotCarried("vulkan_api_sum"), nullptr);
}

TEST(NamedQueries, HeadersThatLackSomething) {
  EXPECT_FALSE(ParseNamedQuery("x", "SELECT 1").ok());
  EXPECT_FALSE(ParseNamedQuery("x", "-- title: t\n-- like: l\n-- needs: gpu\n-- words\n").ok());
  EXPECT_FALSE(
      ParseNamedQuery("x", "-- title: t\n-- like: l\n-- needs: gpu\n-- param: broken\n-- words\nSELECT 1").ok());
  EXPECT_TRUE(
      ParseNamedQuery("x", "-- title: t\n-- like: l\n-- needs: gpu\n-- param: a=1 one\n-- words\nSELECT $a").ok());
}

TEST(Catalog, ColumnsAreNamedOnceAndExplained) {
  model::Trace empty;
  empty.Finish();
  const analysis::Index index(empty);
  Recording recording(index);
  std::set<std::string_view> tables;
  for (const Table& table : BuildCatalog(recording)) {
    EXPECT_TRUE(tables.insert(table.name).second) << table.name;
    EXPECT_FALSE(table.record.empty()) << table.name;
    std::set<std::string_view> columns;
    for (const Column& column : table.columns) {
      EXPECT_TRUE(columns.insert(column.name).second) << table.name << "." << column.name;
      EXPECT_FALSE(column.meaning.empty()) << table.name << "." << column.name;
      EXPECT_EQ(column.name.ends_with("_ns"), column.unit == "ns") << table.name << "." << column.name;
      EXPECT_TRUE(!column.name.ends_with("bytes") || column.unit == "bytes") << table.name << "." << column.name;
    }
  }
}

}  // namespace
}  // namespace warpscope::query
