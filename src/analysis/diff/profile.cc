#include "analysis/diff/profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "analysis/call_kind.h"
#include "analysis/copies.h"
#include "analysis/launches.h"
#include "analysis/syncs.h"

namespace warpscope::analysis {
namespace {

using model::GpuKind;
using model::kNone;

// Gaps that are told apart; the shortest of more join the rest.
constexpr size_t kMostGaps = 2'000'000;

IdleKind KindOf(GapCause cause) {
  switch (cause) {
    case GapCause::kDataLoading: return IdleKind::kDataLoading;
    case GapCause::kPython: return IdleKind::kPython;
    case GapCause::kOperator: return IdleKind::kOperator;
    case GapCause::kSyncWait: return IdleKind::kSync;
    case GapCause::kCopyCall: return IdleKind::kCopyCall;
    case GapCause::kLaunchCall:
    case GapCause::kDispatch:
    case GapCause::kLaunchLatency: return IdleKind::kLaunches;
    case GapCause::kAllocation: return IdleKind::kAllocation;
    case GapCause::kCompilation: return IdleKind::kCompilation;
    case GapCause::kFileIo: return IdleKind::kFileIo;
    case GapCause::kGarbageCollect: return IdleKind::kGarbageCollect;
    case GapCause::kHostWait: return IdleKind::kHostWait;
    case GapCause::kCommunication: return IdleKind::kCommunication;
    case GapCause::kProfiler: return IdleKind::kProfiler;
    case GapCause::kDependency: return IdleKind::kDependency;
    case GapCause::kUnrecorded:
    case GapCause::kCount: break;
  }
  return IdleKind::kUnrecorded;
}

// Causes that explain themselves: the host would have done this had no blocking call come before, so it is no call's.
bool ExplainsItself(GapCause cause) {
  switch (cause) {
    case GapCause::kDataLoading:
    case GapCause::kAllocation:
    case GapCause::kCompilation:
    case GapCause::kFileIo:
    case GapCause::kGarbageCollect:
    case GapCause::kHostWait:
    case GapCause::kCommunication:
    case GapCause::kProfiler: return true;
    default: return false;
  }
}

uint64_t GeometryOf(const model::LaunchConfig* config) {
  if (config == nullptr) return 0;
  uint64_t hash = 1469598103934665603ull;  // FNV-1a over the six numbers
  for (const uint32_t value :
       {config->grid[0], config->grid[1], config->grid[2], config->block[0], config->block[1], config->block[2]}) {
    hash = (hash ^ value) * 1099511628211ull;
  }
  return hash;
}

// "ProfilerStep#3" and "#4" are one subject; so are methods of two objects ("<method item of Tensor object at
// 0x7f..>").
std::string SubjectText(std::string_view name) {
  if (name.find("): ") != std::string_view::npos) return std::string(name);  // a line of a file
  const size_t address = name.find(" at 0x");
  if (address != std::string_view::npos) return std::string(name.substr(0, address)) + ">";
  return FoldDigits(name);
}

class PartsBuilder {
 public:
  PartsBuilder(const Index& index, const Steps& steps, uint32_t domain, Words* words)
      : index_(index),
        trace_(index.trace()),
        steps_(steps),
        domain_(domain),
        words_(*words),
        places_(index, steps, words) {}

  StepParts Build() {
    if (!FindDevice()) return {};
    CutSteps();
    Sweep();
    Idle();
    Counts();
    return std::move(out_);
  }

 private:
  Scope HostScope() const { return {domain_, std::nullopt, {steps_.window_begin_ns, steps_.window_end_ns}}; }

  bool FindDevice() {
    if (steps_.counted() == 0) return false;
    begin_ns_ = steps_.counted() > 1 ? steps_.device_begin_ns : steps_.window_begin_ns;
    end_ns_ = steps_.counted() > 1 ? steps_.device_end_ns : steps_.window_end_ns;
    if (steps_.counted() > 1) BoundByDeviceWork();
    std::map<uint32_t, int64_t> device_ns;
    for (uint32_t row = 0; row < trace_.gpu.size() && trace_.gpu.start_ns[row] < end_ns_; ++row) {
      if (trace_.GpuDomain(row) != domain_ || trace_.gpu.end_ns(row) <= begin_ns_) continue;
      device_ns[trace_.streams[trace_.gpu.stream[row]].device] += trace_.gpu.dur_ns[row];
    }
    for (const auto& [device, ns] : device_ns) {
      if (out_.device == kNone || ns > device_ns[out_.device]) out_.device = device;
    }
    return out_.device != kNone;
  }

