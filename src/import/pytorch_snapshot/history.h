// History: what the allocator of one device did, from the events and the blocks of a snapshot. [one thread]
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "import/appender.h"
#include "import/pytorch_snapshot/frames.h"
#include "import/pytorch_snapshot/pickle.h"

namespace warpscope::import::pytorch_snapshot {

// A block of the allocator that is in use at the moment of the snapshot.
struct Block {
  uint64_t address = 0;
  int64_t bytes = 0;  // as asked for
  const Pickle::Value* frames = nullptr;
};

// The segments of one device at the moment of the snapshot.
struct Segments {
  std::vector<Block> in_use;
  int64_t reserved_bytes = 0;
  bool known = false;
};

// Appends the memory events of a device: each allocation at `alloc` and each release at `free_completed`, and the
// stacks of allocations as rows of a thread. Blocks older than the history stand just before its first event, 1 ns
// apart. Events of one moment are put 1 ns apart, so that each has its own stack. Totals are of bytes asked for;
// reserved ones come from the segments, counted back from the snapshot. Returns the number of events used.
uint64_t AddHistory(const Pickle& pickle, const Pickle::Value& events, int64_t device, const Segments& segments,
                    Frames* frames, Appender* out);

// By device, from the list "segments".
std::unordered_map<int64_t, Segments> SegmentsOf(const Pickle& pickle, const Pickle::Value* list, Appender* out);

// Microseconds as nanoseconds; false beyond 146 years around 1970.
bool TimeOf(const Pickle& pickle, const Pickle::Value& event, int64_t* time_ns);

}  // namespace warpscope::import::pytorch_snapshot
