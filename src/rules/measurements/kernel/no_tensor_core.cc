// A product of matrices on the arithmetic pipes while the tensor pipe stands idle. Must not claim: that the accuracy of
// the tensor types suffices, or that sums of other shapes than products fit; nor anything of a float product at its
// roof, which only another number format makes faster (compute_bound says so).
#include <fmt/format.h>

#include <algorithm>

#include "rules/measurements/kernel/cause.h"
#include "rules/measurements/kernel/pace.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kProductShare = 0.3;   // of the instructions: sums of products. Own threshold.
constexpr double kOperandShare = 0.03;  // of the instructions: operands from tiles in shared memory. Own threshold.
constexpr double kIdleTensor = 0.05, kSomeHalfPct = 0.3, kSomeLoads = 0.001;
constexpr double kHalfSectors = 2.5;  // of a load by 32 threads: 2 bytes each
// Tensor instructions of 16 bit do 16 times the products of the float pipe in a cycle (data sheets: A100 312 to 19.5
// TFLOP/s, H100 990 to 67), of which plain kernels reach about half.
constexpr double kTensorTimes = 16, kPlainReach = 0.5;
// Such a kernel needs that part of the instructions and of the turns at shared memory: a fragment of 16 x 16 feeds
// 4,096 products, where a thread that sums 4 x 4 loads 8 values for 16.
constexpr double kInstructionsLeft = 0.1, kLoadsLeft = 0.7, kOperandsLeft = 0.2;
// Cycles of a warp for each of those that are left, beside loads: they wait for tensor results, operands and barriers.
// Measured: 5.8 and 8.2 in two kernels of tensor instructions.
constexpr double kTensorCycles = 6;
// A tile is loaded by a few requests at a time, 16 bytes a thread, whose latency shows where products no longer hide
// it.
constexpr double kSectorsAtOnce = 4 * 16;

// On AMD's devices matrix instructions take 16-bit factors at many times the rate of vector instructions (data sheets:
// MI100 184.6 to 46.1, MI300X 1307 to 163.4 TFLOP/s); those of float factors gain little or nothing.
KernelOutcome JudgeVectorProducts(const KernelCase& kernel) {
  const auto products = kernel[Counter::kProducts], executed = kernel[Counter::kInstExecuted];
  const auto shared = kernel[Counter::kSharedInst], matrix = kernel[Counter::kTensorPct];
  const auto busy = kernel[Counter::kComputePct];
  if (!products || !executed || !shared)
    return Misses({Counter::kProducts, Counter::kInstExecuted, Counter::kSharedInst});
  if (!matrix || !busy) return Misses({Counter::kTensorPct, Counter::kComputePct});
  if (!(*executed > 0) || *matrix > 100 * kIdleTensor || *busy < kLowPct) return Silent();
  const double share = *products / *executed, operands = *shared / *executed;
  if (share < kProductShare || operands < kOperandShare) return Silent();
  Diagnosis diagnosis;
  diagnosis.title = fmt::format(
      "it multiplies matrices without tensor cores: {} of its instructions are 16-bit products", Pct(100 * share));
  diagnosis.evidence = {Shown(kernel, Counter::kProducts), Shown(kernel, Counter::kInstExecuted),
                        Shown(kernel, Counter::kSharedInst), Shown(kernel, Counter::kTensorPct, "%"),
                        Shown(kernel, Counter::kComputePct, "%")};
  diagnosis.actions = {{"Use a library, or matrix instructions (MFMA), for products of 16-bit factors.",
                        "torch.matmul(a.half(), b.half())        # hipBLASLt\n"
                        "rocwmma::mma_sync(sum, a, b, sum);       // in a kernel of your own; or tl.dot in Triton"}};
  diagnosis.waste_ratio = std::min(1.0, share) * std::min(1.0, *busy / 100);
  return Fires(std::move(diagnosis));
}

