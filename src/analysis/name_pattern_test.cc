#include "analysis/name_pattern.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

bool Found(std::string_view expression, std::string_view name) {
  auto pattern = NamePattern::Compile(expression);
  EXPECT_TRUE(pattern.ok()) << expression;
  return pattern.ok() && (*pattern).Find(name);
}

TEST(NamePattern, IsSearchedInTheNameWhateverTheCase) {
  EXPECT_TRUE(Found("gemm", "void cutlass_GEMM<float>(int)"));
  EXPECT_TRUE(Found("^void .*<float>\\(", "void cutlass_gemm<float>(int)"));
  EXPECT_TRUE(Found("relu|gelu$", "fused_gelu"));
  EXPECT_FALSE(Found("^gemm", "sgemm"));
  EXPECT_FALSE(Found("gelu$", "gelu_backward"));
  EXPECT_TRUE(Found("b.c", "a\nb\nc"));
  EXPECT_TRUE(Found("^$", ""));
  EXPECT_TRUE(Found("sm[0-9]{2,3}_", "nvjet_sm90_tst"));
  EXPECT_TRUE(Found("a.b",
                    "a\xff"
                    "b"));  // no UTF-8
  EXPECT_TRUE(Found("\xc3\xa9", "caf\xc3\xa9"));
}

// Expressions on which a search that backtracks would not end.
TEST(NamePattern, NamesCannotMakeItSlow) {
  const std::string name(100'000, 'A');
  for (const char* expression : {"(A*)*B", "(.*)*(.*)*(.*)*Z$", "(((A|A)*)*)*$B", "(A+)+_"})
    EXPECT_FALSE(Found(expression, name)) << expression;
}

TEST(NamePattern, RefusesWhatIsNoExpressionOrTooMuch) {
  const auto why = [](const std::string& expression) {
    const auto pattern = NamePattern::Compile(expression);
    EXPECT_FALSE(pattern.ok()) << expression;
    return pattern.ok() ? std::string() : pattern.status().message();
  };
  EXPECT_EQ(why("("), "\"(\" is no regular expression");
  EXPECT_EQ(why("a)|(b"), "\"a)|(b\" is no regular expression");
  EXPECT_NE(why("(a)\\1").find("back reference"), std::string::npos);
  EXPECT_NE(why(std::string(50'000, '(') + std::string(50'000, ')')).find("1000 bytes"), std::string::npos);
  EXPECT_NE(why("((a?){900}){900}").find("repe"), std::string::npos);
  EXPECT_NE(why("(a?){9999}").find("repe"), std::string::npos);
  std::string large;
  while (large.size() < 900) large += "(ab?c?d?){1000}";
  EXPECT_NE(why(large).find("too large"), std::string::npos);
}

TEST(NamePattern, DeepOrRepeatedWithinItsLimitsIsSearched) {
  EXPECT_TRUE(Found(std::string(450, '(') + "a" + std::string(450, ')'), "xa"));
  EXPECT_TRUE(Found("(a?){1000}", "b"));
}

}  // namespace
}  // namespace warpscope::analysis
