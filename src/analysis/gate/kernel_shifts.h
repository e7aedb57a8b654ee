// Which kernels changed between two groups of runs, judged together: with a thousand kernels some always look slower.
// [MT] Pure function.
#pragma once

#include <string>
#include <vector>

#include "analysis/diff/run_side.h"
#include "analysis/gate/noise.h"

namespace warpscope::analysis {

struct KernelShift {
  std::string subject;              // operator, else the kernel's short name
  std::string kernel;               // short name
  double base_ms = 0, next_ms = 0;  // a step; what runs beside other kernels counts once
  double diff_ms = 0;
  double diff_pct = 0;               // of its own time
  double low_pct = 0, high_pct = 0;  // at the joint level
};

struct KernelShifts {
  uint64_t judged = 0;              // pairs of kernels
  std::vector<KernelShift> slower;  // beyond noise and the minimum effect, most lost time first
  std::vector<KernelShift> faster;  // likewise, most won time first
};

struct KernelShiftOptions {
  double min_effect_pct = 0.5;  // of the step
  NoiseModel noise;
};

// `base_at`, `next_at`: the runs in the middle, by which kernels are paired. Kernels without a partner are in no list.
// The chance that a kernel is listed although none changed is at most noise.alpha a list (Bonferroni). A kernel's
// spread from run to run is drawn towards that of all kernels (moderated t, Smyth 2004), since few repeats tell little.
KernelShifts ShiftsOfKernels(const std::vector<const RunSide*>& base, const std::vector<const RunSide*>& next,
                             size_t base_at, size_t next_at, const Words& words, const KernelShiftOptions& options);

}  // namespace warpscope::analysis
