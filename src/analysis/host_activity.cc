#include "analysis/host_activity.h"

#include "analysis/index.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;

// Causes that cover whatever happens inside them.
bool CoversChildren(GapCause cause) {
  switch (cause) {
    case GapCause::kProfiler:
    case GapCause::kDataLoading:
    case GapCause::kCompilation:
    case GapCause::kFileIo:
    case GapCause::kGarbageCollect:
    case GapCause::kHostWait:
    case GapCause::kCommunication: return true;
    default: return false;
  }
}

GapCause OfCall(CallKind kind) {
  switch (kind) {
    case CallKind::kLaunch:
    case CallKind::kGraphLaunch:
    case CallKind::kMemset: return GapCause::kLaunchCall;
    case CallKind::kCopyAsync:
    case CallKind::kCopySync: return GapCause::kCopyCall;
    case CallKind::kStreamSync:
    case CallKind::kDeviceSync:
    case CallKind::kEventSync:
    case CallKind::kQuery: return GapCause::kSyncWait;
    case CallKind::kDeviceAlloc:
    case CallKind::kDeviceFree:
    case CallKind::kAsyncAlloc:
    case CallKind::kHostAlloc:
    case CallKind::kHostFree: return GapCause::kAllocation;
    case CallKind::kModuleLoad:
    case CallKind::kGraphBuild: return GapCause::kCompilation;
    case CallKind::kEventRecord:
    case CallKind::kStreamWaitEvent:
    case CallKind::kStreamAdmin:
    case CallKind::kAttribute:
    case CallKind::kOther: return GapCause::kDispatch;
  }
  return GapCause::kDispatch;
}

GapCause OfLabel(HostLabel label, GapCause otherwise) {
  switch (label) {
    case HostLabel::kDataLoading: return GapCause::kDataLoading;
    case HostLabel::kCompilation: return GapCause::kCompilation;
    case HostLabel::kFileIo: return GapCause::kFileIo;
    case HostLabel::kGarbageCollect: return GapCause::kGarbageCollect;
    case HostLabel::kHostWait: return GapCause::kHostWait;
    case HostLabel::kCommunication: return GapCause::kCommunication;
    case HostLabel::kProfiler: return GapCause::kProfiler;
    case HostLabel::kBackward: return GapCause::kDispatch;
    default: return otherwise;
  }
}

// Host rows with device work issued inside them. Amortised linear: a marked row has marked ancestors.
std::vector<bool> IssuingRows(const Index& index) {
  const model::HostTable& host = index.trace().host;
  std::vector<bool> issuing(host.size(), false);
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (!index.is_call(row) || !Issues(index.call_kind(row))) continue;
    for (uint32_t up = row; up != kNone && !issuing[up]; up = host.parent[up]) issuing[up] = true;
  }
  return issuing;
}

// Time of each row that its direct children take.
std::vector<int64_t> ChildrenNs(const model::HostTable& host) {
  std::vector<int64_t> out(host.size(), 0);
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (host.parent[row] != kNone) out[host.parent[row]] += host.dur_ns[row];
  }
  return out;
}

// What the row itself stands for; kUnrecorded = it says nothing.
GapCause OwnCause(const Index& index, uint32_t row, const std::vector<bool>& issuing,
                  const std::vector<int64_t>& children_ns) {
  const model::HostTable& host = index.trace().host;
  const HostLabel label = index.host_label(row);
  switch (host.kind[row]) {
    case HostKind::kRuntimeCall:
    case HostKind::kDriverCall: return OfCall(index.call_kind(row));
    case HostKind::kAnnotation:
      return label == HostLabel::kBackward ? GapCause::kUnrecorded : OfLabel(label, GapCause::kUnrecorded);
    case HostKind::kNative:
    case HostKind::kPython: return OfLabel(label, GapCause::kPython);
    case HostKind::kOperator: {
      const bool plans =
          label == HostLabel::kPlannedOperator && host.dur_ns[row] - children_ns[row] >= HostActivities::kPlanningNs;
      if (plans) return GapCause::kCompilation;
      const bool computes =
          label != HostLabel::kViewOperator && !issuing[row] && host.dur_ns[row] >= HostActivities::kCpuOperatorNs;
      return OfLabel(label, computes ? GapCause::kOperator : GapCause::kDispatch);
    }
    case HostKind::kOsCall: {
      // Inside a CUDA call it is a part of that; and not every call of the system waits for something.
      const uint32_t parent = host.parent[row];
      const bool part = parent != kNone && (index.is_call(parent) || host.kind[parent] == HostKind::kOsCall);
      return part ? GapCause::kUnrecorded : OfLabel(label, GapCause::kUnrecorded);
    }
    case HostKind::kOverhead: return OfLabel(label, GapCause::kProfiler);
  }
  return GapCause::kUnrecorded;
}

}  // namespace

void HostActivities::Build(const Index& index) {
  const model::HostTable& host = index.trace().host;
  causes_.resize(host.size());
  rows_.resize(host.size());
  const std::vector<bool> issuing = IssuingRows(index);
  const std::vector<int64_t> children_ns = ChildrenNs(host);
  for (uint32_t row = 0; row < host.size(); ++row) {
    const uint32_t parent = host.parent[row];
    const GapCause own = OwnCause(index, row, issuing, children_ns);
    const bool inherits = parent != kNone && own != GapCause::kProfiler &&
                          (own == GapCause::kUnrecorded || CoversChildren(causes_[parent]));
    // Small operators inside one that computes belong to it.
    const bool inside_cpu_op = parent != kNone && causes_[parent] == GapCause::kOperator && own == GapCause::kDispatch;
    // A call that nothing is known of, inside a call (hsa_* inside hip*), is part of what that one does.
    const bool inside_call =
        parent != kNone && index.is_call(row) && index.call_kind(row) == CallKind::kOther && index.is_call(parent);
    if (inherits || inside_cpu_op || inside_call) {
      causes_[row] = causes_[parent];
      rows_[row] = rows_[parent];
      if (rows_[row] == kNone) rows_[row] = row;
    } else {
      causes_[row] = own;
      rows_[row] = row;
    }
  }
}

std::string_view GapCauseName(GapCause cause) {
  constexpr std::array<std::string_view, kGapCauses> kNames = {
      "data loading",  "Python",     "CPU operator",   "waking from a wait", "copy call",          "launch call",
      "dispatch",      "allocation", "compilation",    "file access",        "garbage collection", "host wait",
      "communication", "profiler",   "launch latency", "device dependency",  "nothing recorded"};
  return kNames[static_cast<size_t>(cause)];
}

}  // namespace warpscope::analysis
