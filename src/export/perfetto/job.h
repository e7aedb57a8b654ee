// What the parts of one conversion to Perfetto share: the file, the numbers of tracks, and where time begins.
// [one thread]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "export/export.h"
#include "export/perfetto/packets.h"
#include "model/trace.h"

namespace warpscope::exporting::perfetto {

// First byte of a track's uuid; the reader finds the row of the table in the next four (docs/formats/perfetto.md).
enum class TrackKind : uint8_t {
  kProcess = 1,
  kThread,
  kStream,
  kGpuAnnotation,
  kSync,
  kMemory,
  kCounter,
  kMarks,
  kDerivedCounter,
  kDevice,
};
inline uint64_t TrackUuid(TrackKind kind, uint32_t row, uint32_t lane = 0) {
  return uint64_t{static_cast<uint8_t>(kind)} << 56 | uint64_t{row} << 24 | (lane & 0xFFFFFF);
}

struct Job {
  const model::Trace& trace;
  PacketFile& file;
  int64_t shift_ns = 0;  // added to every time: timestamps are unsigned
  Written written;

  int64_t Time(int64_t time_ns) const { return time_ns + shift_ns; }
};

// Slices of one table row (a thread, a stream). Perfetto nests the slices of a track; what does not nest goes to
// further tracks ("lanes").
class Lanes {
 public:
  Lanes(Job* job, TrackKind kind, uint32_t row) : job_(*job), kind_(kind), row_(row) {}
  // The track of a slice [start, end), after ending the slices before it there. REQUIRES: starts ascend, and of equal
  // ones the longest comes first.
  uint64_t Begin(int64_t start_ns, int64_t end_ns);
  void Finish();  // ends what is open
  uint32_t count() const { return static_cast<uint32_t>(ends_.size()); }

 private:
  void EndBefore(uint32_t lane, int64_t time_ns);

  Job& job_;
  TrackKind kind_;
  uint32_t row_;
  std::vector<std::vector<int64_t>> ends_;  // of the open slices, outermost first, by lane
};

void WriteTracks(Job& job);  // processes, threads, devices
void WriteMarks(Job& job);   // tables of the trace, as marks
void WriteHostSlices(Job& job);
void WriteDeviceSlices(Job& job);
void WriteSamples(Job& job);  // counters, memory, synchronisations

}  // namespace warpscope::exporting::perfetto
