// What must hold for any two recordings, and what each kind of change is called.
#include "analysis/diff/diff.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::testing::TraceBuilder;

// A loop of steps: each launches what `body` adds, from a start that it is told; the host is always ahead of nothing.
class Loop {
 public:
  explicit Loop(TraceBuilder* builder) : b_(*builder) {}
  int64_t now = 1'000'000;

  void Steps(int count, const std::function<void(Loop&, int)>& body) {
    for (int i = 0; i < count; ++i) {
      const int64_t begin = now;
      body(*this, i);
      b_.AddAnnotation("ProfilerStep#" + std::to_string(i), begin, now - begin);
    }
  }
  // An operator with one kernel; the device starts it 5 us after the call began and the host waits for nothing.
  void Op(const char* op, const char* kernel, int64_t kernel_ns, const char* dims = "[[8, 8]]") {
    b_.AddOp(op, now, 9'000, dims);
    const int64_t start = std::max(now + 5'000, device_);
    b_.Launch(kernel, now + 1'000, 3'000, start, kernel_ns);
    device_ = start + kernel_ns;
    now += 10'000;
  }
  void Host(int64_t ns) { now += ns; }
  void Drain() { now = std::max(now, device_ + 1'000); }

 private:
  TraceBuilder& b_;
  int64_t device_ = 0;
};

using Body = std::function<void(Loop&, int)>;

// The builders outlive the result's indices.
struct Compared {
  TraceBuilder a, b;
  Diff diff;
};
void CompareLoops(Compared* c, int steps_a, const Body& a, int steps_b, const Body& b,
                  const DiffOptions& options = {}) {
  Loop(&c->a).Steps(steps_a, a), Loop(&c->b).Steps(steps_b, b);
  const Index before(c->a.Finish()), after(c->b.Finish());
  c->diff = Compare(before, after, options);
}

double SumOfCauses(const Diff& diff) {
  double sum = diff.residual_ms;
  for (const Cause& cause : diff.causes) sum += cause.diff_ms;
  return sum;
}

double SumOfParts(const Diff& diff) {
  double sum = 0;
  for (const PartChange& part : diff.parts) sum += part.diff_ms();
  return sum;
}

// Some noise of the same size in every step, without a random generator.
int64_t Wobble(int step, int64_t ns) { return ns + ns / 200 * ((step * 7) % 5 - 2); }

void Usual(Loop& loop, int step) {
  loop.Op("aten::mm", "sm80_xmma_gemm_f32f32", Wobble(step, 300'000));
  loop.Op("aten::relu", "relu_kernel", 50'000);
  loop.Drain();
}

TEST(Diff, OfARecordingWithItselfIsNone) {
  Compared c;
  CompareLoops(&c, 12, Usual, 12, Usual);
  EXPECT_EQ(c.diff.outcome, Outcome::kNoDifference);
  EXPECT_DOUBLE_EQ(c.diff.step.diff_ms, 0);
  for (const Cause& cause : c.diff.causes) EXPECT_DOUBLE_EQ(cause.diff_ms, 0);
  EXPECT_DOUBLE_EQ(*c.diff.paired_a_pct, 100);
  EXPECT_TRUE(c.diff.environment.empty());
  EXPECT_EQ(c.diff.comparable_pct, 100u);
}

TEST(Diff, SlowerKernelComesFirstAndPartsAddUp) {
  Compared c;
  CompareLoops(&c, 12, Usual, 15, [](Loop& loop, int step) {
    loop.Op("aten::mm", "sm80_xmma_gemm_f32f32", Wobble(step, 345'000));
    loop.Op("aten::relu", "relu_kernel", 50'000);
    loop.Drain();
  });
  EXPECT_EQ(c.diff.outcome, Outcome::kSlower);
  ASSERT_FALSE(c.diff.causes.empty());
  EXPECT_EQ(c.diff.causes[0].kind, CauseKind::kKernelSpeed);
  EXPECT_EQ(c.diff.causes[0].subject, "aten::mm");
  EXPECT_NEAR(c.diff.causes[0].diff_ms, 0.045, 0.003);
  EXPECT_NEAR(SumOfCauses(c.diff), c.diff.step.diff_ms, 1e-9);
  EXPECT_NEAR(SumOfParts(c.diff) + c.diff.residual_ms, c.diff.step.diff_ms, 1e-9);
}

TEST(Diff, SwappedSidesNegate) {
  const Body other = [](Loop& loop, int step) {
    loop.Op("aten::mm", "gemm_bf16_kernel", Wobble(step, 150'000));
    loop.Op("aten::gelu", "gelu_kernel", 60'000);
    loop.Host(30'000);
    loop.Drain();
  };
  Compared forth, back;
  CompareLoops(&forth, 10, Usual, 14, other);
  CompareLoops(&back, 14, other, 10, Usual);
  EXPECT_EQ(forth.diff.outcome, Outcome::kFaster);
  EXPECT_EQ(back.diff.outcome, Outcome::kSlower);
  EXPECT_DOUBLE_EQ(forth.diff.step.diff_ms, -back.diff.step.diff_ms);
  EXPECT_NEAR(forth.diff.residual_ms, -back.diff.residual_ms, 1e-9);
  ASSERT_EQ(forth.diff.parts.size(), back.diff.parts.size());
  EXPECT_NEAR(SumOfParts(forth.diff), -SumOfParts(back.diff), 1e-9);
  double sum = 0, swapped = 0;
  for (const Cause& cause : forth.diff.causes) sum += std::abs(cause.diff_ms);
  for (const Cause& cause : back.diff.causes) swapped += std::abs(cause.diff_ms);
  EXPECT_NEAR(sum, swapped, 1e-9);
}

TEST(Diff, PrecisionIsNamedThoughKernelNamesShareNothing) {
  Compared c;
  CompareLoops(
      &c, 8,
      [](Loop& loop, int) {
        loop.Op("aten::mm", "cutlass_80_tensorop_s1688gemm_tf32f32_128x128", 100'000, "[[512, 512], [512, 512]]");
        loop.Drain();
      },
      8,
      [](Loop& loop, int) {
        loop.Op("aten::mm", "ampere_sgemm_128x64_tn", 300'000, "[[512, 512], [512, 512]]");
        loop.Drain();
      });
  ASSERT_FALSE(c.diff.causes.empty());
  EXPECT_EQ(c.diff.causes[0].kind, CauseKind::kPrecision);
  EXPECT_EQ(c.diff.causes[0].detail, "tf32 to fp32");
  EXPECT_NEAR(c.diff.causes[0].diff_ms, 0.2, 0.001);
}

TEST(Diff, NewVanishedAndFusedWorkIsTold) {
  Compared c;
  CompareLoops(
      &c, 8,
      [](Loop& loop, int) {
        for (int i = 0; i < 4; ++i) loop.Op("aten::gelu", "gelu_part_kernel", 60'000);
        loop.Op("aten::contiguous", "nchwToNhwcKernel", 80'000);
        loop.Drain();
      },
      8,
      [](Loop& loop, int) {
        loop.Op("aten::gelu", "gelu_whole_kernel", 90'000);
        loop.Drain();
      });
  ASSERT_GE(c.diff.causes.size(), 2u);
  EXPECT_EQ(c.diff.causes[0].kind, CauseKind::kFusion);
  EXPECT_EQ(c.diff.causes[0].subject, "aten::gelu");
  EXPECT_NEAR(c.diff.causes[0].diff_ms, -0.15, 0.001);
  EXPECT_EQ(c.diff.causes[1].kind, CauseKind::kVanishedKernels);
  EXPECT_EQ(c.diff.causes[1].detail, "layout");
}

// Different warm-up and number of steps, same speed (known kind: whole profile against one iteration).
TEST(Diff, WarmUpAndNumberOfStepsDoNotMatter) {
  const auto with_warmup = [](int slow) {
    return [slow](Loop& loop, int step) {
      loop.Op("aten::mm", "gemm", step < slow ? 4'000'000 : Wobble(step, 300'000));
      loop.Drain();
    };
  };
  Compared c;
  CompareLoops(&c, 25, with_warmup(5), 31, with_warmup(1));
  EXPECT_EQ(c.diff.outcome, Outcome::kNoDifference);
  EXPECT_LT(std::abs(c.diff.step.diff_pct), 0.5);
}

DiffOptions Forced() {
  DiffOptions options;
  options.force = true;
  return options;
}

TEST(Diff, AnotherNumberOfDevicesIsRefused) {
  TraceBuilder a, b;
  Loop(&a).Steps(8, Usual), Loop(&b).Steps(8, Usual);
  const uint32_t second = b.AddDevice({});
  b.AddKernel("other", 1'200'000, 50'000, model::kNoId, 7, second);
  const Index before(a.Finish()), after(b.Finish());
  Diff diff = Compare(before, after);
  EXPECT_EQ(diff.outcome, Outcome::kNotComparable);
  ASSERT_FALSE(diff.objections.empty());
  EXPECT_EQ(diff.objections[0].text, "A ran on 1 device, B on 2 devices");
  EXPECT_LT(diff.comparable_pct, kComparablePct);
  EXPECT_TRUE(diff.causes.empty());
  EXPECT_EQ(Compare(before, after, Forced()).outcome, Outcome::kNoDifference);
}

// A recording that was cut off in its warm-up is no slower program.
TEST(Diff, StepsThatTheOtherSideLeftOutAsWarmUpAreRefused) {
  Words words;
  TraceBuilder base;
  Loop(&base).Steps(12, Usual);
  const model::Trace& trace = base.Finish();
  const Index index(trace);
  RunSide whole = RunSideOf(index, index.default_domain(), &words), early = whole;
  whole.warmup = 5;
  early.warmup = 0;
  const double step_ms = early.step_ms[0];
  const auto refused = [&] {
    return Compare(whole, early, words).outcome == Outcome::kNotComparable &&
           Compare(early, whole, words).outcome == Outcome::kNotComparable;
  };
  early.step_ms.assign(12, 3 * step_ms);
  EXPECT_FALSE(refused());  // 5 of 12 steps decide nothing
  early.step_ms.assign(4, 3 * step_ms);
  EXPECT_TRUE(refused());
  early.step_ms.assign(4, 0.5 * step_ms);
  EXPECT_FALSE(refused());  // warming up makes no step shorter
  early.step_ms.assign(8, 3 * step_ms);
  EXPECT_FALSE(refused());  // told, and not refused
  EXPECT_FALSE(Compare(whole, early, words).objections.empty());
  early.losses = {{"cut off: its file ends in the middle of a record", 20}};
  EXPECT_TRUE(refused());
  early.losses.clear();
  early.step_ms.assign(4, 3 * step_ms);
  for (Fact& fact : early.facts) {
    if (fact.name == "format") fact.value = "another";
  }
  EXPECT_FALSE(refused());  // another recorder may start elsewhere in the program
}

// One operation that replaces twenty leaves little of the kernels; the operators around it tell that it is one program.
TEST(Diff, AFixThatReplacesMostKernelsIsNotAnotherProgram) {
  const auto body = [](int times, const char* op, const char* kernel, const char* around) {
    return [=](Loop& loop, int) {
      for (int i = 0; i < times; ++i) loop.Op(op, kernel, 1'000'000);
      for (const char* name : {"norm", "mul", "add"})
        loop.Op((std::string(around) + name).c_str(), (std::string(around) + name + "_kernel").c_str(), 10'000);
      loop.Drain();
    };
  };
  Compared fixed, other;
  CompareLoops(&fixed, 10, body(20, "aten::bmm", "batched", "aten::"), 10, body(1, "aten::sdpa", "flash", "aten::"));
  EXPECT_EQ(fixed.diff.outcome, Outcome::kFaster);
  EXPECT_FALSE(fixed.diff.objections.empty());  // told as a doubt
  CompareLoops(&other, 10, body(20, "aten::bmm", "batched", "aten::"), 10, body(1, "aten::sdpa", "flash", "own::"));
  EXPECT_EQ(other.diff.outcome, Outcome::kNotComparable);
}

// 1,000 kernels of 8 % noise: no difference; then one of 30 % of the time made 15 % slower: that one on top.
TEST(Diff, ManyNoisyKernelsHideNothingAndShowNothing) {
  const auto body = [](uint32_t seed, double slower) {
    return [seed, slower](Loop& loop, int step) {
      uint32_t state = seed * 2654435761u + static_cast<uint32_t>(step) * 40503u + 1;
      for (int i = 0; i < 1000; ++i) {
        state = state * 1664525u + 1013904223u;
        const double noise = 1 + 0.14 * (static_cast<double>(state >> 8) / (1 << 24) - 0.5) * 2;  // s.d. 8 %
        const std::string name = "kernel_" + std::string(1, static_cast<char>('a' + i / 676)) +
                                 static_cast<char>('a' + i / 26 % 26) + static_cast<char>('a' + i % 26);
        const double usual_ns = i == 500 ? 8'500'000 * slower : 20'000;
        loop.Op("op", name.c_str(), static_cast<int64_t>(usual_ns * noise));
      }
      loop.Drain();
    };
  };
  Compared none;
  CompareLoops(&none, 10, body(1, 1), 10, body(2, 1));
  EXPECT_EQ(none.diff.outcome, Outcome::kNoDifference);
  Compared planted;
  CompareLoops(&planted, 10, body(1, 1), 10, body(2, 1.15));
  EXPECT_EQ(planted.diff.outcome, Outcome::kSlower);
  ASSERT_FALSE(planted.diff.causes.empty());
  EXPECT_EQ(planted.diff.causes[0].names_a.front(), "kernel_atg");
}

TEST(Diff, SlowStepsThatTheMedianHidesAreFound) {
  Compared c;
  CompareLoops(&c, 40, Usual, 40, [](Loop& loop, int step) {
    Usual(loop, step);
    if (step % 4 == 3) loop.Host(2'000'000);
  });
  EXPECT_EQ(c.diff.outcome, Outcome::kSlower);
  EXPECT_EQ(c.diff.step.basis, Basis::kMean);
  EXPECT_NEAR(SumOfCauses(c.diff), c.diff.step.diff_ms, 1e-9);
}

TEST(Diff, TakesTheRecorderOutOfTheStepAndOfItsCauses) {
  Words words;
  TraceBuilder few, many;
  Loop(&few).Steps(12, [](Loop& loop, int) {
    loop.Op("aten::mm", "gemm", 30'000);
    loop.Host(100'000);
  });
  Loop(&many).Steps(12, [](Loop& loop, int) {
    loop.Op("aten::mm", "gemm", 30'000);
    loop.Host(300'000);
  });
  const model::Trace &before = many.Finish(), &after = few.Finish();
  const Index a(before), b(after);
  RunSide from = RunSideOf(a, a.default_domain(), &words), to = RunSideOf(b, b.default_domain(), &words);
  EXPECT_FALSE(from.recorder->known);  // no recorder made these
  from.recorder = GivenRecorderCost(155, 310), to.recorder = GivenRecorderCost(100, 110);
  const Diff diff = Compare(from, to, words);
  EXPECT_EQ(diff.step.times, StepTimes::kWithoutRecorder);
  EXPECT_NEAR(diff.step.a_ms, 0.155, 0.001);
  EXPECT_NEAR(diff.step.b_ms, 0.1, 0.001);
  EXPECT_NEAR(diff.step.recorded_a_ms, 0.31, 0.001);
  EXPECT_NEAR(SumOfCauses(diff), diff.step.diff_ms, 1e-6);
  EXPECT_NEAR(diff.residual_ms, 0, 0.001);
  EXPECT_NEAR(diff.a.median_ms, 0.31, 0.001);  // the sides stay as recorded
  EXPECT_TRUE(IsSameRecording(from, from));
  EXPECT_FALSE(IsSameRecording(from, to));
}

}  // namespace
}  // namespace warpscope::analysis
