// Profiled kernels: what their counters say, by kernel, by launch, or metric by metric.
#include "analysis/counters.h"

#include <fmt/format.h>

#include "analysis/kernel_profiles.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::Counter;
using analysis::KernelCounters;

std::vector<Column> KernelColumns() {
  return {FullName(),
          {"id", "id", Kind::kId, 8},
          {"kernel", "kernel", Kind::kName},
          {"launch_count", "launches", Kind::kCount, 6},
          {"total_ns", "total", Kind::kDurationNs, 5},
          {"share_of_measured_pct", "of all", Kind::kPct, 4},
          {"duration_ns", "time", Kind::kDurationNs},
          {"compute_pct", "compute", Kind::kPct},
          {"memory_pct", "memory", Kind::kPct},
          {"dram_pct", "DRAM", Kind::kPct, 4},
          {"l2_pct", "L2", Kind::kPct, 9},
          {"l1_pct", "L1", Kind::kPct, 9},
          {"occupancy_pct", "occup.", Kind::kPct, 2},
          {"theoretical_occupancy_pct", "possible", Kind::kPct, 8},
          {"occupancy_limiter", "limited by", Kind::kText, 6},
          {"waves_per_sm", "waves", Kind::kNumber, 5},
          {"issue_per_cycle", "issue", Kind::kNumber, 9},
          {"grid", "blocks", Kind::kText, 7},
          {"block", "threads", Kind::kText, 8},
          {"registers_per_thread", "regs", Kind::kCount, 9},
          {"shared_bytes", "shared", Kind::kBytes, 10},
          {"top_stall", "stalled", Kind::kText, 1},
          {"top_stall_pct", "stall", Kind::kPct, 3},
          {"top_advice_rule", "rule", Kind::kText, kDataOnly},
          {"top_advice_speedup_pct", "tool's est.", Kind::kPct, kDataOnly},
          {"top_advice", "the tool's first advice", Kind::kName, 7}};
}

// Which resource ends first; several are joined, as they bind together.
std::string LimiterOf(const KernelCounters& counters) {
  struct Limit {
    Counter counter;
    std::string_view word;
  };
  constexpr Limit kLimits[] = {{Counter::kLimitWarps, "threads"},
                               {Counter::kLimitRegisters, "registers"},
                               {Counter::kLimitShared, "shared memory"},
                               {Counter::kLimitBlocks, "blocks"},
                               {Counter::kLimitBarriers, "barriers"}};
  std::optional<double> least;
  for (const Limit& limit : kLimits) {
    if (const auto value = counters[limit.counter]; value && *value > 0 && (!least || *value < *least)) least = value;
  }
  std::string words;
  for (const Limit& limit : kLimits) {
    if (const auto value = counters[limit.counter]; least && value == least)
      words += (words.empty() ? "" : ", ") + std::string(limit.word);
  }
  return words;
}

// The tool's advice with the largest estimate; of those without one the first optimisation.
const model::Advice* TopAdvice(const model::Trace& trace, const model::KernelProfile& profile) {
  const model::Advice* best = nullptr;
  for (uint32_t row = profile.advice_begin; row < profile.advice_end; ++row) {
    const model::Advice& advice = trace.advice[row];
    if (advice.kind == model::AdviceKind::kOk || advice.kind == model::AdviceKind::kNote) continue;
    const auto worth = [](const model::Advice& a) {
      return std::pair(a.speedup_pct && a.speedup_is_global, a.speedup_pct.value_or(-1));
    };
    if (best == nullptr || worth(advice) > worth(*best)) best = &advice;
  }
  return best;
}

