#include "import/join.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace warpscope::import {
namespace {

using model::kNone;
using model::Trace;

uint32_t SourceOfHost(const Trace& trace, uint32_t row) {
  return trace.processes[trace.threads[trace.host.thread[row]].process].source;
}
uint32_t SourceOfStream(const Trace& trace, uint32_t stream) {
  return trace.devices[trace.streams[stream].device].source;
}

// Keeps the rows for which keep(row); collectives point to rows and follow.
template <typename Table, typename Keep>
std::vector<uint32_t> Filter(Table& table, const Keep& keep) {
  std::vector<uint32_t> new_row(table.size(), kNone);
  uint32_t kept = 0;
  for (uint32_t row = 0; row < table.size(); ++row) {
    if (keep(row)) new_row[row] = kept++;
  }
  table.VisitColumns([&](auto& column) {
    if (column.empty()) return;
    for (uint32_t row = 0; row < new_row.size(); ++row) {
      if (new_row[row] != kNone) column[new_row[row]] = column[row];
    }
    column.resize(kept);
  });
  return new_row;
}

// Row counts of the timeline by source.
std::vector<uint64_t> TimelineRows(const Trace& trace) {
  std::vector<uint64_t> rows(trace.sources.size(), 0);
  for (uint32_t row = 0; row < trace.host.size(); ++row) ++rows[SourceOfHost(trace, row)];
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) ++rows[SourceOfStream(trace, trace.gpu.stream[row])];
  return rows;
}

void DropRows(Trace* trace, const std::vector<bool>& dropped) {
  const auto host_at = Filter(trace->host, [&](uint32_t row) { return !dropped[SourceOfHost(*trace, row)]; });
  const auto gpu_at =
      Filter(trace->gpu, [&](uint32_t row) { return !dropped[SourceOfStream(*trace, trace->gpu.stream[row])]; });
  std::erase_if(trace->collectives, [&](model::Collective& row) {
    if (row.host_row != kNone) row.host_row = host_at[row.host_row];
    if (row.gpu_row != kNone) row.gpu_row = gpu_at[row.gpu_row];
    return row.host_row == kNone && row.gpu_row == kNone;
  });
  std::erase_if(trace->syncs, [&](const model::Sync& row) {
    return row.stream != kNone && dropped[SourceOfStream(*trace, row.stream)];
  });
  std::erase_if(trace->gpu_annotations,
                [&](const model::GpuAnnotation& row) { return dropped[SourceOfStream(*trace, row.stream)]; });
}

using Groups = std::map<std::string, std::vector<uint32_t>>;

void DropRepeatedViews(Trace* trace, const Groups& groups) {
  std::vector<bool> dropped(trace->sources.size(), false);
  bool any = false;
  const std::vector<uint64_t> rows = TimelineRows(*trace);
  for (const auto& [name, sources] : groups) {
    std::map<std::string, uint64_t> views;
    for (const uint32_t source : sources) views[trace->sources[source].representation] += rows[source];
    const auto fullest =
        std::max_element(views.begin(), views.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const uint32_t source : sources) {
      if (rows[source] == 0 || trace->sources[source].representation == fullest->first) continue;
      dropped[source] = any = true;
      trace->ledger.Add(model::LedgerCode::kRepeatedView, rows[source], std::nullopt, {}, trace->sources[source].path);
    }
  }
  if (any) DropRows(trace, dropped);
}

// Which row stands for each row of a dimension table.
class Merge {
 public:
  explicit Merge(size_t rows) : to_(rows) {
    for (uint32_t row = 0; row < rows; ++row) to_[row] = row;
  }
  uint32_t operator[](uint32_t row) const { return row == kNone ? kNone : to_[row]; }
  void Set(uint32_t row, uint32_t to) { to_[row] = to; }

 private:
  std::vector<uint32_t> to_;
};

// The first row of each key stands for the later ones.
template <typename Key, typename KeyOf>
Merge MergeBy(size_t rows, const KeyOf& key_of) {
  Merge merge(rows);
  std::map<Key, uint32_t> first;
  for (uint32_t row = 0; row < rows; ++row) {
    const std::optional<Key> key = key_of(row);
    if (key) merge.Set(row, first.try_emplace(*key, row).first->second);
  }
  return merge;
}

