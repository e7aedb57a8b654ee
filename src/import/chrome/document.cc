#include "import/chrome/document.h"

#include <algorithm>

#include "import/kineto/category.h"

namespace warpscope::import::chrome {

using kineto::ExtraRow;
using kineto::FlowRow;
using kineto::kNoNumber;
using model::GpuKind;
using model::kNoId;
using model::kNone;

Document::Document(const Parts& parts, std::vector<Lane> lanes)
    : trace_(parts.trace),
      source_(parts.source),
      begin_(parts.begin),
      host_end_(parts.trace->host.start_ns.size()),
      lanes_(std::move(lanes)),
      flows_(parts.flows),
      launches_(parts.launches),
      copies_(parts.copies),
      lane_of_thread_(parts.trace->threads.size() - parts.begin.threads, kNone),
      gone_(host_end_ - parts.begin.host, false),
      gpu_of_(host_end_ - parts.begin.host, kNone) {
  for (uint32_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].row != kNone) lane_of_thread_[lanes_[i].row - begin_.threads] = i;
  }
  for (const ExtraRow& row : parts.extras) (row.is_gpu ? gpu_extras_ : host_extras_).try_emplace(row.row, &row);
  for (uint32_t i = 0; i < parts.stream_keys.size(); ++i) {
    const auto row = static_cast<uint32_t>(begin_.streams + i);
    file_streams_.push_back({row, parts.stream_keys[i].lane.pid, trace_->streams[row].id});
  }
  Index();
}

void Document::Index() {
  const model::Trace& trace = *trace_;
  rows_of_thread_.resize(lane_of_thread_.size());
  for (size_t row = begin_.host; row < host_end_; ++row)
    rows_of_thread_[trace.host.thread[row] - begin_.threads].push_back(static_cast<uint32_t>(row));
  for (size_t row = begin_.gpu; row < trace.gpu.size(); ++row)
    rows_of_stream_[trace.gpu.stream[row]].push_back(static_cast<uint32_t>(row));
  const auto sort = [](std::vector<uint32_t>& rows, const auto& table) {
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      return table.start_ns[a] != table.start_ns[b] ? table.start_ns[a] < table.start_ns[b]
                                                    : table.dur_ns[a] > table.dur_ns[b];
    });
  };
  for (auto& rows : rows_of_thread_) sort(rows, trace.host);
  for (auto& [stream, rows] : rows_of_stream_) sort(rows, trace.gpu);
}

bool Document::HasProcess(std::string_view name) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) { return lane.process == name; });
}

const Lane* Document::LaneOfHost(uint32_t row) const {
  const uint32_t lane = lane_of_thread_[trace_->host.thread[row] - begin_.threads];
  return lane == kNone ? nullptr : &lanes_[lane];
}

const std::vector<uint32_t>& Document::RowsOf(const Lane& lane) const {
  static const std::vector<uint32_t> kNothing;
  return lane.row == kNone ? kNothing : rows_of_thread_[lane.row - begin_.threads];
}

const ExtraRow* Document::Extra(RowRef at) const {
  const auto& extras = at.is_gpu ? gpu_extras_ : host_extras_;
  const auto found = extras.find(at.row);
  return found == extras.end() ? nullptr : found->second;
}

uint32_t Document::Device(int64_t id, std::string_view name) {
  const auto [it, fresh] = devices_.try_emplace(id, 0);
  if (fresh) {
    for (size_t row = begin_.devices; row < trace_->devices.size(); ++row) {
      if (trace_->devices[row].id != id) continue;
      it->second = static_cast<uint32_t>(row);
      if (trace_->devices[row].name.empty()) trace_->devices[row].name = name;
      return it->second;
    }
    model::Device device;
    device.source = source_;
    device.id = id;
    device.name = name;
    trace_->devices.push_back(device);
    it->second = static_cast<uint32_t>(trace_->devices.size() - 1);
  }
  return it->second;
}

uint32_t Document::Stream(uint32_t device, int64_t id, std::string_view name) {
  const auto [it, fresh] = streams_.try_emplace({device, id}, 0);
  if (fresh) {
    const model::StringId text = name.empty() ? model::kNoString : trace_->strings.Intern(name);
    trace_->streams.push_back({device, 0, -1, id, text});
    it->second = static_cast<uint32_t>(trace_->streams.size() - 1);
  }
  return it->second;
}

uint32_t Document::MoveToDevice(uint32_t host_row, GpuKind kind, uint32_t stream, uint32_t detail) {
  const model::HostTable& host = trace_->host;
  model::GpuTable& gpu = trace_->gpu;
  gpu.start_ns.push_back(host.start_ns[host_row]);
  gpu.dur_ns.push_back(host.dur_ns[host_row]);
  gpu.name.push_back(host.name[host_row]);
  gpu.kind.push_back(kind);
  gpu.stream.push_back(stream);
  gpu.correlation.push_back(kNoId);
  gpu.external_id.push_back(host.external_id[host_row]);
  gpu.detail.push_back(detail);
  gone_[host_row - begin_.host] = true;
  return gpu_of_[host_row - begin_.host] = static_cast<uint32_t>(gpu.start_ns.size() - 1);
}

void Document::MoveToAnnotation(uint32_t host_row, uint32_t stream) {
  const model::HostTable& host = trace_->host;
  trace_->gpu_annotations.push_back({host.start_ns[host_row], host.dur_ns[host_row], host.name[host_row], stream});
  gone_[host_row - begin_.host] = true;
}

