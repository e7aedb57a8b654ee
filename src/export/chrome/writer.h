// Writer: the rows of a trace as chrome trace events in the shape that torch.profiler (Kineto) writes, so that
// everything which reads Kineto's files reads these, src/import/kineto/ first of all. [one thread]. Source of the
// shape: libkineto output_json.cpp; of the keys: src/import/kineto/keys.def.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "export/chrome/numbers.h"
#include "export/text/sink.h"
#include "model/trace.h"

namespace warpscope::exporting::chrome {

class Writer {
 public:
  Writer(const model::Trace& trace, Sink* sink);

  // The whole document. `progress`: 0..1; may be null.
  void Run(const std::function<void(double)>& progress);
  uint64_t event_count() const { return event_count_; }
  uint64_t lost_counters() const { return lost_counters_; }

 private:
  void Header();
  void Devices();
  void Flag(std::string_view key, const std::optional<bool>& value);
  void Names();
  void HostRow(uint32_t row);
  void HostArgs(uint32_t row);
  void Details(const model::OpDetail& detail);
  void RangeArgs(const model::AnnotationDetail& range);
  void GpuRow(uint32_t row);
  void LaunchArgs(const model::LaunchConfig& config);
  void CopyArgs(const model::CopyDetail& copy);
  void Annotation(const model::GpuAnnotation& row);
  void SyncRow(const model::Sync& row);
  void MemoryRow(const model::MemoryEvent& row);
  void CounterRow(const model::CounterSample& row);
  void CollectiveArgs(const model::Collective& row);
  void FlowPair(uint32_t gpu_row);

  // {"ph": "X", "cat": ..., "name": ..., up to the opening bracket of args.
  void Begin(std::string_view phase, std::string_view category, model::StringId name);
  void BeginSpan(std::string_view category, model::StringId name, int64_t pid, int64_t tid, int64_t start_ns,
                 int64_t dur_ns);
  void Place(int64_t pid, int64_t tid, int64_t time_ns);
  void Args();
  void End();
  void Key(std::string_view key);
  template <typename T>
  void Arg(std::string_view key, T value) {
    Key(key);
    sink_.Number(value);
  }
  void TextArg(std::string_view key, model::StringId text);
  void JsonArg(std::string_view key, model::StringId text);
  void Text(model::StringId id);
  void StreamArgs(uint32_t stream);
  void RankArg(const std::optional<int64_t>& rank);
  void Meta(std::string_view what, int64_t pid, int64_t tid, std::string_view key, std::string_view text,
            const std::optional<int64_t>& rank);
  int64_t DeviceId(uint32_t device) const { return trace_.devices[device].id; }
  // Of a stream: the device's number.
  int64_t StreamPid(uint32_t stream) const {
    const uint32_t device = trace_.streams[stream].device;
    return device == model::kNone ? 0 : DeviceId(device);
  }

  const model::Trace& trace_;
  Sink& sink_;
  Numbers numbers_;
  int64_t base_ns_ = 0;
  bool first_event_ = true, first_arg_ = true;
  uint64_t event_count_ = 0, lost_counters_ = 0, next_flow_ = 1;
  std::vector<std::string> texts_;                          // escaped names by string id, made on first use
  std::vector<uint32_t> host_collective_, gpu_collective_;  // row of collectives by row; empty if there are none
};

// Where the file's zero lies, so that times are short numbers: the recorder's own base where there is one.
int64_t BaseOf(const model::Trace& trace);

}  // namespace warpscope::exporting::chrome
