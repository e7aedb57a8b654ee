// How often `warpscope gate` is wrong: comparisons of made-up runs of one program, with noise of many kinds, without a
// change (a regression told is a false alarm) and with a planted one (a regression not told is a miss). Everything but
// the reading of files is as in the command: traces, steps, parts, judgement.
//
//   gate_errors [COMPARISONS] [KIND]     default: 1000 of the kinds with a target, a quarter of the others
//
// Exit status 1 if the kernel noise that the project's target names misses it: false alarms <= 1 %, found >= 95 %.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "analysis/gate/gate.h"
#include "model/testing/trace_builder.h"

namespace warpscope {
namespace {

using analysis::GateOutcome;
using analysis::RunSide;

// One kind of noise; all parts together make a run.
struct Noise {
  const char* name;
  const char* words;
  int base_runs, next_runs;
  double launch_pct = 8;                           // each launch of a kernel, on its own
  double kernel_pct = 0;                           // each kernel in a run, alike in all its launches
  double run_pct = 0;                              // each run as a whole
  double drift_pct = 0;                            // first step to last, in each run
  double peak_chance = 0, peak_pct = 0;            // runs on a second peak
  double step_peak_chance = 0, step_peak_pct = 0;  // steps on a second peak
  int slow_first = 0;                              // steps at the beginning, twice as long
  double outlier_chance = 0;                       // steps, three times as long
  double clock_chance = 0, clock_pct = 0;          // runs at lower clocks, which nobody recorded
  bool hiccup = false;                             // one step of each run, thirty times as long
  int steps = 24;                                  // in a run
  bool target = false;                             // the project's target: false alarms <= 1 %, found >= 95 %
  int launches = 100;                              // in a step
  bool in_one = false;  // the largest kernel is one launch, so its noise is not averaged out in a step
};

constexpr Noise kKinds[] = {
    {.name = "kernels",
     .words = "8 % on every launch, 1 run against 1",
     .base_runs = 1,
     .next_runs = 1,
     .target = true},
    {.name = "kernels_3", .words = "8 % on every launch, 3 against 3", .base_runs = 3, .next_runs = 3, .target = true},
    {.name = "thousand",
     .words = "8 % on every launch, 1,000 kernels, 1 against 1",
     .base_runs = 1,
     .next_runs = 1,
     .target = true,
     .launches = 1000},
    {.name = "in_one",
     .words = "8 % on every launch, 30 % of the step in one, 1 against 1",
     .base_runs = 1,
     .next_runs = 1,
     .in_one = true},
    {.name = "in_one_3",
     .words = "8 % on every launch, 30 % of the step in one, 3 against 3",
     .base_runs = 3,
     .next_runs = 3,
     .in_one = true},
    {.name = "per_run",
     .words = "8 % on every kernel, alike in a run, 5 against 5",
     .base_runs = 5,
     .next_runs = 5,
     .kernel_pct = 8},
    {.name = "runs", .words = "1 % from run to run, 5 against 5", .base_runs = 5, .next_runs = 5, .run_pct = 1},
    {.name = "runs_half",
     .words = "0.5 % from run to run, 5 against 3",
     .base_runs = 5,
     .next_runs = 3,
     .run_pct = 0.5},
    {.name = "drift",
     .words = "steps grow by 3 % in a run, 3 against 3",
     .base_runs = 3,
     .next_runs = 3,
     .drift_pct = 3},
    {.name = "two_peaks",
     .words = "half of the runs 13 % slower, 18 against 1",
     .base_runs = 18,
     .next_runs = 1,
     .peak_chance = 0.45,
     .peak_pct = 13},
    {.name = "two_peaks_5",
     .words = "half of the runs 13 % slower, 10 against 5",
     .base_runs = 10,
     .next_runs = 5,
     .peak_chance = 0.45,
     .peak_pct = 13},
    {.name = "step_peaks",
     .words = "half of the steps 10 % slower, 3 against 3",
     .base_runs = 3,
     .next_runs = 3,
     .step_peak_chance = 0.5,
     .step_peak_pct = 10},
    {.name = "slow_first",
     .words = "the first 6 of 24 steps twice as long, 3 against 3",
     .base_runs = 3,
     .next_runs = 3,
     .slow_first = 6},
    {.name = "outliers",
     .words = "5 % of the steps three times as long, 3 against 3",
     .base_runs = 3,
     .next_runs = 3,
     .outlier_chance = 0.05},
    {.name = "hiccup",
     .words = "one step of each run thirty times as long, 1 against 1",
     .base_runs = 1,
     .next_runs = 1,
     .hiccup = true},
    {.name = "hiccup_6",
     .words = "the same with 6 steps a run, 1 against 1",
     .base_runs = 1,
     .next_runs = 1,
     .hiccup = true,
     .steps = 6},
    {.name = "few_steps",
     .words = "8 % on every launch, 6 steps a run, 1 against 1",
     .base_runs = 1,
     .next_runs = 1,
     .steps = 6},
    {.name = "clocks",
     .words = "one run in five at 4 % lower clocks, 5 against 3",
     .base_runs = 5,
     .next_runs = 3,
     .clock_chance = 0.2,
     .clock_pct = 4},
};

using Random = std::mt19937_64;

double Normal(Random& random) { return std::normal_distribution<double>()(random); }
bool Chance(Random& random, double chance) { return std::uniform_real_distribution<double>()(random) < chance; }

// A program's launches in a step: one kernel holds 30 % of the step, in one launch or in a tenth of all; the others are
// of one launch each and as long as they come.
struct Program {
  std::vector<double> ns;   // of each launch
  std::vector<int> kernel;  // which each is of; 0: the largest
};
Program ProgramOf(int launches, bool in_one, Random& random) {
  constexpr double kStepNs = 20e6, kLargest = 0.3;
  const auto count = static_cast<size_t>(launches), large = in_one ? 1 : count / 10;
  Program program{std::vector<double>(count), std::vector<int>(count)};
  double sum = 0;
  for (size_t i = large; i < count; ++i) sum += program.ns[i] = std::exp(1.2 * Normal(random));
  for (size_t i = 0; i < count; ++i) {
    program.kernel[i] = i < large ? 0 : static_cast<int>(i);
    program.ns[i] =
        i < large ? kLargest * kStepNs / static_cast<double>(large) : program.ns[i] * (1 - kLargest) * kStepNs / sum;
  }
  return program;
}

RunSide RunOf(const Noise& noise, const Program& program, double planted_pct, Random& random, analysis::Words* words) {
  const int hiccup_at = noise.hiccup ? static_cast<int>(random() % static_cast<uint64_t>(noise.steps)) : -1;
  model::testing::TraceBuilder builder;
  std::vector<double> own(program.ns.size());
  for (double& factor : own) factor = std::exp(noise.kernel_pct / 100 * Normal(random));
  double run = std::exp(noise.run_pct / 100 * Normal(random));
  if (Chance(random, noise.peak_chance)) run *= 1 + noise.peak_pct / 100;
  if (Chance(random, noise.clock_chance)) run *= 1 + noise.clock_pct / 100;
  int64_t now = 1'000'000;
  for (int step = 0; step < noise.steps; ++step) {
    double factor = run * (1 + noise.drift_pct / 100 * step / (noise.steps - 1));
    if (Chance(random, noise.step_peak_chance)) factor *= 1 + noise.step_peak_pct / 100;
    if (step < noise.slow_first) factor *= 2;
    if (Chance(random, noise.outlier_chance)) factor *= 3;
    if (step == hiccup_at) factor *= 30;
    const int64_t begin = now;
    for (size_t i = 0; i < program.ns.size(); ++i) {
      // The planted change: the largest kernel alone becomes slower.
      const auto kernel = static_cast<size_t>(program.kernel[i]);
      const double planted = kernel == 0 ? 1 + planted_pct / 30 : 1;
      const double noisy = std::exp(noise.launch_pct / 100 * Normal(random));
      const double ns = program.ns[i] * own[kernel] * factor * planted * noisy;
      const auto dur = std::max<int64_t>(1, std::llround(ns));
      builder.Launch("kernel_" + std::to_string(kernel), begin + static_cast<int64_t>(i) * 10, 8, now + 5'000, dur);
      now += dur;
    }
    now += 8'000;
    builder.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, now - begin);
  }
  const analysis::Index index(builder.Finish());
  RunSide side = analysis::RunSideOf(index, index.default_domain(), words);
  analysis::Thin({}, &side, words);
  return side;
}

struct Counts {
  int comparisons = 0, pass = 0, regression = 0, undecided = 0;
  int with_kernels = 0;  // comparisons that list a slower kernel
};

Counts Compare(const Noise& noise, double planted_pct, int comparisons, uint64_t seed) {
  Counts counts;
  for (int i = 0; i < comparisons; ++i) {
    Random random(seed + static_cast<uint64_t>(i) * 7919);
    const Program program = ProgramOf(noise.launches, noise.in_one, random);
    analysis::Words words;
    std::vector<RunSide> sides;
    sides.reserve(static_cast<size_t>(noise.base_runs + noise.next_runs));
    std::vector<const RunSide*> base, next;
    for (int run = 0; run < noise.base_runs + noise.next_runs; ++run) {
      const bool is_next = run >= noise.base_runs;
      sides.push_back(RunOf(noise, program, is_next ? planted_pct : 0, random, &words));
      (is_next ? next : base).push_back(&sides.back());
    }
    const analysis::GateResult result = analysis::Judge(base, next, words);
    ++counts.comparisons;
    switch (result.outcome) {
      case GateOutcome::kPass: ++counts.pass; break;
      case GateOutcome::kRegression: ++counts.regression; break;
      default: ++counts.undecided;
    }
    counts.with_kernels += result.kernels.slower.empty() ? 0 : 1;
  }
  return counts;
}

// 1 or more; 1 for anything that is no number.
int CountOf(std::string_view text) {
  int count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return std::max(1, count);
}

double Pct(int part, const Counts& of) { return 100.0 * part / of.comparisons; }

int Main(int argc, char** argv) {
  const int comparisons = argc > 1 ? CountOf(argv[1]) : 1000;
  const char* only = argc > 2 ? argv[2] : nullptr;
  bool met = true;
  fmt::print(
      "| noise | comparisons | false alarms | inconclusive | a kernel called slower | 3 % found | 3 % passed |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const Noise& noise : kKinds) {
    if (only != nullptr && std::strcmp(only, noise.name) != 0) continue;
    const int count = noise.target ? comparisons : std::max(1, comparisons / 4);
    const Counts null = Compare(noise, 0, count, 1), three = Compare(noise, 3, count, 500'000'003);
    fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n", noise.words, count,
               Pct(null.regression, null), Pct(null.undecided, null), Pct(null.with_kernels, null),
               Pct(three.regression, three), Pct(three.pass, three));
    std::fflush(stdout);
    if (noise.target && (Pct(null.regression, null) > 1 || Pct(three.regression, three) < 95)) met = false;
  }
  return met ? 0 : 1;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) { return warpscope::Main(argc, argv); }
