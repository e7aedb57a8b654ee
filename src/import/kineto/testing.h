// For the tests of this folder: small documents written inline, and a trace as text.
// [one thread]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/container/byte_source.h"
#include "import/kineto/pipeline.h"
#include "model/trace.h"

namespace warpscope::import::kineto::testing {

// A finished trace of one document, read in blocks of `block_bytes` by `threads` threads. Empty sources: refused.
inline model::Trace ReadText(std::string_view text, size_t block_bytes = size_t{4} << 20, unsigned threads = 1) {
  model::Trace trace;
  Options options;
  options.threads = threads;
  const auto source = OpenMemory(text);
  const Status status = ReadTrace(*source, "test.json", options, &trace, block_bytes);
  if (status.ok()) trace.Finish();
  return trace;
}

// {"traceEvents": [ ... ]}
inline std::string Document(const std::vector<std::string>& events, const std::string& before = "",
                            const std::string& after = "") {
  std::string text = "{" + before + "\"traceEvents\": [";
  for (size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "\n  " : ",\n  ") + events[i];
  return text + "\n]" + after + "}";
}

inline std::string Span(const std::string& cat, const std::string& name, const std::string& ts, const std::string& dur,
                        const std::string& args = "", const std::string& pid = "10", const std::string& tid = "11") {
  return R"({"ph": "X", "cat": ")" + cat + R"(", "name": ")" + name + R"(", "pid": )" + pid + R"(, "tid": )" + tid +
         R"(, "ts": )" + ts + R"(, "dur": )" + dur + R"(, "args": {)" + args + "}}";
}
inline std::string Kernel(const std::string& name, const std::string& ts, const std::string& dur, int correlation) {
  return Span("kernel", name, ts, dur,
              R"("device": 0, "context": 1, "stream": 7, "grid": [8, 1, 1], "block": [128, 1, 1], "correlation": )" +
                  std::to_string(correlation),
              "0", "7");
}
inline std::string Launch(const std::string& ts, const std::string& dur, int correlation) {
  return Span("cuda_runtime", "cudaLaunchKernel", ts, dur, R"("correlation": )" + std::to_string(correlation));
}

inline uint64_t Count(const model::Trace& trace, model::LedgerCode code) { return trace.ledger.Count(code); }

// Everything that a trace holds, by content and not by row or string number.
std::string Describe(const model::Trace& trace);

}  // namespace warpscope::import::kineto::testing