  // A step's duration runs from the last device item of the step before to its own, and so do its parts.
  void BoundByDeviceWork() {
    const Step* before = nullptr;
    for (const Step& step : steps_.steps) {
      if (!step.warmup) break;
      before = &step;
    }
    if (before != nullptr && before->gpu_end_ns > before->begin_ns) begin_ns_ = std::min(begin_ns_, before->gpu_end_ns);
    const Step& last = steps_.steps.back();
    if (last.gpu_end_ns > last.begin_ns) end_ns_ = std::max(begin_ns_, last.gpu_end_ns);
  }

  // Each counted step ends on the device with its last item; what has none ends with its host window.
  void CutSteps() {
    cuts_ = {begin_ns_};
    for (const Step& step : steps_.steps) {
      if (step.warmup) continue;
      const int64_t end_ns = step.gpu_end_ns > step.begin_ns ? step.gpu_end_ns : step.end_ns;
      cuts_.push_back(std::clamp(end_ns, cuts_.back(), std::max(cuts_.back(), end_ns_)));
    }
    cuts_.back() = std::max(cuts_.back(), end_ns_);
    out_.counted = out_.totals_of = steps_.counted();
    for (size_t i = 0; i + 1 < cuts_.size(); ++i) out_.length_ns.push_back(cuts_[i + 1] - cuts_[i]);
    out_.step_ms = steps_.durations_ms;
    out_.rest_ns = out_.length_ns;  // what is known is taken off
  }

