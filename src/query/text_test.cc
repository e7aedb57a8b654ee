#include "query/text.h"

#include <gtest/gtest.h>

namespace warpscope::query {
namespace {

TEST(Parameters, NamesBecomeNumbersOutsideOfTexts) {
  const Numbered numbered = NumberParameters("SELECT $b, '$b', \"$b\", $a, $b -- $c\n/* $d */, $$x $e$$, $1, cost$f");
  EXPECT_EQ(numbered.sql, "SELECT $1, '$b', \"$b\", $2, $1 -- $c\n/* $d */, $$x $e$$, $1, cost$f");
  EXPECT_EQ(numbered.names, (std::vector<std::string>{"b", "a"}));
}

TEST(Statements, SplitAtSemicolonsAndKeepTheirPlace) {
  const auto statements = SplitStatements("SELECT ';';\n-- ; no\nSELECT 2; ; -- end");
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_EQ(statements[0], "SELECT ';'");
  EXPECT_EQ(statements[1], "           \n-- ; no\nSELECT 2");
  EXPECT_TRUE(SplitStatements(" -- nothing\n ;;").empty());
}

TEST(Statements, UnfinishedUntilTheSemicolon) {
  EXPECT_TRUE(IsUnfinished("SELECT 1"));
  EXPECT_TRUE(IsUnfinished("SELECT 'a;"));
  EXPECT_TRUE(IsUnfinished("SELECT 1 /* ;"));
  EXPECT_FALSE(IsUnfinished("SELECT 1;"));
  EXPECT_FALSE(IsUnfinished("SELECT 1; -- done"));
}

TEST(Errors, LineAndColumn) {
  EXPECT_EQ(ExplainError("Parser Error: syntax error at or near \"selct\"\n\nLINE 1: selct 1\n        ^", "selct 1"),
            "SQL, line 1, column 1: syntax error at or near \"selct\"");
  EXPECT_EQ(
      ExplainError("Binder Error: no \"x\"!\nCandidate bindings: \"y\"\n\nLINE 2:   x\n          ^", "SELECT\n  x"),
      "SQL, line 2, column 3: no \"x\"! Candidate bindings: \"y\"");
}

TEST(Errors, ColumnOfALineThatIsCut) {
  const std::string sql = "SELECT " + std::string(200, '1') + " + wrong FROM kernels";
  EXPECT_EQ(ExplainError("Binder Error: no\n\nLINE 1: ...111 + wrong FROM kernels\n                 ^", sql),
            "SQL, line 1, column 211: no");
}

TEST(Errors, WithoutAPlace) {
  EXPECT_EQ(ExplainError("Permission Error: Cannot access", ""), "SQL: Cannot access");
  EXPECT_EQ(ExplainError("INTERRUPT Error: Interrupted!", ""), "interrupted");
  EXPECT_EQ(ExplainError("", ""), "SQL: ");
}

TEST(Errors, TypesOfNamesAreTexts) {
  EXPECT_EQ(WithoutEnumLists("a ENUM('x', 'it''s)', 'z') b"), "a VARCHAR b");
  EXPECT_EQ(WithoutEnumLists("ENUM('cut"), "VARCHAR");
  EXPECT_EQ(WithoutEnumLists("ENUM"), "ENUM");
}

}  // namespace
}  // namespace warpscope::query
