#include "analysis/operators.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/host_rollup.h"
#include "analysis/wrapping.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;
using model::StringId;

struct Key {
  StringId name, dims, types;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    return (uint64_t{key.name} << 32 | key.dims) * 0x9E3779B97F4A7C15ULL ^ key.types * 0xC2B2AE3D27D4EB4FULL;
  }
};

// Sums rows into groups of equal keys.
class Groups {
 public:
  explicit Groups(const Index& index) : index_(index) {}

  HostTimeRow& At(uint32_t row, const Key& key) {
    const auto [it, fresh] = slots_.try_emplace(key, rows_.size());
    if (fresh) {
      rows_.emplace_back();
      rows_.back().name = key.name;
      rows_.back().input_dims = key.dims;
      rows_.back().input_types = key.types;
      rows_.back().first_row = rows_.back().longest_row = row;
    }
    return rows_[it->second];
  }

  void Count(uint32_t row, HostTimeRow& out) const {
    const model::HostTable& host = index_.trace().host;
    ++out.calls;
    out.host_total_ns += host.dur_ns[row];
    if (host.dur_ns[row] > host.dur_ns[out.longest_row]) out.longest_row = row;
  }

  // The most device time first.
  std::vector<HostTimeRow> Take() {
    const model::Trace& trace = index_.trace();
    std::sort(rows_.begin(), rows_.end(), [&](const HostTimeRow& a, const HostTimeRow& b) {
      if (a.device_total_ns != b.device_total_ns) return a.device_total_ns > b.device_total_ns;
      if (a.host_total_ns != b.host_total_ns) return a.host_total_ns > b.host_total_ns;
      if (a.name != b.name) return trace.Text(a.name) < trace.Text(b.name);
      return a.first_row < b.first_row;
    });
    return std::move(rows_);
  }

 private:
  const Index& index_;
  std::unordered_map<Key, size_t, KeyHash> slots_;
  std::vector<HostTimeRow> rows_;
};

void AddTo(std::optional<int64_t>& slot, int64_t value) { slot = WrapAdd(slot.value_or(0), value); }

// Memory of a row; "self" is without what its children of the tree took.
void AddMemory(const MemorySums::Sum& total, const MemorySums::Sum& children, HostTimeRow* out) {
  AddTo(out->device_memory_total_bytes, total.device_bytes);
  AddTo(out->host_memory_total_bytes, total.host_bytes);
  AddTo(out->device_memory_self_bytes, WrapSub(total.device_bytes, children.device_bytes));
  AddTo(out->host_memory_self_bytes, WrapSub(total.host_bytes, children.host_bytes));
}

// The row that stands for each row once an only child of the same name is folded into its parent.
std::vector<uint32_t> FoldOnlyChildren(const model::HostTable& host, const HostRollup& rollup) {
  std::vector<uint32_t> out(host.size());
  for (uint32_t row = 0; row < host.size(); ++row) {
    out[row] = row;
    const uint32_t up = rollup.parent[row];
    if (up == kNone || IsFrame(host.kind[row])) continue;
    if (rollup.child_count[up] == 1 && host.name[up] == host.name[row]) out[row] = out[up];
  }
  return out;
}

// Memory that the rows right below each row took; empty without memory events.
std::vector<MemorySums::Sum> ChildrenMemory(const model::HostTable& host, const HostRollup& rollup,
                                            const MemorySums& memory, const std::vector<uint32_t>& folded) {
  std::vector<MemorySums::Sum> children;
  if (memory.empty()) return children;
  children.resize(host.size());
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (IsFrame(host.kind[row]) || rollup.parent[row] == kNone || folded[row] != row) continue;
    const auto sum = memory.Between(host.thread[row], host.start_ns[row], host.end_ns(row));
    MemorySums::Sum& up = children[folded[rollup.parent[row]]];
    up.device_bytes = WrapAdd(up.device_bytes, sum.device_bytes);
    up.host_bytes = WrapAdd(up.host_bytes, sum.host_bytes);
  }
  return children;
}

// What the ranges right inside a range took.
struct Inner {
  int64_t host_ns = 0, device_ns = 0;
  uint32_t kernels = 0;
  MemorySums::Sum memory;
};

std::vector<Inner> InnerRanges(const model::HostTable& host, const HostRollup& rollup, const MemorySums& memory) {
  std::vector<Inner> inner(host.size());
  std::vector<uint32_t> nearest(host.size(), kNone);  // range at or above each row
  for (uint32_t row = 0; row < host.size(); ++row) {
    const uint32_t up = rollup.parent[row] == kNone ? kNone : nearest[rollup.parent[row]];
    nearest[row] = host.kind[row] == HostKind::kAnnotation ? row : up;
    if (nearest[row] != row || up == kNone) continue;
    inner[up].host_ns += host.dur_ns[row];
    inner[up].device_ns += rollup.device_total_ns[row];
    inner[up].kernels += rollup.kernels_total[row];
    if (memory.empty()) continue;
    const auto sum = memory.Between(kNone, host.start_ns[row], host.end_ns(row));
    inner[up].memory.device_bytes = WrapAdd(inner[up].memory.device_bytes, sum.device_bytes);
    inner[up].memory.host_bytes = WrapAdd(inner[up].memory.host_bytes, sum.host_bytes);
  }
  return inner;
}

