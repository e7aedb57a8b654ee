#include "analysis/collectives.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "analysis/collectives_match.h"
#include "analysis/interval_set.h"

namespace warpscope::analysis {
namespace {

using model::Collective;
using model::GpuKind;
using model::kNone;
using model::kNoString;
using model::StringId;

constexpr int kMaxParents = 32;  // from a launch call up to its record_param_comms operator

// Names as PyTorch (ScalarType, lower-case dtype), NCCL and HCCL write them.
std::optional<uint64_t> ElementBytes(std::string_view dtype) {
  struct Size {
    std::string_view name;
    uint64_t bytes;
  };
  constexpr Size kSizes[] = {{"float", 4},     {"float32", 4},        {"double", 8},      {"float64", 8},
                             {"half", 2},      {"float16", 2},        {"bfloat16", 2},    {"byte", 1},
                             {"uint8", 1},     {"char", 1},           {"int8", 1},        {"bool", 1},
                             {"short", 2},     {"int16", 2},          {"uint16", 2},      {"int", 4},
                             {"int32", 4},     {"uint32", 4},         {"long", 8},        {"long int", 8},
                             {"int64", 8},     {"uint64", 8},         {"complexhalf", 4}, {"complexfloat", 8},
                             {"complex64", 8}, {"complexdouble", 16}, {"complex128", 16}, {"fp16", 2},
                             {"bfp16", 2},     {"fp32", 4},           {"fp64", 8}};  // HCCL
  std::string name;
  for (const char c : dtype.substr(0, 64)) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view prefix : {"c10::", "torch.", "nccl"}) {
    if (name.compare(0, prefix.size(), prefix) == 0) name.erase(0, prefix.size());
  }
  if (name.compare(0, 7, "float8_") == 0) return 1;
  for (const Size& size : kSizes) {
    if (size.name == name) return size.bytes;
  }
  return std::nullopt;
}

std::optional<uint64_t> Bytes(const model::Trace& trace, const Collective& collective) {
  const auto elements = std::max(collective.in_elements, collective.out_elements);  // absent is the smallest
  const auto element_bytes = ElementBytes(trace.Text(collective.dtype));
  uint64_t bytes = 0;
  if (!elements || !element_bytes || __builtin_mul_overflow(*elements, *element_bytes, &bytes)) return std::nullopt;
  return bytes;
}

// What was recorded about each kernel: on the kernel itself, or on the operator that its launch lies in.
class Descriptions {
 public:
  explicit Descriptions(const model::Trace& trace) : trace_(&trace), has_(trace.gpu.size(), false) {
    for (uint32_t i = 0; i < trace.collectives.size(); ++i) {
      const Collective& row = trace.collectives[i];
      if (row.gpu_row != kNone && of_kernel_.try_emplace(row.gpu_row, i).second) has_[row.gpu_row] = true;
      if (row.host_row != kNone) of_operator_.try_emplace(row.host_row, i);
    }
  }

  // All fields absent if nothing was recorded.
  Collective Of(uint32_t gpu_row) const {
    const Collective* kernel = Find(of_kernel_, gpu_row);
    const Collective* op = OfOperatorAround(trace_->gpu.call[gpu_row]);
    if (kernel == nullptr) return op != nullptr ? *op : Collective{};
    Collective merged = *kernel;
    if (op == nullptr) return merged;
    const auto fill = [](auto& field, const auto& other, const auto& absent) {
      if (field == absent) field = other;
    };
    fill(merged.name, op->name, kNoString);
    fill(merged.dtype, op->dtype, kNoString);
    fill(merged.group_name, op->group_name, kNoString);
    fill(merged.group_ranks, op->group_ranks, kNoString);
    fill(merged.comms_id, op->comms_id, kNoString);
    fill(merged.in_elements, op->in_elements, std::nullopt);
    fill(merged.out_elements, op->out_elements, std::nullopt);
    fill(merged.group_size, op->group_size, std::nullopt);
    fill(merged.sequence, op->sequence, std::nullopt);
    return merged;
  }
  bool Has(uint32_t gpu_row) const { return has_[gpu_row]; }

 private:
  using Map = std::unordered_map<uint32_t, uint32_t>;
  const Collective* Find(const Map& map, uint32_t row) const {
    const auto it = map.find(row);
    return it == map.end() ? nullptr : &trace_->collectives[it->second];
  }
  const Collective* OfOperatorAround(uint32_t host_row) const {
    if (of_operator_.empty()) return nullptr;
    for (int up = 0; up < kMaxParents && host_row != kNone; ++up, host_row = trace_->host.parent[host_row]) {
      if (const Collective* found = Find(of_operator_, host_row)) return found;
    }
    return nullptr;
  }

  const model::Trace* trace_;
  Map of_kernel_, of_operator_;  // row -> row of Trace::collectives
  std::vector<bool> has_;        // by gpu row: asked for each of them
};

// Compute (kernels that are no communication, whole graphs) by row of devices.
std::vector<IntervalSet> ComputeByDevice(const Index& index, const Descriptions& descriptions) {
  const model::Trace& trace = index.trace();
  std::vector<IntervalSet> out(trace.devices.size());
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    const GpuKind kind = trace.gpu.kind[row];
    if (kind != GpuKind::kKernel && kind != GpuKind::kGraphLaunch) continue;
    if (index.is_communication(row) || descriptions.Has(row)) continue;
    const uint32_t device = trace.streams[trace.gpu.stream[row]].device;
    if (device < out.size()) out[device].Append(trace.gpu.start_ns[row], trace.gpu.end_ns(row));
  }
  return out;
}