// A flow stands at the start of its span (most writers) or anywhere inside it.
RowRef Document::Bind(const FlowRow& flow) {
  const auto find = [&](const std::vector<uint32_t>& rows, const auto& table) -> uint32_t {
    constexpr int kLookBack = 64;  // bounds the work on hostile input
    auto at = std::upper_bound(rows.begin(), rows.end(), flow.time_ns,
                               [&](int64_t time, uint32_t row) { return time < table.start_ns[row]; });
    for (int i = 0; i < kLookBack && at != rows.begin(); ++i) {
      --at;
      if (table.start_ns[*at] + table.dur_ns[*at] >= flow.time_ns) return *at;
    }
    return kNone;
  };
  const Lane& lane = lanes_[flow.lane];
  if (const uint32_t row = find(RowsOf(lane), trace_->host); row != kNone) {
    const uint32_t moved = gpu_of_[row - begin_.host];
    return moved == kNone ? RowRef{false, row} : RowRef{true, moved};
  }
  for (const FileStream& stream : file_streams_) {
    if (stream.pid != lane.pid || stream.number != lane.tid) continue;
    const auto rows = rows_of_stream_.find(stream.row);
    if (rows == rows_of_stream_.end()) continue;
    if (const uint32_t row = find(rows->second, trace_->gpu); row != kNone) return {true, row};
  }
  return {};
}

void Document::VisitFlows(std::string_view kind, const std::function<void(RowRef, RowRef)>& visit) {
  const model::StringId wanted = trace_->strings.Find(kind);
  if (!kind.empty() && wanted == model::kNoString) return;
  const auto is_wanted = [&](const FlowRow& flow) { return kind.empty() || flow.kind == wanted; };
  std::unordered_map<uint64_t, const FlowRow*> starts;
  for (const FlowRow& flow : flows_) {
    if (is_wanted(flow) && flow.phase == 's') starts.try_emplace(flow.id, &flow);
  }
  for (const FlowRow& flow : flows_) {
    if (!is_wanted(flow) || flow.phase == 's') continue;
    const auto start = starts.find(flow.id);
    if (start == starts.end()) continue;
    const RowRef from = Bind(*start->second);
    const RowRef to = Bind(flow);
    if (from.row != kNone && to.row != kNone) visit(from, to);
  }
}

// Numbers that the file's own ids do not use.
uint64_t Document::NextId() {
  if (next_id_ == 0) {
    constexpr uint64_t kLarge = uint64_t{1} << 52;  // a JSON reader that uses doubles keeps what lies below
    const auto raise = [&](uint64_t id) {
      if (id != kNoId && id < kLarge) next_id_ = std::max(next_id_, id);
    };
    for (size_t row = begin_.host; row < host_end_; ++row) {
      raise(trace_->host.correlation[row]);
      raise(trace_->host.external_id[row]);
    }
    for (size_t row = begin_.gpu; row < trace_->gpu.start_ns.size(); ++row) {
      raise(trace_->gpu.correlation[row]);
      raise(trace_->gpu.external_id[row]);
    }
  }
  return ++next_id_;
}

void Document::Link(uint32_t call, uint32_t gpu_row) {
  uint64_t& id = trace_->host.correlation[call];
  if (id == kNoId) id = NextId();
  trace_->gpu.correlation[gpu_row] = id;
}

void Document::LinkOperator(uint32_t op, RowRef of) {
  uint64_t& id = trace_->host.external_id[op];
  if (id == kNoId) id = NextId();
  (of.is_gpu ? trace_->gpu.external_id : trace_->host.external_id)[of.row] = id;
}

void Document::Commit() {
  std::vector<uint32_t> moved_to(gone_.size(), kNone);
  auto kept = static_cast<uint32_t>(begin_.host);
  for (size_t i = 0; i < gone_.size(); ++i) {
    if (!gone_[i]) moved_to[i] = kept++;
  }
  if (kept == host_end_) return;
  const size_t count = host_end_;
  trace_->host.VisitColumns([&](auto& column) {
    if (column.size() != count) return;  // not filled before Trace::Finish()
    for (size_t i = 0; i < moved_to.size(); ++i) {
      if (moved_to[i] != kNone) column[moved_to[i]] = column[begin_.host + i];
    }
    column.resize(kept);
  });
  for (size_t i = begin_.collectives; i < trace_->collectives.size(); ++i) {
    uint32_t& row = trace_->collectives[i].host_row;
    if (row != kNone) row = moved_to[row - begin_.host];
  }
  std::erase_if(trace_->collectives,
                [](const model::Collective& row) { return row.host_row == kNone && row.gpu_row == kNone; });
}

bool StartsWith(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

GpuKind KindByName(std::string_view name) {
  if (Contains(name, "emcpy") || StartsWith(name, "Copy") || Contains(name, "MEMCPY") || Contains(name, "MemoryCopy"))
    return GpuKind::kCopy;
  if (Contains(name, "emset") || Contains(name, "MemoryFill")) return GpuKind::kMemset;
  return GpuKind::kKernel;
}

std::optional<int64_t> NumberAtEnd(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  if (begin == text.size() || text.size() - begin > 9) return std::nullopt;
  int64_t value = 0;
  for (const char c : text.substr(begin)) value = value * 10 + (c - '0');
  return value;
}

}  // namespace warpscope::import::chrome