void Unify(Trace* trace, const std::vector<uint32_t>& group_of_source) {
  Trace& t = *trace;
  const auto group = [&](uint32_t source) { return group_of_source[source]; };
  // An unknown process is the only known one of its group.
  std::map<uint32_t, std::vector<int64_t>> pids;
  for (const model::Process& process : t.processes) {
    auto& known = pids[group(process.source)];
    if (process.pid >= 0 && std::find(known.begin(), known.end(), process.pid) == known.end())
      known.push_back(process.pid);
  }
  using Key2 = std::pair<uint32_t, int64_t>;
  const Merge processes = MergeBy<Key2>(t.processes.size(), [&](uint32_t row) -> std::optional<Key2> {
    const model::Process& process = t.processes[row];
    if (group(process.source) == kNone) return std::nullopt;
    const auto& known = pids[group(process.source)];
    return Key2(group(process.source), process.pid < 0 && known.size() == 1 ? known[0] : process.pid);
  });
  // So is an unknown device: a file may describe it and leave its number to the others.
  std::map<uint32_t, std::vector<int64_t>> device_ids;
  for (const model::Device& device : t.devices) {
    auto& known = device_ids[group(device.source)];
    if (device.id >= 0 && std::find(known.begin(), known.end(), device.id) == known.end()) known.push_back(device.id);
  }
  const Merge devices = MergeBy<Key2>(t.devices.size(), [&](uint32_t row) -> std::optional<Key2> {
    const model::Device& device = t.devices[row];
    if (group(device.source) == kNone) return std::nullopt;
    const auto& known = device_ids[group(device.source)];
    return Key2(group(device.source), device.id < 0 && known.size() == 1 ? known[0] : device.id);
  });
  std::map<uint32_t, uint32_t> domain_of;
  for (uint32_t row = 0; row < t.processes.size(); ++row) {
    model::Process& kept = t.processes[processes[row]];
    domain_of[t.processes[row].link_domain] = kept.link_domain;
    if (kept.pid < 0) kept.pid = t.processes[row].pid;
    if (kept.name == model::kNoString) kept.name = t.processes[row].name;
    if (!kept.rank) kept.rank = t.processes[row].rank;
  }
  for (uint32_t row = 0; row < t.devices.size(); ++row) {
    model::Device& kept = t.devices[devices[row]];
    const int64_t id = std::max(kept.id, t.devices[row].id);
    if (kept.name.empty()) {
      const uint32_t source = kept.source;
      kept = t.devices[row];
      kept.source = source;
    }
    kept.id = id;
  }
  for (model::Thread& thread : t.threads) thread.process = processes[thread.process];
  const Merge threads = MergeBy<Key2>(t.threads.size(), [&](uint32_t row) -> std::optional<Key2> {
    if (group(t.processes[t.threads[row].process].source) == kNone) return std::nullopt;
    return Key2(t.threads[row].process, t.threads[row].tid);
  });
  for (model::Stream& stream : t.streams) {
    stream.device = devices[stream.device];
    if (const auto it = domain_of.find(stream.link_domain); it != domain_of.end()) stream.link_domain = it->second;
  }
  using Key4 = std::tuple<uint32_t, uint32_t, int64_t, int64_t>;
  const Merge streams = MergeBy<Key4>(t.streams.size(), [&](uint32_t row) -> std::optional<Key4> {
    const model::Stream& stream = t.streams[row];
    if (group(t.devices[stream.device].source) == kNone) return std::nullopt;
    return Key4(stream.device, stream.link_domain, stream.context, stream.id);
  });
  for (uint32_t& thread : t.host.thread) thread = threads[thread];
  for (uint32_t& stream : t.gpu.stream) stream = streams[stream];
  for (model::GpuAnnotation& row : t.gpu_annotations) row.stream = streams[row.stream];
  for (model::Sync& row : t.syncs) {
    row.stream = streams[row.stream];
    row.wait_on_stream = streams[row.wait_on_stream];
    if (const auto it = domain_of.find(row.link_domain); it != domain_of.end()) row.link_domain = it->second;
  }
  for (model::MemoryEvent& row : t.memory) {
    row.device = devices[row.device];
    row.thread = threads[row.thread];
  }
  for (model::CounterSample& row : t.counters) row.device = devices[row.device];
  for (model::Reading& row : t.readings) row.device = devices[row.device];
  for (model::CounterWindow& row : t.counter_windows) {
    row.process = processes[row.process];
    row.device = devices[row.device];
  }
  for (model::PcSample& row : t.pc_samples) row.process = processes[row.process];
  for (model::Pause& row : t.pauses) row.process = processes[row.process];
  for (model::PcWindow& row : t.pc_windows) {
    row.process = processes[row.process];
    row.device = devices[row.device];
  }
  for (model::KernelProfile& row : t.kernel_profiles) {
    row.process = processes[row.process];
    row.device = devices[row.device];
  }
}

}  // namespace

void JoinParts(Trace* trace) {
  Groups groups;
  for (uint32_t source = 0; source < trace->sources.size(); ++source) {
    const std::string& name = trace->sources[source].part_of;
    if (!name.empty()) groups[name].push_back(source);
  }
  std::erase_if(groups, [](const auto& item) { return item.second.size() < 2; });
  if (groups.empty()) return;
  DropRepeatedViews(trace, groups);
  std::vector<uint32_t> group_of_source(trace->sources.size(), kNone);
  uint32_t number = 0;
  for (const auto& [name, sources] : groups) {
    for (const uint32_t source : sources) group_of_source[source] = number;
    ++number;
  }
  Unify(trace, group_of_source);
}

}  // namespace warpscope::import
