// warpscope counters FILE...
#include "cli/command.h"
#include "cli/kernel_regex.h"
#include "cli/list_metrics.h"
#include "cli/measure_counters.h"
#include "cli/table_command.h"
#include "view/tables.h"

namespace warpscope::cli {
namespace {

constexpr Choice<view::CountersBy> kBy[] = {
    {"kernel", view::CountersBy::kKernel},
    {"launch", view::CountersBy::kLaunch},
    {"metric", view::CountersBy::kMetric},
    {"advice", view::CountersBy::kAdvice},
};

constexpr Example kExamples[] = {
    {"warpscope counters -- python train.py", "measures the program's kernels, each replayed, then what limits them"},
    {"warpscope counters --from run1 -- python train.py", "the kernels that hold the critical path of run1"},
    {"warpscope counters -k '^gemm' --launch-count 3 -- ./solver", "three launches of the kernels of that name"},
    {"warpscope counters --list-metrics dram --chip GH100", "metrics whose name holds dram, with unit and meaning"},
    {"warpscope counters report.ncu-rep", "what limits each profiled kernel"},
    {"warpscope counters report.ncu-rep --by launch --kernel '^gemm'", "single launches of the kernels of that name"},
    {"warpscope counters RUN", "what sampled counters say of each kernel of a run (record --counters)"},
    {"warpscope counters report.ncu-rep --metric dram__bytes", "values and units of all metrics of that name"},
};

constexpr Flag kFlags[] = {
    {"--by", 0, FlagType::kChoice, "WHAT",
     "one row a kernel and geometry (default), a launch, a metric, or a message of the tool's rules",
     "kernel|launch|metric|advice"},
    {"--kernel", 'k', FlagType::kText, "REGEX", "only kernels whose name the regular expression is found in", ""},
    {"--metric", 'm', FlagType::kText, "NAME", "metrics of that name, or whose name holds it; means --by metric", ""},
    {"--set", 0, FlagType::kChoice, "SET", "what a program's launches are measured for (default full)", "basic|full"},
    {"--metrics", 0, FlagType::kTexts, "NAMES",
     "metrics of CUPTI, with commas between; in place of a set, or beside it", ""},
    {"--from", 0, FlagType::kFile, "RUN", "measure the kernels that hold the critical path of this run or trace", ""},
    {"--launch-skip", 0, FlagType::kCount, "N", "matching launches that pass first", ""},
    {"--launch-count", 0, FlagType::kCount, "N", "launches that are measured (default: all, by --per-kernel)", ""},
    {"--per-kernel", 0, FlagType::kCount, "N", "launches of one kernel and geometry that are measured (default 2)", ""},
    {"--replay", 0, FlagType::kChoice, "WHAT",
     "what runs again for each pass: the kernel alone (default), or the whole program", "kernel|application"},
    {"--list-metrics", 0, FlagType::kSwitch, "",
     "the metrics that CUPTI measures, or those whose name holds FILE; no GPU "
     "is needed",
     ""},
    {"--chip", 0, FlagType::kText, "CHIP", "of that chip, such as GH100 (with --list-metrics; default: the one here)",
     ""},
    {"--output", 'o', FlagType::kFile, "NAME", "the run's folder (default: warpscope-PROGRAM-N)", ""},
};

Result<view::Table> Build(const Loaded& loaded, const Args& args) {
  view::CountersQuery query{[](std::string_view) { return true; }, [](std::string_view) { return true; }};
  if (const auto text = args.Text("--kernel")) {
    WS_ASSIGN_OR_RETURN(query.wants_kernel, KernelMatcher(*text));
  }
  view::CountersBy by = Chosen(args, "--by", kBy);
  if (const auto name = args.Text("--metric")) {
    by = view::CountersBy::kMetric;
    // The name itself, if there is such a metric: its longer namesakes are not asked for.
    const bool is_exact = loaded.trace->strings.Find(*name) != model::kNoString;
    query.wants_metric = [wanted = *name, is_exact](std::string_view metric) {
      return is_exact ? metric == wanted : metric.find(wanted) != std::string_view::npos;
    };
  }
  const bool sampled = loaded.trace->kernel_profiles.empty() && !loaded.trace->counter_windows.empty();
  if (sampled && by == view::CountersBy::kKernel) return view::SampledCountersTable(SubjectOf(loaded), query);
  return view::CountersTable(SubjectOf(loaded), by, query);
}

Status RunCounters(const Args& args, Io& io) {
  if (args.Has("--list-metrics")) return ListMetrics(args, io);
  if (args.Has("--")) return MeasureCounters(args, io);
  for (const char* flag : {"--set", "--metrics", "--from", "--launch-skip", "--launch-count", "--per-kernel",
                           "--replay", "--output", "--chip"}) {
    if (args.Has(flag))
      return {StatusCode::kInvalidArgument,
              std::string(flag) + " is for a program that is measured: warpscope counters " + flag + " ... -- PROGRAM"};
  }
  return RunTable(args, io, Build);
}

}  // namespace

namespace commands {
extern const Command kCounters;
const Command kCounters = {
    .name = "counters",
    .summary = "Hardware counters of kernels: measured now, or from Nsight Compute's files",
    .group = Group::kTables,
    .operands = "FILE... | -- PROGRAM ARGUMENTS...",
    .details =
        "With -- PROGRAM the program runs with its launches measured by CUPTI's range profiler, one at a time and each "
        "replayed as often as the metrics take passes; its output and exit code are its own, and what is measured goes "
        "into a run folder. By default the first two launches of each kernel and geometry are measured; -k takes an "
        "extended regular expression there, on the demangled or the mangled name. docs/counters.md says what cannot be "
        "measured and what the driver must allow. "
        "With FILE... it shows what was measured, here or by a counter tool: one row a kernel and launch geometry, how "
        "near it is to the peaks of the device, its occupancy and what limits it, what its warps wait for, and the "
        "first advice of the tool that recorded it. Values of single metrics are in base units (ns, byte, byte/s, hz).",
    .examples = kExamples,
    .shared = kInput | kJson | kTable,
    .flags = kFlags,
    .run = RunCounters,
};
}  // namespace commands
}  // namespace warpscope::cli
