// Any bytes as a Kineto document, in blocks of different sizes: no crash, and the same trace whatever the blocks.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/container/byte_source.h"
#include "import/kineto/pipeline.h"
#include "import/kineto/sniff.h"
#include "model/trace.h"

namespace {

using warpscope::import::kineto::ReadTrace;
using warpscope::model::Trace;

// What must not depend on where blocks end.
struct Outcome {
  bool ok = false;
  uint64_t hash = 0;
};

void Mix(uint64_t value, uint64_t* hash) { *hash = (*hash ^ value) * 0x9E3779B97F4A7C15ULL; }

Outcome Read(std::string_view text, size_t block_bytes) {
  warpscope::import::Options options;
  options.threads = 1;
  Trace trace;
  const auto source = warpscope::import::OpenMemory(text);
  if (!ReadTrace(*source, "fuzz", options, &trace, block_bytes).ok()) return {};
  trace.Finish();
  Outcome outcome{true, 0};
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    Mix(static_cast<uint64_t>(trace.host.start_ns[row]), &outcome.hash);
    Mix(static_cast<uint64_t>(trace.host.dur_ns[row]), &outcome.hash);
    Mix(warpscope::model::StringPool::Hash(trace.HostName(row)), &outcome.hash);
  }
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    Mix(static_cast<uint64_t>(trace.gpu.start_ns[row]), &outcome.hash);
    Mix(warpscope::model::StringPool::Hash(trace.GpuName(row)), &outcome.hash);
  }
  for (const auto& entry : trace.ledger.Entries())
    Mix(entry.count * 64 + static_cast<uint64_t>(entry.code), &outcome.hash);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static_cast<void>(warpscope::import::kineto::Sniff({text, true}));
  const Outcome whole = Read(text, size_t{1} << 16);
  const Outcome parts = Read(text, 16 + data[0]);
  if (whole.ok != parts.ok || whole.hash != parts.hash) std::abort();
  return 0;
}
