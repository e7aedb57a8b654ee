// Document: one chrome trace whose meaning lies in the names of its tracks and in its flows, as a dialect sees it after
// the reader. The reader puts every span on a host thread unless its category says more; a dialect moves the tracks
// that are device work, and turns flows into links. [one thread]. Rows may be moved, kept or dropped in any order until
// Commit(); row numbers hold until then.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/kineto/fragment.h"
#include "model/trace.h"

namespace warpscope::import::chrome {

// A (pid, tid) of the file with the names that its metadata gives it.
struct Lane {
  int64_t pid = kineto::kNoNumber, tid = kineto::kNoNumber;
  std::string_view process, labels, thread;  // "" if not named
  uint32_t row = model::kNone;               // of Trace::threads; kNone if no span lies on it
};

// A row of the host or the gpu table.
struct RowRef {
  bool is_gpu = false;
  uint32_t row = model::kNone;
};

// What tells a document's dialect.
struct Signs {
  std::vector<Lane> lanes;
  bool has_header = false;       // members of torch.profiler's beside the events
  bool has_device_rows = false;  // by their categories
};

// What the reader has read of this source. Members outlive the document.
struct Parts {
  model::Trace* trace = nullptr;
  uint32_t source = 0;
  struct Begin {  // where this source's rows begin
    size_t host, gpu, streams, devices, collectives, threads;
  } begin{};
  const std::vector<kineto::ExtraRow>& extras;
  const std::vector<kineto::FlowRow>& flows;
  const std::vector<kineto::StreamKey>& stream_keys;
  kineto::Interner<model::LaunchConfig>* launches = nullptr;
  kineto::Interner<model::CopyDetail>* copies = nullptr;
};

class Document {
 public:
  Document(const Parts& parts, std::vector<Lane> lanes);

  model::Trace& trace() { return *trace_; }
  model::Source& source() { return trace_->sources[source_]; }
  const std::vector<Lane>& lanes() const { return lanes_; }
  bool HasProcess(std::string_view name) const;
  size_t host_begin() const { return begin_.host; }
  size_t host_end() const { return host_end_; }
  size_t gpu_begin() const { return begin_.gpu; }
  // The lane of a host row; null for the profiler's own.
  const Lane* LaneOfHost(uint32_t row) const;
  // Host rows of a lane, by start.
  const std::vector<uint32_t>& RowsOf(const Lane& lane) const;
  const kineto::ExtraRow* Extra(RowRef at) const;

  uint32_t Device(int64_t id, std::string_view name);
  uint32_t Stream(uint32_t device, int64_t id, std::string_view name);
  // Streams that the reader made, with the pid of their rows.
  struct FileStream {
    uint32_t row;
    int64_t pid, number;
  };
  const std::vector<FileStream>& file_streams() const { return file_streams_; }

  // Gives the row of the gpu table.
  uint32_t MoveToDevice(uint32_t host_row, model::GpuKind kind, uint32_t stream, uint32_t detail = model::kNone);
  void MoveToAnnotation(uint32_t host_row, uint32_t stream);
  void Drop(uint32_t host_row) { gone_[host_row - begin_.host] = true; }
  // Where a host row went on the device; kNone if it did not.
  uint32_t MovedTo(uint32_t host_row) const { return gpu_of_[host_row - begin_.host]; }
  uint32_t Copy(const model::CopyDetail& detail) { return copies_->Intern(detail); }
  uint32_t Launch(const model::LaunchConfig& config) { return launches_->Intern(config); }
  void AddCollective(model::Collective row) { trace_->collectives.push_back(row); }

  // Calls `visit(from, to)` for every pair of a flow's start and a later end of it, of flows of this kind ("" = any),
  // bound to the rows that begin at or surround them. Pairs whose rows are not found are passed over.
  void VisitFlows(std::string_view kind, const std::function<void(RowRef from, RowRef to)>& visit);
  // Makes `call` the issuer of the device row `gpu_row`: both get one correlation id.
  void Link(uint32_t call, uint32_t gpu_row);
  // Makes the operator the origin of the device row: both get one external id.
  void LinkOperator(uint32_t op, RowRef of);

  // Removes moved and dropped rows from the host table. Nothing else may be asked afterwards.
  void Commit();

 private:
  RowRef Bind(const kineto::FlowRow& flow);
  void Index();
  uint64_t NextId();

  model::Trace* trace_;
  uint32_t source_;
  Parts::Begin begin_;
  size_t host_end_;
  std::vector<Lane> lanes_;
  const std::vector<kineto::FlowRow>& flows_;
  kineto::Interner<model::LaunchConfig>* launches_;
  kineto::Interner<model::CopyDetail>* copies_;
  std::unordered_map<uint32_t, const kineto::ExtraRow*> host_extras_, gpu_extras_;
  std::vector<FileStream> file_streams_;
  std::vector<uint32_t> lane_of_thread_;               // by thread row - begin_.threads
  std::vector<std::vector<uint32_t>> rows_of_thread_;  // the same
  std::map<uint32_t, std::vector<uint32_t>> rows_of_stream_;
  std::vector<bool> gone_;        // by host row - begin_.host
  std::vector<uint32_t> gpu_of_;  // by host row - begin_.host: where it went
  std::map<int64_t, uint32_t> devices_;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> streams_;
  uint64_t next_id_ = 0;
};

// "Memcpy HtoD", "MemcpyD2H", "hipMemcpy...", "CopyHostToDevice": what a device row is by its name.
model::GpuKind KindByName(std::string_view name);
// The number that ends a text ("Stream 7", "GPU0", "#12"); absent if none does.
std::optional<int64_t> NumberAtEnd(std::string_view text);
bool StartsWith(std::string_view text, std::string_view with);
bool Contains(std::string_view text, std::string_view part);

}  // namespace warpscope::import::chrome
