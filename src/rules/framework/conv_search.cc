#include "rules/framework/conv_search.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpscope::rules {
namespace {

using analysis::CallKind;
using model::HostKind;
using model::kNone;

// A convolution needs one to three kernels (transform, product, transform back), and never waits for an event; a
// search runs each candidate and waits for its time.
constexpr size_t kMinKernels = 6;
constexpr size_t kMinEventSyncs = 2;

bool IsConvolution(std::string_view name) {
  return name.find("convolution") != std::string_view::npos && name.find("autograd") == std::string_view::npos;
}

bool IsSideCall(CallKind kind) {
  switch (kind) {
    case CallKind::kEventSync:
    case CallKind::kStreamSync:
    case CallKind::kDeviceSync:
    case CallKind::kEventRecord:
    case CallKind::kDeviceAlloc:
    case CallKind::kDeviceFree:
    case CallKind::kModuleLoad:
    case CallKind::kStreamAdmin: return true;
    default: return false;
  }
}

uint32_t StepAt(const Context& c, int64_t time_ns) {
  for (uint32_t i = 0; i < c.steps.steps.size(); ++i) {
    if (time_ns >= c.steps.steps[i].begin_ns && time_ns < c.steps.steps[i].end_ns) return i;
  }
  return kNone;
}

void AddSideCalls(const Context& c, ConvSearch& search) {
  const int64_t end_ns = c.trace.host.end_ns(search.op);
  const auto rows = c.trace.thread_rows[c.trace.host.thread[search.op]];
  for (uint32_t row = search.op + 1; row < rows.end && c.trace.host.start_ns[row] < end_ns; ++row) {
    if (c.index.is_call(row) && IsSideCall(c.index.call_kind(row))) search.side_calls.push_back(row);
  }
}

}  // namespace

bool ConvSearches::Covers(const Context& c, uint32_t host_row) const {
  const auto after = std::upper_bound(list.begin(), list.end(), host_row,
                                      [](uint32_t row, const ConvSearch& search) { return row < search.op; });
  if (after == list.begin()) return false;
  const uint32_t op = std::prev(after)->op;
  return c.trace.host.thread[op] == c.trace.host.thread[host_row] &&
         c.trace.host.start_ns[host_row] < c.trace.host.end_ns(op);
}

ConvSearches FindConvSearches(const Context& c) {
  std::map<uint32_t, std::vector<uint32_t>> by_op;
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel || c.trace.gpu.call[row] == kNone) continue;
    const uint32_t op = c.OperatorOf(row);
    if (op != kNone && IsConvolution(c.trace.HostName(op))) by_op[op].push_back(row);
  }
  ConvSearches searches;
  for (auto& [op, rows] : by_op) {
    if (rows.size() < kMinKernels) continue;
    std::set<model::StringId> names;
    for (const uint32_t row : rows) names.insert(c.trace.gpu.name[row]);
    ConvSearch search{
        op, StepAt(c, c.trace.host.start_ns[op]), std::move(rows), {}, static_cast<uint32_t>(names.size())};
    AddSideCalls(c, search);
    const auto timed = std::count_if(search.side_calls.begin(), search.side_calls.end(),
                                     [&](uint32_t row) { return analysis::IsSyncCall(c.index.call_kind(row)); });
    if (static_cast<size_t>(timed) >= kMinEventSyncs) searches.list.push_back(std::move(search));
  }
  return searches;
}

}  // namespace warpscope::rules
