#include "lang/translator.h"

#include <gtest/gtest.h>

#include <chrono>

namespace warpscope::lang {
namespace {

constexpr std::string_view kCatalogue =
    "The GPU waits {n} of the step\tGPU WAIT {0}\n"
    "{} runs on the device for {n}\t{1}: {0} RUN\n"
    "; most of the rest is {}\t; REST {0:t}\n"
    " in {}\t IN {0}\n"
    "idle: CPU {}\tIDLE {0:t}\n"
    "compiles\tCOMPILE\n"
    "{}, {}\t{0:t}/{1:t}\n"
    " Fixing it brings {n}.\tFIX {0}\xE3\x80\x82\n"
    "launched by {}\tBY {0}\n"
    "about {}\tABOUT {0:?}\n";

// "-" if nothing of the text is known.
std::string Turn(std::string_view text) {
  static const Translator translator(ParseCatalogue(kCatalogue));
  return translator.Translate(text).value_or("-");
}

TEST(Translator, WholeTexts) {
  EXPECT_EQ(Turn("The GPU waits 88 % of the step"), "GPU WAIT 88 %");
  EXPECT_EQ(Turn("gemm<int> runs on the device for 3 ms"), "3 ms: gemm<int> RUN");
  EXPECT_EQ(Turn("nothing known"), "-");
  EXPECT_EQ(Turn(""), "-");
  EXPECT_EQ(Turn("12.3"), "-");
}

TEST(Translator, WhatIsAppendedAndSentences) {
  EXPECT_EQ(Turn("The GPU waits 88 % of the step; most of the rest is idle: CPU compiles"),
            "GPU WAIT 88 %; REST IDLE COMPILE");
  EXPECT_EQ(Turn("The GPU waits 88 % of the step."), "GPU WAIT 88 %\xE3\x80\x82");
  EXPECT_EQ(Turn("The GPU waits 88 % of the step. Fixing it brings 3 ms."),
            "GPU WAIT 88 %\xE3\x80\x82"
            "FIX 3 ms\xE3\x80\x82");
  EXPECT_EQ(Turn("The GPU waits 88 % of the step in loop.py"), "GPU WAIT 88 % IN loop.py");
}

TEST(Translator, ASentenceIsTranslatedAsAWholeOrNotAtAll) {
  // The phrase is unknown: so is the sentence.
  EXPECT_EQ(Turn("The GPU waits 88 % of the step; most of the rest is unheard of"), "-");
  EXPECT_EQ(Turn("Nobody knows this. The GPU waits 88 % of the step."), "Nobody knows this. GPU WAIT 88 %\xE3\x80\x82");
  // A pattern of few words does not swallow English.
  EXPECT_EQ(Turn("launched by somebody whom we do not know"), "-");
}

TEST(Translator, PhrasesAreTranslatedNamesAreCopied) {
  EXPECT_EQ(Turn("about compiles"), "ABOUT COMPILE");
  EXPECT_EQ(Turn("about this"), "ABOUT this");
  EXPECT_EQ(Turn("launched by compiles"), "BY compiles");
  EXPECT_EQ(Turn("compiles, compiles"), "COMPILE/COMPILE");
  EXPECT_EQ(Turn("f<a, b> runs on the device for 3 ms"), "3 ms: f<a, b> RUN");
}

TEST(Translator, NamesMayHoldOurSentences) {
  const std::string name = "k; most of the rest is . Fixing it brings 3 ms. The GPU waits {n} in {} %s {0:t}";
  EXPECT_EQ(Turn(name + " runs on the device for 3 ms"), "3 ms: " + name + " RUN");
  // Chinese, control characters and broken UTF-8 pass through.
  EXPECT_EQ(Turn("\xE5\x86\x85\x01\xFF runs on the device for 3 ms"), "3 ms: \xE5\x86\x85\x01\xFF RUN");
}

TEST(Translator, LongNamesAreCopiedWhole) {
  std::string name;
  while (name.size() < 3 << 20) name += "runs on the device for 3 ms; most of the rest is in . Fixing it ";
  name += "x";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(Turn(name + " runs on the device for 3 ms") == "3 ms: " + name + " RUN");
  const std::string marks = std::string("\x01\x02\x03\x04\x05\x06") + name;
  EXPECT_TRUE(Turn(marks + " runs on the device for 3 ms") == "-");  // no mark is left: English
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(Translator, TextsFullOfOurPiecesTakeBoundedTime) {
  std::string text;
  while (text.size() < 8000) text += "; most of the rest is idle: CPU , in  in . Fixing it brings 3 ms.";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(Turn(text).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));  // unoptimised, busy machine
}

}  // namespace
}  // namespace warpscope::lang
