// google-benchmark of the parts of importing: tokenizing and row making of one block, inflating, the whole. Inputs come
// from the environment variable WARPSCOPE_BENCH_TRACE (a .json or .json.gz); without it a small made-up trace is used.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "import/container/byte_source.h"
#include "import/import.h"
#include "import/kineto/block_parser.h"

namespace {

namespace import = warpscope::import;

std::string ReadAll(import::ByteSource& source) {
  std::string text;
  for (;;) {
    const size_t had = text.size();
    text.resize(had + (size_t{4} << 20));
    auto got = source.Read(text.data() + had, text.size() - had);
    text.resize(had + (got.ok() ? *got : 0));
    if (!got.ok() || text.size() == had) return text;
  }
}

std::string MadeUp() {
  std::string text = R"({"traceEvents": [)";
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    text += std::string(i == 0 ? "" : ",") +
            "\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 1, \"tid\": 2,\n    "
            "\"ts\": " +
            std::to_string(1000 + i * 10) + ".125, \"dur\": 7.250,\n    \"args\": {\n      \"External id\": " + n +
            ",\"Record function id\": 0, \"Input Dims\": [[16, 512], [512]], \"Ev Idx\": " + n + "\n    }\n  }";
  }
  return text + "\n]}";
}

const std::string& Text() {
  static const std::string text = [] {
    const char* path = std::getenv("WARPSCOPE_BENCH_TRACE");
    if (path == nullptr) return MadeUp();
    auto file = import::OpenFile(path);
    if (!file.ok()) return MadeUp();
    auto peek = std::make_unique<import::PeekSource>(std::move(file).value());
    auto head = peek->Peek(4);
    if (head.ok() && import::LooksLikeGzip(*head)) return ReadAll(*import::OpenGzip(std::move(peek)));
    return ReadAll(*peek);
  }();
  return text;
}

void ParseBlock(benchmark::State& state) {
  std::string text = Text();
  const size_t size = text.size();
  text.append(import::kineto::kScanPadBytes, '\0');
  import::kineto::Worker worker(0);
  import::kineto::Fragment fragment;
  for (auto _ : state) {
    fragment.Clear();
    worker.Begin(&fragment);
    benchmark::DoNotOptimize(
        import::kineto::ParseBlock(worker, text.data(), size, import::kineto::Place::kStart, true));
    worker.End();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size));
}
BENCHMARK(ParseBlock)->Unit(benchmark::kMillisecond);

// What a reader pays at least: every byte looked at once for quotes and control characters.
void ScanOnly(benchmark::State& state) {
  std::string text = Text();
  const size_t size = text.size();
  text.append(import::kineto::kScanPadBytes, '\0');
  for (auto _ : state) {
    size_t stops = 0;
    for (const char* p = text.data(); p < text.data() + size; ++p, ++stops) p = import::kineto::FindStringStop(p);
    benchmark::DoNotOptimize(stops);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size));
}
BENCHMARK(ScanOnly)->Unit(benchmark::kMillisecond);

void Load(benchmark::State& state) {
  import::Options options;
  options.threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    auto loaded = import::LoadBytes(Text(), "bench", options);
    benchmark::DoNotOptimize(loaded.ok());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * Text().size()));
}
BENCHMARK(Load)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
