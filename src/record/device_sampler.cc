#include "record/device_sampler.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "wire/clock.h"

namespace warpscope::record {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

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
// Always written, so that a reader knows that reasons were asked for; the others from when they first hold.
constexpr uint64_t kAlwaysTold = device::kThrottlePowerCap;

// The driver may hold others up while it counts PCIe traffic for 20 ms: two such calls a second, whatever the number of
// devices.
constexpr uint64_t kLooksAPcie = 5;

// Looks are ten a second for ten minutes, then four, and one after an hour: a run of a day stays below 100,000 looks.
struct Period {
  int64_t after_ns, period_ns;
};
constexpr Period kPeriods[] = {{3600 * kSecondNs, kSecondNs}, {600 * kSecondNs, kSecondNs / 4}};

}  // namespace

void DeviceSampler::Start(std::vector<VisibleDevice> devices, unsigned period_ms) {
  if (nvml_ == nullptr || devices.empty() || thread_.joinable()) return;
  devices_ = std::move(devices);
  if (period_ms > 0) period_ms_ = period_ms;
  // Signals go to the thread that waits for the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void DeviceSampler::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(lock_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  stream_->Fact(-1, "device_looks", std::to_string(looks_));
  stream_->Fact(-1, "device_looks_cpu_ms", fmt::format("{:.1f}", static_cast<double>(cpu_ns_) / 1e6));
  if (!any_value_) stream_->Note(1, "device readings are missing: the driver gives none of these devices");
  const double cost_pct = wall_ns_ == 0 ? 0 : 100.0 * static_cast<double>(cpu_ns_) / static_cast<double>(wall_ns_);
  if (cost_pct < kCostPct || wall_ns_ < kSecondNs || looks_ == 0) return;
  stream_->Note(0, fmt::format("reading the devices took {:.1f} % of one core ({:.2f} ms for each of {} looks)",
                               cost_pct, static_cast<double>(cpu_ns_) / 1e6 / static_cast<double>(looks_), looks_));
}

int64_t DeviceSampler::PeriodNs(int64_t running_ns) const {
  const int64_t wanted_ns = static_cast<int64_t>(period_ms_) * 1'000'000;
  for (const Period& period : kPeriods) {
    if (running_ns >= period.after_ns) return std::max(wanted_ns, period.period_ns);
  }
  return wanted_ns;
}

void DeviceSampler::Run() {
  pthread_setname_np(pthread_self(), "ws-devices");
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto running = [&start] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  };
  int64_t next_ns = 0, next_slow_ns = 0;
  std::unique_lock guard(lock_);
  while (!stop_) {
    guard.unlock();
    for (const VisibleDevice& device : devices_) Look(device, wire::NowNs());
    if (running() >= next_slow_ns) {
      for (const VisibleDevice& device : devices_) SlowLook(device, wire::NowNs());
      next_slow_ns += kSecondNs;
      stream_->Flush();
    } else if (looks_ % kLooksAPcie == kLooksAPcie / 2) {
      PcieLook(wire::NowNs());
    }
    ++looks_;
    // A machine that slept or stalled is not caught up with.
    next_ns = std::max(next_ns + PeriodNs(running()), running());
    guard.lock();
    wake_.wait_until(guard, start + std::chrono::nanoseconds(next_ns), [this] { return stop_; });
  }
  guard.unlock();
  // A program of a moment is looked at twice at least.
  for (const VisibleDevice& device : devices_) Look(device, wire::NowNs());
  cpu_ns_ = wire::ThreadCpuNs();
  wall_ns_ = running();
}

