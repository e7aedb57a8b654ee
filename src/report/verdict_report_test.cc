#include "report/verdict_report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/text.h"

namespace warpscope::report {
namespace {

rules::Finding LaunchBound() {
  rules::Finding finding;
  finding.id = "launch_bound";
  finding.title = "1,800 short kernels a step: the host launches slower than the device computes";
  finding.share_pct = 71;
  finding.predicted = analysis::Prediction{12.4, 7.9, 36.3, 20, 45};
  finding.confidence = rules::Confidence::kHigh;
  finding.evidence = {{"A kernel runs 1.3 us, its launch takes 5.1 us.", "warpscope launches 'my trace.json'"}};
  finding.actions = {
      {"Capture the step in a CUDA graph.", "model = torch.compile(model, mode=\"reduce-overhead\")\nloss = model(x)"}};
  finding.verify = "Record again: launches a step should fall to about 10.";
  finding.concept_text = "A GPU only starts work that the CPU hands to it.";
  return finding;
}

rules::Verdict Sample() {
  rules::Verdict verdict;
  verdict.answer = "The device waits for the host most of the time.";
  verdict.source = {"kineto", "torch.profiler (Kineto)", "2.11.0", "trace.json"};
  verdict.devices = {{"NVIDIA H200", 0, 9.0, 11.3}};
  verdict.step_count = 5;
  verdict.warmup_excluded = 1;
  verdict.step_median_ms = 12.4;
  verdict.step_p90_ms = 13;
  verdict.device_busy_pct = 9;
  verdict.breakdown = {{"device_busy", "device busy", 1.1, 9, true},
                       {"launch_calls", "idle: launch calls", 11.3, 91, false}};
  verdict.findings = {LaunchBound()};
  rules::Finding symptom;
  symptom.id = "small_grid";
  symptom.title = "Kernels too small to fill the device";
  symptom.caused_by = "launch_bound";
  verdict.findings.push_back(symptom);
  verdict.abstained = {{"memory_leak", "the recording has no memory events.", "profile_memory=True"}};
  model::Ledger ledger;
  ledger.Add(model::LedgerCode::kUntimedRecord, 3, 120, "", "trace.json");
  ledger.Add(model::LedgerCode::kProfilerOverhead, 1);
  verdict.ledger = ledger.Entries();
  verdict.notes = {"The recorder slows the host."};
  return verdict;
}

TEST(VerdictText, AnswerFirstAndEverythingInOrder) {
  const std::string text = VerdictText(Sample(), {}, {});
  EXPECT_EQ(text.substr(0, text.find('\n')), "The device waits for the host most of the time.");
  size_t at = 0;
  for (const char* part : {"NVIDIA H200", "5 steps", "device busy", "1. 1,800 short kernels",
                           "12.4 ms -> 7.90 ms a step (-36 %, between -20 and -45 %), high confidence in the cause",
                           "launch_bound", "A kernel runs", "$ warpscope launches 'my trace.json'", "Capture the step",
                           "| model = torch.compile", "| loss = model(x)", "Record again", "small_grid", "memory_leak",
                           "3 device records have no time", "The recorder slows"}) {
    const size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << "\n" << text;
    at = found;
  }
  EXPECT_EQ(text.find("profiler_overhead"), std::string::npos);
  EXPECT_EQ(text.find("A GPU only starts"), std::string::npos);
}

TEST(VerdictText, OptionsShowMoreOrLess) {
  EXPECT_EQ(VerdictText(Sample(), {}, {.quiet = true}), "The device waits for the host most of the time.\n");
  EXPECT_NE(VerdictText(Sample(), {}, {.explain = true}).find("A GPU only starts"), std::string::npos);
  EXPECT_NE(VerdictText(Sample(), {}, {.all = true}).find("of the profiler's own work"), std::string::npos);
}

TEST(VerdictText, FiveFindingsUnlessAll) {
  rules::Verdict verdict = Sample();
  verdict.findings.clear();
  for (int i = 0; i < 8; ++i) {
    rules::Finding finding = LaunchBound();
    finding.id = "cause" + std::to_string(i);
    finding.title = "Title number " + std::to_string(i);
    verdict.findings.push_back(finding);
  }
  const std::string text = VerdictText(verdict, {}, {});
  EXPECT_NE(text.find("Title number 4"), std::string::npos);
  EXPECT_EQ(text.find("Title number 5"), std::string::npos);
  EXPECT_NE(text.find("Smaller: cause5"), std::string::npos);
  EXPECT_NE(text.find("--all"), std::string::npos);
  EXPECT_NE(VerdictText(verdict, {}, {.all = true}).find("Title number 7"), std::string::npos);
}

TEST(VerdictText, HostileNamesStayHarmlessAndLinesFit) {
  rules::Verdict verdict = Sample();
  verdict.answer = "\x1b[2J\x1b]0;owned\x07 answer " + std::string(300, 'x');
  verdict.findings[0].title = "\x1b[31m title \xE2\x80\xAE";
  verdict.findings[0].evidence[0].text = std::string(400, 'e') + "\r\x08";
  verdict.findings[0].actions[0].code = "a\x1b[0mb";
  verdict.breakdown[1].label = "idle: \x1b[5m" + std::string(200, 'z');
  for (const size_t columns : {100, 80, 60}) {
    for (const bool utf8 : {true, false}) {
      const std::string text = VerdictText(verdict, {.columns = columns, .utf8 = utf8}, {.all = true, .explain = true});
      for (const char c : {'\x1b', '\x07', '\x08', '\r'}) EXPECT_EQ(text.find(c), std::string::npos);
      EXPECT_EQ(text.find("\xE2\x80\xAE"), std::string::npos);
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(Width(line), columns) << line;
    }
  }
}

TEST(VerdictText, ColourOnlyWhereAskedFor) {
  EXPECT_NE(VerdictText(Sample(), {.color = true}, {}).find("\x1b[1m"), std::string::npos);
  EXPECT_EQ(VerdictText(Sample(), {.color = false}, {}).find('\x1b'), std::string::npos);
}

TEST(VerdictJson, AbsentIsNull) {
  const std::string json = VerdictJson(rules::Verdict{});
  for (const char* part : {"\"schema\": \"warpscope.verdict/1\"", "\"median_ms\": null", "\"busy_pct\": null",
                           "\"findings\": []", "\"together\": null"}) {
    EXPECT_NE(json.find(part), std::string::npos) << json;
  }
}

TEST(VerdictJson, FieldsOfAFinding) {
  const std::string json = VerdictJson(Sample());
  for (const char* part :
       {"\"id\": \"launch_bound\"", "\"rank\": 1", "\"layer\": \"framework\"", "\"dimension\": \"latency\"",
        "\"subject\": null", "\"share_pct\": 71", "\"step_ms_before\": 12.4", "\"gain_pct\": 36.3",
        "\"confidence\": \"high\"", "\"caused_by\": \"launch_bound\"", "\"first_offset\": 120",
        "\"record_instead\": \"profile_memory=True\""}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << json;
  }
}

}  // namespace
}  // namespace warpscope::report
