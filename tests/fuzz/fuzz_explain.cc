// Any bytes as a log, in pieces of any size: bounded, and the same as in one piece.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "explain/explain.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = warpscope::explain::Explain(text);
  warpscope::explain::Reader reader;
  const size_t piece = size > 0 ? 1 + data[0] % 97 : 1;
  for (size_t at = 0; at < size; at += piece) reader.Feed(text.substr(at, piece));
  const auto pieces = reader.Finish();
  if (whole.findings.size() != pieces.findings.size() || whole.lines != pieces.lines) std::abort();
  for (size_t i = 0; i < whole.findings.size(); ++i) {
    if (whole.findings[i].entry != pieces.findings[i].entry || whole.findings[i].count != pieces.findings[i].count)
      std::abort();
    if (whole.findings[i].excerpt.size() > 1024) std::abort();
  }
  return 0;
}
