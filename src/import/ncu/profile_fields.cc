#include "import/ncu/profile_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace warpscope::import::ncu {
namespace {

using model::StringId;

std::optional<double> AsNumber(const model::MetricValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* count = std::get_if<uint64_t>(&value)) return static_cast<double>(*count);
  return std::nullopt;
}

// Whole and in range, or absent.
template <typename T>
std::optional<T> AsWhole(const model::MetricValue& value) {
  const auto number = AsNumber(value);
  if (!number || !(*number >= 0) || *number > static_cast<double>(std::numeric_limits<T>::max())) return std::nullopt;
  return static_cast<T>(std::llround(std::min(*number, 9e18)));
}

enum class Field : uint8_t {
  kDuration,
  kDurationOther,
  kDevice,
  kRegisters,
  kStatic,
  kDynamic,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
};
constexpr std::pair<std::string_view, Field> kFields[] = {
    {"gpu__time_duration.sum", Field::kDuration},
    {"gpu__time_duration.avg", Field::kDurationOther},
    {"gpu__time_duration.max", Field::kDurationOther},
    {"gpu__time_duration_measured_user", Field::kDurationOther},
    {"launch__device_id", Field::kDevice},
    {"launch__registers_per_thread", Field::kRegisters},
    {"launch__shared_mem_per_block_static", Field::kStatic},
    {"launch__shared_mem_per_block_dynamic", Field::kDynamic},
    {"launch__grid_dim_x", Field::kGridX},
    {"launch__grid_dim_y", Field::kGridY},
    {"launch__grid_dim_z", Field::kGridZ},
    {"launch__block_dim_x", Field::kBlockX},
    {"launch__block_dim_y", Field::kBlockY},
    {"launch__block_dim_z", Field::kBlockZ},
};

struct Found {
  std::optional<int64_t> dur_ns, other_dur_ns, device;
  std::optional<uint32_t> registers, static_bytes, dynamic_bytes, grid[3], block[3];

  void Take(Field field, const model::MetricValue& value) {
    switch (field) {
      case Field::kDuration: dur_ns = AsWhole<int64_t>(value); break;
      case Field::kDurationOther: other_dur_ns = AsWhole<int64_t>(value); break;
      case Field::kDevice: device = AsWhole<int32_t>(value); break;
      case Field::kRegisters: registers = AsWhole<uint32_t>(value); break;
      case Field::kStatic: static_bytes = AsWhole<uint32_t>(value); break;
      case Field::kDynamic: dynamic_bytes = AsWhole<uint32_t>(value); break;
      case Field::kGridX:
      case Field::kGridY:
      case Field::kGridZ:
        grid[static_cast<int>(field) - static_cast<int>(Field::kGridX)] = AsWhole<uint32_t>(value);
        break;
      case Field::kBlockX:
      case Field::kBlockY:
      case Field::kBlockZ:
        block[static_cast<int>(field) - static_cast<int>(Field::kBlockX)] = AsWhole<uint32_t>(value);
        break;
    }
  }
};

void Complete(model::LaunchConfig& config, const Found& found) {
  for (int axis = 0; axis < 3; ++axis) {
    if (config.grid[axis] == 0) config.grid[axis] = found.grid[axis].value_or(0);
    if (config.block[axis] == 0) config.block[axis] = found.block[axis].value_or(0);
  }
  if (!config.registers_per_thread) config.registers_per_thread = found.registers;
  if (!config.shared_bytes && (found.static_bytes || found.dynamic_bytes)) {
    const uint64_t sum = uint64_t{found.static_bytes.value_or(0)} + found.dynamic_bytes.value_or(0);
    if (sum < UINT32_MAX) config.shared_bytes = static_cast<uint32_t>(sum);
  }
}

}  // namespace

void FillFromMetrics(Appender& out, size_t first_profile, std::vector<model::LaunchConfig> configs) {
  model::Trace& trace = out.trace();
  std::unordered_map<StringId, Field> fields;
  for (const auto& [name, field] : kFields) {
    if (const StringId id = trace.strings.Find(name); id != model::kNoString) fields.emplace(id, field);
  }
  for (size_t row = first_profile; row < trace.kernel_profiles.size(); ++row) {
    model::KernelProfile& profile = trace.kernel_profiles[row];
    Found found;
    for (uint32_t at = profile.metric_begin; at < profile.metric_end; ++at) {
      const auto it = fields.find(trace.metrics[at].name);
      if (it != fields.end()) found.Take(it->second, trace.metrics[at].value);
    }
    if (!profile.dur_ns) profile.dur_ns = found.dur_ns ? found.dur_ns : found.other_dur_ns;
    if (profile.device == model::kNone && found.device) profile.device = out.Device(*found.device);
    model::LaunchConfig& config = configs[row - first_profile];
    Complete(config, found);
    if (config != model::LaunchConfig()) profile.config = out.Launch(config);
  }
}

void FillFromAttributes(Appender& out, uint32_t device_row) {
  model::Trace& trace = out.trace();
  model::Device& device = trace.devices[device_row];
  struct Column {
    std::string_view name;
    std::optional<uint32_t> model::Device::*member;
  };
  constexpr Column kColumns[] = {
      {"device__attribute_compute_capability_major", &model::Device::cc_major},
      {"device__attribute_compute_capability_minor", &model::Device::cc_minor},
      {"device__attribute_multiprocessor_count", &model::Device::sm_count},
      {"device__attribute_warp_size", &model::Device::warp_size},
      {"device__attribute_max_threads_per_block", &model::Device::max_threads_per_block},
      {"device__attribute_max_threads_per_multiprocessor", &model::Device::max_threads_per_sm},
      {"device__attribute_max_registers_per_block", &model::Device::registers_per_block},
      {"device__attribute_max_registers_per_multiprocessor", &model::Device::registers_per_sm},
      {"device__attribute_max_shared_memory_per_block", &model::Device::shared_bytes_per_block},
      {"device__attribute_max_shared_memory_per_block_optin", &model::Device::shared_bytes_per_block_optin},
      {"device__attribute_max_shared_memory_per_multiprocessor", &model::Device::shared_bytes_per_sm},
  };
  for (uint32_t at = device.attribute_begin; at < device.attribute_end; ++at) {
    const model::Metric& metric = trace.metrics[at];
    const std::string_view name = trace.Text(metric.name);
    for (const Column& column : kColumns) {
      if (name == column.name) device.*column.member = AsWhole<uint32_t>(metric.value);
    }
    if (name == "device__attribute_total_memory") device.memory_bytes = AsWhole<uint64_t>(metric.value);
    if (const auto* text = std::get_if<StringId>(&metric.value);
        text != nullptr && device.name.empty() && name == "device__attribute_display_name")
      device.name = trace.Text(*text);
  }
}

}  // namespace warpscope::import::ncu
