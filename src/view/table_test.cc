#include "view/table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpscope::view {
namespace {

Table Sample() {
  Table table;
  table.name = "sample";
  table.columns = {{"kernel", "kernel", Kind::kName}, {"total_ns", "total", Kind::kDurationNs}};
  table.rows = {{Text("gemm"), Int(5)}, {Text("Relu"), {}}, {Text("add"), Int(9)}};
  return table;
}

std::string Names(const Table& table) {
  std::string names;
  for (const auto& row : table.rows) names += std::get<std::string>(row[0]) + " ";
  return names;
}

TEST(Table, NumbersSortLargestFirstAndAbsentLast) {
  Table table = Sample();
  ASSERT_TRUE(SortBy(table, "total_ns").ok());
  EXPECT_EQ(Names(table), "add gemm Relu ");
  ASSERT_TRUE(SortBy(table, "total:asc").ok());
  EXPECT_EQ(Names(table), "gemm add Relu ");
}

TEST(Table, TextSortsAscending) {
  Table table = Sample();
  ASSERT_TRUE(SortBy(table, "kernel").ok());
  EXPECT_EQ(Names(table), "Relu add gemm ");
}

TEST(Table, UnknownColumnNamesTheKnownOnes) {
  Table table = Sample();
  const Status status = SortBy(table, "speed");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("kernel, total_ns"), std::string::npos);
  EXPECT_EQ(SortBy(table, "kernel:up").code(), StatusCode::kInvalidArgument);
}

TEST(Table, KeepMatchingIgnoresCase) {
  Table table = Sample();
  KeepMatching(table, "rELU");
  EXPECT_EQ(Names(table), "Relu ");
}

TEST(Table, AbsentIsDashAndShareOfNothingIsAbsent) {
  EXPECT_EQ(FormatCell({}, Kind::kPct), "-");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(PctOf(1, 0)));
  EXPECT_EQ(FormatCell(PctOf(1, 4), Kind::kPct), "25.0 %");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(IdOf(UINT64_MAX)));
  EXPECT_EQ(FormatCell(IdOf(UINT64_MAX - 1), Kind::kId), "18446744073709551614");
  EXPECT_EQ(FormatCell(Int(1234), Kind::kId), "1234");
  EXPECT_EQ(FormatCell(Int(1234), Kind::kCount), "1,234");
}

TEST(Table, CompareIsTotal) {
  EXPECT_EQ(CompareCells(Number(NAN), Number(NAN)), 0);
  EXPECT_LT(CompareCells(Number(1), Number(NAN)), 0);
  EXPECT_LT(CompareCells(Int(1), Text("a")), 0);
  EXPECT_LT(CompareCells(Text("a"), Cell{}), 0);
  EXPECT_LT(CompareCells(Int(INT64_MAX - 1), Int(INT64_MAX)), 0);
}

TEST(Table, FullNamesAreShownAsPeopleWriteThem) {
  const Cell name = Text("_Z5logicPji");
  EXPECT_EQ(FormatCell(name, FullName()), "logic(unsigned int*, int)");
  EXPECT_EQ(FormatCell(name, Kind::kName), "_Z5logicPji") << "as recorded, in results of SQL";
  EXPECT_EQ(FormatCell(Cell{}, FullName()), "-");
}

}  // namespace
}  // namespace warpscope::view
