// Reads one or more traces and prints what came of it, the time and the peak memory. bench/import.py runs it.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "import/import.h"

int main(int argc, char** argv) {
  warpscope::import::Options options;
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--threads=", 0) == 0) {
      options.threads = static_cast<unsigned>(std::strtoul(argument.c_str() + 10, nullptr, 10));
    } else {
      inputs.push_back(argument);
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto loaded = warpscope::import::Load(inputs, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!loaded.ok()) {
    std::printf("refused: %s\n", loaded.status().message().c_str());
    return 1;
  }
  const warpscope::model::Trace& trace = loaded.value();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  uint64_t text_bytes = 0;
  for (const auto& source : trace.sources) text_bytes += source.text_bytes;
  std::printf("{\"seconds\": %.4f, \"cpu_seconds\": %.4f, \"text_bytes\": %llu, \"peak_rss_bytes\": %llu, \"host_rows\": %u, \"gpu_rows\": %u, "
              "\"syncs\": %zu, \"memory\": %zu, \"threads\": %zu, \"streams\": %zu, \"collectives\": %zu, \"strings\": %u}\n",
              seconds,
              static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
              static_cast<unsigned long long>(text_bytes), static_cast<unsigned long long>(usage.ru_maxrss) * 1024,
              trace.host.size(), trace.gpu.size(), trace.syncs.size(), trace.memory.size(), trace.threads.size(), trace.streams.size(),
              trace.collectives.size(), trace.strings.size());
  for (const auto& entry : trace.ledger.Entries()) {
    std::printf("  %s %s: %s%s\n", std::string(warpscope::model::SeverityName(entry.severity)).c_str(), std::string(entry.name).c_str(), entry.message.c_str(),
                entry.first_offset_bytes ? (" at byte " + std::to_string(*entry.first_offset_bytes)).c_str() : "");
  }
  return 0;
}