CollectiveCall CallOf(const model::Trace& trace, uint32_t row, const Collective& collective,
                      const std::vector<IntervalSet>& compute) {
  CollectiveCall call;
  call.gpu_row = row;
  call.link_domain = trace.GpuDomain(row);
  call.name = collective.name != kNoString ? collective.name : trace.gpu.name[row];
  call.group = collective.group_name != kNoString ? collective.group_name : collective.comms_id;
  call.bytes = Bytes(trace, collective);
  call.group_size = collective.group_size;
  call.sequence = collective.sequence;
  call.start_ns = trace.gpu.start_ns[row];
  call.dur_ns = trace.gpu.dur_ns[row];
  const uint32_t device = trace.streams[trace.gpu.stream[row]].device;
  const int64_t hidden =
      device < compute.size() ? compute[device].LengthWithin(call.start_ns, call.start_ns + call.dur_ns) : 0;
  call.exposed_ns = call.dur_ns - hidden;
  return call;
}

// Calls by domain, then start; and the members of their groups.
std::vector<StringId> FindCalls(const Index& index, const Scope& scope, std::vector<CollectiveCall>* out) {
  const model::Trace& trace = index.trace();
  const Descriptions descriptions(trace);
  std::vector<IntervalSet> compute;
  std::vector<StringId> ranks;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.kind[row] != GpuKind::kKernel || !(index.is_communication(row) || descriptions.Has(row))) continue;
    if (scope.link_domain && trace.GpuDomain(row) != *scope.link_domain) continue;
    if (scope.device && trace.streams[trace.gpu.stream[row]].device != *scope.device) continue;
    if (!scope.window.Contains(trace.gpu.start_ns[row])) continue;
    if (compute.empty()) compute = ComputeByDevice(index, descriptions);
    const Collective collective = descriptions.Of(row);
    out->push_back(CallOf(trace, row, collective, compute));
    ranks.push_back(collective.group_ranks);
  }
  std::vector<uint32_t> order(out->size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return (*out)[a].link_domain < (*out)[b].link_domain; });
  std::vector<CollectiveCall> calls;
  std::vector<StringId> sorted_ranks;
  for (const uint32_t i : order) {
    calls.push_back((*out)[i]);
    sorted_ranks.push_back(ranks[i]);
  }
  *out = std::move(calls);
  return sorted_ranks;
}

double Median(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  const double upper = static_cast<double>(values[middle]);
  return values.size() % 2 == 1 ? upper : (static_cast<double>(values[middle - 1]) + upper) / 2;
}

CollectiveRow RowOf(const CollectiveSummary& summary, const std::vector<uint32_t>& calls) {
  CollectiveRow row;
  row.name = summary.calls[calls.front()].name;
  row.group = summary.calls[calls.front()].group;
  row.count = calls.size();
  std::vector<int64_t> durations;
  double sized_bytes = 0, sized_ns = 0;
  for (const uint32_t i : calls) {
    const CollectiveCall& call = summary.calls[i];
    durations.push_back(call.dur_ns);
    row.total_ns += call.dur_ns;
    row.exposed_ns += call.exposed_ns;
    int64_t transfer_ns = call.dur_ns;
    if (call.match != kNone) {
      transfer_ns = summary.matched[call.match].transfer_ns;
      row.transfer_ns = row.transfer_ns.value_or(0) + transfer_ns;
      row.waiting_ns = row.waiting_ns.value_or(0) + call.dur_ns - transfer_ns;
    }
    if (!call.bytes) continue;
    row.bytes = row.bytes.value_or(0) + *call.bytes;
    sized_bytes += static_cast<double>(*call.bytes);
    sized_ns += static_cast<double>(transfer_ns);
  }
  row.min_ns = *std::min_element(durations.begin(), durations.end());
  row.max_ns = *std::max_element(durations.begin(), durations.end());
  row.median_ns = Median(std::move(durations));
  if (sized_bytes > 0 && sized_ns > 0) row.algorithm_bandwidth_bytes_per_s = sized_bytes / sized_ns * 1e9;
  return row;
}

void FillRows(const model::Trace& trace, CollectiveSummary* out) {
  std::map<std::pair<StringId, StringId>, std::vector<uint32_t>> by_name;
  for (uint32_t i = 0; i < out->calls.size(); ++i) by_name[{out->calls[i].name, out->calls[i].group}].push_back(i);
  for (const auto& [key, calls] : by_name) out->rows.push_back(RowOf(*out, calls));
  std::sort(out->rows.begin(), out->rows.end(), [&](const CollectiveRow& a, const CollectiveRow& b) {
    if (a.exposed_ns != b.exposed_ns) return a.exposed_ns > b.exposed_ns;
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    if (a.name != b.name) return trace.Text(a.name) < trace.Text(b.name);
    return trace.Text(a.group) != trace.Text(b.group) ? trace.Text(a.group) < trace.Text(b.group) : a.group < b.group;
  });
}

}  // namespace

CollectiveSummary SummarizeCollectives(const Index& index, const Scope& scope) {
  CollectiveSummary out;
  Scope all = scope;
  if (!scope.link_domain) all.window = {};  // matched first, then cut: MatchOverRanks
  const std::vector<StringId> group_ranks = FindCalls(index, all, &out.calls);
  MatchOverRanks(index, scope, group_ranks, &out);
  FillRows(index.trace(), &out);
  return out;
}

}  // namespace warpscope::analysis
