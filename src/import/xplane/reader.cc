// Planes of devices, and what all planes share.
#include "import/xplane/reader.h"

#include <charconv>

#include "import/xplane/details.h"

namespace warpscope::import::xplane {
namespace {

using model::LedgerCode;

constexpr std::string_view kDevicePrefix = "/device:";
constexpr int64_t kPsPerNs = 1000;
// What Appender takes; sums of two such times do not overflow.
constexpr int64_t kMaxTimeNs = int64_t{1} << 62;
// Of numbers made up for planes whose name tells none that is free.
constexpr int64_t kFirstMadeUpId = 1000;

bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Floor division: times before the line's begin stay in order.
int64_t PsToNs(int64_t ps) { return ps >= 0 ? ps / kPsPerNs : -((-ps + kPsPerNs - 1) / kPsPerNs); }

int64_t Add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}

// Saturating; only damage saturates, and Appender drops it.
int64_t Between(int64_t start, int64_t end) {
  int64_t length = 0;
  return __builtin_sub_overflow(end, start, &length) ? (end > start ? INT64_MAX : -1) : length;
}

model::Vendor VendorOf(std::string_view text) {
  if (text == "Nvidia" || text == "NVIDIA") return model::Vendor::kNvidia;
  if (text == "AMD") return model::Vendor::kAmd;
  if (text == "Intel") return model::Vendor::kIntel;
  return model::Vendor::kUnknown;
}

}  // namespace

void Reader::AddPlane(const Plane& plane, uint64_t offset_bytes) {
  if (plane.damaged()) out_->Note(LedgerCode::kBrokenRecord, 1, offset_bytes);
  if (StartsWith(plane.name(), kDevicePrefix)) return AddDevicePlane(plane);
  // Host threads, and the planes that the recorder merges into them afterwards: API calls, Python.
  for (const std::string_view name : {"/host:CPU", "/host:CUPTI", "/host:ROCTRACER", "/host:python-tracer",
                                      "/host:TPU-runtime", "/host:NVTX-CUPTI"}) {
    if (plane.name() == name) return AddHostPlane(plane);
  }
  for (const Line& line : plane.lines()) derived_ += plane.ForEachEvent(line, [&](const Event&) { ++derived_; });
}

void Reader::Finish() {
  out_->Note(LedgerCode::kBrokenRecord, broken_);
  out_->Note(LedgerCode::kUnknownEvent, untimed_ + derived_);
  out_->Note(LedgerCode::kBadNumber, implausible_);
}

int64_t Reader::StartNs(const Line& line, const Event& event) const {
  return Add(Add(base_ns_, line.timestamp_ns), PsToNs(event.offset_ps));
}

int64_t Reader::LengthNs(const Line& line, const Event& event) const {
  Event end;
  end.offset_ps = Add(event.offset_ps, event.duration_ps.value_or(0));
  return Between(StartNs(line, event), StartNs(line, end));
}

uint32_t Reader::DeviceOf(const Plane& plane) {
  if (const auto it = device_names_.find(plane.name()); it != device_names_.end()) return it->second;
  // "/device:GPU:3" -> 3. Parts of a chip ("/device:TPU:0 SparseCore 1") are devices of their own.
  const size_t colon = plane.name().rfind(':');
  std::optional<int64_t> id = WholeNumber(plane.name().substr(colon + 1));
  if (!id || !device_ids_.insert(*id).second) {
    int64_t made_up = kFirstMadeUpId;
    while (!device_ids_.insert(made_up).second) ++made_up;
    id = made_up;
  }
  const uint32_t row = out_->Device(*id);
  device_names_.emplace(std::string(plane.name()), row);
  model::Device& device = out_->DeviceAt(row);
  std::optional<int64_t> major, minor;
  std::string_view type;
  for (const Stat& stat : plane.stats()) {
    const auto number = stat.number.value_or(0);
    if (stat.kind == StatKind::kDeviceVendor && out_->source().vendor == model::Vendor::kUnknown)
      out_->source().vendor = VendorOf(stat.text);
    if (stat.kind == StatKind::kDeviceType) type = stat.text;
    if (stat.kind == StatKind::kMemorySize && number > 0) device.memory_bytes = static_cast<uint64_t>(number);
    if (stat.kind == StatKind::kCoreCount && number > 0 && number < 100000)
      device.sm_count = static_cast<uint32_t>(number);
    if (stat.kind == StatKind::kComputeCapMajor) major = stat.number;
    if (stat.kind == StatKind::kComputeCapMinor) minor = stat.number;
  }
  // On AMD the two are the first digits of the gfx name, which is no compute capability.
  if (out_->source().vendor == model::Vendor::kNvidia && major && minor && *major > 0 && *major < 100 && *minor >= 0 &&
      *minor < 100) {
    device.cc_major = static_cast<uint32_t>(*major);
    device.cc_minor = static_cast<uint32_t>(*minor);
  }
  if (!type.empty()) device.name = type;
  else if (!StartsWith(plane.name(), "/device:GPU:")) device.name = plane.name().substr(kDevicePrefix.size());
  return row;
}

