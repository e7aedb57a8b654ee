// PC samples: where the warps of a device stood when they were looked at, and why they could not go on. Added up over
// the recording, by instruction; they have no place in time beside the windows that they were taken in. Rows of Trace,
// in the order of their files. Absent as in trace.h. [MT] Values.
#pragma once

#include <cstdint>

#include "model/string_pool.h"

namespace warpscope::model {

// Samples of one instruction with one reason. Rows of a function stand together, by offset.
struct PcSample {
  uint32_t process = UINT32_MAX;  // row of processes
  StringId function = kNoString;  // of device code, named as the timeline names kernels
  uint64_t code = 0;              // checksum of the machine code, as the recorder tells it; 0: unknown
  uint64_t offset_bytes = 0;      // of the instruction, from the function's beginning
  StringId file = kNoString;      // source, if the code carries lines
  uint32_t line = 0;              // 0: unknown
  StringId sass = kNoString;      // the instruction's text; kNoString: not disassembled
  StringId reason = kNoString;    // as the recorder names it
  uint64_t samples = 0;
};

// A stretch of time in which a device was sampled.
struct PcWindow {
  uint32_t process = UINT32_MAX, device = UINT32_MAX;  // rows
  uint32_t period_log2 = 0;                            // cycles of an SM between two of its samples, as a power of two
  int64_t start_ns = 0, dur_ns = 0;
  uint64_t samples = 0;  // all, those of the next two too
  uint64_t dropped = 0;  // that the hardware could not keep
  uint64_t foreign = 0;  // of kernels that are not the program's
  bool buffer_full = false;
};

}  // namespace warpscope::model
