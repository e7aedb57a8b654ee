#include "lang/translate.h"

#include <gtest/gtest.h>

#include "model/ledger.h"

namespace warpscope::lang {
namespace {

rules::Verdict Sample() {
  rules::Verdict verdict;
  verdict.answer =
      "The GPU waits for input data 88 % of the step. Fixing it should bring a step from 33.3 ms to about 5.23 ms (-84 "
      "%).";
  rules::Finding finding;
  finding.id = "data_loading";
  finding.title = "The GPU waits for input data 88 % of the step";
  finding.subject = "compiles";  // a kernel may be called so
  finding.evidence.push_back({"launched by high", "warpscope gaps FILE"});
  finding.actions.push_back({"Copy the batch without waiting.", "batch = batch.to(device, non_blocking=True)"});
  verdict.findings.push_back(finding);
  verdict.breakdown.push_back({"device_compute", "GPU computes", 1, 2, true});
  verdict.notes.push_back("A sentence that nobody translated.");
  return verdict;
}

TEST(TranslateVerdict, TextsOnly) {
  rules::Verdict verdict = Sample();
  Translate(Language::kChinese, verdict);
  EXPECT_EQ(verdict.answer, "GPU 每步有 88 % 的时间在等待输入数据。修复后，一步应从 33.3 ms 降到约 5.23 ms（-84 %）。");
  const rules::Finding& finding = verdict.findings[0];
  EXPECT_EQ(finding.id, "data_loading");
  EXPECT_EQ(finding.title, "GPU 每步有 88 % 的时间在等待输入数据");
  EXPECT_EQ(finding.subject, "compiles");
  EXPECT_EQ(finding.evidence[0].text, "由 high 启动");
  EXPECT_EQ(finding.evidence[0].query, "warpscope gaps FILE");
  EXPECT_EQ(finding.actions[0].code, "batch = batch.to(device, non_blocking=True)");
  EXPECT_EQ(verdict.breakdown[0].name, "device_compute");
  EXPECT_EQ(verdict.breakdown[0].label, "GPU 计算");
  EXPECT_EQ(verdict.notes[0], "A sentence that nobody translated.");
}

TEST(TranslateVerdict, EnglishIsLeftAlone) {
  rules::Verdict verdict = Sample();
  Translate(Language::kEnglish, verdict);
  EXPECT_EQ(verdict.answer, Sample().answer);
}

TEST(Translate, LedgerInBothNumbers) {
  for (const uint64_t count : {1, 3}) {
    model::Ledger ledger;
    ledger.Add(model::LedgerCode::kTruncatedFile, count, 7, "x.json");
    const std::string text = Translate(Language::kChinese, ledger.Entries()[0].message);
    EXPECT_EQ(text, std::to_string(count) + " 个文件在一条记录中间结束：被跟踪的程序或拷贝被中断。首例：x.json");
  }
}

TEST(Translate, EveryLedgerSentenceIsKnown) {
  for (size_t code = 0; code < static_cast<size_t>(model::LedgerCode::kCount); ++code) {
    for (const uint64_t count : {1, 2}) {
      model::Ledger ledger;
      ledger.Add(static_cast<model::LedgerCode>(code), count);
      const std::string message = ledger.Entries()[0].message;
      EXPECT_NE(Translate(Language::kChinese, message), message);
    }
  }
}

TEST(Translate, WordsOfOtherVendors) {
  EXPECT_EQ(Translate(Language::kChinese,
                      "Matrix products run in plain float32 for 40 % of the step: the tensor cores are "
                      "not used"),
            "矩阵乘以普通 float32 运行，占每步的 40 %：没有用到 Tensor Core");
  EXPECT_EQ(Translate(Language::kChinese, "Capture the repeated part in a HIP graph, by hand or through the compiler."),
            "把重复的部分捕获成 HIP Graph，手工或通过编译器。");
  EXPECT_EQ(Translate(Language::kChinese, "The NPU waits for input data 88 % of the step"),
            "NPU 每步有 88 % 的时间在等待输入数据");
  EXPECT_EQ(Translate(Language::kChinese, "Capture the stream once, launch the graph each step."),
            "捕获一次流，每步启动该图。");
}

TEST(ParseLanguage, CodesAndLocales) {
  EXPECT_EQ(ParseLanguage("zh"), Language::kChinese);
  EXPECT_EQ(ParseLanguage("zh_CN.UTF-8"), Language::kChinese);
  EXPECT_EQ(ParseLanguage("en-GB"), Language::kEnglish);
  EXPECT_FALSE(ParseLanguage("de"));
  EXPECT_FALSE(ParseLanguage(""));
}

}  // namespace
}  // namespace warpscope::lang
