#include "import/appender.h"

#include <algorithm>

namespace warpscope::import {
namespace {

uint64_t Mix(uint64_t seed, uint64_t value) {
  // The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
  uint64_t z = seed + value + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

template <typename T>
uint64_t Mix(uint64_t seed, const std::optional<T>& value) {
  return Mix(seed, value ? static_cast<uint64_t>(*value) + 1 : 0);
}

uint64_t HashOf(const model::LaunchConfig& config) {
  uint64_t hash = 0;
  for (const uint32_t size : config.grid) hash = Mix(hash, uint64_t{size});
  for (const uint32_t size : config.block) hash = Mix(hash, uint64_t{size});
  hash = Mix(hash, config.registers_per_thread);
  hash = Mix(hash, config.shared_bytes);
  hash = Mix(hash, config.recorded_occupancy_pct);
  return Mix(Mix(hash, config.graph_id), config.graph_node_id);
}

uint64_t HashOf(const model::CopyDetail& detail) {
  const uint64_t kinds = static_cast<uint64_t>(detail.kind) << 16 | static_cast<uint64_t>(detail.src) << 8 |
                         static_cast<uint64_t>(detail.dst);
  return Mix(kinds, detail.bytes);
}

uint64_t HashOf(const model::AnnotationDetail& detail) {
  uint64_t hash = Mix(static_cast<uint64_t>(detail.form), uint64_t{detail.domain});
  hash = Mix(Mix(hash, uint64_t{detail.category}), uint64_t{detail.payload});
  return Mix(hash, detail.color_argb);
}

// Beyond this a time is damage, and sums of times could overflow (146 years).
constexpr int64_t kMaxTimeNs = int64_t{1} << 62;
bool InRange(int64_t start_ns, int64_t dur_ns) {
  return start_ns > -kMaxTimeNs && start_ns < kMaxTimeNs && dur_ns < kMaxTimeNs;
}

template <typename Map, typename Key, typename Make>
uint32_t RowOf(Map& map, const Key& key, const Make& make) {
  const auto [it, fresh] = map.try_emplace(key, 0);
  if (fresh) it->second = make();
  return it->second;
}

template <typename Table, typename Row>
uint32_t Push(Table& table, Row row) {
  table.push_back(std::move(row));
  return static_cast<uint32_t>(table.size() - 1);
}

}  // namespace

template <typename Value>
size_t Appender::DetailHash<Value>::operator()(const Value& value) const {
  return static_cast<size_t>(HashOf(value));
}

Appender::Appender(model::Trace* trace, const std::string& path, std::string_view format)
    : trace_(trace), source_(static_cast<uint32_t>(trace->sources.size())), next_domain_(0) {
  for (const model::Process& process : trace->processes) next_domain_ = std::max(next_domain_, process.link_domain + 1);
  for (const model::Stream& stream : trace->streams) next_domain_ = std::max(next_domain_, stream.link_domain + 1);
  trace->sources.emplace_back();
  trace->sources.back().path = path;
  trace->sources.back().format = format;
}

uint32_t Appender::Process(int64_t pid) {
  return RowOf(processes_, pid, [&] {
    model::Process process;
    process.source = source_;
    process.pid = pid;
    process.link_domain = next_domain_++;
    process.rank = source().rank;
    return Push(trace_->processes, process);
  });
}

uint32_t Appender::Thread(uint32_t process, int64_t tid) {
  return RowOf(threads_, std::pair(process, tid), [&] {
    model::Thread thread;
    thread.process = process;
    thread.tid = tid;
    return Push(trace_->threads, thread);
  });
}

uint32_t Appender::Device(int64_t id) {
  return RowOf(devices_, id, [&] {
    model::Device device;
    device.source = source_;
    device.id = id;
    return Push(trace_->devices, std::move(device));
  });
}

uint32_t Appender::Stream(uint32_t process, uint32_t device, int64_t context, int64_t id) {
  if (device == model::kNone) device = Device(-1);
  return RowOf(streams_, std::tuple(process, device, context, id), [&] {
    model::Stream stream;
    stream.device = device;
    stream.link_domain = trace_->processes[process].link_domain;
    stream.context = context;
    stream.id = id;
    return Push(trace_->streams, stream);
  });
}

uint32_t Appender::Launch(const model::LaunchConfig& config) {
  return RowOf(launches_, config, [&] { return Push(trace_->launch_configs, config); });
}

uint32_t Appender::Copy(const model::CopyDetail& detail) {
  return RowOf(copies_, detail, [&] { return Push(trace_->copy_details, detail); });
}

uint32_t Appender::Annotation(const model::AnnotationDetail& detail) {
  return RowOf(annotations_, detail, [&] { return Push(trace_->annotation_details, detail); });
}

void Appender::Add(const Host& row, std::optional<uint64_t> offset_bytes) {
  if (row.dur_ns < 0) return Note(model::LedgerCode::kNegativeDuration, 1, offset_bytes);
  if (!InRange(row.start_ns, row.dur_ns)) return Note(model::LedgerCode::kOutOfRange, 1, offset_bytes);
  model::HostTable& host = trace_->host;
  host.start_ns.push_back(row.start_ns);
  host.dur_ns.push_back(row.dur_ns);
  host.name.push_back(row.name);
  host.thread.push_back(row.thread);
  host.kind.push_back(row.kind);
  host.correlation.push_back(row.correlation);
  host.external_id.push_back(row.external_id);
  host.forward_thread.push_back(row.forward_thread);
  host.detail.push_back(row.detail);
}

void Appender::Add(const Gpu& row, std::optional<uint64_t> offset_bytes) {
  if (row.start_ns == 0 && row.dur_ns == 0) return Note(model::LedgerCode::kUntimedRecord, 1, offset_bytes);
  if (row.dur_ns < 0) return Note(model::LedgerCode::kNegativeDuration, 1, offset_bytes);
  if (!InRange(row.start_ns, row.dur_ns)) return Note(model::LedgerCode::kOutOfRange, 1, offset_bytes);
  model::GpuTable& gpu = trace_->gpu;
  gpu.start_ns.push_back(row.start_ns);
  gpu.dur_ns.push_back(row.dur_ns);
  gpu.name.push_back(row.name);
  gpu.kind.push_back(row.kind);
  gpu.stream.push_back(row.stream);
  gpu.correlation.push_back(row.correlation);
  gpu.external_id.push_back(row.external_id);
  gpu.detail.push_back(row.detail);
}

}  // namespace warpscope::import
