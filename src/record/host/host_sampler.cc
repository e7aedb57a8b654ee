#include "record/host/host_sampler.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "record/host/process_tree.h"
#include "record/host/sampled_process.h"
#include "record/native/symbolize.h"
#include "record/redact.h"
#include "wire/clock.h"

namespace warpscope::record::host {
namespace {

constexpr int64_t kLookNs = 50'000'000, kBudgetNs = 500'000'000, kFlushNs = 500'000'000, kGraceNs = 1'000'000'000,
                  kLongestPeriodNs = 500'000'000;
constexpr unsigned kThoroughEvery = 10;  // looks between two that ask every thread for children

// Sleeps in short pieces, so that Stop() is heard.
void SleepUntil(int64_t epoch_ns, const std::atomic<bool>& stop) {
  while (!stop.load()) {
    const int64_t left = epoch_ns - wire::NowNs();
    if (left <= 0) return;
    const int64_t piece = std::min<int64_t>(left, 20'000'000);
    const timespec pause{.tv_sec = 0, .tv_nsec = static_cast<long>(piece)};
    nanosleep(&pause, nullptr);
  }
}

class Run {
 public:
  Run(const std::string& folder, const HostOptions& options, int pid)
      : folder_(folder), options_(options), tree_(pid), wanted_ns_(1'000'000'000 / std::max(options.hz, 1U)) {
    period_ns_ = wanted_ns_;
  }

  bool Open() {
    if (!state_.stream.Open(folder_)) return false;
    state_.stream.Period(period_ns_);
    state_.folder = folder_;
    state_.period_ns = period_ns_;
    rlimit limit{};
    // Half of what the launcher may open; five descriptors a thread.
    constexpr size_t kPerThread = 5, kMost = 4096;
    state_.most_threads =
        getrlimit(RLIMIT_NOFILE, &limit) != 0 ? 64 : std::min<size_t>(limit.rlim_cur / 2 / kPerThread, kMost);
    return true;
  }

  void Loop(const std::atomic<bool>& stop) {
    started_ns_ = wire::NowNs();
    int64_t next_look = 0, next_flush = started_ns_ + kFlushNs, next_budget = started_ns_ + kGraceNs;
    int64_t next = started_ns_, budget_from_ns = started_ns_, cpu_before = wire::ThreadCpuNs();
    while (!stop.load()) {
      const int64_t now = wire::NowNs();
      if (now >= next_look) {
        Look();
        // What has just started changes quickly, and may be gone soon.
        next_look = now < busy_until_ns_ ? now + period_ns_ : now + std::max(kLookNs, period_ns_);
      }
      for (auto& [pid, process] : processes_) process.Sample(&state_);
      if (now >= next_flush) {
        state_.stream.Flush();
        state_.waits.Flush();
        next_flush = now + kFlushNs;
      }
      if (now >= next_budget) {
        const int64_t cpu = wire::ThreadCpuNs();
        if (budget_from_ns != started_ns_)  // what the start costs is paid once
          Adapt(static_cast<double>(cpu - cpu_before) /
                static_cast<double>(std::max<int64_t>(now - budget_from_ns, 1)));
        cpu_before = cpu;
        budget_from_ns = now;
        next_budget = now + kBudgetNs;
      }
      next = std::max(next + period_ns_, wire::NowNs());
      SleepUntil(next, stop);
    }
  }

  void Finish() {
    for (auto& [pid, process] : processes_) process.End(&state_);
    for (const auto& [pid, seen] : tree_.alive()) ended_.push_back(seen);
    std::sort(ended_.begin(), ended_.end(), [](const SeenProcess& a, const SeenProcess& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.pid < b.pid;
    });
    for (const SeenProcess& process : ended_) state_.stream.Child(process, RedactedCommand(process.command));
    state_.stream.Flush();
    sampling_cpu_ns_ = wire::ThreadCpuNs();
    TellNames();
    TellProcesses();
    TellSampling();
    const int64_t now = wire::NowNs();
    if (state_.switches_lost > 0 && state_.waits.is_open()) state_.waits.Lost(state_.switches_lost, now);
    if (state_.waits.is_open()) state_.waits.Close(now);
    state_.stream.Close(now, wire::ThreadCpuNs());
  }

