// steps, gaps, gap_parts, waits, collectives, device_time, queue_depth: what the analyses find, as rows.
#include "analysis/collectives.h"
#include "analysis/device_time.h"
#include "analysis/gaps.h"
#include "analysis/launches.h"
#include "analysis/syncs.h"
#include "query/catalog.h"
#include "query/tables/common.h"

namespace warpscope::query {
namespace {

using model::kNone;

constexpr std::string_view kNoDevice = "There is no device activity to judge.";

std::optional<int64_t> DeviceId(const model::Trace& t, uint32_t device) { return t.devices[device].id; }
std::optional<int64_t> Tid(const model::Trace& t, uint32_t thread) {
  return thread == kNone ? std::nullopt : std::optional<int64_t>(t.threads[thread].tid);
}

struct StepRow {
  uint32_t rank, number;  // positions in Recording::steps() and Steps::steps
};

Table StepsTable(Recording& r) {
  const Computed<StepRow> rows([&r] {
    std::vector<StepRow> list;
    for (uint32_t rank = 0; rank < r.steps().size(); ++rank) {
      for (uint32_t i = 0; i < r.steps()[rank].steps.size(); ++i) list.push_back({rank, i});
    }
    return list;
  });
  const auto at = [&r, rows](uint32_t row) -> const analysis::Step& {
    return r.steps()[rows[row].rank].steps[rows[row].number];
  };
  const auto domain = [&r, rows](uint32_t row) { return r.index().ranks()[rows[row].rank].link_domain; };
  constexpr std::string_view kSources[] = {"profiler step", "user range", "kernel sequence", "whole recording"};
  const Words<4, analysis::StepSource> sources(r, kSources);
  return {
      "steps",
      "one row a step (training step, request, iteration) of a rank",
      "The recording holds no time.",
      {Int("rank", "", "rank, if the file tells", [&r, domain](uint32_t row) { return r.RankOf(domain(row)); }),
       Int("step", "", "number, from 0 in each rank", [rows](uint32_t row) { return rows[row].number; }),
       Text("label", "text of its marker",
            [&r, at](uint32_t row) {
              return at(row).row == kNone ? model::kNoString : r.trace().host.name[at(row).row];
            }),
       Name("source", "how steps were found",
            [&r, rows, sources](uint32_t row) { return sources[r.steps()[rows[row].rank].source]; }),
       Int("start_ns", "ns", "start on the host", [&r, at](uint32_t row) { return at(row).begin_ns - r.origin_ns(); }),
       Int("end_ns", "ns", "end on the host: where the next begins",
           [&r, at](uint32_t row) { return at(row).end_ns - r.origin_ns(); }),
       Int("dur_ns", "ns", "host window", [at](uint32_t row) { return at(row).end_ns - at(row).begin_ns; }),
       Int("gpu_end_ns", "ns", "end of the last device item issued in it",
           [&r, at](uint32_t row) -> std::optional<int64_t> {
             return at(row).gpu_end_ns == at(row).begin_ns ? std::nullopt
                                                           : std::optional<int64_t>(at(row).gpu_end_ns - r.origin_ns());
           }),
       Bool("is_warmup", "left out of statistics", [at](uint32_t row) { return at(row).warmup; }),
       Bool("is_outlier", "unusually long", [at](uint32_t row) { return at(row).outlier; })},
      rows.rows(),
      std::nullopt};
}

struct GapRow {
  uint32_t rank;  // position in index().ranks()
  analysis::Gap gap;
};

Computed<GapRow> FindAllGaps(const Recording& r) {
  return Computed<GapRow>([&r] {
    std::vector<GapRow> list;
    for (uint32_t rank = 0; rank < r.index().ranks().size(); ++rank) {
      analysis::Scope scope;
      scope.link_domain = r.index().ranks()[rank].link_domain;
      analysis::GapOptions options;
      options.threshold_ns = 1;
      for (analysis::Gap& gap : analysis::FindGaps(r.index(), scope, &r.steps()[rank], options).gaps) {
        list.push_back({rank, std::move(gap)});
      }
    }
    return list;
  });
}

std::optional<int64_t> RankOfPlace(const Recording& r, uint32_t rank) {
  return r.RankOf(r.index().ranks()[rank].link_domain);
}

Table GapsTable(Recording& r, const Computed<GapRow>& gaps) {
  const model::Trace& t = r.trace();
  const NamedWords<analysis::kGapCauses, analysis::GapCause> causes(r, &analysis::GapCauseName);
  return {
      "gaps",
      "one row a stretch of a device's time in which none of its streams runs anything (the 100,000 longest)",
      kNoDevice,
      {Int("gap", "", "number: joins with gap_parts", [](uint32_t row) { return row; }),
       Int("rank", "", "rank, if the file tells", [&r, gaps](uint32_t row) { return RankOfPlace(r, gaps[row].rank); }),
       Int("device", "", "device", [&t, gaps](uint32_t row) { return DeviceId(t, gaps[row].gap.device); }),
       Int("start_ns", "ns", "start", [&r, gaps](uint32_t row) { return gaps[row].gap.begin_ns - r.origin_ns(); }),
       Int("end_ns", "ns", "end", [&r, gaps](uint32_t row) { return gaps[row].gap.end_ns - r.origin_ns(); }),
       Int("dur_ns", "ns", "length", [gaps](uint32_t row) { return gaps[row].gap.dur_ns(); }),
       Name("cause", "what the host did in the largest part of it",
            [gaps, causes](uint32_t row) { return causes[gaps[row].gap.cause]; }),
       Name("subject", "operator, call, frame or annotation that stands for that part",
            [gaps](uint32_t row) {
              const auto& parts = gaps[row].gap.parts;
              return parts.empty() ? model::kNoString : parts[0].subject;
            }),
       Int("before_gpu_id", "", "row number in gpu of the item before it",
           [gaps](uint32_t row) { return RowOrAbsent(gaps[row].gap.before); }),
       Int("after_gpu_id", "", "row number in gpu of the item that ends it",
           [gaps](uint32_t row) { return RowOrAbsent(gaps[row].gap.after); }),
       Int("call_id", "", "row number in host of the call that issued that item",
           [gaps](uint32_t row) { return RowOrAbsent(gaps[row].gap.call); }),
       Int("tid", "", "thread that issued it", [&t, gaps](uint32_t row) { return Tid(t, gaps[row].gap.thread); }),
       Int("step", "", "number of the step that holds its middle",
           [gaps](uint32_t row) { return RowOrAbsent(gaps[row].gap.step); })},
      gaps.rows(),
      std::nullopt};
}

struct GapPartRow {
  uint32_t gap;
  analysis::GapPart part;
};

Table GapPartsTable(Recording& r, const Computed<GapRow>& gaps) {
  const NamedWords<analysis::kGapCauses, analysis::GapCause> causes(r, &analysis::GapCauseName);
  const Computed<GapPartRow> parts([gaps] {
    std::vector<GapPartRow> list;
    for (uint32_t row = 0; row < gaps.Get().size(); ++row) {
      for (const analysis::GapPart& part : gaps[row].gap.parts) list.push_back({row, part});
    }
    return list;
  });
  return {"gap_parts",
          "one row a part of a gap: what the host did meanwhile, for how long",
          kNoDevice,
          {Int("gap", "", "number of the gap", [parts](uint32_t row) { return parts[row].gap; }),
           Name("cause", "what the host did", [parts, causes](uint32_t row) { return causes[parts[row].part.cause]; }),
           Name("subject", "operator, call, frame or annotation that stands for it",
                [parts](uint32_t row) { return parts[row].part.subject; }),
           Int("dur_ns", "ns", "length of the part; the parts of a gap sum to its length",
               [parts](uint32_t row) { return parts[row].part.dur_ns; }),
           Int("host_id", "", "row number in host of its longest piece",
               [parts](uint32_t row) { return RowOrAbsent(parts[row].part.row); })},
          parts.rows(),
          std::nullopt};
}

Table WaitsTable(Recording& r) {
  const model::Trace& t = r.trace();
  constexpr size_t kKinds = static_cast<size_t>(analysis::SyncCallKind::kPolling) + 1;
  const NamedWords<kKinds, analysis::SyncCallKind> kinds(r, &analysis::SyncCallKindName);
  const Computed<analysis::SyncCall> calls([&r] { return analysis::SummarizeSyncs(r.index()).calls; });
  return {"waits",
          "one row a call that made the host wait for a device, and the idle time that it caused",
          "No call waited for a device, or the API calls were not recorded.",
          {Int("call_id", "", "row number in host of the call (of a polling loop: its first)",
               [calls](uint32_t row) { return calls[row].row; }),
           Name("call", "its name", [&t, calls](uint32_t row) { return t.host.name[calls[row].row]; }),
           Name("kind", "\"stream\", \"device\", \"event\", \"copy\", \"free\", \"polling\"",
                [calls, kinds](uint32_t row) { return kinds[calls[row].kind]; }),
           Int("tid", "", "thread", [&t, calls](uint32_t row) { return Tid(t, calls[row].thread); }),
           Int("rank", "", "rank, if the file tells",
               [&r, &t, calls](uint32_t row) { return r.RankOf(t.HostDomain(calls[row].row)); }),
           Int("start_ns", "ns", "start", [&r, calls](uint32_t row) { return calls[row].begin_ns - r.origin_ns(); }),
           Int("dur_ns", "ns", "duration", [calls](uint32_t row) { return calls[row].end_ns - calls[row].begin_ns; }),
           Int("waited_ns", "ns", "of it, queued work was still running",
               [calls](uint32_t row) { return calls[row].waited_ns; }),
           Int("caused_idle_ns", "ns", "device idle time that would not be there had the host run ahead",
               [calls](uint32_t row) { return calls[row].caused_idle_ns; }),
           Int("polls", "count", "queries folded into the row; 0 for a call that blocks",
               [calls](uint32_t row) { return calls[row].polls; })},
          calls.rows(),
          std::nullopt};
}

Table CollectivesTable(Recording& r) {
  const model::Trace& t = r.trace();
  const Computed<analysis::CollectiveCall> calls([&r] { return analysis::SummarizeCollectives(r.index()).calls; });
  return {"collectives",
          "one row a collective or point-to-point communication on a device",
          "No collective was recorded: one rank alone has none; else record the kernels of NCCL or RCCL.",
          {Int("gpu_id", "", "row number in gpu of its kernel",
               [calls](uint32_t row) { return RowOrAbsent(calls[row].gpu_row); }),
           Int("rank", "", "rank, if the file tells",
               [&r, calls](uint32_t row) { return r.RankOf(calls[row].link_domain); }),
           Name("name", "\"allreduce\" ...; the kernel's own name where no more was recorded",
                [calls](uint32_t row) { return calls[row].name; }),
           Text("group_name", "process group or communicator", [calls](uint32_t row) { return calls[row].group; }),
           Int("group_size", "count", "ranks of the group", [calls](uint32_t row) { return calls[row].group_size; }),
           Int("sequence", "", "number within the group", [calls](uint32_t row) { return calls[row].sequence; }),
           Int("bytes", "bytes", "the larger of input and output", [calls](uint32_t row) { return calls[row].bytes; }),
           Int("start_ns", "ns", "start", [&r, calls](uint32_t row) { return calls[row].start_ns - r.origin_ns(); }),
           Int("dur_ns", "ns", "duration", [calls](uint32_t row) { return calls[row].dur_ns; }),
           Int("exposed_ns", "ns", "of it, no compute ran on the device",
               [calls](uint32_t row) { return calls[row].exposed_ns; }),
           Int("step", "", "number of the step in which it was issued",
               [&r, &t, calls](uint32_t row) -> std::optional<int64_t> {
                 const uint32_t gpu = calls[row].gpu_row;
                 return gpu < t.gpu.size() ? r.StepOfGpu(gpu) : std::nullopt;
               })},
          calls.rows(),
          std::nullopt};
}

struct DeviceRow {
  uint32_t rank;
  analysis::DeviceTime time;
};

Table DeviceTimeTable(Recording& r) {
  const model::Trace& t = r.trace();
  const Computed<DeviceRow> rows([&r] {
    std::vector<DeviceRow> list;
    for (uint32_t rank = 0; rank < r.index().ranks().size(); ++rank) {
      analysis::Scope scope;
      scope.link_domain = r.index().ranks()[rank].link_domain;
      for (analysis::DeviceTime& time : analysis::DeviceTimes(r.index(), scope))
        list.push_back({rank, std::move(time)});
    }
    return list;
  });
  const auto of = [&r, rows](std::string_view name, std::string_view meaning, auto member) {
    return Int(name, "ns", meaning, [rows, member](uint32_t row) { return rows[row].time.*member; });
  };
  using Time = analysis::DeviceTime;
  return {
      "device_time",
      "one row a rank and device: union of its busy time, by what ran",
      kNoDevice,
      {Int("rank", "", "rank, if the file tells", [&r, rows](uint32_t row) { return RankOfPlace(r, rows[row].rank); }),
       Int("device", "", "device", [&t, rows](uint32_t row) { return DeviceId(t, rows[row].time.device); }),
       Int("start_ns", "ns", "first start",
           [&r, rows](uint32_t row) { return rows[row].time.begin_ns - r.origin_ns(); }),
       Int("end_ns", "ns", "last end", [&r, rows](uint32_t row) { return rows[row].time.end_ns - r.origin_ns(); }),
       of("busy_ns", "something ran", &Time::busy_ns), of("idle_ns", "nothing ran", &Time::idle_ns),
       of("compute_ns", "a kernel that is no communication ran", &Time::compute_ns),
       of("communication_ns", "a collective kernel ran", &Time::communication_ns),
       of("copy_ns", "a copy ran", &Time::copy_ns), of("memset_ns", "a memset ran", &Time::memset_ns),
       of("kernel_ns", "any kernel ran", &Time::kernel_ns),
       of("compute_communication_overlap_ns", "compute and communication ran at once",
          &Time::compute_communication_overlap_ns),
       of("exposed_communication_ns", "communication ran and no compute", &Time::exposed_communication_ns),
       of("kernel_copy_overlap_ns", "a copy and any kernel ran at once", &Time::kernel_copy_overlap_ns),
       of("exposed_copy_ns", "a copy ran and no kernel", &Time::exposed_copy_ns)},
      rows.rows(),
      std::nullopt};
}

struct QueueRow {
  uint32_t rank, device;
  analysis::QueuePoint point;
};

Table QueueTable(Recording& r) {
  const model::Trace& t = r.trace();
  const Computed<QueueRow> rows([&r] {
    std::vector<QueueRow> list;
    for (uint32_t rank = 0; rank < r.index().ranks().size(); ++rank) {
      for (const uint32_t device : r.index().ranks()[rank].devices) {
        analysis::Scope scope;
        scope.link_domain = r.index().ranks()[rank].link_domain;
        scope.device = device;
        for (const analysis::QueuePoint& point : analysis::QueueDepth(r.index(), scope))
          list.push_back({rank, device, point});
      }
    }
    return list;
  });
  return {
      "queue_depth",
      "one row a change of the number of items issued to a device and not finished (thinned to 100,000 a device)",
      "No device item could be linked with its API call: record the CUDA API beside the device.",
      {Int("rank", "", "rank, if the file tells", [&r, rows](uint32_t row) { return RankOfPlace(r, rows[row].rank); }),
       Int("device", "", "device", [&t, rows](uint32_t row) { return DeviceId(t, rows[row].device); }),
       Int("time_ns", "ns", "when, since the first moment of the recording",
           [&r, rows](uint32_t row) { return rows[row].point.time_ns - r.origin_ns(); }),
       Int("depth", "count", "items from then on", [rows](uint32_t row) { return rows[row].point.depth; })},
      rows.rows(),
      std::nullopt};
}

}  // namespace

void AddAnalysisTables(Recording& r, std::vector<Table>& tables) {
  const Computed<GapRow> gaps = FindAllGaps(r);
  tables.push_back(StepsTable(r));
  tables.push_back(GapsTable(r, gaps));
  tables.push_back(GapPartsTable(r, gaps));
  tables.push_back(WaitsTable(r));
  tables.push_back(CollectivesTable(r));
  tables.push_back(DeviceTimeTable(r));
  tables.push_back(QueueTable(r));
}

}  // namespace warpscope::query
