// The stable words of a baseline's text, for its writer and its reader. [MT] Constants.
#pragma once

#include <array>
#include <string_view>

#include "analysis/diff/profile.h"

namespace warpscope::baseline {

inline constexpr std::string_view kSchema = "warpscope.baseline/1";
inline constexpr std::string_view kSchemaName = "warpscope.baseline/";

// By analysis::StepSource and analysis::WorkKind.
inline constexpr std::array<std::string_view, 4> kStepSources = {"profiler_step", "user_range", "kernel_sequence",
                                                                 "whole_window"};
inline constexpr std::array<std::string_view, 4> kWorkKinds = {"kernel", "communication", "copy", "fill"};

struct Total64 {
  std::string_view name;
  uint64_t analysis::StepParts::*value;
};
inline constexpr std::array<Total64, 10> kTotals = {{{"waits", &analysis::StepParts::waits},
                                                     {"frees", &analysis::StepParts::frees},
                                                     {"kernels", &analysis::StepParts::kernels},
                                                     {"launches", &analysis::StepParts::launches},
                                                     {"graph_launches", &analysis::StepParts::graph_launches},
                                                     {"copies", &analysis::StepParts::copies},
                                                     {"syncs", &analysis::StepParts::syncs},
                                                     {"allocator_calls", &analysis::StepParts::allocator_calls},
                                                     {"copy_bytes", &analysis::StepParts::copy_bytes},
                                                     {"kernel_launches", &analysis::StepParts::kernel_launches}}};

}  // namespace warpscope::baseline