std::vector<Cell> KernelCells(const Subject& subject, const analysis::ProfileGroup& group, bool by_launch,
                              const KernelCounters& counters) {
  const model::Trace& trace = subject.trace();
  const model::KernelProfile& profile = trace.kernel_profiles[group.typical];
  const model::LaunchConfig* config = profile.config == model::kNone ? nullptr : &trace.launch_configs[profile.config];
  const model::Advice* advice = TopAdvice(trace, profile);
  const auto at = [&](Counter counter) { return Maybe(counters[counter]); };
  const auto issue = counters[Counter::kIssueActive];
  // Waiting is what matters: "selected" is the issue itself.
  const analysis::Stall* stall = nullptr;
  for (const analysis::Stall& candidate : counters.stalls) {
    // Those are ready: one goes, the others stand behind it.
    const bool ready = candidate.reason == "selected" || candidate.reason == "not_selected";
    if (!ready && stall == nullptr) stall = &candidate;
  }
  const std::string_view title = advice == nullptr ? std::string_view() : trace.Text(advice->title);
  return {NameCell(subject, profile.name),
          by_launch ? Int(profile.id) : Cell{},
          Text(ShortKernel(trace.Text(profile.name))),
          Int(group.profiles.size()),
          profile.dur_ns ? Int(group.total_ns) : Cell{},
          Maybe(group.share_pct),
          Maybe(profile.dur_ns),
          at(Counter::kComputePct),
          at(Counter::kMemoryPct),
          at(Counter::kDramPct),
          at(Counter::kL2Pct),
          at(Counter::kL1Pct),
          at(Counter::kOccupancyPct),
          at(Counter::kTheoreticalOccupancyPct),
          Text(LimiterOf(counters)),
          at(Counter::kWaves),
          Maybe(issue),
          config ? Text(Extent(config->grid)) : Cell{},
          config ? Text(Extent(config->block)) : Cell{},
          config ? Maybe(config->registers_per_thread) : Cell{},
          config ? Maybe(config->shared_bytes) : Cell{},
          stall ? Text(stall->reason) : Cell{},
          stall ? Number(stall->share_pct) : Cell{},
          advice ? Text(trace.Text(advice->rule)) : Cell{},
          advice ? Maybe(advice->speedup_pct) : Cell{},
          advice ? Text(title.empty() ? trace.Text(advice->text) : title) : Cell{}};
}

Table MetricTable(const Subject& subject, const CountersQuery& query) {
  const model::Trace& trace = subject.trace();
  Table table;
  table.name = "counters.metric";
  table.title = "Metrics of profiled kernels, in base units";
  table.columns = {FullName(),
                   {"id", "id", Kind::kId},
                   {"kernel", "kernel", Kind::kName, 2},
                   {"device", "device", Kind::kId, kDataOnly},
                   {"metric", "metric", Kind::kName},
                   {"value", "value", Kind::kNumber},
                   {"unit", "unit", Kind::kText},
                   {"text", "text", Kind::kName, 4}};
  const auto add = [&](const model::KernelProfile* profile, uint32_t device, uint32_t begin, uint32_t end) {
    for (uint32_t row = begin; row < end; ++row) {
      const model::Metric& metric = trace.metrics[row];
      if (!query.wants_metric(trace.Text(metric.name))) continue;
      Cell value, text;
      if (const auto* number = std::get_if<double>(&metric.value)) value = Number(*number);
      if (const auto* count = std::get_if<uint64_t>(&metric.value))
        value = *count <= INT64_MAX ? Int(*count) : Number(static_cast<double>(*count));
      if (const auto* words = std::get_if<model::StringId>(&metric.value)) text = Text(trace.Text(*words));
      table.rows.push_back({profile ? NameCell(subject, profile->name) : Cell{}, profile ? Int(profile->id) : Cell{},
                            profile ? Text(ShortKernel(trace.Text(profile->name))) : Cell{},
                            device == model::kNone ? Cell{} : Int(trace.devices[device].id),
                            Text(trace.Text(metric.name)), value, Text(trace.Text(metric.unit)), text});
    }
  };
  for (const model::KernelProfile& profile : trace.kernel_profiles) {
    if (query.wants_kernel(trace.Text(profile.name)))
      add(&profile, profile.device, profile.metric_begin, profile.metric_end);
  }
  for (uint32_t row = 0; row < trace.devices.size(); ++row)
    add(nullptr, row, trace.devices[row].attribute_begin, trace.devices[row].attribute_end);
  return table;
}

std::string_view KindName(model::AdviceKind kind) {
  switch (kind) {
    case model::AdviceKind::kOk: return "info";
    case model::AdviceKind::kNote: return "note";
    case model::AdviceKind::kWarning: return "warning";
    case model::AdviceKind::kError: return "error";
    case model::AdviceKind::kOptimization: return "optimization";
  }
  return "";
}

