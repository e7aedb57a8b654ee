// Planes of the host: Python frames, API calls, spans of the framework, steps, allocations.
#include <charconv>
#include <string>

#include "import/xplane/details.h"
#include "import/xplane/reader.h"

namespace warpscope::import::xplane {
namespace {

bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// "$array.py:247 shape" -> "array.py(247): shape", the form that every reader gives to Python frames; built-ins
// ("$builtins len") become "<built-in function len>" in the same way.
std::string PythonFrame(std::string_view name) {
  name.remove_prefix(1);
  const size_t space = name.find(' ');
  if (space == std::string_view::npos) return std::string(name);
  const std::string_view place = name.substr(0, space), function = name.substr(space + 1);
  const size_t colon = place.rfind(':');
  if (colon != std::string_view::npos && colon + 1 < place.size() &&
      place.substr(colon + 1).find_first_not_of("0123456789") == std::string_view::npos)
    return std::string(place.substr(0, colon)) + "(" + std::string(place.substr(colon + 1)) +
           "): " + std::string(function);
  if (place == "builtins") return "<built-in function " + std::string(function) + ">";
  return std::string(name);
}

// Calls of a CUDA or HIP API: the prefix and a capital letter.
bool IsApiName(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (StartsWith(name, prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
        name[prefix.size()] <= 'Z')
      return true;
  }
  return false;
}

bool IsDriverName(std::string_view name) { return StartsWith(name, "cu") && !StartsWith(name, "cuda"); }

}  // namespace

void Reader::AddHostPlane(const Plane& plane) {
  for (const Line& line : plane.lines()) {
    const uint32_t thread = out_->Thread(process_, line.id);
    model::Thread& row = out_->trace().threads[thread];
    const std::string_view name = line.display_name.empty() ? line.name : line.display_name;
    if (row.name == model::kNoString && !name.empty()) row.name = out_->Text(name);
    broken_ += plane.ForEachEvent(line, [&](const Event& event) { AddHostEvent(event, line, thread); });
  }
}

void Reader::AddHostEvent(const Event& event, const Line& line, uint32_t thread) {
  const Stats& stats = event.stats;
  const int64_t start_ns = StartNs(line, event);
  if (event.name == "MemoryAllocation" || event.name == "MemoryDeallocation") return AddMemory(event, start_ns, thread);
  if (event.aggregated || !event.duration_ps) {
    ++untimed_;
    return;
  }
  Appender::Host row;
  row.thread = thread;
  row.start_ns = start_ns;
  row.dur_ns = LengthNs(line, event);
  if (stats.step_num) {
    row.kind = model::HostKind::kAnnotation;
    row.name = out_->Text("ProfilerStep#" + std::to_string(*stats.step_num));
  } else if (!event.name.empty() && event.name.front() == '$') {
    row.kind = model::HostKind::kPython;
    row.name = out_->Text(PythonFrame(event.name));
  } else if (stats.correlation_id || IsApiName(event.name)) {
    row.kind = IsDriverName(event.name) ? model::HostKind::kDriverCall : model::HostKind::kRuntimeCall;
    if (stats.correlation_id) row.correlation = static_cast<uint64_t>(*stats.correlation_id);
    // The recorder names a launch after its kernel and a copy after its direction; the call itself is not told.
    const bool amd = out_->source().vendor == model::Vendor::kAmd;
    if (IsApiName(event.name)) row.name = out_->Text(event.name);
    else if (!stats.memcpy_details.empty() || IsCopyName(event.name))
      row.name = out_->Text(amd ? "hipMemcpyAsync" : "cuMemcpyAsync");
    else if (!stats.memset_details.empty() || IsMemsetName(event.name))
      row.name = out_->Text(amd ? "hipMemsetAsync" : "cuMemsetD8Async");
    else row.name = out_->Text(amd ? "hipModuleLaunchKernel" : "cuLaunchKernel");
  } else {
    // Spans of the user and of XLA's runtime; the file does not tell them apart. None is an operator that computes.
    row.name = out_->Text(event.name);
  }
  out_->Add(row);
  ++rows_;
}

// Allocations of the BFC allocator; its name tells the device ("GPU_0_bfc"). bytes_allocated is the total behind it.
void Reader::AddMemory(const Event& event, int64_t time_ns, uint32_t thread) {
  const Stats& stats = event.stats;
  if (!stats.allocation_bytes || *stats.allocation_bytes <= 0) {
    ++untimed_;
    return;
  }
  model::MemoryEvent row;
  row.time_ns = time_ns;
  row.bytes = event.name == "MemoryAllocation" ? *stats.allocation_bytes : -*stats.allocation_bytes;
  row.address = static_cast<uint64_t>(stats.address.value_or(0));
  row.thread = thread;
  if (StartsWith(stats.allocator, "GPU_")) {
    int64_t id = 0;
    const char* begin = stats.allocator.data() + 4;
    const auto [end, error] = std::from_chars(begin, stats.allocator.data() + stats.allocator.size(), id);
    if (error == std::errc() && end != begin && id >= 0) {
      row.device = out_->Device(id);
      device_ids_.insert(id);
      device_names_.try_emplace("/device:GPU:" + std::to_string(id), row.device);
    }
  }
  row.total_allocated_bytes = stats.bytes_allocated;
  out_->trace().memory.push_back(row);
}

}  // namespace warpscope::import::xplane
