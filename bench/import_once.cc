// Reads one or more traces and prints what came of it, the time and the peak memory. bench/run.py runs it.
#include <fmt/core.h>
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <string>
#include <vector>

#include "import/import.h"

int main(int argc, char** argv) {
  warpscope::import::Options options;
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--threads=", 0) == 0) {
      std::from_chars(argument.data() + 10, argument.data() + argument.size(), options.threads);
    } else {
      inputs.push_back(argument);
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto loaded = warpscope::import::Load(inputs, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!loaded.ok()) {
    fmt::print("refused: {}\n", loaded.status().message());
    return 1;
  }
  const warpscope::model::Trace& trace = loaded.value();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  uint64_t text_bytes = 0;
  for (const auto& source : trace.sources) text_bytes += source.text_bytes;
  const auto time_s = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  fmt::print(
      "{{\"seconds\": {:.4f}, \"cpu_seconds\": {:.4f}, \"text_bytes\": {}, \"peak_rss_bytes\": {}, \"host_rows\": {}, "
      "\"gpu_rows\": {}, \"syncs\": {}, \"memory_events\": {}, \"threads\": {}, \"streams\": {}, \"collectives\": {}, "
      "\"strings\": {}}}\n",
      seconds, time_s(usage.ru_utime) + time_s(usage.ru_stime), text_bytes, usage.ru_maxrss * 1024, trace.host.size(),
      trace.gpu.size(), trace.syncs.size(), trace.memory.size(), trace.threads.size(), trace.streams.size(),
      trace.collectives.size(), trace.strings.size());
  for (const auto& entry : trace.ledger.Entries()) {
    fmt::print("  {} {}: {}", warpscope::model::SeverityName(entry.severity), entry.name, entry.message);
    if (entry.first_offset_bytes) fmt::print(" (byte {})", *entry.first_offset_bytes);
    fmt::print("\n");
  }
  return 0;
}