// Every message of the tool's own rules, in the order of the file.
Table AdviceTable(const Subject& subject, const CountersQuery& query) {
  const model::Trace& trace = subject.trace();
  Table table;
  table.name = "counters.advice";
  table.title = "What the recording tool says about each kernel, in its words";
  table.columns = {FullName(),
                   {"id", "id", Kind::kId},
                   {"kernel", "kernel", Kind::kName},
                   {"section", "section", Kind::kText, 6},
                   {"rule", "rule", Kind::kText, 3},
                   {"kind", "kind", Kind::kText, 5},
                   {"estimated_speedup_pct", "est. speedup", Kind::kPct},
                   {"speedup_of", "of", Kind::kText, 4},
                   {"title", "title", Kind::kName, kDataOnly},
                   {"text", "message", Kind::kSentence}};
  for (const model::KernelProfile& profile : trace.kernel_profiles) {
    if (!query.wants_kernel(trace.Text(profile.name))) continue;
    for (uint32_t row = profile.advice_begin; row < profile.advice_end; ++row) {
      const model::Advice& advice = trace.advice[row];
      table.rows.push_back({NameCell(subject, profile.name), Int(profile.id),
                            Text(ShortKernel(trace.Text(profile.name))), Text(trace.Text(advice.section)),
                            Text(trace.Text(advice.rule)), Text(KindName(advice.kind)), Maybe(advice.speedup_pct),
                            advice.speedup_pct ? Text(advice.speedup_is_global ? "kernel" : "part") : Cell{},
                            Text(trace.Text(advice.title)), Text(trace.Text(advice.text))});
    }
  }
  table.notes = {"est. speedup: the tool's own estimate, for the kernel or for the part that the rule looks at."};
  table.empty_text = "The file holds no messages of the recording tool's rules.";
  return table;
}

}  // namespace

Table CountersTable(const Subject& subject, CountersBy by, const CountersQuery& query) {
  const model::Trace& trace = subject.trace();
  Table table;
  if (by == CountersBy::kMetric) {
    table = MetricTable(subject, query);
    table.empty_text = trace.kernel_profiles.empty() ? "" : "No metric of that name was recorded.";
  } else if (by == CountersBy::kAdvice) {
    table = AdviceTable(subject, query);
  } else {
    const bool by_launch = by == CountersBy::kLaunch;
    table.name = by_launch ? "counters.launch" : "counters";
    table.title = by_launch ? "Profiled kernel launches" : "Profiled kernels, most measured time first";
    table.columns = KernelColumns();
    const analysis::CounterReader reader(trace);
    auto groups =
        analysis::GroupProfiles(trace, by_launch ? analysis::GroupBy::kLaunch : analysis::GroupBy::kNameAndGeometry);
    int64_t total_ns = 0;
    for (const auto& group : groups) {
      const model::KernelProfile& profile = trace.kernel_profiles[group.typical];
      if (!query.wants_kernel(trace.Text(profile.name))) continue;
      total_ns += group.total_ns;
      table.rows.push_back(KernelCells(subject, group, by_launch, reader.Read(profile)));
    }
    if (!table.rows.empty()) {
      const size_t records = trace.kernel_profiles.size();
      if (total_ns > 0)
        table.summary.push_back(fmt::format("{} of launches that were profiled, {} together.",
                                            Plural(records, "record"),
                                            FormatDurationNs(static_cast<double>(total_ns))));
      else
        table.summary.push_back(
            fmt::format("{} of launches that were profiled, without their times.", Plural(records, "record")));
      table.notes = {
          "compute, memory, DRAM: share of the unit's peak. occup.: warps on an SM, of the most possible. stalled: "
          "what "
          "warps wait for most, and its share of their time. A row of several launches shows the one of median time.",
          "Times are the counter tool's: kernels run alone and again and again, often at fixed clocks."};
    }
  }
  if (trace.kernel_profiles.empty()) {
    table.empty_text =
        "No kernel was measured with counters. Measure with: warpscope counters -- PROGRAM; or ncu --set full -o "
        "report PROGRAM, and "
        "give report.ncu-rep.";
  }
  return table;
}

}  // namespace warpscope::view
