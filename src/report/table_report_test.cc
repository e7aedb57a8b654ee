#include "report/table_report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/text.h"

namespace warpscope::report {
namespace {

view::Table Kernels() {
  view::Table table;
  table.name = "kernels";
  table.title = "Kernels by total time";
  table.columns = {{"name", "kernel", view::Kind::kName, 0},
                   {"calls", "calls", view::Kind::kCount, 0},
                   {"total_ns", "total", view::Kind::kDurationNs, 0},
                   {"share_pct", "of busy", view::Kind::kPct, 1},
                   {"grid", "grid", view::Kind::kText, 3}};
  table.rows = {{view::Text(std::string(150, 'k')), view::Int(1234), view::Int(5'000'000), view::Number(61.5),
                 view::Text("132x1x1")},
                {view::Text("\x1b]0;owned\x07"
                            "add"),
                 view::Int(2),
                 view::Int(900),
                 {},
                 {}},
                {view::Text("=cmd,\"x\""), view::Int(1), view::Int(1), {}, {}}};
  return table;
}

TEST(TableText, FitsTheWidthAndStaysHarmless) {
  for (const size_t columns : {100, 80, 60, 50}) {
    for (const bool utf8 : {true, false}) {
      const std::string text = TableText(Kernels(), {.columns = columns, .utf8 = utf8}, {});
      EXPECT_EQ(text.find('\x1b'), std::string::npos);
      EXPECT_EQ(text.find('\x07'), std::string::npos);
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(Width(line), columns) << line;
    }
  }
}

TEST(TableText, ShowsAbsentAsDashAndSaysWhatIsLeftOut) {
  const std::string text = TableText(Kernels(), {.columns = 60}, {.limit = 2});
  SCOPED_TRACE(text);
  EXPECT_NE(text.find("1,234"), std::string::npos);
  EXPECT_NE(text.find("5.00 ms"), std::string::npos);
  EXPECT_NE(text.find("1 more row; --limit 0"), std::string::npos);
  EXPECT_NE(text.find("also shows: "), std::string::npos);
  EXPECT_NE(TableText(Kernels(), {.columns = 100}, {}).find("  -\n"), std::string::npos);
}

TEST(TableText, EmptyTableSaysWhy) {
  view::Table table = Kernels();
  table.rows.clear();
  table.empty_text = "No kernels were recorded.";
  EXPECT_EQ(TableText(table, {}, {}), "Kernels by total time\nNo kernels were recorded.\n");
}

TEST(TableJson, RawValuesAndNulls) {
  const std::string json = TableJson(Kernels(), 2);
  EXPECT_NE(json.find("\"schema\": \"warpscope.table.kernels/1\""), std::string::npos);
  EXPECT_NE(json.find("{\"name\": \"total_ns\", \"unit\": \"ns\"}"), std::string::npos);
  EXPECT_NE(json.find("[\"\\u001b]0;owned\\u0007add\", 2, 900, null, null]"), std::string::npos);
  EXPECT_NE(json.find("\"row_count\": 3"), std::string::npos);
}

TEST(TableCsv, QuotesAndDefusesFormulas) {
  const std::string csv = TableCsv(Kernels(), 0);
  EXPECT_EQ(csv.substr(0, csv.find('\r')), "name,calls,total_ns,share_pct,grid");
  EXPECT_NE(csv.find("\"'=cmd,\"\"x\"\"\",1,1,,\r\n"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::report
