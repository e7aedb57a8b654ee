// Speed of `warpscope query` on a recording of many kernels, made in memory: --kernels=N (default 4,000,000),
// --threads=N. Prints one JSON line a statement: best of three. bench/run.py runs it.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>

#include "analysis/index.h"
#include "model/trace.h"
#include "query/named.h"
#include "query/present.h"
#include "query/session.h"

namespace {

using warpscope::model::Trace;

uint64_t Option(int argc, char** argv, std::string_view name, uint64_t fallback) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(name))
      std::from_chars(argument.data() + name.size(), argument.data() + argument.size(), fallback);
  }
  return fallback;
}

// A program that launches `count` kernels of 300 names from one thread to four streams.
void Fill(Trace& trace, uint64_t count) {
  trace.sources.push_back({});
  trace.devices.push_back({});
  trace.processes.push_back({});
  trace.threads.push_back({0, 1, warpscope::model::kNoString});
  for (int64_t id = 0; id < 4; ++id) trace.streams.push_back({0, 0, 1, id, warpscope::model::kNoString});
  std::vector<warpscope::model::StringId> names;
  for (int i = 0; i < 300; ++i) {
    names.push_back(trace.strings.Intern(
        fmt::format("void at::native::vectorized_elementwise_kernel<4, at::native::Functor{}<float>, "
                    "std::array<char*, 3ul> >(int, at::native::Functor{}<float>)",
                    i, i)));
  }
  const auto launch = trace.strings.Intern("cudaLaunchKernel");
  trace.launch_configs.push_back(
      {{64, 1, 1}, {128, 1, 1}, 32, 0, {}, warpscope::model::kNoId, warpscope::model::kNoId});
  uint64_t random = 1;
  for (uint64_t i = 0; i < count; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const auto start_ns = static_cast<int64_t>(i) * 5000;
    trace.host.start_ns.push_back(start_ns), trace.host.dur_ns.push_back(3000), trace.host.name.push_back(launch);
    trace.host.thread.push_back(0), trace.host.kind.push_back(warpscope::model::HostKind::kRuntimeCall);
    trace.host.correlation.push_back(i + 1), trace.host.external_id.push_back(warpscope::model::kNoId);
    trace.host.forward_thread.push_back(0), trace.host.detail.push_back(warpscope::model::kNone),
        trace.host.parent.push_back(warpscope::model::kNone);
    trace.gpu.start_ns.push_back(start_ns + 4000), trace.gpu.dur_ns.push_back(static_cast<int64_t>(random >> 52));
    trace.gpu.name.push_back(names[i % names.size()]), trace.gpu.kind.push_back(warpscope::model::GpuKind::kKernel);
    trace.gpu.stream.push_back(static_cast<uint32_t>(i % 4)), trace.gpu.correlation.push_back(i + 1);
    trace.gpu.external_id.push_back(warpscope::model::kNoId), trace.gpu.detail.push_back(0),
        trace.gpu.call.push_back(warpscope::model::kNone);
  }
  trace.Finish();
}

double CpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto time_s = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return time_s(usage.ru_utime) + time_s(usage.ru_stime);
}

double Seconds(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  namespace query = warpscope::query;
  Trace trace;
  Fill(trace, Option(argc, argv, "--kernels=", 4'000'000));
  const warpscope::analysis::Index index(trace);
  fmt::print("{{\"made_cpu_seconds\": {:.4f}}}\n", CpuSeconds());
  std::fflush(stdout);
  const double opened_cpu = CpuSeconds();
  const auto opened = std::chrono::steady_clock::now();
  auto session = query::Session::Open(index, {.threads = static_cast<unsigned>(Option(argc, argv, "--threads=", 0))});
  if (!session.ok()) {
    fmt::print("{}\n", session.status().message());
    return 1;
  }
  fmt::print("{{\"open_seconds\": {:.4f}, \"open_cpu_seconds\": {:.4f}, \"kernels\": {}}}\n", Seconds(opened),
             CpuSeconds() - opened_cpu, trace.gpu.size());
  std::fflush(stdout);
  const char* kStatements[] = {
      "SELECT name, count(*), sum(dur_ns) FROM kernels GROUP BY name ORDER BY 3 DESC",
      "SELECT stream, step, avg(delay_ns) FROM kernels GROUP BY ALL ORDER BY ALL",
      "SELECT count(*) FROM kernels WHERE name LIKE '%Functor12<%'",
      "SELECT name, dur_ns FROM kernels ORDER BY dur_ns DESC, id LIMIT 10",
  };
  const auto time = [&](const std::string& what, auto run) {
    double best = 1e9, best_cpu = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const double cpu = CpuSeconds();
      auto table = run();
      if (!table.ok()) fmt::print("{}\n", table.status().message());
      best = std::min(best, Seconds(begin)), best_cpu = std::min(best_cpu, CpuSeconds() - cpu);
    }
    fmt::print("{{\"seconds\": {:.4f}, \"cpu_seconds\": {:.4f}, \"sql\": \"{}\"}}\n", best, best_cpu, what);
    std::fflush(stdout);
  };
  for (const char* sql : kStatements) time(sql, [&] { return query::RunSql(**session, sql, {}, 20); });
  // Two of them join every row with those that overlap it: the time grows with the square of the rows, and a run of
  // millions would not end.
  constexpr size_t kMostToJoin = 100'000;
  struct Named {
    const char* name;
    bool joins;
  };
  for (const auto& [name, joins] : {Named{"cuda_gpu_kern_sum", false}, Named{"cuda_kern_exec_sum", false},
                                    Named{"idle_time_breakdown", true}, Named{"cuda_gpu_time_util_map", true}}) {
    if (joins && trace.gpu.size() > kMostToJoin) {
      fmt::print("{{\"left_out\": \"{}\", \"runs_with\": \"--kernels={}\"}}\n", name, kMostToJoin);
      continue;
    }
    time(name, [&] { return query::RunNamed(**session, *query::FindNamedQuery(name), {}, 20); });
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{{\"peak_rss_bytes\": {}}}\n", usage.ru_maxrss * 1024);
  return 0;
}
