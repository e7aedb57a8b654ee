#include "analysis/host_rollup.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/wrapping.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;

bool Owns(HostKind kind) { return kind == HostKind::kOperator || kind == HostKind::kAnnotation; }

// Operators by External id, for device rows whose call is not recorded. The last one wins: ids repeat over threads in
// old files, and nothing tells them apart there.
std::unordered_map<uint64_t, uint32_t> OperatorsById(const model::Trace& trace) {
  std::unordered_map<uint64_t, uint32_t> out;
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    const uint64_t id = trace.host.external_id[row];
    if (id != model::kNoId && trace.host.kind[row] == HostKind::kOperator)
      out[id ^ uint64_t{trace.HostDomain(row)} << 40] = row;
  }
  return out;
}

// Whether an operator that is named by id owns what `call` issued. Frameworks with a task queue (torch_npu) issue on
// another thread than the operator's; on the operator's own thread nesting decides.
bool MayOwn(const model::HostTable& host, uint32_t op, uint32_t call) {
  return call == kNone || (host.thread[op] != host.thread[call] && host.start_ns[op] <= host.start_ns[call]);
}

}  // namespace

HostRollup::HostRollup(const Index& index, const Scope& in_scope) : scope(in_scope) {
  const model::Trace& trace = index.trace();
  const model::HostTable& host = trace.host;
  const size_t count = host.size();
  parent.assign(count, kNone);
  children_ns.assign(count, 0);
  child_count.assign(count, 0);
  device_self_ns.assign(count, 0);
  kernels_self.assign(count, 0);
  for (uint32_t row = 0; row < count; ++row) {
    const uint32_t up = host.parent[row];
    if (up != kNone) parent[row] = IsFrame(host.kind[up]) ? parent[up] : up;
    if (IsFrame(host.kind[row]) || parent[row] == kNone) continue;
    children_ns[parent[row]] += host.dur_ns[row];
    ++child_count[parent[row]];
  }
  std::optional<std::unordered_map<uint64_t, uint32_t>> by_id;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    const model::Stream& stream = trace.streams[trace.gpu.stream[row]];
    if (scope.device && stream.device != *scope.device) continue;
    uint32_t owner = trace.gpu.call[row];
    while (owner != kNone && !Owns(host.kind[owner])) owner = parent[owner];
    const bool in_operator = owner != kNone && host.kind[owner] == HostKind::kOperator;
    if (!in_operator && trace.gpu.external_id[row] != model::kNoId) {
      if (!by_id) by_id = OperatorsById(trace);
      const auto it = by_id->find(trace.gpu.external_id[row] ^ uint64_t{stream.link_domain} << 40);
      if (it != by_id->end() && MayOwn(host, it->second, trace.gpu.call[row])) owner = it->second;
    }
    if (owner == kNone) continue;
    device_self_ns[owner] += trace.gpu.dur_ns[row];
    ++kernels_self[owner];
  }
  device_total_ns = device_self_ns;
  kernels_total = kernels_self;
  for (uint32_t row = static_cast<uint32_t>(count); row-- > 0;) {  // children after parents
    if (IsFrame(host.kind[row]) || parent[row] == kNone) continue;
    device_total_ns[parent[row]] += device_total_ns[row];
    kernels_total[parent[row]] += kernels_total[row];
  }
}

bool HostRollup::InScope(const Index& index, uint32_t row) const {
  const model::Trace& trace = index.trace();
  return scope.window.Contains(trace.host.start_ns[row]) &&
         (!scope.link_domain || trace.HostDomain(row) == *scope.link_domain);
}

MemorySums::MemorySums(const model::Trace& trace) : by_thread_(trace.threads.size()) {
  const auto add = [](Events& events, const model::MemoryEvent& event) {
    const bool first = events.time_ns.empty();
    const bool on_host = event.device == kNone;
    events.time_ns.push_back(event.time_ns);
    events.device_bytes.push_back(WrapAdd(first ? 0 : events.device_bytes.back(), on_host ? 0 : event.bytes));
    events.host_bytes.push_back(WrapAdd(first ? 0 : events.host_bytes.back(), on_host ? event.bytes : 0));
  };
  for (const model::MemoryEvent& event : trace.memory) {
    empty_ = false;
    add(all_, event);
    if (event.thread < by_thread_.size()) add(by_thread_[event.thread], event);
  }
}

MemorySums::Sum MemorySums::UpTo(const Events& events, size_t count) {
  return count == 0 ? Sum{} : Sum{events.device_bytes[count - 1], events.host_bytes[count - 1]};
}

MemorySums::Sum MemorySums::Between(uint32_t thread, int64_t begin_ns, int64_t end_ns) const {
  if (thread != kNone && thread >= by_thread_.size()) return {};
  const Events& events = thread == kNone ? all_ : by_thread_[thread];
  const auto& time = events.time_ns;
  const Sum before =
      UpTo(events, static_cast<size_t>(std::lower_bound(time.begin(), time.end(), begin_ns) - time.begin()));
  const Sum after =
      UpTo(events, static_cast<size_t>(std::upper_bound(time.begin(), time.end(), end_ns) - time.begin()));
  return {WrapSub(after.device_bytes, before.device_bytes), WrapSub(after.host_bytes, before.host_bytes)};
}

}  // namespace warpscope::analysis
