#include "model/link.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

namespace warpscope::model {
namespace {

constexpr int kMaxDepth = 16;  // calls inside calls; bounds the work on hostile input

bool IsCall(HostKind kind) { return kind == HostKind::kRuntimeCall || kind == HostKind::kDriverCall; }

// What a call does, by its name; each name is looked at once.
class CallNames {
 public:
  explicit CallNames(const StringPool& strings) : strings_(strings), what_(strings.size(), kUnknown) {}
  bool Launches(StringId name) { return (Of(name) & kLaunch) != 0; }
  bool LaunchesGraph(StringId name) { return (Of(name) & kGraph) != 0; }

 private:
  enum : uint8_t { kUnknown = 0, kKnown = 1, kLaunch = 2, kGraph = 4 };
  uint8_t Of(StringId name) {
    uint8_t& what = what_[name];
    if (what == kUnknown) {
      const std::string_view text = strings_.Get(name);
      what = static_cast<uint8_t>(kKnown | (IsLaunchCall(text) ? kLaunch : 0) | (IsGraphLaunchCall(text) ? kGraph : 0));
    }
    return what;
  }
  const StringPool& strings_;
  std::vector<uint8_t> what_;
};

// (correlation, domain) -> row of the call; open addressing.
class CallIndex {
 public:
  explicit CallIndex(size_t calls) : slots_(std::bit_ceil(calls * 2 + 16)) {}

  // The row of the key, or a reference to a free place (kNone) to put it.
  uint32_t& operator()(uint64_t correlation, uint32_t domain) {
    const size_t mask = slots_.size() - 1;
    size_t at = (correlation * 0x9E3779B97F4A7C15ULL ^ domain * 0xD6E8FEB86659FD93ULL) >> 20 & mask;
    while (slots_[at].row != kNone && (slots_[at].correlation != correlation || slots_[at].domain != domain))
      at = (at + 1) & mask;
    slots_[at].correlation = correlation;
    slots_[at].domain = domain;
    return slots_[at].row;
  }
  template <typename F>
  void Visit(F&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.row != kNone) visit(slot.row);
    }
  }

 private:
  struct Slot {
    uint64_t correlation = 0;
    uint32_t domain = 0;
    uint32_t row = kNone;
  };
  std::vector<Slot> slots_;
};

// The outermost call of a correlation id wins (a runtime call that encloses its driver call shares the id).
CallIndex IndexCalls(Trace& trace, CallNames& names) {
  const HostTable& host = trace.host;
  size_t calls = 0;
  for (uint32_t row = 0; row < host.size(); ++row) calls += IsCall(host.kind[row]) ? 1 : 0;
  CallIndex index(calls);
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (!IsCall(host.kind[row]) || host.correlation[row] == kNoId) continue;
    uint32_t& known = index(host.correlation[row], trace.HostDomain(row));
    if (known == kNone) {
      known = row;
      continue;
    }
    const bool nested = host.thread[known] == host.thread[row] && host.end_ns(known) >= host.end_ns(row);
    if (nested) continue;
    const bool first_launches = names.Launches(host.name[known]);
    const bool this_launches = names.Launches(host.name[row]);
    if (first_launches && this_launches) trace.ledger.Add(LedgerCode::kDuplicateCorrelation);
    if (this_launches && !first_launches) known = row;
  }
  return index;
}

void LinkSyncs(Trace& trace, CallIndex& calls) {
  for (Sync& sync : trace.syncs) {
    const uint32_t stream = sync.stream != kNone ? sync.stream : sync.wait_on_stream;
    const uint32_t domain = stream != kNone ? trace.streams[stream].link_domain : sync.link_domain;
    if (sync.correlation != kNoId && domain != kNone) sync.call = calls(sync.correlation, domain);
  }
}

// The driver moves pages of unified memory without a call of the program.
bool IsMigration(const Trace& trace, uint32_t row) {
  const CopyDetail* copy = trace.Copy(row);
  return copy != nullptr && copy->src == MemoryKind::kManaged && copy->dst == MemoryKind::kManaged &&
         trace.gpu.correlation[row] == kNoId;
}

}  // namespace

