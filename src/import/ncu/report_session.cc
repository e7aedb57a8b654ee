// The end of a report: names and units of its metrics, and what the session says about devices and versions.
#include <algorithm>

#include "import/ncu/profile_fields.h"
#include "import/ncu/report.h"
#include "import/ncu/units.h"
#include "import/protobuf/wire.h"

namespace warpscope::import::ncu {
namespace {

using model::kNone;
using model::StringId;
using protobuf::Fields;
using protobuf::WireType;

// Names that stand for a set of metrics, not for a value: the tool does not show them either.
bool IsSetName(std::string_view name) { return name.starts_with("breakdown:") || name.starts_with("group:"); }

}  // namespace

// Puts names and units into rows that hold a name's index, and drops the rows that carry no metric.
void Report::NameMetrics() {
  model::Trace& trace = out_.trace();
  std::vector<StringId> units(names_.size(), model::kNoString);
  std::vector<bool> is_set(names_.size(), false);
  for (size_t i = 0; i < names_.size(); ++i) {
    is_set[i] = IsSetName(trace.Text(names_[i]));
    const std::string unit = MetricUnit(trace.Text(names_[i]));
    if (!unit.empty()) units[i] = out_.Text(unit);
  }
  uint64_t unnamed = 0;
  auto kept = static_cast<uint32_t>(first_metric_);
  for (size_t row = first_profile_; row < trace.kernel_profiles.size(); ++row) {
    model::KernelProfile& profile = trace.kernel_profiles[row];
    const uint32_t begin = kept;
    for (uint32_t at = profile.metric_begin; at < profile.metric_end; ++at) {
      const uint32_t index = trace.metrics[at].name;
      if (index >= names_.size()) {
        ++unnamed;
      } else if (!is_set[index]) {
        trace.metrics[kept++] = {names_[index], units[index], trace.metrics[at].value};
      }
    }
    profile.metric_begin = begin;
    profile.metric_end = kept;
  }
  trace.metrics.resize(kept);
  if (unnamed > 0) out_.Note(model::LedgerCode::kDamagedProfile, unnamed, std::nullopt, "metrics without a name");
}

// DeviceAttributes{1 ID, 2 Name, 3 Attributes*{1 name, 2 MetricValue}}
void Report::ReadDevice(std::string_view message) {
  model::Trace& trace = out_.trace();
  int64_t id = 0;
  std::string_view name;
  const auto begin = static_cast<uint32_t>(trace.metrics.size());
  Fields wire(message);
  while (wire.Next()) {
    if (wire->number == 1 && wire->type == WireType::kVarint) id = static_cast<int64_t>(wire->value & 0xFFFF);
    if (!wire->is_bytes()) continue;
    if (wire->number == 2) name = wire->bytes;
    if (wire->number != 3) continue;
    model::Metric attribute;
    Fields parts(wire->bytes);
    while (parts.Next()) {
      if (parts->number == 1 && parts->is_bytes()) attribute.name = out_.Text(parts->bytes);
      if (parts->number != 2 || !parts->is_bytes()) continue;
      Fields value(parts->bytes);
      while (value.Next()) {
        if (value->is_bytes()) attribute.value = out_.Text(value->bytes);
        if (value->type == WireType::kVarint) attribute.value = value->value;
        if (value->type == WireType::kFixed64) attribute.value = value->Double();
      }
    }
    if (attribute.name != model::kNoString) trace.metrics.push_back(attribute);
  }
  const uint32_t row = out_.Device(id);
  model::Device& device = out_.DeviceAt(row);
  if (device.name.empty()) device.name = name;
  device.attribute_begin = begin;
  device.attribute_end = static_cast<uint32_t>(trace.metrics.size());
  FillFromAttributes(out_, row);
}

// SessionDetails{4 target SystemInfo{5 host name}, 6 DeviceAttributes*, 8 VersionInfo*{1 provider, 2 version}}. Command
// lines and settings stay in the file.
void Report::ReadSession() {
  model::Source& source = out_.source();
  source.producer = "Nsight Compute";
  source.vendor = model::Vendor::kNvidia;
  Fields wire(session_);
  while (wire.Next()) {
    if (!wire->is_bytes()) continue;
    if (wire->number == 6) ReadDevice(wire->bytes);
    if (wire->number != 4 && wire->number != 8) continue;
    std::string_view first, second, fifth;
    Fields parts(wire->bytes);
    while (parts.Next()) {
      if (!parts->is_bytes()) continue;
      if (parts->number == 1) first = parts->bytes;
      if (parts->number == 2) second = parts->bytes;
      if (parts->number == 5) fifth = parts->bytes;
    }
    if (wire->number == 4) source.host_name = fifth;
    else if (first.starts_with("Nsight Compute")) source.version = second.substr(0, second.find(' '));
    else if (first == "CUDA Version") source.producer += ", CUDA " + std::string(second);
  }
  if (wire.damaged()) out_.Note(model::LedgerCode::kDamagedProfile, 1, std::nullopt, "session details");
}

void Report::Finish() {
  NameMetrics();
  ReadSession();
  model::Trace& trace = out_.trace();
  // Old reports do not say on which device a kernel ran; with one device there is no doubt.
  if (trace.devices.size() == first_device_ + 1) {
    for (size_t row = first_profile_; row < trace.kernel_profiles.size(); ++row)
      trace.kernel_profiles[row].device = static_cast<uint32_t>(first_device_);
  }
  FillFromMetrics(out_, first_profile_, std::move(configs_));
}

}  // namespace warpscope::import::ncu