void DeviceSampler::Look(const VisibleDevice& device, int64_t time_ns) {
  const device::GpuSample sample = nvml_->Sample(device.index);
  any_value_ |= sample.utilization_gpu_pct || sample.memory_used_bytes || sample.clock_sm_mhz || sample.power_watts;
  const auto put = [&](const char* name, const char* unit, const auto& value) {
    if (value) stream_->Sample(device.number, name, unit, time_ns, static_cast<double>(*value));
  };
  put("utilization_gpu", "pct", sample.utilization_gpu_pct);
  put("utilization_memory", "pct", sample.utilization_memory_pct);
  put("memory_used", "bytes", sample.memory_used_bytes);
  put("power_draw", "watts", sample.power_watts);
  put("temperature_gpu", "celsius", sample.temperature_celsius);
  put("clock_sm", "mhz", sample.clock_sm_mhz);
  put("clock_memory", "mhz", sample.clock_memory_mhz);
  if (!sample.throttle_reasons) return;
  uint64_t& seen = seen_throttles_[device.number];
  seen |= *sample.throttle_reasons | kAlwaysTold;
  for (const Throttle& throttle : kThrottles) {
    if ((seen & throttle.bit) != 0)
      stream_->Sample(device.number, throttle.name, "", time_ns,
                      (*sample.throttle_reasons & throttle.bit) != 0 ? 1 : 0);
  }
}

void DeviceSampler::SlowLook(const VisibleDevice& device, int64_t time_ns) {
  const device::SlowSample sample = nvml_->Slow(device.index);
  if (sample.pcie_gen) stream_->Sample(device.number, "pcie_gen_current", "", time_ns, *sample.pcie_gen);
  if (sample.pcie_width) stream_->Sample(device.number, "pcie_width_current", "", time_ns, *sample.pcie_width);
  Processes(device, sample.processes, time_ns);
  if (!sample.nvlink_bytes) return;
  const auto last = last_nvlink_.find(device.number);
  if (last != last_nvlink_.end() && time_ns > last->second.first && *sample.nvlink_bytes >= last->second.second) {
    const auto bytes = static_cast<double>(*sample.nvlink_bytes - last->second.second);
    const double seconds = static_cast<double>(time_ns - last->second.first) / static_cast<double>(kSecondNs);
    stream_->Sample(device.number, "nvlink_bandwidth", "bytes_per_s", time_ns, bytes / seconds);
  }
  last_nvlink_[device.number] = {time_ns, *sample.nvlink_bytes};
}

// One direction of one device a look, in turn.
void DeviceSampler::PcieLook(int64_t time_ns) {
  const VisibleDevice& device = devices_[next_pcie_ / 2 % devices_.size()];
  const bool to_device = next_pcie_++ % 2 != 0;
  const auto rate = nvml_->PcieBytesPerS(
      device.index, to_device ? device::PcieDirection::kToDevice : device::PcieDirection::kFromDevice);
  if (rate) stream_->Sample(device.number, to_device ? "pcie_rx" : "pcie_tx", "bytes_per_s", time_ns, *rate);
}

void DeviceSampler::Processes(const VisibleDevice& device, const std::vector<device::ProcessMemory>& processes,
                              int64_t time_ns) {
  double sum_bytes = 0;
  bool any = false;
  for (const device::ProcessMemory& process : processes) {
    if (!IsOurs(process.pid)) continue;
    any = true;
    sum_bytes += static_cast<double>(process.used_bytes);
    stream_->Sample(device.number, fmt::format("memory_used_process {}", process.pid), "bytes", time_ns,
                    static_cast<double>(process.used_bytes));
  }
  if (any) stream_->Sample(device.number, "memory_used_recorded", "bytes", time_ns, sum_bytes);
}

// The driver's process numbers are those of the machine; inside a container they may name nobody or somebody else,
// which the chain of parents up to this process tells.
bool DeviceSampler::IsOurs(int pid) const {
  constexpr int kMostParents = 64;
  const int own = ::getpid();
  for (int i = 0; i < kMostParents && pid > 1; ++i) {
    const auto stat = system_->Read("/proc/" + std::to_string(pid) + "/stat", 1024);
    if (!stat) return false;
    // pid (name) state parent: the name may hold anything, also brackets.
    const std::vector<std::string> fields = Split(stat->substr(std::min(stat->rfind(')') + 1, stat->size())), ' ');
    const auto parent = fields.size() < 2 ? std::nullopt : NumberIn(fields[1]);
    if (!parent) return false;
    pid = static_cast<int>(*parent);
    if (pid == own) return true;
  }
  return false;
}

}  // namespace warpscope::record
