#include "lang/catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "lang/embedded.h"

namespace warpscope::lang {
namespace {

std::vector<std::string> FirstLiterals(const std::vector<Entry>& entries) {
  std::vector<std::string> texts;
  for (const Entry& entry : entries) texts.push_back(entry.pattern.literals().back());
  return texts;
}

TEST(Catalogue, NounsStandForOneAndMany) {
  const auto entries = ParseCatalogue("{n:copy} a step\tE {0}\n");
  EXPECT_EQ(FirstLiterals(entries), (std::vector<std::string>{" copy a step", " copies a step"}));
  EXPECT_EQ(PluralOf("launch"), "launches");
  EXPECT_EQ(PluralOf("day"), "days");
}

TEST(Catalogue, BadLinesAreCountedAndLeftOut) {
  size_t bad = 0;
  const auto entries = ParseCatalogue(
      "# comment\n\nno tab\n{n} a\t{1}\nb\t{0}\n{} c\t{0:x}\nd {\tD\ngood {}\tG {0}\ntwo\ttabs\there\n", &bad);
  EXPECT_EQ(entries.size(), 1U);
  EXPECT_EQ(bad, 6U);
}

TEST(Catalogue, KeepsWhatAnEqualsSignKeeps) {
  const auto entries = ParseCatalogue("run {} now\t=\n");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].parts[0].literal, "run ");
  EXPECT_EQ(entries[0].tail, " now");
}

TEST(Catalogue, WordsOfVendorsMakeFurtherEntries) {
  const auto sets = ParseWordSets(
      "amd\tCUDA C++\tHIP C++\tCUDA C++\tHIP C++\n"
      "amd\twarps\twaves\twarp\twave\n"
      "amd\tcuda*\thip\tcuda*\thip\n"
      "prefix\tIn CUDA C++: \t\tC:\t\n");
  ASSERT_EQ(sets.size(), 2U);
  const auto entries = ParseCatalogueWith("In CUDA C++: call cudaFree, not warpsize, for warps\tC:warp\n", sets);
  EXPECT_EQ(FirstLiterals(entries), (std::vector<std::string>{"In CUDA C++: call cudaFree, not warpsize, for warps",
                                                              "In HIP C++: call hipFree, not warpsize, for waves",
                                                              "Call cudaFree, not warpsize, for warps"}));
  EXPECT_EQ(entries[1].tail, "C:wave");
}

TEST(ChineseCatalogue, EveryLineIsWellFormedAndStandsOnce) {
  std::set<std::string_view> seen;
  for (const EmbeddedCatalogue& catalogue : ChineseCatalogues()) {
    if (catalogue.name == "vendors") {
      EXPECT_GT(ParseWordSets(catalogue.text).size(), 3U);
      continue;
    }
    size_t bad = 0;
    EXPECT_GT(ParseCatalogue(catalogue.text, &bad).size(), 0U) << catalogue.name;
    EXPECT_EQ(bad, 0U) << catalogue.name;
    for (size_t at = 0; at < catalogue.text.size();) {
      const size_t end = std::min(catalogue.text.find('\n', at), catalogue.text.size());
      const std::string_view line = catalogue.text.substr(at, end - at);
      at = end + 1;
      if (line.empty() || line[0] == '#') continue;
      EXPECT_TRUE(seen.insert(line.substr(0, line.find('\t'))).second) << line;
    }
  }
}

}  // namespace
}  // namespace warpscope::lang
