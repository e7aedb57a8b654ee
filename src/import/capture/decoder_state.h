// State: what the groups of records of one file share: the trace under construction and the meaning of the stream's
// numbers.
// [one thread]
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "import/appender.h"
#include "import/capture/ref_table.h"
#include "model/trace.h"
#include "wire/format.h"

namespace warpscope::import::capture {

// Numbers of a file are any 64 bits; rows hold less.
inline uint32_t Narrow(uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX - 1)); }
inline int64_t Length(uint64_t ns) { return static_cast<int64_t>(std::min<uint64_t>(ns, INT64_MAX / 4)); }

// What the launches of a kernel share.
struct LaunchKey {
  model::StringId name = model::kNoString;
  uint32_t stream = model::kNone, detail = model::kNone;
  bool in_graph = false;
};
// What calls share.
struct CallKey {
  model::HostKind kind = model::HostKind::kRuntimeCall;
  model::StringId name = model::kNoString;
  uint32_t thread = model::kNone;
  bool is_launch = false;
  bool issues = false;  // it hands work to a device: launches, copies, fills
};

// A hardware counter's metric, and what is measured together.
struct CounterMetric {
  model::StringId name = model::kNoString, unit = model::kNoString;
};
struct CounterSet {
  uint32_t passes = 0;
  std::vector<CounterMetric> metrics;
};

class State {
 public:
  State(model::Trace* trace, const std::string& path, const wire::FileHeader& header);

  model::StringId Text(uint64_t ref) const;  // kNoString: none, or its definition was lost
  uint32_t StreamOf(uint64_t ref);           // row of streams
  uint32_t ThreadOf(uint64_t ref);           // row of threads
  uint32_t MainThread() { return to.Thread(process, to.trace().processes[process].pid); }
  uint32_t DeviceOf(uint64_t number_plus_1);  // row of devices; kNone for 0
  // `name` as CUPTI tells it.
  CallKey CallOf(uint64_t api, model::StringId name, uint32_t thread);
  // Whether sums with the time cannot overflow; if not, it is counted. For rows that no Appender::Add checks.
  bool InRange(int64_t start_ns, int64_t dur_ns = 0);
  // The latest moment that some record of the file tells.
  void Saw(int64_t time_ns) { last_ns = std::max(last_ns, time_ns); }

  Appender to;
  uint32_t process;
  RefTable<model::StringId> texts;
  RefTable<uint32_t> streams, threads;  // rows
  RefTable<model::LaunchConfig> shapes;
  RefTable<LaunchKey> launches;
  RefTable<CallKey> calls;
  RefTable<CounterMetric> metrics;
  RefTable<CounterSet> metric_sets;
  std::unordered_map<uint64_t, uint32_t> stream_of_id;  // context << 32 | stream id -> row
  std::unordered_set<uint64_t> launch_recorded;         // correlation ids of launch calls that have a row
  int64_t attached_ns;  // when the recorder came into the process; any number in a damaged file
  struct IssuingCall {
    int64_t start_ns, end_ns;
    uint32_t thread;  // row
  };
  std::vector<IssuingCall> issuing_calls;  // recorded ones
  int64_t last_ns = INT64_MIN;
  bool ended = false;  // in order
};

}  // namespace warpscope::import::capture