void Reader::AddDevicePlane(const Plane& plane) {
  const bool gpu = StartsWith(plane.name(), "/device:GPU:");
  has_tpu_ = has_tpu_ || StartsWith(plane.name(), "/device:TPU:");
  const uint32_t device = DeviceOf(plane);
  for (const Line& line : plane.lines()) {
    if (gpu && StartsWith(line.name, "Stream #")) AddGpuLine(plane, line, device);
    else if (!gpu) AddTpuLine(plane, line, device);
    else derived_ += plane.ForEachEvent(line, [&](const Event&) { ++derived_; });
  }
}

void Reader::AddGpuLine(const Plane& plane, const Line& line, uint32_t device) {
  const uint32_t stream = out_->Stream(process_, device, -1, line.id);
  model::Stream& row = out_->trace().streams[stream];
  if (row.name == model::kNoString) row.name = out_->Text(line.display_name.empty() ? line.name : line.display_name);
  broken_ += plane.ForEachEvent(line, [&](const Event& event) {
    if (event.aggregated || !event.duration_ps) {
      ++untimed_;
      return;
    }
    const int64_t start_ns = StartNs(line, event);
    const int64_t dur_ns = LengthNs(line, event);
    AddKernel(event, start_ns, dur_ns, stream);
  });
}

void Reader::AddKernel(const Event& event, int64_t start_ns, int64_t dur_ns, uint32_t stream) {
  const Stats& stats = event.stats;
  Appender::Gpu row;
  row.name = out_->Text(event.name);
  row.stream = stream;
  row.start_ns = start_ns;
  row.dur_ns = dur_ns;
  if (stats.correlation_id) row.correlation = static_cast<uint64_t>(*stats.correlation_id);
  if (!stats.memset_details.empty() || IsMemsetName(event.name)) {
    row.kind = model::GpuKind::kMemset;
    row.detail = out_->Copy(ParseCopyDetails(event.name, stats.memset_details));
  } else if (!stats.memcpy_details.empty() || IsCopyName(event.name)) {
    row.kind = model::GpuKind::kCopy;
    row.detail = out_->Copy(ParseCopyDetails(event.name, stats.memcpy_details));
  } else if (!stats.kernel_details.empty()) {
    bool implausible = false;
    row.detail = out_->Launch(ParseKernelDetails(stats.kernel_details, &implausible));
    implausible_ += implausible ? 1 : 0;
  }
  out_->Add(row);
  ++rows_;
  if (dur_ns >= 0 && dur_ns < kMaxTimeNs && start_ns > -kMaxTimeNs && start_ns < kMaxTimeNs)
    Annotate(event, start_ns, start_ns + dur_ns, stream);
}

// Kernels of one XLA module in a row become one annotation with the module's name.
void Reader::Annotate(const Event& event, int64_t start_ns, int64_t end_ns, uint32_t stream) {
  const std::string_view module = event.stats.hlo_module;
  auto& annotations = out_->trace().gpu_annotations;
  const auto it = open_modules_.find(stream);
  if (it != open_modules_.end() && it->second.first == module) {
    model::GpuAnnotation& open = annotations[it->second.second];
    if (start_ns >= open.start_ns && end_ns > open.start_ns)
      open.dur_ns = std::max(open.dur_ns, Between(open.start_ns, end_ns));
    return;
  }
  if (it != open_modules_.end()) open_modules_.erase(it);
  if (module.empty()) return;
  const model::StringId name = out_->Text(module);
  annotations.push_back({start_ns, end_ns - start_ns, name, stream});
  open_modules_.emplace(stream, std::pair(out_->trace().Text(name), annotations.size() - 1));
}

// Planes of other devices have lines by meaning. Those with single operations are work; modules are ranges over them;
// the rest (steps, name scopes) tells the same again.
void Reader::AddTpuLine(const Plane& plane, const Line& line, uint32_t device) {
  const std::string_view name = line.display_name.empty() ? line.name : line.display_name;
  const bool work = name == "XLA Ops" || name == "Async XLA Ops" || name == "Sparse Core Ops" ||
                    name == "Host Offload Ops" || StartsWith(name, "Stream #");
  const bool modules = name == "XLA Modules" || name == "Sparse Core Modules";
  if (!work && !modules) {
    derived_ += plane.ForEachEvent(line, [&](const Event&) { ++derived_; });
    return;
  }
  const uint32_t stream = out_->Stream(process_, device, -1, line.id);
  model::Stream& row = out_->trace().streams[stream];
  if (row.name == model::kNoString) row.name = out_->Text(name);
  broken_ += plane.ForEachEvent(line, [&](const Event& event) {
    if (event.aggregated || !event.duration_ps) {
      ++untimed_;
      return;
    }
    const int64_t start_ns = StartNs(line, event);
    const int64_t dur_ns = LengthNs(line, event);
    const std::string_view text = event.display_name.empty() ? event.name : event.display_name;
    if (modules) {
      if (dur_ns >= 0 && dur_ns < kMaxTimeNs)
        out_->trace().gpu_annotations.push_back({start_ns, dur_ns, out_->Text(text), stream});
      return;
    }
    Appender::Gpu gpu;
    gpu.name = out_->Text(text);
    gpu.stream = stream;
    gpu.start_ns = start_ns;
    gpu.dur_ns = dur_ns;
    out_->Add(gpu);
    ++rows_;
  });
}

}  // namespace warpscope::import::xplane