// Device time by the moment of its call, per domain, whichever thread made it.
class IssuedWork {
 public:
  IssuedWork(const model::Trace& trace, const Scope& scope) {
    for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
      const uint32_t call = trace.gpu.call[row];
      if (call == kNone || (scope.device && trace.streams[trace.gpu.stream[row]].device != *scope.device)) continue;
      by_domain_[trace.GpuDomain(row)].push_back({trace.host.start_ns[call], trace.gpu.dur_ns[row]});
    }
    for (auto& [domain, items] : by_domain_) {
      std::sort(items.begin(), items.end());
      int64_t sum = 0;
      for (auto& [time, so_far] : items) so_far = sum += so_far;
    }
  }
  int64_t Between(uint32_t domain, int64_t begin_ns, int64_t end_ns) const {
    const auto it = by_domain_.find(domain);
    return it == by_domain_.end() ? 0 : UpTo(it->second, end_ns) - UpTo(it->second, begin_ns);
  }

 private:
  using Items = std::vector<std::pair<int64_t, int64_t>>;  // call start, device ns so far
  static int64_t UpTo(const Items& items, int64_t time_ns) {
    const auto it = std::lower_bound(items.begin(), items.end(), std::pair<int64_t, int64_t>{time_ns, INT64_MIN});
    return it == items.begin() ? 0 : std::prev(it)->second;
  }
  std::map<uint32_t, Items> by_domain_;
};

}  // namespace

std::vector<HostTimeRow> SummarizeOperators(const Index& index, const Scope& scope, const OperatorOptions& options) {
  const model::Trace& trace = index.trace();
  const model::HostTable& host = trace.host;
  const HostRollup rollup(index, scope);
  const MemorySums memory(trace);
  const std::vector<uint32_t> folded = FoldOnlyChildren(host, rollup);
  const std::vector<MemorySums::Sum> children = ChildrenMemory(host, rollup, memory, folded);
  Groups groups(index);
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != HostKind::kOperator || !rollup.InScope(index, row)) continue;
    const uint32_t main = folded[row];
    Key key{host.name[row], model::kNoString, model::kNoString};
    if (options.by_shape && host.detail[main] != kNone && host.kind[main] == HostKind::kOperator) {
      key.dims = trace.op_details[host.detail[main]].input_dims;
      key.types = trace.op_details[host.detail[main]].input_types;
    }
    HostTimeRow& out = groups.At(main, key);
    const bool own = main == row;
    if (own) groups.Count(row, out);
    out.host_self_ns += host.dur_ns[row] - rollup.children_ns[row];  // a folded child's own time is its parent's
    out.device_self_ns += rollup.device_self_ns[row];
    out.kernels_self += rollup.kernels_self[row];
    if (!own) continue;
    out.device_total_ns += rollup.device_total_ns[row];
    out.kernels_total += rollup.kernels_total[row];
    if (!memory.empty())
      AddMemory(memory.Between(host.thread[row], host.start_ns[row], host.end_ns(row)), children[row], &out);
  }
  return groups.Take();
}

std::vector<HostTimeRow> SummarizeAnnotations(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  const model::HostTable& host = trace.host;
  const HostRollup rollup(index, scope);
  const MemorySums memory(trace);
  const std::vector<Inner> inner = InnerRanges(host, rollup, memory);
  const IssuedWork issued(trace, scope);
  Groups groups(index);
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != HostKind::kAnnotation || !rollup.InScope(index, row)) continue;
    HostTimeRow& out = groups.At(row, {host.name[row], model::kNoString, model::kNoString});
    groups.Count(row, out);
    out.host_self_ns += host.dur_ns[row] - inner[row].host_ns;
    out.device_total_ns += rollup.device_total_ns[row];
    out.kernels_total += rollup.kernels_total[row];
    out.device_self_ns += rollup.device_total_ns[row] - inner[row].device_ns;
    out.kernels_self += rollup.kernels_total[row] - inner[row].kernels;
    const int64_t all_threads = issued.Between(trace.HostDomain(row), host.start_ns[row], host.end_ns(row));
    out.device_other_threads_ns += std::max<int64_t>(0, all_threads - rollup.device_total_ns[row]);
    if (!memory.empty())
      AddMemory(memory.Between(kNone, host.start_ns[row], host.end_ns(row)), inner[row].memory, &out);
  }
  return groups.Take();
}

}  // namespace warpscope::analysis
