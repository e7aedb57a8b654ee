#include "record/machine_stream.h"

#include <chrono>
#include <cmath>

#include "wire/clock.h"

namespace warpscope::record {
namespace {

constexpr size_t kMostTextBytes = 16384;

struct Throttle {
  uint64_t bit;
  const char* name;
};
// Names of src/model/reading_names.def. Idle is no throttling.
constexpr Throttle kThrottles[] = {
    {device::kThrottleAppClocks, "throttle_app_clocks"},      {device::kThrottlePowerCap, "throttle_sw_power_cap"},
    {device::kThrottleHwSlowdown, "throttle_hw_slowdown"},    {device::kThrottleSyncBoost, "throttle_sync_boost"},
    {device::kThrottleSwThermal, "throttle_sw_thermal"},      {device::kThrottleHwThermal, "throttle_hw_thermal"},
    {device::kThrottlePowerBrake, "throttle_hw_power_brake"}, {device::kThrottleDisplay, "throttle_display"},
};

}  // namespace

bool MachineStream::Open(const std::string& folder) { return file_.Open(folder.c_str(), "machine", 0); }

uint64_t MachineStream::TextRef(const std::string& text) {
  const auto [it, fresh] = texts_.try_emplace(text.substr(0, kMostTextBytes), texts_.size() + 1);
  if (fresh) {
    wire::BlockWriter& block = file_.BlockFor(static_cast<uint32_t>(it->first.size()));
    block.Begin(wire::kText);
    block.Put(it->second);
    block.PutBytes(it->first.data(), static_cast<uint32_t>(it->first.size()));
  }
  return it->second;
}

void MachineStream::Fact(int device, const std::string& name, const std::string& value) {
  if (!file_.is_open() || value.empty()) return;
  const uint64_t name_ref = TextRef(name), value_ref = TextRef(value);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kFact);
  block.Put(static_cast<uint64_t>(device + 1));
  block.Put(name_ref);
  block.Put(value_ref);
  ++rows_;
}

void MachineStream::Note(unsigned severity, const std::string& text) {
  if (!file_.is_open()) return;
  const uint64_t ref = TextRef(text);
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kNote);
  block.Put(severity);
  block.Put(ref);
}

void MachineStream::Put(unsigned device, const char* name, const char* unit, int64_t time_ns, double value) {
  const auto [it, fresh] = series_.try_emplace({device, name}, series_.size() + 1);
  if (fresh) {
    const uint64_t name_ref = TextRef(name), unit_ref = *unit == '\0' ? 0 : TextRef(unit);
    wire::BlockWriter& block = file_.block();
    block.Begin(wire::kSeries);
    block.Put(it->second);
    block.Put(device + 1);
    block.Put(name_ref);
    block.Put(unit_ref);
  }
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kSample);
  block.Put(it->second);
  block.PutTime(time_ns);
  block.PutSigned(std::llround(value * 1000));
  ++rows_;
}

void MachineStream::Sample(unsigned device, int64_t time_ns) {
  const device::GpuSample sample = nvml_->Sample(device);
  const auto put = [&](const char* name, const char* unit, const auto& value) {
    if (value) Put(device, name, unit, time_ns, static_cast<double>(*value));
  };
  put("utilization_gpu", "pct", sample.utilization_gpu_pct);
  put("utilization_memory", "pct", sample.utilization_memory_pct);
  put("memory_used", "bytes", sample.memory_used_bytes);
  put("power_draw", "watts", sample.power_watts);
  put("temperature_gpu", "celsius", sample.temperature_celsius);
  put("clock_sm", "mhz", sample.clock_sm_mhz);
  put("clock_memory", "mhz", sample.clock_memory_mhz);
  put("pcie_gen_current", "", sample.pcie_gen);
  put("pcie_width_current", "", sample.pcie_width);
  if (!sample.throttle_reasons) return;
  for (const Throttle& throttle : kThrottles)
    Put(device, throttle.name, "", time_ns, (*sample.throttle_reasons & throttle.bit) != 0 ? 1 : 0);
}

void MachineStream::Start(const device::Nvml* nvml, unsigned period_ms) {
  if (!file_.is_open() || nvml == nullptr || sampler_.joinable()) return;
  nvml_ = nvml;
  sampler_ = std::thread([this, period_ms] {
    auto next = std::chrono::steady_clock::now();
    while (!stop_.load()) {
      for (const device::GpuFacts& gpu : nvml_->gpus()) Sample(gpu.index, wire::NowNs());
      file_.Flush();
      next += std::chrono::milliseconds(period_ms);
      while (!stop_.load() && std::chrono::steady_clock::now() < next)
        std::this_thread::sleep_for(std::chrono::milliseconds(std::min(period_ms, 20U)));
    }
  });
}

void MachineStream::Stop() {
  stop_.store(true);
  if (sampler_.joinable()) sampler_.join();
  if (!file_.is_open()) return;
  wire::BlockWriter& block = file_.block();
  block.Begin(wire::kEnd);
  block.PutTime(wire::NowNs());
  block.Put(rows_);
  block.Put(0);
  file_.Close();
}

}  // namespace warpscope::record
