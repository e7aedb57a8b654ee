// Points of a roofline from operators' recorded shapes: the kernels of one call together do its arithmetic.
#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/kernels_in_scope.h"
#include "analysis/op_cost.h"
#include "analysis/roofline.h"
#include "analysis/roofline_counters.h"

namespace warpscope::analysis {
namespace {

using model::kNone;

// One call of an operator: its kernels together do its arithmetic.
struct Call {
  int64_t total_ns = 0;
  uint32_t longest_row = kNone;  // of gpu
  uint64_t launch_count = 0;
};

struct Sum {
  int64_t total_ns = 0;
  uint64_t launch_count = 0;
  double flops = 0, bytes = 0;
  uint32_t first_row = kNone;
};

uint32_t OperatorOf(const model::Trace& trace, uint32_t gpu_row) {
  for (uint32_t row = trace.gpu.call[gpu_row]; row != kNone; row = trace.host.parent[row]) {
    if (trace.host.kind[row] == model::HostKind::kOperator) return row;
  }
  return kNone;
}

// Costs by (operator name, recorded detail): both repeat.
class Costs {
 public:
  explicit Costs(const model::Trace& trace) : trace_(trace) {}
  const std::optional<OpCost>& Of(uint32_t host_row) {
    const auto [it, fresh] = known_.try_emplace({trace_.host.name[host_row], trace_.host.detail[host_row]});
    if (fresh) it->second = CostOf(trace_, host_row);
    return it->second;
  }

 private:
  const model::Trace& trace_;
  std::map<std::pair<model::StringId, uint32_t>, std::optional<OpCost>> known_;
};

// Which units did it: the kernel's name where it says so, else the operands' type.
FlopKind KindOf(const OpCost& cost, const KernelClass& kernel) {
  if (!cost.is_matrix) return cost.precision == Precision::kFp64 ? FlopKind::kFp64 : FlopKind::kFp32;
  const bool says = kernel.precision != Precision::kUnknown && kernel.precision != Precision::kHalf;
  switch (says ? kernel.precision : cost.precision) {
    case Precision::kFp64: return kernel.tensor_core ? FlopKind::kTensorFp64 : FlopKind::kFp64;
    case Precision::kTf32: return FlopKind::kTensorTf32;
    case Precision::kFp16: return FlopKind::kTensorFp16;
    case Precision::kBf16: return FlopKind::kTensorBf16;
    case Precision::kFp8: return FlopKind::kTensorFp8;
    case Precision::kInt8: return FlopKind::kTensorInt8;
    default: return FlopKind::kFp32;
  }
}

RooflinePoint PointOf(const model::Trace& trace, uint32_t operator_name, FlopKind kind, const Sum& sum) {
  RooflinePoint point;
  const uint32_t row = sum.first_row;
  point.name = trace.gpu.name[row];
  point.operator_name = trace.Text(operator_name);
  point.config = trace.gpu.detail[row];
  point.device = trace.streams[trace.gpu.stream[row]].device;
  point.launch_count = sum.launch_count;
  point.total_ns = sum.total_ns;
  const auto ns = static_cast<double>(sum.total_ns);
  point.duration_ns = static_cast<double>(sum.total_ns) / static_cast<double>(sum.launch_count);
  point.rates.flops[static_cast<size_t>(kind)] = FlopRate{sum.flops * 1e9 / ns, CountedBy::kShapes};
  point.rates.bytes[static_cast<size_t>(RoofLevel::kDram)] = ByteRate{sum.bytes * 1e9 / ns, "shapes", true};
  FillRoofs(trace, point.device, &point.rates);
  return point;
}

// Names by time, most first; ties by name.
std::vector<std::string_view> NamesByTime(const model::Trace& trace, const std::map<model::StringId, int64_t>& times) {
  std::vector<std::pair<int64_t, std::string_view>> sorted;
  for (const auto& [name, ns] : times) sorted.emplace_back(-ns, trace.Text(name));
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string_view> names;
  for (const auto& [ns, name] : sorted) names.push_back(name);
  return names;
}

}  // namespace

Roofline RooflineOfShapes(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  Roofline roofline;
  roofline.from_shapes = true;
  roofline.timeline_weights = true;
  Costs costs(trace);
  std::map<uint32_t, Call> calls;  // by host row: sums are taken in one order
  std::map<model::StringId, int64_t> uncosted;
  int64_t all_ns = 0, covered_ns = 0;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!HoldsKernel(scope, trace, row)) continue;
    const int64_t dur_ns = trace.gpu.dur_ns[row];
    all_ns += dur_ns;
    const uint32_t op = OperatorOf(trace, row);
    if (op == kNone) {
      ++roofline.kernels_without_operator;
    } else if (!costs.Of(op)) {
      uncosted[trace.host.name[op]] += dur_ns;
    } else {
      Call& call = calls[op];
      call.total_ns += dur_ns;
      ++call.launch_count;
      if (call.longest_row == kNone || dur_ns > trace.gpu.dur_ns[call.longest_row]) call.longest_row = row;
    }
  }
  std::map<std::tuple<model::StringId, model::StringId, uint32_t, FlopKind>, Sum> sums;
  for (const auto& [op, call] : calls) {
    if (call.total_ns <= 0) continue;
    const OpCost& cost = *costs.Of(op);
    const uint32_t row = call.longest_row;
    Sum& sum = sums[{trace.gpu.name[row], trace.host.name[op], trace.streams[trace.gpu.stream[row]].device,
                     KindOf(cost, index.kernel_class(row))}];
    sum.total_ns += call.total_ns;
    sum.launch_count += call.launch_count;
    sum.flops += cost.flops;
    sum.bytes += cost.bytes;
    sum.first_row = std::min(sum.first_row, row);
    covered_ns += call.total_ns;
  }
  for (const auto& [key, sum] : sums) {
    RooflinePoint point = PointOf(trace, std::get<1>(key), std::get<3>(key), sum);
    if (all_ns > 0) point.share_pct = 100.0 * static_cast<double>(sum.total_ns) / static_cast<double>(all_ns);
    roofline.points.push_back(std::move(point));
  }
  std::stable_sort(roofline.points.begin(), roofline.points.end(), [&](const RooflinePoint& a, const RooflinePoint& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return trace.Text(a.name) < trace.Text(b.name);
  });
  if (all_ns > 0) roofline.covered_pct = 100.0 * static_cast<double>(covered_ns) / static_cast<double>(all_ns);
  roofline.uncosted = NamesByTime(trace, uncosted);
  return roofline;
}

}  // namespace warpscope::analysis
