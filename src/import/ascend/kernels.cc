#include "import/ascend/kernels.h"

#include <algorithm>

namespace warpscope::import::ascend {

std::string_view CollectiveName(std::string_view name) {
  constexpr std::string_view kPrefix = "hcom_";
  if (name.substr(0, kPrefix.size()) != kPrefix) return {};
  name.remove_prefix(kPrefix.size());
  const size_t underscore = name.find('_');
  return name.substr(0, underscore);
}

bool IsCopyType(std::string_view type) {
  return type.find("MEMCPY") != std::string_view::npos || type.find("Memcpy") != std::string_view::npos;
}

void StepRanges::Add(int64_t step, int64_t start_ns, int64_t end_ns) {
  const auto [it, fresh] = ranges_.try_emplace(step, Range{start_ns, end_ns});
  if (fresh) return;
  it->second.begin_ns = std::min(it->second.begin_ns, start_ns);
  it->second.end_ns = std::max(it->second.end_ns, end_ns);
}

void StepRanges::MakeRows(Appender* out) const {
  if (ranges_.empty()) return;
  const uint32_t thread = out->Thread(out->Process(-1), -1);
  out->trace().threads[thread].name = out->Text("steps, by the numbers at the kernels");
  for (const auto& [step, range] : ranges_) {
    Appender::Host row;
    row.kind = model::HostKind::kAnnotation;
    row.name = out->Text("ProfilerStep#" + std::to_string(step));
    row.thread = thread;
    row.start_ns = range.begin_ns;
    row.dur_ns = range.end_ns - range.begin_ns;
    out->Add(row);
  }
}

uint32_t NamedStream(Appender* out, uint32_t process, uint32_t device, int64_t id, std::string_view name) {
  const uint32_t stream = out->Stream(process, device, -1, id);
  model::Stream& row = out->trace().streams[stream];
  if (row.name == model::kNoString) row.name = out->Text(name);
  return stream;
}

}  // namespace warpscope::import::ascend
