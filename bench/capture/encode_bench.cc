// What the writer thread of the agent spends on an event: CUPTI's records in buffers -> blocks of the stream in a file.
// Figures: time an event, bytes an event. An event is a record: a kernel, a call. The buffers are synthetic, walked by
// a GetNextRecord of our own, so CUPTI's own walk comes on top.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "agent/encoder.h"
#include "agent/nvtx_ranges.h"

namespace {

namespace agent = warpscope::agent;
namespace cupti = warpscope::agent::cupti;

size_t SizeOf(uint32_t kind) {
  return kind == cupti::kConcurrentKernel ? sizeof(cupti::Kernel)
         : kind == cupti::kMemcpy         ? sizeof(cupti::Memcpy)
                                          : sizeof(cupti::Api);
}

int NextRecord(uint8_t* buffer, size_t valid, cupti::Record** record) {
  uint8_t* next = buffer;
  if (*record != nullptr) next = reinterpret_cast<uint8_t*>(*record) + SizeOf((*record)->kind);
  if (next >= buffer + valid) return cupti::kMaxLimitReached;
  *record = reinterpret_cast<cupti::Record*>(next);
  return cupti::kSuccess;
}

int CallbackName(uint32_t, uint32_t, const char** name) {
  *name = "cuLaunchKernelEx";
  return cupti::kSuccess;
}

template <typename R>
void Append(std::vector<uint8_t>& buffer, const R& record) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&record);
  buffer.insert(buffer.end(), bytes, bytes + sizeof(R));
}

struct Workload {
  int names = 60, shapes = 8;  // shapes of each name
  size_t name_bytes = 180;     // as PyTorch's kernels have; templates of libraries reach thousands
  bool calls = false;          // a launch record before each kernel
  bool in_graph = false;       // all kernels are nodes of one graph, replayed
};

// A step of a training loop, over and over: the same launches in the same order, with times that vary.
struct Buffers {
  std::vector<std::string> names;
  std::vector<uint8_t> bytes;
  uint64_t events = 0;
};

void MakeBuffer(const Workload& work, Buffers* out) {
  std::mt19937_64 random(7);
  for (int i = 0; i < work.names; ++i) {
    std::string name = "void at::native::vectorized_elementwise_kernel<4, " + std::to_string(i);
    while (name.size() < work.name_bytes) name += ", at::detail::Array";
    out->names.push_back(name);
  }
  constexpr int kKernels = 20000, kStep = 480;
  uint64_t now = 1700000000000000000, correlation = 1000;
  for (int i = 0; i < kKernels; ++i) {
    const int launch = i % kStep;
    now += 4000 + random() % 4000;
    correlation += 1 + random() % 3;
    if (work.calls) {
      cupti::Api call{};
      call.kind = cupti::kDriver;
      call.cbid = 307;
      call.start = now - 9000 - random() % 5000;
      call.end = call.start + 2000 + random() % 1500;
      call.thread_id = 4321;
      call.correlation_id = static_cast<uint32_t>(correlation);
      Append(out->bytes, call);
      ++out->events;
    }
    cupti::Kernel kernel{};
    kernel.kind = cupti::kConcurrentKernel;
    kernel.start = now;
    kernel.end = now + 1500 + random() % 6000;
    kernel.stream_id = 7;
    kernel.context_id = 1;
    kernel.grid[0] = 1 + launch % work.shapes * 132;
    kernel.grid[1] = kernel.grid[2] = 1;
    kernel.block[0] = 128;
    kernel.block[1] = kernel.block[2] = 1;
    kernel.registers_per_thread = 32;
    kernel.name = out->names[static_cast<size_t>(launch % work.names)].c_str();
    kernel.correlation_id = static_cast<uint32_t>(correlation);
    if (work.in_graph) {
      kernel.graph_id = 3;
      kernel.graph_node_id = (uint64_t{3} << 32) + static_cast<uint64_t>(launch);
      kernel.correlation_id = static_cast<uint32_t>(1000 + i / kStep * 5);
    } else {
      kernel.queued = now - 8000 - random() % 4000;
      kernel.submitted = kernel.queued + 2500 + random() % 1000;
    }
    Append(out->bytes, kernel);
    ++out->events;
  }
}

