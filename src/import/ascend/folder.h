// What the path of a file tells about the Ascend output folder that it lies in.
// torch_npu and MindSpore write <host>_<pid>_<time>_ascend_pt (or _ascend_ms) with profiler_info_<rank>.json,
// ASCEND_PROFILER_OUTPUT/ and PROF_*/; msprof alone writes PROF_*/ with mindstudio_profiler_output/
// (docs/formats/ascend.md). [MT] Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpscope::import::ascend {

// Source::part_of of every file of one Ascend recording: "ascend:" and the folder; "" for a file outside of such a
// folder.
std::string PartOf(std::string_view path);

// Source::representation: files that tell the same kernels again. Tables without a timeline have none.
inline constexpr std::string_view kTraceView = "trace_view";          // trace_view.json
inline constexpr std::string_view kMsprofTrace = "msprof_trace";      // msprof_*.json, msprof_slice_*.json
inline constexpr std::string_view kKernelDetails = "kernel_details";  // kernel_details.csv
inline constexpr std::string_view kOpSummary = "op_summary";          // op_summary_*.csv
inline constexpr std::string_view kPytorchDb = "db";                  // ascend_pytorch_profiler*.db
inline constexpr std::string_view kMsprofDb = "msprof_db";            // msprof_*.db

// The rank in names such as profiler_info_3.json and ascend_pytorch_profiler_3.db; absent if there is none.
std::optional<int64_t> RankInFileName(std::string_view path);

}  // namespace warpscope::import::ascend
