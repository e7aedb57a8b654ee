// Reader: packets of one Perfetto trace, one at a time, become rows. Slices are kept as halves until the end, since a
// track's halves may come from several sequences and out of order. [one thread]
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/appender.h"
#include "import/perfetto/args.h"
#include "import/perfetto/own.h"
#include "import/perfetto/sequence.h"
#include "import/perfetto/tracks.h"

namespace warpscope::import::perfetto {

class Reader {
 public:
  Reader(model::Trace* trace, const std::string& path)
      : trace_(trace),
        path_(path),
        out_(trace, path, "perfetto"),
        first_gpu_(trace->gpu.size()),
        first_counter_(trace->counters.size()),
        first_memory_(trace->memory.size()) {}

  void AddPacket(std::string_view packet, uint64_t offset_bytes);
  // Makes the rows. False if there are none.
  bool Finish();
  uint64_t packets() const { return packets_; }
  void Note(model::LedgerCode code, uint64_t count = 1, std::optional<uint64_t> offset_bytes = std::nullopt) {
    out_.Note(code, count, offset_bytes);
  }

 private:
  // One half of a slice, an instant, or a whole slice (duration_ns >= 0).
  struct Half {
    int64_t time_ns = 0;
    int64_t duration_ns = -1;
    uint64_t track = 0;
    StringId name = model::kNoString;
    uint32_t args = model::kNone;
    uint32_t sequence = 0;
    uint8_t type = 0;
  };
  // What comes with a begin. Events without annotations and flows share one entry a category.
  struct Extra {
    StringId category = model::kNoString;
    uint64_t flow = model::kNoId, correlation = model::kNoId, external_id = model::kNoId;
    int64_t device = 0, stream = 0;
    bool has_place = false;  // device and stream are told
    uint32_t forward_thread = 0;
    uint32_t launch = model::kNone, copy = model::kNone, operation = model::kNone,
             range = model::kNone;       // rows of the details
    uint32_t collective = model::kNone;  // of collectives_
  };

  struct Packet;
  void AddClockOrTree(const Packet& packet, Sequence& sequence);
  void AddEvent(std::string_view track_event, int64_t time_ns, Sequence& sequence, uint32_t sequence_id);
  bool AddOwn(std::string_view track_event, std::string_view category, StringId name, int64_t time_ns,
              Sequence& sequence);
  void AddCounterValue(uint64_t track, double value, int64_t time_ns);
  void AddProcessTree(std::string_view process_tree);
  void AddStats(std::string_view trace_stats);
  uint32_t ExtraRow(const Extra& extra, bool plain);
  void Describe(const Args& args, StringId name, Extra* extra);

  // gpu_events.cc
  void AddRenderStage(std::string_view bytes, int64_t time_ns, Sequence& sequence);
  void AddStageSpecifications(std::string_view bytes);
  void AddGpuCounters(std::string_view bytes, int64_t time_ns);

  // slices.cc
  using Slice = std::pair<const Half*, int64_t>;  // begin and end
  void MatchTrack(const std::vector<const Half*>& halves, std::vector<Slice>* slices);
  void MakeRows();
  void AddSlice(const Half& begin, int64_t end_ns);
  void AddHostSlice(const Half& begin, int64_t end_ns, Role role);
  void AddDeviceSlice(const Half& begin, int64_t end_ns, Role role);
  Role RoleOfSlice(const Half& begin);
  uint32_t ThreadOf(uint64_t track);
  uint32_t StreamOf(uint64_t track, const Extra* extra);
  uint32_t ProcessOf(uint64_t track);
  void MakeCounters();
  void AddCollective(const Extra* extra, bool on_device, bool added);

  model::Trace* trace_;
  std::string path_;
  Appender out_;
  uint32_t first_gpu_;
  size_t first_counter_, first_memory_;
  std::unordered_map<uint32_t, Sequence> sequences_;
  Clocks clocks_;
  Tracks tracks_;
  std::vector<Half> halves_;
  std::vector<Extra> extras_;
  std::unordered_map<StringId, uint32_t> plain_extras_;  // by category
  std::vector<model::Collective> collectives_;
  std::map<std::array<StringId, 5>, uint32_t> operations_;  // rows of op_details
  Own own_;

  struct Sample {
    uint64_t track = 0;
    int64_t time_ns = 0;
    double value = 0;
  };
  std::vector<Sample> samples_;
  std::unordered_map<uint64_t, std::string> stage_names_, queue_names_;  // of old GPU specifications, by number
  std::unordered_map<uint64_t, std::pair<StringId, StringId>> gpu_counter_names_;

  std::unordered_map<uint64_t, uint32_t> threads_, streams_;  // by track
  std::map<std::pair<int64_t, StringId>, uint32_t> render_streams_;
  std::optional<int64_t> only_pid_;
  std::optional<int64_t> only_device_;
  uint64_t packets_ = 0, passed_over_ = 0, broken_ = 0, lost_ = 0, unnamed_ = 0, clipped_ = 0;
  uint64_t rows_ = 0;
};

}  // namespace warpscope::import::perfetto
