#include "view/tables/shared.h"

#include <fmt/format.h>

#include "analysis/kernel_name.h"
#include "view/format.h"

namespace warpscope::view {

std::string ShortKernel(std::string_view name) { return analysis::ShortKernelName(name, 120); }

Cell ShortGpuName(const Subject& subject, uint32_t gpu_row) {
  if (gpu_row == model::kNone) return {};
  const model::Trace& trace = subject.trace();
  const bool kernel = trace.gpu.kind[gpu_row] == model::GpuKind::kKernel;
  return kernel ? Text(ShortKernel(trace.GpuName(gpu_row))) : Text(trace.GpuName(gpu_row));
}

Cell GpuNameCell(const Subject& subject, uint32_t gpu_row) {
  return gpu_row == model::kNone ? Cell{} : Text(subject.trace().GpuName(gpu_row));
}

std::string RankLabel(const Subject& subject, uint32_t link_domain) {
  if (subject.index.ranks().size() <= 1) return "";
  const analysis::Rank* rank = subject.index.FindRank(link_domain);
  return rank ? rank->label : fmt::format("process {}", link_domain);
}

std::string DeviceLabel(const model::Trace& trace, uint32_t device) {
  if (device == model::kNone) return "host";
  const model::Device& row = trace.devices[device];
  return row.name.empty() ? fmt::format("{}", row.id) : fmt::format("{} {}", row.id, row.name);
}

std::string Extent(const uint32_t (&size)[3]) {
  if (size[0] == 0 && size[1] == 0 && size[2] == 0) return "";
  if (size[1] == 1 && size[2] == 1) return fmt::format("{}", size[0]);
  if (size[2] == 1) return fmt::format("{}x{}", size[0], size[1]);
  return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

std::string Plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", FormatCount(static_cast<int64_t>(count)), noun,
                     count == 1             ? ""
                     : noun.ends_with("ch") ? "es"
                                            : "s");
}

}  // namespace warpscope::view
