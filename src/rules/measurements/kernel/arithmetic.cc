#include "rules/measurements/kernel/arithmetic.h"

#include <algorithm>

namespace warpscope::rules {
namespace {

using analysis::Counter;

constexpr double kXuOfScheduler = 0.125;  // 16 lanes an SM, four schedulers (CUDA programming guide)
constexpr double kSchedulers = 4;
// Float operations for each special function: an exponential or sine has one at least, a division of integers none.
constexpr double kFloatEach = 0.5;
// Products of integers keep one half of the product pipe busy, those of floats both alike.
constexpr double kIntegerSkew = 1.4;
constexpr double kSomeDouble = 0.05;

}  // namespace

double XuRate(const Pace& pace) { return pace[Part::kXu] * kXuOfScheduler; }

bool XuIsDivision(const KernelCase& kernel, const Pace& pace) {
  const double xu = XuRate(pace);
  if (!(xu > 0)) return false;
  const auto ffma = kernel[Counter::kFfmaRate], fadd = kernel[Counter::kFaddRate], fmul = kernel[Counter::kFmulRate];
  const auto sms = kernel[Counter::kSmCount];
  if (ffma && fadd && fmul && sms && *sms > 0) {
    const double threads = kernel[Counter::kThreadsPerInst].value_or(32);
    const double floats = (*ffma + *fadd + *fmul) / (threads * *sms * kSchedulers);
    return floats < kFloatEach * xu;
  }
  const auto heavy = kernel[Counter::kFmaHeavyPct], all = kernel[Counter::kFmaInstPct];
  return heavy && all && *all > 0 && *heavy > kIntegerSkew * *all;
}

bool XuIsConversion(const Pace& pace) { return pace[Part::kFp64] > kSomeDouble; }

}  // namespace warpscope::rules