KernelOutcome Judge(const KernelCase& kernel) {
  if (!kernel.HasModel()) return JudgeVectorProducts(kernel);
  const auto ffma = kernel[Counter::kFfmaRate], sms = kernel[Counter::kSmCount];
  const auto issue = kernel[Counter::kIssueActive];
  if (kernel.counters.pipes.empty() || !issue) return Misses({Counter::kFmaInstPct, Counter::kIssueActive});
  const Pace pace = PaceOf(kernel);
  if (pace[Part::kTensor] > kIdleTensor) return Silent();
  const auto shared = SharedPerInstruction(kernel);
  if (!shared) return Misses({Counter::kSharedInst});
  double products = pace[Part::kFma] / std::max(pace[Part::kIssue], 1e-9);
  if (ffma && sms && *sms > 0) products = *ffma / (32 * 4 * *sms) / std::max(pace[Part::kIssue], 1e-9);
  if (products < kProductShare || *shared < kOperandShare) return Silent();
  // Factors of 16 bit, converted one by one, and fetched from global memory as well. Products of float factors would
  // need another number format.
  const auto requests = kernel[Counter::kLoadRequests], sectors = kernel[Counter::kLoadSectors];
  const double each = requests && sectors && *requests > 0 ? *sectors / *requests : 0;
  const bool loads_halves = each > 0 && each < kHalfSectors;
  if (!(kernel[Counter::kFmaHalfPct].value_or(0) > kSomeHalfPct) && !loads_halves) return Silent();
  const auto loads = PerInstruction(kernel, Counter::kLoadRequests);
  if (!loads || *loads < kSomeLoads) return Silent();
  Change change;
  change.ScaleInstructions(kInstructionsLeft);
  change[Part::kFma] = 1 / (kTensorTimes * kPlainReach);
  change[Part::kL1] = kOperandsLeft;
  // The tiles are loaded as before, by fewer and wider loads; what waits between goes with the instructions.
  if (pace.cycles > 0) {
    const double alone = pace.Alone(), others = pace.Alone("long_scoreboard", 0);
    const double tiles = *loads * each / kSectorsAtOnce * LoadLatency(kernel);
    const double left = std::max((alone - others) * kLoadsLeft, tiles);
    change.latency = std::min(1.0, (left + std::max(others, kTensorCycles) * kInstructionsLeft) / alone);
  }
  const auto ratio = TimeRatio(pace, change);
  if (!ratio || *ratio > kWorthwhileRatio) return Silent();

  Diagnosis diagnosis;
  diagnosis.title = fmt::format("it multiplies matrices without tensor cores: {} of its instructions are products",
                                Pct(100 * products));
  diagnosis.evidence = {fmt::format("fma pipe {} busy, tensor pipe {}; {} of the instructions access shared memory",
                                    Pct(100 * pace[Part::kFma]), Pct(100 * pace[Part::kTensor]), Pct(100 * *shared))};
  diagnosis.evidence.push_back(Shown(kernel, Counter::kIssueActive));
  diagnosis.actions = {
      {"Use a library, or tensor instructions, where 16 bit or TF32 suffice for the factors.",
       "torch.matmul(a.half(), b.half())        # cuBLAS\n"
       "nvcuda::wmma::mma_sync(sum, a, b, sum);  // in a kernel of your own; or CUTLASS, tl.dot in Triton"}};
  SetTimeRatio(diagnosis, *ratio);
  return Fires(std::move(diagnosis));
}

}  // namespace

extern const KernelCause kNoTensorCoreCause;
const KernelCause kNoTensorCoreCause = {
    .id = "no_tensor_core",
    .dimension = Dimension::kCompute,
    .judge = Judge,
    .tool_rules = "HighPipeUtilization|SOLFPRoofline|Compute",
    .concept_text =
        "Tensor cores multiply small matrices in one instruction, some ten times faster than the same products one by "
        "one. They take 16-bit, TF32 and narrower factors and sum in float.",
    .amd_concept_text =
        "Matrix cores multiply small matrices in one instruction (MFMA), many times faster than the same products one "
        "by one where the factors have 16 bits.",
};

}  // namespace warpscope::rules