  // Gives [from, to) to the cells of the steps that it lies in.
  void Spread(int64_t from_ns, int64_t to_ns, std::vector<int64_t>* cells) {
    auto at = static_cast<size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), from_ns) - cuts_.begin());
    for (; at < cuts_.size() && from_ns < to_ns; ++at) {
      const int64_t until = std::min(to_ns, cuts_[at]);
      if (until <= from_ns) continue;
      (*cells)[at - 1] += until - from_ns;
      out_.rest_ns[at - 1] -= until - from_ns;
      from_ns = until;
    }
  }

  WorkKind KindOfRow(uint32_t row) const {
    switch (trace_.gpu.kind[row]) {
      case GpuKind::kCopy: return WorkKind::kCopy;
      case GpuKind::kMemset: return WorkKind::kMemset;
      default: return index_.is_communication(row) ? WorkKind::kCommunication : WorkKind::kKernel;
    }
  }

  uint32_t WorkOf(uint32_t row) {
    const WorkKind kind = KindOfRow(row);
    const Place place = places_.Of(trace_.gpu.call[row]);
    const bool moves = kind == WorkKind::kCopy || kind == WorkKind::kMemset;
    const model::CopyDetail* copy = trace_.Copy(row);
    uint32_t name = 0;
    if (kind == WorkKind::kMemset) {
      name = words_.Of("memset");
    } else if (kind == WorkKind::kCopy) {
      std::string text(copy == nullptr ? "unknown" : CopyKindText(copy->kind));
      if (copy != nullptr && copy->src == model::MemoryKind::kPageable) text += ", from pageable memory";
      if (copy != nullptr && copy->dst == model::MemoryKind::kPageable) text += ", to pageable memory";
      name = words_.Of(text);
    } else {
      name = NameWord(trace_.gpu.name[row]);
    }
    const uint64_t geometry = moves ? 0 : GeometryOf(trace_.Launch(row));
    const auto [it, fresh] =
        slots_.try_emplace({static_cast<uint8_t>(kind), place.path, place.op, place.dims, name, geometry, place.module},
                           static_cast<uint32_t>(out_.works.size()));
    if (fresh) {
      Work work;
      work.kind = kind;
      work.place = place;
      work.name = name;
      work.geometry = geometry;
      work.loose = moves ? name : words_.Of(FoldDigits(ShortKernelName(trace_.GpuName(row), 200)));
      if (!moves) work.kernel_class = index_.kernel_class(row);
      work.step_ns.resize(out_.counted);
      out_.works.push_back(std::move(work));
    }
    Work& work = out_.works[it->second];
    ++work.count;
    work.own_ns += trace_.gpu.dur_ns[row];
    if (moves && copy != nullptr) work.bytes += copy->bytes.value_or(0);
    return it->second;
  }

  uint32_t NameWord(model::StringId name) {
    const auto [it, fresh] = names_.try_emplace(name, 0);
    if (fresh) it->second = words_.Of(trace_.Text(name));
    return it->second;
  }

  // Moments between starts and ends of rows, each given to one row.
  void Sweep() {
    struct Edge {
      int64_t time_ns;
      bool starts;
      uint32_t order;
    };
    std::vector<Edge> edges;
    std::vector<uint32_t> work_of;
    for (uint32_t row = 0; row < trace_.gpu.size() && trace_.gpu.start_ns[row] < end_ns_; ++row) {
      if (trace_.GpuDomain(row) != domain_ || trace_.gpu.end_ns(row) <= begin_ns_) continue;
      if (trace_.streams[trace_.gpu.stream[row]].device != out_.device) continue;
      const auto order = static_cast<uint32_t>(work_of.size());
      work_of.push_back(WorkOf(row));
      edges.push_back({std::max(begin_ns_, trace_.gpu.start_ns[row]), true, order});
      edges.push_back({std::min(end_ns_, trace_.gpu.end_ns(row)), false, order});
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
      return std::tuple(x.time_ns, x.starts, x.order) < std::tuple(y.time_ns, y.starts, y.order);
    });
    std::array<std::set<uint32_t>, 4> running;
    int64_t now = begin_ns_;
    for (const Edge& edge : edges) {
      if (edge.time_ns > now) {
        for (const auto& rows : running) {
          if (rows.empty()) continue;
          Spread(now, edge.time_ns, &out_.works[work_of[*rows.begin()]].step_ns);
          break;
        }
        now = edge.time_ns;
      }
      auto& rows = running[static_cast<size_t>(out_.works[work_of[edge.order]].kind)];
      if (edge.starts) rows.insert(edge.order);
      else rows.erase(edge.order);
    }
  }

  std::vector<int64_t>* IdleCells(IdleKind kind, uint32_t subject) {
    const auto [it, fresh] = idle_slots_.try_emplace({static_cast<uint8_t>(kind), subject}, 0);
    if (fresh) {
      it->second = out_.idles.size();
      out_.idles.push_back({kind, subject, std::vector<int64_t>(out_.counted)});
    }
    return &out_.idles[it->second].step_ns;
  }

  // What blocking calls caused, by the gap that they made.
  struct Caused {
    int64_t sync_ns = 0, free_ns = 0;
    uint32_t subject = 0;
    int64_t most_ns = 0;
  };
  std::vector<Caused> CausedBySyncs(const std::vector<Gap>& gaps) {
    std::vector<Caused> caused(gaps.size());
    const SyncSummary syncs = SummarizeSyncs(index_, HostScope());
    for (const SyncGroup& group : syncs.groups) {
      if (!group.recorder) {
        out_.syncs += group.count;
        (group.kind == SyncCallKind::kFree ? out_.frees : out_.waits) += group.count;
      }
      if (group.recorder || group.caused_idle_ns <= 0) continue;
      const uint32_t subject =
          words_.Of(group.op != model::kNoString ? trace_.Text(group.op) : std::string_view(group.call));
      for (const uint32_t at : group.calls) {
        const SyncCall& call = syncs.calls[at];
        if (call.caused_idle_ns <= 0) continue;
        const auto after = std::upper_bound(gaps.begin(), gaps.end(), call.end_ns,
                                            [](int64_t time_ns, const Gap& gap) { return time_ns < gap.begin_ns; });
        if (after == gaps.begin()) continue;
        const auto gap = after - 1;
        if (gap->end_ns <= call.end_ns) continue;
        Caused& cell = caused[static_cast<size_t>(gap - gaps.begin())];
        (call.kind == SyncCallKind::kFree ? cell.free_ns : cell.sync_ns) += call.caused_idle_ns;
        if (call.caused_idle_ns > cell.most_ns) {
          cell.most_ns = call.caused_idle_ns;
          cell.subject = subject;
        }
      }
    }
    return caused;
  }

  void Idle() {
    Scope scope{domain_, out_.device, {begin_ns_, end_ns_}};
    if (trace_.host.size() == 0) return;  // nothing is known about the processor: all of it stays "rest"
    const GapSummary summary = FindGaps(index_, scope, &steps_, {.threshold_ns = 1, .max_gaps = kMostGaps});
    const std::vector<Caused> caused = CausedBySyncs(summary.gaps);
    for (size_t i = 0; i < summary.gaps.size(); ++i) {
      const Gap& gap = summary.gaps[i];
      int64_t from_ns = gap.begin_ns;
      const auto take = [&](IdleKind kind, uint32_t subject, int64_t ns) {
        ns = std::min(ns, gap.end_ns - from_ns);
        if (ns <= 0) return;
        Spread(from_ns, from_ns + ns, IdleCells(kind, subject));
        from_ns += ns;
      };
      // The blocking call's share is taken off the other parts from the largest down.
      int64_t open_ns = gap.dur_ns();
      for (const GapPart& part : gap.parts) open_ns -= ExplainsItself(part.cause) ? part.dur_ns : 0;
      const int64_t freed_ns = std::clamp<int64_t>(open_ns, 0, caused[i].free_ns);
      const int64_t synced_ns = std::clamp<int64_t>(open_ns - freed_ns, 0, caused[i].sync_ns);
      int64_t held_ns = freed_ns + synced_ns;
      take(IdleKind::kAllocation, caused[i].subject, freed_ns);
      take(IdleKind::kSync, caused[i].subject, synced_ns);
      for (const GapPart& part : gap.parts) {
        const int64_t off = ExplainsItself(part.cause) ? 0 : std::min(held_ns, part.dur_ns);
        held_ns -= off;
        const uint32_t subject = part.subject == model::kNoString ? 0 : SubjectWord(part.subject);
        take(KindOf(part.cause), subject, part.dur_ns - off);
      }
    }
    std::stable_sort(out_.idles.begin(), out_.idles.end(),
                     [](const IdleWork& x, const IdleWork& y) { return x.kind < y.kind; });
  }

  uint32_t SubjectWord(model::StringId name) {
    const auto [it, fresh] = subjects_.try_emplace(name, 0);
    if (fresh) it->second = words_.Of(SubjectText(trace_.Text(name)));
    return it->second;
  }

  void Counts() {
    for (const Work& work : out_.works) {
      if (work.kind == WorkKind::kKernel || work.kind == WorkKind::kCommunication) out_.kernels += work.count;
      if (work.kind == WorkKind::kCopy) {
        out_.copies += work.count;
        out_.copy_bytes += work.bytes;
      }
    }
    const LaunchSummary launches = SummarizeLaunches(index_, HostScope(), &steps_);
    out_.launches = launches.launches;
    out_.graph_launches = launches.graph_launches;
    out_.allocator_calls = launches.allocator_calls;
    out_.kernel_launches = launches.call.count;
    out_.launch_call_ns = launches.call.sum_ns;
  }

  const Index& index_;
  const model::Trace& trace_;
  const Steps& steps_;
  const uint32_t domain_;
  Words& words_;
  Places places_;
  StepParts out_;
  int64_t begin_ns_ = 0, end_ns_ = 0;
  std::vector<int64_t> cuts_;
  std::map<std::tuple<uint8_t, uint32_t, uint32_t, uint32_t, uint32_t, uint64_t, uint32_t>, uint32_t> slots_;
  std::map<std::pair<uint8_t, uint32_t>, size_t> idle_slots_;
  std::unordered_map<uint32_t, uint32_t> names_, subjects_;
};

}  // namespace

std::string_view IdleKindName(IdleKind kind) {
  constexpr std::array<std::string_view, kIdleKinds> kNames = {
      "launches",   "synchronisation", "data_loading", "python",     "operator",
      "copy_calls", "allocation",      "compilation",  "file_io",    "garbage_collection",
      "host_wait",  "communication",   "profiler",     "dependency", "unrecorded"};
  return kNames[static_cast<size_t>(kind)];
}

StepParts PartsOf(const Index& index, const Steps& steps, uint32_t domain, Words* words) {
  return PartsBuilder(index, steps, domain, words).Build();
}

}  // namespace warpscope::analysis