std::vector<uint32_t> LinkDeviceWork(Trace* trace_ptr) {
  Trace& trace = *trace_ptr;
  CallNames names(trace.strings);
  CallIndex calls = IndexCalls(trace, names);
  GpuTable& gpu = trace.gpu;
  std::vector<bool> launched(trace.host.size(), false);
  uint64_t unmatched = 0;
  for (uint32_t row = 0; row < gpu.size(); ++row) {
    gpu.call[row] = gpu.correlation[row] == kNoId ? kNone : calls(gpu.correlation[row], trace.GpuDomain(row));
    if (gpu.call[row] == kNone) unmatched += !IsMigration(trace, row);
    else launched[gpu.call[row]] = true;
  }
  trace.ledger.Add(LedgerCode::kUnmatchedKernel, unmatched);
  LinkSyncs(trace, calls);
  std::vector<uint32_t> alone;
  calls.Visit([&](uint32_t row) {
    if (!launched[row] && names.Launches(trace.host.name[row])) alone.push_back(row);
  });
  return alone;
}

namespace {

struct CaptureSpan {
  uint32_t thread;
  int64_t begin_ns, end_ns;
};

// In which threads captured a graph; by thread and begin. A launch in there makes a node and no work.
std::vector<CaptureSpan> CaptureSpans(const Trace& trace) {
  std::vector<uint8_t> edge(trace.strings.size(), 0);  // 1 begins, 2 ends
  bool any = false;
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    const std::string_view name = trace.Text(id);
    if (name.ends_with("StreamBeginCapture")) edge[id] = 1, any = true;
    else if (name.ends_with("StreamEndCapture")) edge[id] = 2;
  }
  std::vector<CaptureSpan> spans;
  const HostTable& host = trace.host;
  for (uint32_t row = 0; any && row < host.size(); ++row) {
    if (edge[host.name[row]] == 1) spans.push_back({host.thread[row], host.start_ns[row], host.start_ns[row]});
    else if (edge[host.name[row]] == 2 && !spans.empty() && spans.back().thread == host.thread[row])
      spans.back().end_ns = host.end_ns(row);
  }
  return spans;
}

bool IsCaptured(const std::vector<CaptureSpan>& spans, uint32_t thread, int64_t time_ns) {
  const auto after = std::upper_bound(
      spans.begin(), spans.end(), std::pair(thread, time_ns),
      [](const auto& at, const CaptureSpan& span) { return at < std::pair(span.thread, span.begin_ns); });
  return after != spans.begin() && (after - 1)->thread == thread && time_ns < (after - 1)->end_ns;
}

}  // namespace

void LiftToLaunches(Trace* trace_ptr, const std::vector<uint32_t>& alone) {
  Trace& trace = *trace_ptr;
  const HostTable& host = trace.host;
  CallNames names(trace.strings);
  std::vector<bool> lifted_to(alone.empty() ? 0 : host.size(), false);
  uint64_t early = 0;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    uint32_t& call = trace.gpu.call[row];
    if (call == kNone) continue;
    if (!alone.empty() && !names.Launches(host.name[call])) {
      uint32_t outer = host.parent[call];
      for (int depth = 0; depth < kMaxDepth && outer != kNone && IsCall(host.kind[outer]); ++depth) {
        if (names.Launches(host.name[outer])) break;
        outer = host.parent[outer];
      }
      if (outer != kNone && IsCall(host.kind[outer]) && names.Launches(host.name[outer])) {
        call = outer;
        lifted_to[outer] = true;
      }
    }
    if (trace.gpu.start_ns[row] < host.start_ns[call]) ++early;
  }
  trace.ledger.Add(LedgerCode::kKernelBeforeLaunch, early);
  uint64_t kernels = 0, graphs = 0;
  const std::vector<CaptureSpan> captures = alone.empty() ? std::vector<CaptureSpan>() : CaptureSpans(trace);
  for (const uint32_t row : alone) {
    if (IsCaptured(captures, host.thread[row], host.start_ns[row])) continue;
    if (!lifted_to[row]) ++(names.LaunchesGraph(host.name[row]) ? graphs : kernels);
  }
  trace.ledger.Add(LedgerCode::kLaunchWithoutKernel, kernels);
  trace.ledger.Add(LedgerCode::kGraphUnderRecorded, graphs);
}

}  // namespace warpscope::model