 private:
  void Look() {
    const ProcessTree::Changes changes = tree_.Look(looks_++ % kThoroughEvery == 0);
    for (const SeenProcess& process : changes.ended) {
      if (ended_.size() < ProcessTree::kMostProcesses) ended_.push_back(process);
      EndOf(process.pid);
    }
    for (const int pid : changes.replaced) EndOf(pid);
    constexpr int64_t kBusyNs = 300'000'000;
    if (!changes.started.empty() || !changes.replaced.empty()) busy_until_ns_ = wire::NowNs() + kBusyNs;
    for (const auto* list : {&changes.started, &changes.replaced}) {
      for (const int pid : *list) {
        if (const auto it = tree_.alive().find(pid); it != tree_.alive().end())
          processes_.try_emplace(pid, it->second, &state_.modules);
      }
    }
    for (auto& [pid, process] : processes_) process.Refresh(&state_);
  }

  void EndOf(int pid) {
    const auto it = processes_.find(pid);
    if (it == processes_.end()) return;
    it->second.End(&state_);
    processes_.erase(it);
  }

  // Keeps to the budget: a longer period when it is overdrawn, a shorter one again when there is much room.
  void Adapt(double cpu_ratio) {
    int64_t period = period_ns_;
    if (cpu_ratio > options_.most_cpu_ratio)
      period = std::min(
          static_cast<int64_t>(static_cast<double>(period) * std::min(cpu_ratio / options_.most_cpu_ratio * 1.1, 4.0)),
          std::max(kLongestPeriodNs, wanted_ns_));
    else if (cpu_ratio < options_.most_cpu_ratio / 2 && period > wanted_ns_)
      period = std::max(wanted_ns_, period * 3 / 4);
    if (period == period_ns_) return;
    state_.period_ns = period_ns_ = period;
    longest_ns_ = std::max(longest_ns_, period);
    state_.stream.Period(period);
  }

  bool UsedCuda(int pid) const {
    std::error_code error;
    return std::filesystem::exists(folder_ + "/" + std::to_string(pid) + ".capture", error);
  }

  // Names of the functions that stacks were seen in.
  void TellNames() {
    std::map<std::string_view, const native::Module*> modules;
    for (size_t i = 0; i < state_.modules.size(); ++i) {
      const native::Module& module = state_.modules.at(static_cast<uint32_t>(i));
      modules.try_emplace(module.path, &module);  // of several files that had one path in turn the first
    }
    std::map<uint32_t, std::vector<uint64_t>> wanted;
    for (const StackFrame& frame : state_.stream.stacks().frames()) {
      if (frame.kind == FrameKind::kNative) wanted[frame.file].push_back(frame.line);
    }
    for (auto& [text, addresses] : wanted) {
      std::sort(addresses.begin(), addresses.end());
      addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
      const auto it = modules.find(state_.stream.stacks().texts()[text - 1]);
      if (it == modules.end()) continue;
      for (const auto& [address, name] : native::NamesOf(*it->second, addresses))
        state_.stream.NativeName(text, address, name.name, name.file, name.line);
    }
  }

  void TellProcesses() {
    std::string with;
    size_t count = 0;
    constexpr size_t kMostNamed = 8;
    for (const SeenProcess& process : ended_) {
      if (!UsedCuda(process.pid)) continue;
      if (++count <= kMostNamed)
        with += (with.empty() ? "" : "; ") + std::to_string(process.pid) + " " + RedactedCommand(process.command);
    }
    if (count > kMostNamed) with += "; and " + std::to_string(count - kMostNamed) + " more";
    const std::string seen = std::to_string(ended_.size()) + " seen, " + std::to_string(count) + " used CUDA";
    state_.stream.Fact("processes", count == 0 ? seen : seen + ": " + with);
    if (count == 0 && !ended_.empty())
      state_.stream.Note(1, "none of the " + std::to_string(ended_.size()) +
                                " processes that were seen used CUDA (or the agent could not be loaded into it)");
  }

