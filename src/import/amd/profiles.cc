#include "import/amd/profiles.h"

namespace warpscope::import::amd {

model::KernelProfile& ProfileTable::Dispatch(uint32_t process, uint32_t device, uint64_t id, bool* fresh) {
  const auto [it, is_new] = by_dispatch_.try_emplace({process, device, id}, rows_.size());
  *fresh = is_new;
  if (is_new) {
    rows_.emplace_back();
    model::KernelProfile& profile = rows_.back().profile;
    profile.source = to_->source_row();
    profile.process = process;
    profile.device = device;
    profile.id = id;
  }
  current_ = it->second;
  return rows_[current_].profile;
}

void ProfileTable::AddCounter(std::string_view name, double value) {
  const model::StringId id = to_->Text(name);
  for (model::Metric& metric : rows_[current_].metrics) {
    if (metric.name != id || !std::holds_alternative<double>(metric.value)) continue;
    metric.value = std::get<double>(metric.value) + value;
    return;
  }
  AddMetric(id, model::kNoString, value);
}

void ProfileTable::AddMetric(model::StringId name, model::StringId unit, model::MetricValue value) {
  rows_[current_].metrics.push_back({name, unit, value});
}

void ProfileTable::AddDerived(Row* row) {
  const auto counter = [&](std::string_view name) -> std::optional<double> {
    const model::StringId id = to_->trace().strings.Find(name);
    if (id == model::kNoString) return std::nullopt;
    for (const model::Metric& metric : row->metrics) {
      if (metric.name == id && std::holds_alternative<double>(metric.value)) return std::get<double>(metric.value);
    }
    return std::nullopt;
  };
  std::vector<Derived> derived;
  DeriveMetrics(counter, &derived);
  const auto bytes = [&](std::string_view name) {
    for (const Derived& metric : derived) {
      if (metric.name == name) return metric.value;
    }
    return -1.0;
  };
  const double read = bytes("memory_read_bytes"), written = bytes("memory_write_bytes");
  if (read >= 0 && written >= 0 && row->profile.dur_ns.value_or(0) > 0)
    derived.push_back(
        {"memory_bandwidth", "bytes_per_s", (read + written) * 1e9 / static_cast<double>(*row->profile.dur_ns)});
  for (const Derived& metric : derived)
    row->metrics.push_back({to_->Text(metric.name), to_->Text(metric.unit), metric.value});
}

void ProfileTable::Finish() {
  model::Trace& trace = to_->trace();
  for (Row& row : rows_) {
    AddDerived(&row);
    row.profile.metric_begin = static_cast<uint32_t>(trace.metrics.size());
    trace.metrics.insert(trace.metrics.end(), row.metrics.begin(), row.metrics.end());
    row.profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
    row.profile.advice_begin = row.profile.advice_end = static_cast<uint32_t>(trace.advice.size());
    trace.kernel_profiles.push_back(row.profile);
  }
  rows_.clear();
  by_dispatch_.clear();
}

}  // namespace warpscope::import::amd
