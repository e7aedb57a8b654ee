// A baseline written and read is the same, and no text, however broken, is more than a located error.
#include "baseline/baseline.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "analysis/diff/diff.h"
#include "baseline/store.h"
#include "model/testing/trace_builder.h"

namespace warpscope::baseline {
namespace {

using model::testing::TraceBuilder;

Baseline Made(analysis::Words* words) {
  TraceBuilder b;
  b.device().name = "GPU A";
  int64_t now = 1'000'000;
  for (int step = 0; step < 12; ++step) {
    const int64_t begin = now;
    b.AddOp("aten::mm", now + 500, 9'000, "[[8, 8]]");
    b.Launch("sm80_xmma_gemm_f32f32", now + 1'000, 3'000, now + 20'000, 300'000 + step);
    b.Launch("relu \"kernel\"\n", now + 5'000, 3'000, now + 330'000, 50'000);
    now += 400'000;
    b.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, now - begin);
  }
  Baseline baseline;
  baseline.name = "main";
  baseline.saved_s = 1'700'000'000;
  baseline.tags = {{"batch", "64"}};
  baseline.items_per_step = 64;
  baseline.unprofiled = Unprofiled{"step", {1.5, 1.6}};
  auto run = RunOf(b.Finish(), {}, words);
  EXPECT_TRUE(run.ok());
  baseline.runs.push_back(std::move(run).value());
  return baseline;
}

// The stream of one process is called by its number; the run's folder tells runs apart.
TEST(Baseline, ARunIsCalledByItsFolder) {
  const auto called = [](const std::string& path) {
    TraceBuilder b;
    for (int step = 0; step < 4; ++step) {
      b.AddAnnotation("ProfilerStep#" + std::to_string(step), step * 10'000, 10'000);
      b.Launch("kernel", step * 10'000, 3'000, step * 10'000 + 4'000, 5'000);
    }
    model::Trace& trace = b.Finish();
    trace.sources[0].path = path;
    analysis::Words words;
    auto run = RunOf(trace, {}, &words);
    return run.ok() ? run.value().source : run.status().message();
  };
  EXPECT_EQ(called("runs/fast-2/692.capture"), "fast-2");
  EXPECT_EQ(called("692.capture"), "692.capture");
  EXPECT_EQ(called("runs/slow.capture"), "slow.capture");
  EXPECT_EQ(called("runs/a.json"), "a.json");
}

TEST(Baseline, ComesBackAsItWas) {
  analysis::Words words;
  const Baseline baseline = Made(&words);
  const std::string text = Write(baseline, words);
  EXPECT_TRUE(LooksLikeBaseline(text));
  analysis::Words fresh;  // other numbers for the same words
  fresh.Of("something else");
  auto read = Parse(text, "main.json", &fresh);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(Write(read.value(), fresh), text);
  const analysis::RunSide& a = baseline.runs[0].side;
  const analysis::RunSide& b = read->runs[0].side;
  EXPECT_EQ(a.step_ms.size(), b.step_ms.size());
  EXPECT_EQ(a.parts.works.size(), b.parts.works.size());
  EXPECT_EQ(a.parts.works[0].step_ns, b.parts.works[0].step_ns);
  EXPECT_EQ(a.parts.works[0].kernel_class.category, b.parts.works[0].kernel_class.category);
  EXPECT_EQ(a.parts.works[0].kernel_class.precision, b.parts.works[0].kernel_class.precision);
}

TEST(Baseline, OfTheSameRunDiffersInNothing) {
  analysis::Words words;
  const Baseline baseline = Made(&words);
  auto read = Parse(Write(baseline, words), "main.json", &words);
  ASSERT_TRUE(read.ok());
  const analysis::Diff diff = analysis::Compare(baseline.runs[0].side, read->runs[0].side, words, {});
  EXPECT_EQ(diff.outcome, analysis::Outcome::kNoDifference);
  EXPECT_NEAR(*diff.paired_a_pct, 100, 1e-9);
  for (const analysis::Cause& cause : diff.causes) EXPECT_NEAR(cause.diff_ms, 0, 1e-6);
  EXPECT_TRUE(diff.environment.empty());
}

TEST(Baseline, BrokenTextIsAnErrorAndNothingElse) {
  analysis::Words words;
  const std::string text = Write(Made(&words), words);
  for (size_t cut = 0; cut < text.size(); cut += 97) {
    analysis::Words fresh;
    EXPECT_FALSE(Parse(text.substr(0, cut), "x", &fresh).ok());
  }
  // Every digit in turn made large or negative: an error or another number, never a row that is not there.
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] < '0' || text[at] > '9' || at % 5 != 0) continue;
    for (const char* other : {"-1", "999999999", "1e308"}) {
      analysis::Words fresh;
      const auto read = Parse(text.substr(0, at) + other + text.substr(at + 1), "x", &fresh);
      if (read.ok()) {
        EXPECT_FALSE(Write(read.value(), fresh).empty());
      }
    }
  }
}

TEST(Baseline, ANewerVersionIsToldFromABrokenOne) {
  analysis::Words words;
  EXPECT_EQ(Parse(R"({"schema": "warpscope.baseline/2"})", "x", &words).status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(Parse(R"({"schema": "other"})", "x", &words).status().code(), StatusCode::kCorrupt);
}

TEST(Names, LeadNowhere) {
  for (const char* good : {"main", "v1.2_x-3", "0"}) EXPECT_TRUE(CheckName(good).ok()) << good;
  for (const char* bad :
       {"", ".", "..", "../x", "a/b", "/etc/x", "-rf", "a b", "a\nb", ".hidden", "a\\b", "n\xc3\xa4me"})
    EXPECT_FALSE(CheckName(bad).ok()) << bad;
  EXPECT_FALSE(CheckName(std::string(200, 'a')).ok());
  EXPECT_FALSE(CheckName(std::string("a\0b", 3)).ok());
}

TEST(Store, SavesListsAndRemoves) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "baselines_of_a_test";
  fs::remove_all(folder);
  const Store store(folder.string());
  analysis::Words words;
  EXPECT_TRUE(store.Names().empty());
  EXPECT_EQ(store.Load("main", &words).status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(store.Save(Made(&words), words).ok());
  EXPECT_TRUE(IsBaselineFile(store.PathOf("main")));
  EXPECT_EQ(store.Names(), std::vector<std::string>{"main"});
  EXPECT_TRUE(store.Load("main", &words).ok());
  EXPECT_FALSE(store.Remove("../main").ok());
  EXPECT_TRUE(store.Remove("main").ok());
  EXPECT_TRUE(store.Names().empty());
  fs::remove_all(folder);
}

// Several processes add a run each at once; none is lost, and no lock file stays.
TEST(Store, RunsAddedAtOnceAreAllKept) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "baselines_added_at_once";
  fs::remove_all(folder);
  const Store store(folder.string());
  analysis::Words words;
  const Baseline made = Made(&words);
  ASSERT_TRUE(store.Save(made, words).ok());
  constexpr int kProcesses = 8, kEach = 3;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int k = 0; k < kEach; ++k) {
      const auto lock = store.Lock("main");
      analysis::Words own;
      auto baseline = store.Load("main", &own);
      if (!lock.ok() || !baseline.ok()) ::_exit(1);
      baseline->runs.push_back(baseline->runs.front());
      if (!store.Save(baseline.value(), own).ok()) ::_exit(1);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int state = 1;
    ::waitpid(child, &state, 0);
    EXPECT_EQ(state, 0);
  }
  auto kept = store.Load("main", &words);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->runs.size(), static_cast<size_t>(1 + kProcesses * kEach));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace warpscope::baseline
