// Timeline: a trace laid out for drawing: tracks in display order, each with lanes, each lane's spans by time and
// without overlap. What a file embeds and a server pages is the same layout.
// [MT] Immutable once built; keeps references to the index (whose trace must be finished), which must outlive it.
// Size: 4 bytes a span and 4 bytes a host row beside the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/gaps.h"
#include "analysis/index.h"
#include "page/names.h"
#include "page/series.h"

namespace warpscope::page {

// Where the spans of a track come from.
enum class SpanTable : uint8_t { kHost, kGpu, kAnnotation, kGap, kSeries /* none: points instead */ };

struct Track {
  std::string_view kind;  // "host", "stream", "nccl", "annotation", "gaps", "memory", "counter", "readings"
  SpanTable table = SpanTable::kHost;
  std::string group, name;
  std::string unit;                       // of a series; "" for plain numbers
  uint32_t lane_begin = 0, lane_end = 0;  // of Timeline::lanes
  uint64_t spans = 0;
  std::optional<int64_t> pid, tid, rank, device, stream;
  uint32_t series = UINT32_MAX;  // of Timeline::series, for kSeries
};

// [begin, end) of Timeline::rows.
struct Lane {
  uint32_t begin = 0, end = 0;
};

struct SpanFields {
  int64_t start_ns = 0, dur_ns = 0;
  Names::Key name = 0;
  uint8_t kind = 0;                // PageKind(HostKind); GpuKind + kGpuKinds; GapCause + kGapKinds; kRangeKind
  uint32_t call = model::kNone;    // host row that caused it
  uint32_t detail = model::kNone;  // row of the details of its kind
};
inline constexpr uint8_t kGpuKinds = 16, kRangeKind = 24, kGapKinds = 32;

// The page draws all frames of stacks alike: one number stands for both kinds (web: types.ts, Kind).
constexpr uint8_t PageKind(model::HostKind kind) {
  return static_cast<uint8_t>(static_cast<uint8_t>(kind) - (kind >= model::HostKind::kNative ? 1 : 0));
}

struct TimelineOptions {
  uint64_t max_spans = UINT32_MAX - 1;  // the shortest are left out
};

class Timeline {
 public:
  Timeline(const analysis::Index& index, Names* names, const TimelineOptions& options);

  const analysis::Index& index;
  const model::Trace& trace;
  std::vector<Track> tracks;
  std::vector<Lane> lanes;             // track by track
  std::vector<uint32_t> rows;          // span -> row of its track's table, lane by lane, by start
  std::vector<uint32_t> span_of_host;  // host row -> span; kNone if it has none
  std::vector<analysis::Gap> gaps;
  std::vector<Series> series;
  bool gaps_cut = false;  // only the longest are there
  uint64_t left_out_short = 0, left_out_deep = 0;
  int64_t shortest_ns = 0;  // spans of less were left out, where any were

  SpanFields Span(SpanTable table, uint32_t row) const;
  int64_t StartNs(SpanTable table, uint32_t row) const;
  int64_t EndNs(SpanTable table, uint32_t row) const;
  // The track of a host thread, a stream or a device's gaps; kNone if it has no spans.
  uint32_t TrackOfThread(uint32_t thread) const { return track_of_thread_[thread]; }
  uint32_t TrackOfStream(uint32_t stream) const { return track_of_stream_[stream]; }
  uint32_t GapTrackOfDevice(uint32_t device) const { return gap_track_of_device_[device]; }

 private:
  void FindGapsOfDevices();
  void ChooseShortest(uint64_t max_spans);
  void CountLaunches();
  std::vector<uint32_t> ProcessesInOrder() const;
  void AddProcess(uint32_t process);
  void AddThread(uint32_t thread, const std::string& group);
  void AddDevice(uint32_t device);
  void AddStream(uint32_t stream, const std::string& group);
  void AddAnnotations(uint32_t stream, const std::string& group);
  void AddGaps(uint32_t device, const std::string& group);
  void AddSeriesOf(uint32_t device, const std::string& group);
  // Rows by start; `parents`: index of each row's parent among them, or empty.
  uint32_t AddTrack(Track track, const std::vector<uint32_t>& rows, const std::vector<uint32_t>& parents);
  bool Keeps(int64_t dur_ns);

  std::vector<Names::Key> cause_names_;
  std::vector<std::vector<uint32_t>> gaps_of_device_, annotations_of_stream_, streams_of_device_;
  std::vector<uint64_t> launches_;   // by thread
  uint64_t ties_left_ = UINT64_MAX;  // of spans of exactly shortest_ns that may still be kept
  std::vector<uint32_t> track_of_thread_, track_of_stream_, gap_track_of_device_;
  std::vector<bool> device_done_, series_done_;
};

}  // namespace warpscope::page
