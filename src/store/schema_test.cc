// docs/schema/parquet.md lists every table and column as the schema has them.
#include "store/schema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace warpscope::store {
namespace {

const char* TypeName(duckdb::Type type) {
  switch (type) {
    case duckdb::Type::kDouble: return "DOUBLE";
    case duckdb::Type::kBool: return "BOOLEAN";
    case duckdb::Type::kText: return "VARCHAR";
    default: return "BIGINT";
  }
}

std::string Tables() {
  std::string text;
  for (const TableSchema& table : Schema()) {
    text += "### " + table.name + "\n\n" + table.doc + "\n\n| column | type | meaning |\n|---|---|---|\n";
    for (const Field& field : table.fields) {
      text += "| `" + field.name + "` | " + TypeName(field.type) + (field.needed ? " NOT NULL" : "") + " | " +
              field.doc + " |\n";
    }
    text += "\n";
  }
  return text;
}

TEST(Schema, IsDocumented) {
  std::ifstream file(WS_TEST_DATA "/../../docs/schema/parquet.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string tables = Tables();
  if (page.str().find(tables) != std::string::npos) return;
  const std::string path = ::testing::TempDir() + "parquet_tables.md";
  std::ofstream(path) << tables;
  FAIL() << "docs/schema/parquet.md does not hold the tables as the schema has them; they were written to " << path;
}

TEST(Schema, NamesAreUnique) {
  std::set<std::string> tables;
  for (const TableSchema& table : Schema()) {
    EXPECT_TRUE(tables.insert(table.name).second) << table.name;
    std::set<std::string> columns;
    for (const Field& field : table.fields) EXPECT_TRUE(columns.insert(field.name).second) << table.name << field.name;
  }
}

}  // namespace
}  // namespace warpscope::store
