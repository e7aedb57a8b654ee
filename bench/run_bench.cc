// Figures of run folders: repeats a recording in memory until it has enough events, writes it as a run, reads it back.
// Each repetition has ids of its own, and lengths and pauses that vary by a few per cent: else it would compress to
// nothing. `run_bench RECORDING RUN --events=10000000`; bench/run.py runs it. Prints one JSON line a step.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "import/import.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/run_writer.h"

namespace {

namespace fs = std::filesystem;
using warpscope::model::Trace;

uint64_t Events(const Trace& trace) {
  return uint64_t{trace.host.size()} + trace.gpu.size() + trace.gpu_annotations.size() + trace.syncs.size() +
         trace.memory.size() + trace.counters.size();
}

template <typename Column>
void Repeat(Column& column, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) column.push_back(column[i]);
}

// Rows of the first round once more, later and with ids of their own.
void AddRound(Trace& trace, size_t host_rows, size_t gpu_rows, size_t memory_rows, int64_t shift_ns, uint64_t ids) {
  trace.host.VisitColumns([&](auto& column) {
    if (!column.empty()) Repeat(column, 0, host_rows);
  });
  trace.gpu.VisitColumns([&](auto& column) {
    if (!column.empty()) Repeat(column, 0, gpu_rows);
  });
  Repeat(trace.memory, 0, memory_rows);
  const auto later = [&](auto& column, size_t rows) {
    for (size_t i = column.size() - rows; i < column.size(); ++i) column[i] += shift_ns;
  };
  // The low bits of a length, and with them of the starts behind it, are noise in every real recording.
  const auto vary = [&](auto& starts, auto& lengths, size_t rows) {
    for (size_t i = lengths.size() - rows; i < lengths.size(); ++i) {
      uint64_t noise = (i + 1) * 0x9E3779B97F4A7C15ULL;
      noise = (noise ^ (noise >> 29)) * 0xBF58476D1CE4E5B9ULL;
      starts[i] += static_cast<int64_t>(noise >> 32 & 63);
      lengths[i] -= static_cast<int64_t>(static_cast<uint64_t>(lengths[i]) * (noise >> 56) / 8192);
    }
  };
  vary(trace.host.start_ns, trace.host.dur_ns, host_rows);
  vary(trace.gpu.start_ns, trace.gpu.dur_ns, gpu_rows);
  const auto fresh = [&](auto& column, size_t rows) {
    for (size_t i = column.size() - rows; i < column.size(); ++i) {
      if (column[i] != warpscope::model::kNoId) column[i] += ids;
    }
  };
  later(trace.host.start_ns, host_rows);
  later(trace.gpu.start_ns, gpu_rows);
  fresh(trace.host.correlation, host_rows);
  fresh(trace.host.external_id, host_rows);
  fresh(trace.gpu.correlation, gpu_rows);
  fresh(trace.gpu.external_id, gpu_rows);
  for (size_t i = trace.memory.size() - memory_rows; i < trace.memory.size(); ++i) trace.memory[i].time_ns += shift_ns;
}

void Grow(Trace& trace, uint64_t events) {
  const size_t host_rows = trace.host.size(), gpu_rows = trace.gpu.size(), memory_rows = trace.memory.size();
  trace.syncs.clear();
  trace.gpu_annotations.clear();
  trace.collectives.clear();
  trace.host.parent.clear();
  trace.gpu.call.clear();
  trace.ledger = {};
  int64_t first = INT64_MAX, last = INT64_MIN;
  uint64_t ids = 0;
  for (size_t i = 0; i < host_rows; ++i) {
    first = std::min(first, trace.host.start_ns[i]);
    last = std::max(last, trace.host.end_ns(static_cast<uint32_t>(i)));
    if (trace.host.correlation[i] != warpscope::model::kNoId) ids = std::max(ids, trace.host.correlation[i]);
  }
  for (size_t i = 0; i < gpu_rows; ++i) last = std::max(last, trace.gpu.end_ns(static_cast<uint32_t>(i)));
  for (int64_t round = 1; Events(trace) < events; ++round)
    AddRound(trace, host_rows, gpu_rows, memory_rows, round * (last - first + 1000),
             static_cast<uint64_t>(round) * (ids + 1));
  trace.Finish();
}

struct Time {
  double wall_s, cpu_s;
};

double CpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

Time Measure(const std::function<void()>& work) {
  const double cpu_s = CpuSeconds();
  const auto begin = std::chrono::steady_clock::now();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), CpuSeconds() - cpu_s};
}

uint64_t SizeOf(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<uint64_t>(size);
}

int Fail(const warpscope::Status& status) {
  fmt::print("refused: {}\n", status.message());
  return 1;
}

int Write(const std::string& recording, const std::string& run, uint64_t events) {
  auto loaded = warpscope::import::Load({recording});
  if (!loaded.ok()) return Fail(loaded.status());
  Trace& trace = *loaded;
  Grow(trace, events);
  warpscope::Status status;
  const Time time = Measure([&] { status = warpscope::store::WriteRun(trace, {run, "", run}).status(); });
  if (!status.ok()) return Fail(status);
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(run)) bytes += SizeOf(entry.path());
  fmt::print(
      "{{\"events\": {}, \"write_seconds\": {:.3f}, \"cpu_seconds\": {:.3f}, \"rows_per_s\": {:.0f}, \"bytes\": {}, "
      "\"host_rows\": {}, "
      "\"host_bytes_per_row\": {:.2f}, \"gpu_rows\": {}, \"gpu_bytes_per_row\": {:.2f}, \"memory_rows\": {}, "
      "\"memory_bytes_per_row\": {:.2f}}}\n",
      Events(trace), time.wall_s, time.cpu_s, static_cast<double>(Events(trace)) / time.wall_s, bytes,
      trace.host.size(), static_cast<double>(SizeOf(fs::path(run) / "host.parquet")) / std::max(1u, trace.host.size()),
      trace.gpu.size(), static_cast<double>(SizeOf(fs::path(run) / "gpu.parquet")) / std::max(1u, trace.gpu.size()),
      trace.memory.size(),
      static_cast<double>(SizeOf(fs::path(run) / "memory.parquet")) /
          static_cast<double>(std::max<size_t>(1, trace.memory.size())));
  return 0;
}

int Read(const std::string& run) {
  warpscope::Result<Trace> loaded(warpscope::Status::Ok());
  const Time time = Measure([&] { loaded = warpscope::import::Load({run}); });
  if (!loaded.ok()) return Fail(loaded.status());
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"events\": {}, \"read_seconds\": {:.3f}, \"cpu_seconds\": {:.3f}, \"peak_rss_bytes\": {}, "
      "\"bytes_per_event\": {:.1f}}}\n",
      Events(*loaded), time.wall_s, time.cpu_s, usage.ru_maxrss * 1024,
      static_cast<double>(usage.ru_maxrss) * 1024 / static_cast<double>(std::max<uint64_t>(1, Events(*loaded))));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return Read(argv[1]);
  uint64_t events = 10'000'000;
  if (argc > 3) {
    const std::string_view text = std::string_view(argv[3]).substr(9);  // --events=
    std::from_chars(text.data(), text.data() + text.size(), events);
  }
  if (argc < 3) return 2;
  fs::create_directories(argv[2]);
  return Write(argv[1], argv[2], events);
}
