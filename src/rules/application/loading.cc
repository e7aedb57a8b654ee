#include "rules/application/loading.h"

#include <algorithm>

namespace warpscope::rules {
namespace {

using model::CopyKind;
using model::kNone;

constexpr size_t kMinTensors = 8;
constexpr uint64_t kMinBytes = 32ULL << 20;
constexpr double kMinSharePct = 30;        // of the window
constexpr double kMaxKernelShare = 0.2;    // of the loading stretch
constexpr double kMinFollowShare = 0.7;    // uploads that follow the one before without a launch between
constexpr size_t kMaxLaunchesBetween = 2;  // a conversion of what was uploaded

bool HasMarkedSteps(const Context& c) {
  const bool marked =
      c.steps.source == analysis::StepSource::kProfilerStep || c.steps.source == analysis::StepSource::kUserRange;
  return marked && c.steps.counted() > 1;
}

size_t LaunchesBetween(const Context& c, int64_t from_ns, int64_t to_ns) {
  size_t count = 0;
  for (const uint32_t thread : c.rank.issuing_threads) {
    const auto rows = c.trace.thread_rows[thread];
    const auto& starts = c.trace.host.start_ns;
    const auto first = std::lower_bound(starts.begin() + rows.begin, starts.begin() + rows.end, from_ns);
    for (auto row = static_cast<uint32_t>(first - starts.begin());
         row < rows.end && starts[row] < to_ns && count <= kMaxLaunchesBetween; ++row) {
      const analysis::CallKind kind = c.index.call_kind(row);
      count +=
          c.index.is_call(row) && (kind == analysis::CallKind::kLaunch || kind == analysis::CallKind::kGraphLaunch);
    }
  }
  return count;
}

ModelLoad Uploads(const Context& c) {
  ModelLoad load;
  for (const HostCopy& copy : HostCopies(c)) {
    if (copy.kind != CopyKind::kHostToDevice || copy.small) continue;
    load.copies.push_back(copy);
    load.bytes += copy.bytes.value_or(0);
    load.copy_ns += c.trace.gpu.dur_ns[copy.row];
  }
  return load;
}

void SetStretch(const Context& c, ModelLoad& load) {
  const uint32_t first = c.trace.gpu.call[load.copies.front().row];
  load.thread = c.trace.host.thread[first];
  load.begin_ns = c.begin_ns;
  for (const uint32_t row : c.gpu_rows) {  // reading the first file lies before the first upload
    const uint32_t call = c.trace.gpu.call[row];
    if (call == kNone || c.trace.host.start_ns[call] >= c.trace.host.start_ns[first]) continue;
    load.begin_ns = std::max(load.begin_ns, c.trace.host.end_ns(call));
  }
  const uint32_t last = load.copies.back().row;
  load.end_ns = std::max(c.trace.host.end_ns(c.trace.gpu.call[last]), c.trace.gpu.end_ns(last));
}

bool FollowEachOther(const Context& c, const ModelLoad& load) {
  size_t follow = 0;
  for (size_t i = 1; i < load.copies.size(); ++i) {
    const uint32_t before = c.trace.gpu.call[load.copies[i - 1].row], after = c.trace.gpu.call[load.copies[i].row];
    follow += LaunchesBetween(c, c.trace.host.end_ns(before), c.trace.host.start_ns[after]) <= kMaxLaunchesBetween;
  }
  return static_cast<double>(follow) >= kMinFollowShare * static_cast<double>(load.copies.size() - 1);
}

}  // namespace

std::optional<ModelLoad> FindModelLoad(const Context& c) {
  if (HasMarkedSteps(c)) return std::nullopt;
  ModelLoad load = Uploads(c);
  if (load.copies.size() < kMinTensors || load.bytes < kMinBytes) return std::nullopt;
  SetStretch(c, load);
  const int64_t length_ns = load.end_ns - load.begin_ns;
  if (length_ns <= 0 || c.SharePct(length_ns) < kMinSharePct || !FollowEachOther(c, load)) return std::nullopt;
  const int64_t kernel_ns = KernelIntervals(c).LengthWithin(load.begin_ns, load.end_ns);
  if (static_cast<double>(kernel_ns) > kMaxKernelShare * static_cast<double>(length_ns)) return std::nullopt;
  return load;
}

}  // namespace warpscope::rules
