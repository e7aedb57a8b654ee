// Writes a made-up trace of --events (default 5 million) as an nsys SQLite file and reads it back with one thread:
// events a second both ways, and the bytes of memory that an event takes while it is read.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "export/export.h"
#include "import/import.h"
#include "model/trace.h"

namespace {

using warpscope::model::GpuKind;
using warpscope::model::HostKind;
using warpscope::model::kNoId;
using warpscope::model::kNone;
using warpscope::model::Trace;

void AddHost(Trace& trace, HostKind kind, warpscope::model::StringId name, int64_t start_ns, int64_t dur_ns,
             uint64_t id) {
  auto& host = trace.host;
  host.start_ns.push_back(start_ns), host.dur_ns.push_back(dur_ns), host.name.push_back(name);
  host.thread.push_back(0), host.kind.push_back(kind), host.correlation.push_back(id);
  host.external_id.push_back(kNoId), host.forward_thread.push_back(0), host.detail.push_back(kNone);
}

// Of three events one each is a range, a launch and its kernel: as real recordings with NVTX have it.
Trace MakeTrace(uint64_t events) {
  Trace trace;
  trace.sources.emplace_back().format = "nsys";
  trace.devices.emplace_back();
  trace.processes.push_back({0, 100, 0, warpscope::model::kNoString, std::nullopt});
  trace.threads.push_back({0, 101, warpscope::model::kNoString});
  for (int i = 0; i < 4; ++i) trace.streams.push_back({0, 0, 1, 7 + i, warpscope::model::kNoString});
  for (uint32_t i = 0; i < 64; ++i) {
    warpscope::model::LaunchConfig config;
    config.grid[0] = 100 + i, config.block[0] = 256, config.registers_per_thread = 32, config.shared_bytes = 1024 * i;
    trace.launch_configs.push_back(config);
  }
  const auto call = trace.strings.Intern("cudaLaunchKernel");
  std::vector<warpscope::model::StringId> ranges, kernels;
  for (int i = 0; i < 200; ++i) {
    ranges.push_back(trace.strings.Intern("range " + std::to_string(i)));
    kernels.push_back(trace.strings.Intern("void kernel_" + std::to_string(i) + "<float, 4>(float*, int)"));
  }
  for (uint64_t i = 0; i < events / 3; ++i) {
    const auto at_ns = static_cast<int64_t>(1700000000000000000 + i * 10000);
    AddHost(trace, HostKind::kAnnotation, ranges[i % 200], at_ns, 9000, kNoId);
    AddHost(trace, HostKind::kRuntimeCall, call, at_ns + 1000, 4000, i + 1);
    auto& gpu = trace.gpu;
    gpu.start_ns.push_back(at_ns + 6000), gpu.dur_ns.push_back(3000), gpu.name.push_back(kernels[i % 200]);
    gpu.kind.push_back(GpuKind::kKernel), gpu.stream.push_back(i % 4), gpu.correlation.push_back(i + 1);
    gpu.external_id.push_back(kNoId), gpu.detail.push_back(i % 64);
  }
  trace.Finish();
  return trace;
}

double Seconds(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double CpuSeconds(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void Report(const char* what, uint64_t events, double seconds) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{}: {} events in {:.2f} s ({:.2f} s of CPU): {:.0f} events/s a core; peak {:.0f} MB = {:.0f} bytes an event\n",
      what, events, seconds, CpuSeconds(usage), static_cast<double>(events) / CpuSeconds(usage),
      static_cast<double>(usage.ru_maxrss) / 1024,
      static_cast<double>(usage.ru_maxrss) * 1024 / static_cast<double>(events));
  std::fflush(stdout);
}

// Each in a process of its own, so that times and peaks are its own.
template <typename F>
bool Alone(F work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t events = 5000000;
  std::string file = "nsys_bench.sqlite";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, 9) == "--events=")
      std::from_chars(argument.data() + 9, argument.data() + argument.size(), events);
    else file = argument;
  }
  const bool wrote = Alone([&] {
    const Trace trace = MakeTrace(events);
    rusage before{};
    ::getrusage(RUSAGE_SELF, &before);
    std::error_code error;
    std::filesystem::remove(file, error);
    const auto begin = std::chrono::steady_clock::now();
    const auto written = warpscope::exporting::FindExporter("sqlite")->write(trace, file, {});
    rusage after{};
    ::getrusage(RUSAGE_SELF, &after);
    const double cpu = CpuSeconds(after) - CpuSeconds(before);
    if (written.ok()) {
      fmt::print("write: {} events in {:.2f} s ({:.2f} s of CPU): {:.0f} events/s a core; {:.0f} MB\n", events,
                 Seconds(begin), cpu, static_cast<double>(events) / cpu,
                 static_cast<double>(std::filesystem::file_size(file)) / 1e6);
    }
    std::fflush(stdout);
    return written.ok();
  });
  return wrote && Alone([&] {
           warpscope::import::Options options;
           options.threads = 1;
           const auto begin = std::chrono::steady_clock::now();
           const auto loaded = warpscope::import::Load({file}, options);
           if (loaded.ok()) Report("read", loaded.value().host.size() + loaded.value().gpu.size(), Seconds(begin));
           return loaded.ok();
         })
             ? 0
             : 1;
}
