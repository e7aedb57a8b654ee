// SourceBuilder: appends the fragments of one file, in file order, to a Trace, and completes what only the whole file
// can tell (base time, pairs of B and E, who owns which stream).
// [one thread] at a time.
// Invariant: until Finish() the rows hold the file's own times and point to this source's threads and streams.
#pragma once

#include <string>
#include <vector>

#include "import/chrome/document.h"
#include "import/kineto/fragment.h"
#include "import/kineto/header.h"

namespace warpscope::import::kineto {

class SourceBuilder {
 public:
  SourceBuilder(model::Trace* trace, std::string path);

  // `base_offset_bytes`: where the fragment's text begins in the file. `share_done`: which share of the file has
  // been read with it (0..1; less than 0 if unknown); lets the tables be made large enough once.
  void Append(const Fragment& fragment, uint64_t base_offset_bytes, double share_done);
  // What a fragment's worker learned, without its rows: they were parsed on a wrong assumption.
  void TakeGains(const Fragment& fragment) { Extend(fragment, RemapOf(fragment)); }
  // Undoes the constructor. REQUIRES: nothing was appended.
  void Abandon();
  // After the last fragment. `text_bytes`: uncompressed size of the file.
  void Finish(uint64_t text_bytes);

 private:
  // A worker's numbers -> the trace's.
  struct Remap {
    uint32_t epoch = 0;
    std::vector<uint32_t> strings{model::kNoString}, lanes, op_details, launches, copies;
    std::vector<StreamKey> stream_keys;  // with the trace's string ids
    std::vector<uint32_t> streams;       // kNone until a row uses the stream
  };

  Remap* RemapOf(const Fragment& fragment);
  void Extend(const Fragment& fragment, Remap* remap);
  void AppendHost(const Fragment& fragment, const Remap& remap);
  void AppendGpu(const Fragment& fragment, Remap& remap);
  void JoinFlow(const Fragment& fragment, uint32_t host_base, uint32_t gpu_base);
  static void MapExtra(const Remap& remap, uint32_t base, ExtraRow* row);
  void AppendSmall(const Fragment& fragment, Remap& remap);
  void Reserve(size_t host_rows, size_t gpu_rows, double share_done);

  uint32_t ThreadOf(uint32_t lane);
  uint32_t ThreadOf(const LaneKey& key);
  uint32_t StreamRow(const StreamKey& key);
  uint32_t StreamOf(Remap& remap, uint32_t stream) {
    if (stream == model::kNone) return model::kNone;
    if (remap.streams[stream] == model::kNone) remap.streams[stream] = StreamRow(remap.stream_keys[stream]);
    return remap.streams[stream];
  }

  void ResolveStreams();
  void PairOpenRows();
  void AppendPair(const OpenRow& begin, int64_t end_ns, uint32_t thread);
  void PlaceAsyncPairs();
  uint32_t AsyncThread(uint32_t lane, size_t slot);
  void ApplyHints();
  void PlaceOverhead();
  void ApplyHeader();
  model::Vendor VendorByCalls() const;
  void ApplyDialect();
  std::vector<chrome::Lane> NamedLanes() const;
  void ApplyNames();
  void AssignDomains();
  void DropOutliers();
  void ShiftTimes(int64_t base_ns);
  uint32_t DeviceRow(int64_t id, const LaneKey& owner);
  bool IsHostPid(const LaneKey& owner, const std::vector<bool>& has_spans) const;

  model::Trace* trace_;
  uint32_t source_;
  // Where this source's rows begin in the trace's tables.
  struct Begin {
    size_t host, gpu, annotations, syncs, memory, counters, processes, threads, streams, devices, collectives;
  } begin_;

  std::vector<Remap> remaps_;
  Interner<LaneKey> lanes_;               // with the trace's string ids
  std::vector<uint32_t> lane_thread_;     // kNone until a host row uses the lane
  Interner<StreamKey> streams_;           // row + begin_.streams = row of the trace's streams, until ResolveStreams()
  std::vector<StreamKey> stream_keys_;    // the same after it
  std::vector<LaneKey> process_key_;      // per process of this source
  std::vector<LaneKey> device_owner_;     // per device of this source
  Interner<model::OpDetail> op_details_;  // the trace's, taken over until Finish()
  Interner<model::LaunchConfig> launches_;
  Interner<model::CopyDetail> copies_;
  bool has_host_ = false, has_gpu_ = false;
  bool is_full_ = false;
  std::vector<OpenRow> open_rows_;
  // A pair of b and e. Pairs inside another one of the same id stand before it.
  struct AsyncPair {
    const OpenRow* begin;
    int64_t end_ns;
    bool outermost;
  };
  std::vector<AsyncPair> async_pairs_;
  std::vector<CallHint> hints_;
  std::vector<NameRow> names_;
  std::vector<ExtraRow> extras_;  // in order of rows, host and gpu apart
  std::vector<FlowRow> flows_;
  LastRow last_row_;  // of the trace's tables: what the fragments so far end with
  std::vector<HeaderValue> header_values_;
  Header header_;
};

}  // namespace warpscope::import::kineto