  void TellSampling() {
    const int64_t now = wire::NowNs();
    const auto thousandths = [](double value) {
      const auto whole = static_cast<int64_t>(value * 1000);
      const std::string rest = std::to_string(whole % 1000);
      return std::to_string(whole / 1000) + "." + std::string(3 - rest.size(), '0') + rest;
    };
    const double cpu = static_cast<double>(sampling_cpu_ns_), wall = static_cast<double>(now - started_ns_);
    std::string text = "every " + thousandths(static_cast<double>(wanted_ns_) / 1e6) + " ms";
    if (longest_ns_ > wanted_ns_)
      text += ", at times only every " + thousandths(static_cast<double>(longest_ns_) / 1e6) + " ms to stay cheap";
    text += "; " + std::to_string(state_.stream.threads()) + " threads; Python of " +
            std::to_string(state_.python_processes) + " processes; the sampler took " + thousandths(cpu / 1e6) +
            " ms of processor time";
    // Its start is no share of a program that ends at once.
    constexpr double kWorthAShareNs = 1e9;
    if (wall >= kWorthAShareNs) text += ", " + thousandths(cpu / wall * 100) + " % of one core";
    if (state_.native_stacks > 0)
      text += "; " + std::to_string(state_.native_stacks) + " C and C++ stacks, " +
              std::to_string(state_.native_whole) + " of them whole";
    if (const uint64_t waits = state_.native_waits + state_.native_waits_cut; waits > 0)
      text += "; " + std::to_string(state_.native_waits) + " of " + std::to_string(waits) + " waits with their stack";
    state_.stream.Fact("host samples", text);
    if (state_.torn > 0) state_.stream.Lost(wire::kTornStack, state_.torn, now);
    if (state_.threads_left_out > 0)
      state_.stream.Note(1, "more threads than are sampled (64 a process) in " +
                                std::to_string(state_.threads_left_out) +
                                " processes: those started last have no stacks");
    if (state_.memory_refused) state_.stream.Note(1, RefusedText());
    if (state_.watched == 0 && state_.unwatched > 0) state_.stream.Note(1, SwitchRefusal(state_.watch_error));
    else if (state_.unwatched > 0)
      state_.stream.Note(
          0, "waits of " + std::to_string(state_.unwatched) +
                 " threads are sampled and not exact: no memory for their rings (kernel.perf_event_mlock_kb)");
    if (state_.native_threads == 0 && state_.no_native_threads > 0)
      state_.stream.Note(1, native::NativeRefusal(state_.native_error));
    else if (state_.no_native_threads > 0)
      state_.stream.Note(0, "C and C++ stacks of " + std::to_string(state_.no_native_threads) +
                                " threads are missing: no memory for their rings (kernel.perf_event_mlock_kb)");
    for (const auto& [why, count] : state_.unsupported) state_.stream.Note(1, "Python frames are missing: " + why);
    if (state_.stream.stacks().refused() > 0)
      state_.stream.Note(
          1, std::to_string(state_.stream.stacks().refused()) + " stacks were cut: too many different ones");
  }

  static std::string RefusedText() {
    std::string scope = ReadProc("/proc/sys/kernel/yama/ptrace_scope", 16).value_or("");
    scope = scope.substr(0, scope.find('\n'));
    std::string text = "Python frames are missing: the system does not let this user read the program's memory";
    if (scope == "2" || scope == "3")
      text += " (kernel.yama.ptrace_scope is " + scope + "). Set it to 1: sysctl kernel.yama.ptrace_scope=1";
    else
      text +=
          ". Record as the user who owns the program, or give CAP_SYS_PTRACE (in a container: --cap-add=SYS_PTRACE)";
    return text;
  }

  const std::string folder_;
  const HostOptions options_;
  ProcessTree tree_;
  SamplerState state_;
  std::map<int, SampledProcess> processes_;
  std::vector<SeenProcess> ended_;
  const int64_t wanted_ns_;
  int64_t period_ns_ = 0, longest_ns_ = 0, started_ns_ = 0, busy_until_ns_ = 0;
  int64_t sampling_cpu_ns_ = 0;  // until the program ended: looking up names comes after
  unsigned looks_ = 0;
};

}  // namespace

HostSampler::HostSampler(std::string run_folder, HostOptions options)
    : run_folder_(std::move(run_folder)), options_(options) {}

void HostSampler::Start(int pid) {
  if (thread_.joinable()) return;
  thread_ = std::thread([this, pid] {
    Run run(run_folder_, options_, pid);
    if (!run.Open()) return;
    run.Loop(stop_);
    run.Finish();
  });
}

void HostSampler::Stop() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
}

}  // namespace warpscope::record::host
