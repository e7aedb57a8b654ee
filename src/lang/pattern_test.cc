#include "lang/pattern.h"

#include <gtest/gtest.h>

namespace warpscope::lang {
namespace {

Pattern Parsed(std::string_view text) { return Pattern::Parse(text).value(); }

// What fills the holes, or {"no match"}.
std::vector<std::string> Fill(std::string_view pattern, std::string_view text) {
  std::vector<std::string> filled = {"no match"};
  Parsed(pattern).Match(text, [&](const Pattern::Values& values) {
    filled.assign(values.begin(), values.end());
    return true;
  });
  return filled;
}

using Texts = std::vector<std::string>;

TEST(IsQuantity, WhatNumbersLookLike) {
  for (const char* text : {"3.84 ms", "412 us", "91 %", "-36 %", "<0.1 %", "1,800", "2.3x", "1.5 GiB", "640", "0.0268",
                           "2 min 05 s", "9.1e-05", "1.2e+15", "-", "61 C", "12 TB/s"}) {
    EXPECT_TRUE(IsQuantity(text)) << text;
  }
  for (const char* text : {"", "ms", "3.84 xs", "gemm", "3.84 ms a step", "1.", ",5", "sm_90", "12ms", "3 ", "0x40"}) {
    EXPECT_FALSE(IsQuantity(text)) << text;
  }
  EXPECT_FALSE(IsQuantity(std::string(1 << 20, '1')));
}

TEST(Pattern, HolesTakeAsLittleAsTheyCan) {
  EXPECT_EQ(Fill("busy {n} of the step", "busy 91 % of the step"), Texts({"91 %"}));
  EXPECT_EQ(Fill("{} runs for {n}", "gemm runs for 3 ms"), (Texts{"gemm", "3 ms"}));
  EXPECT_EQ(Fill("all the same", "all the same"), Texts());
  EXPECT_EQ(Fill("all the same", "all the same."), Texts({"no match"}));
  EXPECT_EQ(Fill("{}", ""), Texts({""}));
}

TEST(Pattern, QuantityDecidesWhereANameEnds) {
  // The name holds the words that follow it.
  EXPECT_EQ(Fill("{} runs for {n} a step", "k runs for ever runs for 3 ms a step"), (Texts{"k runs for ever", "3 ms"}));
  EXPECT_EQ(Fill("{n} of {}", "not a number of x"), Texts({"no match"}));
}

TEST(Pattern, TheCallerMayRefuse) {
  int offers = 0;
  std::string second;
  EXPECT_TRUE(Parsed("{}, {}").Match("a, b, c", [&](const Pattern::Values& values) {
    second = values[1];
    return ++offers == 2;
  }));
  EXPECT_EQ(second, "c");
}

TEST(Pattern, BracesAndMistakes) {
  EXPECT_EQ(Fill("{{}} {n}", "{} 3"), Texts({"3"}));
  EXPECT_FALSE(Pattern::Parse("a } b"));
  EXPECT_FALSE(Pattern::Parse("a { b"));
  EXPECT_FALSE(Pattern::Parse("{x}"));
}

TEST(Pattern, GivesUpOnTextsMadeToFitInManyWays) {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += ", ";
  const Pattern pattern = Parsed("{}, {}, {}, {}, {}, {}, {n} end");
  EXPECT_FALSE(pattern.Match(text + "x end", [](const Pattern::Values&) { return true; }));
}

}  // namespace
}  // namespace warpscope::lang
