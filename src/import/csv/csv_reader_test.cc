#include "import/csv/csv_reader.h"

#include <gtest/gtest.h>

namespace warpscope::import {
namespace {

std::vector<std::vector<std::string>> Rows(std::string_view text) {
  const auto source = OpenMemory(text);
  CsvReader reader(source.get());
  std::vector<std::vector<std::string>> rows;
  for (auto more = reader.Next(); more.ok() && *more; more = reader.Next())
    rows.emplace_back(reader.fields().begin(), reader.fields().end());
  return rows;
}

using Table = std::vector<std::vector<std::string>>;

TEST(CsvReader, QuotesSeparatorsAndLineEnds) {
  EXPECT_EQ(Rows("a,b\r\n1, 2 \n"), (Table{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(Rows("\xEF\xBB\xBF\"a,x\",\"say \"\"hi\"\"\"\n\"two\nlines\",\n"),
            (Table{{"a,x", "say \"hi\""}, {"two\nlines", ""}}));
  EXPECT_EQ(Rows("a;b;c\n1,5;2;3\n"), (Table{{"a", "b", "c"}, {"1,5", "2", "3"}}));
  EXPECT_EQ(Rows("a\tb\n\n1\t\n"), (Table{{"a", "b"}, {"1", ""}}));
  EXPECT_EQ(Rows("last"), (Table{{"last"}}));
  EXPECT_EQ(Rows(""), Table{});
}

TEST(CsvReader, CutInsideQuotesIsCounted) {
  const auto source = OpenMemory("a,b\n\"open,1\n2,3\n");
  CsvReader reader(source.get());
  int rows = 0;
  for (auto more = reader.Next(); more.ok() && *more; more = reader.Next()) ++rows;
  EXPECT_EQ(rows, 1);
  EXPECT_EQ(reader.broken_records(), 1U);
  EXPECT_TRUE(reader.cut_short());
}

TEST(CsvReader, TooLongFieldCostsItsRow) {
  const std::string text = "a,b\n" + std::string(kMaxFieldBytes + 5, 'x') + ",1\n2,3\n";
  const auto source = OpenMemory(text);
  CsvReader reader(source.get());
  std::vector<uint64_t> lines;
  for (auto more = reader.Next(); more.ok() && *more; more = reader.Next()) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(reader.broken_records(), 1U);
}

TEST(CsvReader, ColumnsByNameOfAnyVersion) {
  const auto source = OpenMemory("Kernel_Name,Start_Timestamp\nk,1\n");
  CsvReader reader(source.get());
  ASSERT_TRUE(reader.Next().value());
  reader.TakeHeader();
  EXPECT_EQ(reader.Column("KernelName|kernel_name"), 0U);
  EXPECT_EQ(reader.Column("BeginNs|Start_Timestamp"), 1U);
  EXPECT_EQ(reader.Column("End"), std::nullopt);
}

TEST(Numbers, InSeveralLocales) {
  EXPECT_EQ(ParseNumber("9,495.42"), 9495.42);
  EXPECT_EQ(ParseNumber("9.495,42"), 9495.42);
  EXPECT_EQ(ParseNumber("1,234"), 1234);
  EXPECT_EQ(ParseNumber("1,234", ','), 1.234);
  EXPECT_EQ(ParseNumber("0,5"), 0.5);
  EXPECT_EQ(ParseNumber("12.345"), 12.345);
  EXPECT_EQ(ParseNumber("1.234.567"), 1234567);
  EXPECT_EQ(ParseNumber("1\xE2\x80\xAF"
                        "234,5"),
            1234.5);
  EXPECT_EQ(ParseNumber("-1.5e3"), -1500);
  for (const char* word : {"N/A", "n/a", "-", "", "[Not Supported]", "nan", "inf", "0x10", "12 MiB"})
    EXPECT_EQ(ParseNumber(word), std::nullopt) << word;
}

TEST(Numbers, CountsAndTimesAreExact) {
  EXPECT_EQ(ParseCount("18,446,744,073,709,551,615"), UINT64_MAX);
  EXPECT_EQ(ParseCount("18446744073709551616"), std::nullopt);
  EXPECT_EQ(ParseSigned("-12"), -12);
  EXPECT_EQ(ParseTimeNs("1736405443863674.400\t", 1000), 1736405443863674400);
  EXPECT_EQ(ParseTimeNs("5.25", 1000), 5250);
  EXPECT_EQ(ParseTimeNs("-0.5", 1000), -500);
  EXPECT_EQ(ParseTimeNs("5.", 1000), 5000);
  EXPECT_EQ(ParseTimeNs("9300000000000000000", 1000), std::nullopt);
  EXPECT_EQ(ParseTimeNs("N/A", 1000), std::nullopt);
}

}  // namespace
}  // namespace warpscope::import
