// Any bytes as a baseline: a located error, or a baseline that comes back as it was written and can be judged.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/gate/gate.h"
#include "baseline/baseline.h"

namespace {

// What is read from `text`, written again; "" if it is none. What we wrote ourselves must be one.
std::string Rewritten(std::string_view text, bool ours) {
  warpscope::analysis::Words words;
  const auto read = warpscope::baseline::Parse(text, "input", &words);
  if (!read.ok() && (ours || read.status().message().empty())) std::abort();
  if (!read.ok()) return "";
  std::vector<const warpscope::analysis::RunSide*> runs;
  for (const warpscope::baseline::Run& run : read.value().runs) runs.push_back(&run.side);
  warpscope::analysis::Judge(runs, runs, words, {});
  return warpscope::baseline::Write(read.value(), words);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string first = Rewritten({reinterpret_cast<const char*>(data), size}, false);
  if (first.empty()) return 0;
  // The first writing rounds times to the nanosecond.
  const std::string second = Rewritten(first, true);
  if (Rewritten(second, true) != second) std::abort();
  return 0;
}
