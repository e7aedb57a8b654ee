// Small words and cells that several table builders use. [MT] Pure.
#pragma once

#include <optional>
#include <string>

#include "analysis/launches.h"
#include "view/tables.h"

namespace warpscope::view {

inline Cell NameCell(const Subject& subject, model::StringId name) { return Text(subject.trace().Text(name)); }
inline Cell TimeCell(const Subject& subject, int64_t time_ns) { return Int(time_ns - subject.origin_ns); }
// Absent for a distribution of nothing.
inline Cell Of(const analysis::Distribution& distribution, double value) {
  return distribution.count == 0 ? Cell{} : Number(value);
}
// Kernel name without its template soup, long enough that the terminal decides where to cut.
std::string ShortKernel(std::string_view name);
// Full name for data, short one for people; both absent for kNone.
Cell ShortGpuName(const Subject& subject, uint32_t gpu_row);
Cell GpuNameCell(const Subject& subject, uint32_t gpu_row);
std::string RankLabel(const Subject& subject, uint32_t link_domain);  // "rank 3"; "" if there is only one
std::string DeviceLabel(const model::Trace& trace, uint32_t device);  // "0 NVIDIA H200"; "host" for kNone
std::string Extent(const uint32_t (&size)[3]);                        // "132x1x1"; "" if unknown
// "1 step", "3 steps"
std::string Plural(uint64_t count, std::string_view noun);

}  // namespace warpscope::view
