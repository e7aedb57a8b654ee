// A Trace -> a run folder: one Parquet file a table, and the manifest.
// [one thread]; writes large tables side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "model/trace.h"
#include "store/run_place.h"

namespace warpscope::store {

struct WriteOptions {
  unsigned threads = 0;                             // 0 = as many as the machine has
  std::function<void(double done_ratio)> progress;  // from the calling thread
};

struct WrittenRun {
  uint64_t repaired_texts_count = 0;  // were not UTF-8; the bad bytes became U+FFFD
};

// Makes the folders of `place` and writes the run there; files of the same names are replaced. The manifest comes last,
// so what was cut off is no run. A failure leaves files behind. REQUIRES: trace is finished.
Result<WrittenRun> WriteRun(const model::Trace& trace, const RunPlace& place, const WriteOptions& options = {});

}  // namespace warpscope::store