void Encode(benchmark::State& state, const Workload& work) {
  Buffers buffers;
  MakeBuffer(work, &buffers);
  char folder[] = "/tmp/encode_bench_XXXXXX";
  if (mkdtemp(folder) == nullptr) return state.SkipWithError("no folder");
  cupti::Functions functions;
  functions.ActivityGetNextRecord = NextRecord;
  functions.GetCallbackName = CallbackName;
  static agent::Encoder encoder;  // large
  warpscope::wire::StreamFile file;
  if (!file.Open(folder, "bench", 130001) || !encoder.Init(&functions, 130001, &file))
    return state.SkipWithError("no file");
  encoder.ForgetDefinitions();
  const std::string path = std::string(folder) + "/bench.capture";
  uint64_t events = 0;
  for (auto _ : state) {
    encoder.EncodeBuffer(buffers.bytes.data(), buffers.bytes.size());
    events += buffers.events;
    // The file stays small.
    if (file.written_bytes() > (1u << 28) && truncate(path.c_str(), 0) != 0) break;
  }
  file.Flush();
  state.counters["per_event"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["bytes_per_event"] = static_cast<double>(file.written_bytes()) / static_cast<double>(events);
  file.Close();
  std::filesystem::remove_all(folder);
}

// A push and a pop of the application's thread, and the writer's part in every ring's worth of them.
void NvtxRanges(benchmark::State& state) {
  char folder[] = "/tmp/encode_bench_XXXXXX";
  if (mkdtemp(folder) == nullptr) return state.SkipWithError("no folder");
  cupti::Functions functions;
  static agent::Encoder encoder;
  static agent::NvtxRing ring;
  warpscope::wire::StreamFile file;
  if (!file.Open(folder, "bench", 130001) || !encoder.Init(&functions, 130001, &file) || !ring.Init())
    return state.SkipWithError("no file");
  agent::SetNvtxRing(&ring);
  agent::NvtxAttributes attributes{};
  attributes.size = sizeof(attributes);
  attributes.message_type = 1;
  attributes.message = "aten::add, seq = 12, op_id = 34";
  uint64_t ranges = 0;
  for (auto _ : state) {
    agent::PushRange(0, &attributes, nullptr, 0);
    agent::PopRange(0);
    if (++ranges % 16384 != 0) continue;
    if (state.range(0) == 0) state.PauseTiming();
    encoder.EncodeNvtx(&ring, 0);
    if (state.range(0) == 0) state.ResumeTiming();
  }
  agent::SetNvtxRing(nullptr);
  file.Close();
  state.counters["bytes_per_range"] = static_cast<double>(file.written_bytes()) / static_cast<double>(ranges);
  std::filesystem::remove_all(folder);
}
BENCHMARK(NvtxRanges)->Arg(0)->ArgName("with_writer")->Arg(1);

void KernelsWithLaunchTimes(benchmark::State& state) { Encode(state, {}); }
void KernelsAndLaunchRecords(benchmark::State& state) { Encode(state, {.calls = true}); }
void KernelsInGraphs(benchmark::State& state) { Encode(state, {.in_graph = true}); }
void LongNames(benchmark::State& state) { Encode(state, {.name_bytes = 1500}); }
void ManyShapes(benchmark::State& state) { Encode(state, {.names = 480, .shapes = 480}); }
BENCHMARK(KernelsWithLaunchTimes);
BENCHMARK(KernelsAndLaunchRecords);
BENCHMARK(KernelsInGraphs);
BENCHMARK(LongNames);
BENCHMARK(ManyShapes);

}  // namespace

BENCHMARK_MAIN();
