#include "cli/record_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/stall_code.h"

namespace warpscope::cli {
namespace {

constexpr Flag kFlags[] = {
    {"--output", 'o', FlagType::kFile, "NAME", "the run's folder (default: warpscope-PROGRAM-N)", ""},
    {"--tag", 't', FlagType::kTexts, "KEY=VALUE",
     "a remark on the scenario, such as batch=64; may be given several times, or batch=64,fp=bf16", ""},
    {"--no-analyze", 0, FlagType::kSwitch, "", "do not end with the verdict", ""},
    {"--require", 0, FlagType::kSwitch, "", "fail (125) where the program would run unrecorded", ""},
    {"--delay", 0, FlagType::kDuration, "TIME", "begin so long after the process uses CUDA (2s, 500ms, 1m)", ""},
    {"--duration", 0, FlagType::kDuration, "TIME", "end so long after the recording began; the program runs on", ""},
    {"--range", 0, FlagType::kText, "NAME", "record while an NVTX range of that name is open", ""},
    {"--skip", 0, FlagType::kCount, "N", "ranges of that name that pass before (with --range)", ""},
    {"--steps", 0, FlagType::kCount, "N", "ranges of that name that are recorded (with --range; default 1)", ""},
    {"--profiler-api", 0, FlagType::kSwitch, "", "record between cudaProfilerStart and cudaProfilerStop", ""},
    {"--wait", 0, FlagType::kSwitch, "", "record nothing until: warpscope ctl RUN start", ""},
    {"--ring", 0, FlagType::kDuration, "TIME", "keep only the last so much, until the end or: warpscope ctl RUN freeze",
     ""},
    {"--max-overhead", 0, FlagType::kText, "P%", "record less rather than slow the program by more than P %", ""},
    {"--memory-limit", 0, FlagType::kCount, "MIB",
     "of the buffers in each process (default 44, at least 1); records beyond it are lost and counted", ""},
    {"--calls", 0, FlagType::kChoice, "WHAT", "API calls: those that wait, copy or allocate (light), or all",
     "light|all"},
    {"--memory", 0, FlagType::kSwitch, "", "allocations and releases of device memory too", ""},
    {"--unified-memory", 0, FlagType::kSwitch, "", "page faults and migrations of managed memory too", ""},
    {"--no-host-samples", 0, FlagType::kSwitch, "", "no stacks of Python, C and C++ and no waits of threads", ""},
    {"--host-hz", 0, FlagType::kCount, "N", "stack samples of the host a second (default 100, at most 1000)", ""},
    {"--counters", 0, FlagType::kSwitch, "", "hardware counters too, sampled in short windows", ""},
    {"--counter-interval", 0, FlagType::kCount, "US", "microseconds between counter samples (default 20)", ""},
    {"--counter-window", 0, FlagType::kCount, "MS", "length of a window (default 20, shorter where it costs more)", ""},
    {"--counter-period", 0, FlagType::kCount, "MS",
     "one window in each (default: up to 1000, more where the windows cost more)", ""},
    {"--counter-metrics", 0, FlagType::kTexts, "NAMES", "metrics of CUPTI to sample instead, most wanted first", ""},
    {"--stalls", 0, FlagType::kSwitch, "", "where kernels wait and why too, sampled by instruction (warpscope stalls)",
     ""},
    {"--stall-period", 0, FlagType::kCount, "N", "one sample of each SM every 2^N cycles (5 to 31, default 18)", ""},
    {"--graph-nodes", 0, FlagType::kSwitch, "", "where the nodes of CUDA graphs were captured too", ""},
    {"--external-ids", 0, FlagType::kSwitch, "", "ids that frameworks give their calls through CUPTI too", ""},
};

Status Wrong(std::string message) { return {StatusCode::kInvalidArgument, message + "; see: warpscope record --help"}; }

// "2%", "0.5" -> 20, 5.
std::optional<uint32_t> ParsePermille(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  const auto ns = ParseTimeNs(std::string(text) + "ms");  // digits and a point: thousandths without a double
  constexpr int64_t kPerPermille = 100'000, kMostPermille = 1000;
  if (!ns || *ns < kPerPermille || *ns > kMostPermille * kPerPermille) return std::nullopt;
  return static_cast<uint32_t>(*ns / kPerPermille);
}

uint32_t Small(std::optional<uint64_t> count) {
  return static_cast<uint32_t>(std::min<uint64_t>(count.value_or(0), UINT32_MAX));
}

Status ReadTrigger(const Args& args, record::Settings& settings) {
  const int triggers =
      (args.Has("--range") ? 1 : 0) + (args.Has("--profiler-api") ? 1 : 0) + (args.Has("--wait") ? 1 : 0);
  if (triggers > 1)
    return Wrong("--range, --profiler-api and --wait exclude each other: each says what begins the recording");
  if (!args.Has("--range") && (args.Has("--skip") || args.Has("--steps")))
    return Wrong("--skip and --steps count the ranges that --range NAME names");
  if (args.Count("--steps") == 0) return Wrong("--steps 0: at least one range is recorded");
  if (args.Has("--profiler-api")) settings.trigger = wire::kTriggerProfiler;
  if (args.Has("--wait")) settings.trigger = wire::kTriggerCommand;
  if (const auto range = args.Text("--range")) {
    settings.trigger = wire::kTriggerRange;
    settings.range = *range;
    constexpr size_t kMost = sizeof(wire::Control::range) - 1;
    if (range->size() > kMost) return Wrong(fmt::format("--range: the name is longer than {} bytes", kMost));
  }
  settings.range_skip = Small(args.Count("--skip"));
  settings.range_count = Small(args.Count("--steps"));
  settings.delay_ns = args.DurationNs("--delay").value_or(0);
  settings.duration_ns = args.DurationNs("--duration").value_or(0);
  return Status::Ok();
}

Status ReadLimits(const Args& args, record::Settings& settings) {
  if (const auto ring_ns = args.DurationNs("--ring")) {
    constexpr int64_t kLeastMs = 100, kMostMs = int64_t{24} * 3600 * 1000;
    const int64_t ms = *ring_ns / 1'000'000;
    if (ms < kLeastMs || ms > kMostMs) return Wrong("--ring: expected 100ms to 24h");
    if (args.Has("--duration")) return Wrong("--ring keeps the end, --duration the beginning: give one of them");
    settings.ring_ms = static_cast<uint32_t>(ms);
  }
  if (const auto text = args.Text("--max-overhead")) {
    const auto permille = ParsePermille(*text);
    if (!permille) return Wrong(fmt::format("--max-overhead {}: expected a share of 0.1% to 100%", *text));
    settings.max_overhead_permille = *permille;
  }
  if (const auto mib = args.Count("--memory-limit")) {
    constexpr uint64_t kMostMib = 1024;
    if (*mib == 0 || *mib > kMostMib)
      return Wrong(fmt::format("--memory-limit {}: expected 1 to {} MiB", *mib, kMostMib));
    settings.memory_limit_bytes = static_cast<uint32_t>(*mib << 20);
  }
  return Status::Ok();
}

void ReadCollect(const Args& args, record::Settings& settings) {
  if (args.Text("--calls") == "all") settings.collect |= wire::kCollectAllCalls;
  if (args.Has("--memory")) settings.collect |= wire::kCollectMemory;
  if (args.Has("--unified-memory")) settings.collect |= wire::kCollectUnifiedMemory;
  if (args.Has("--graph-nodes")) settings.collect |= wire::kCollectGraphNodes;
  if (args.Has("--external-ids")) settings.collect |= wire::kCollectExternal;
}

// Ranges of what CUPTI and the agent can do: 1 us was never tried, 10 s is no sampling any more.
Status ReadCounters(const Args& args, RecordOptions& options) {
  constexpr struct {
    std::string_view flag, word;
    uint64_t least, most;
  } kNumbers[] = {{"--counter-interval", "interval-us", 5, 100'000},
                  {"--counter-window", "window-ms", 1, 10'000},
                  {"--counter-period", "period-ms", 1, 3'600'000}};
  const bool on = args.Has("--counters");
  const auto metrics = args.Texts("--counter-metrics");
  if (on) options.counter_plan.emplace_back("mode", "sampled");
  for (const auto& [flag, word, least, most] : kNumbers) {
    const auto number = args.Count(flag);
    if (!number) continue;
    if (!on) return Wrong(fmt::format("{} goes with --counters", flag));
    if (*number < least || *number > most) return Wrong(fmt::format("{}: expected {} to {}", flag, least, most));
    options.counter_plan.emplace_back(word, fmt::format("{}", *number));
  }
  if (!metrics.empty() && !on) return Wrong("--counter-metrics goes with --counters");
  for (const std::string& list : metrics) {
    for (std::string_view rest = list; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      if (name.find_first_of(" \t\n") != name.npos) return Wrong("--counter-metrics: names are parted by commas");
      if (!name.empty()) options.counter_plan.emplace_back("metric", name);
    }
  }
  return Status::Ok();
}

Status ReadStalls(const Args& args, RecordOptions& options) {
  const auto period = args.Count("--stall-period");
  constexpr uint64_t kLeast = 5, kMost = 31;  // of CUPTI
  if (period && !args.Has("--stalls")) return Wrong("--stall-period goes with --stalls");
  if (period && (*period < kLeast || *period > kMost))
    return Wrong(fmt::format("--stall-period {}: expected {} to {}", *period, kLeast, kMost));
  if (args.Has("--stalls")) AddStallsToPlan(period, &options.counter_plan);
  return Status::Ok();
}

void AddTags(std::string_view text, std::vector<std::pair<std::string, std::string>>& tags) {
  while (!text.empty()) {
    const std::string_view tag = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), tag.size() + 1));
    if (tag.empty()) continue;
    const size_t equals = tag.find('=');
    tags.emplace_back(tag.substr(0, equals), equals == std::string_view::npos ? "yes" : tag.substr(equals + 1));
  }
}

}  // namespace

bool RecordOptions::samples_stalls() const {
  return std::find(counter_plan.begin(), counter_plan.end(), std::pair<std::string, std::string>("mode", "stalls")) !=
         counter_plan.end();
}

std::span<const Flag> RecordFlags() { return kFlags; }

Result<RecordOptions> ReadRecordOptions(const Args& args) {
  RecordOptions options;
  WS_RETURN_IF_ERROR(ReadTrigger(args, options.settings));
  WS_RETURN_IF_ERROR(ReadLimits(args, options.settings));
  ReadCollect(args, options.settings);
  WS_RETURN_IF_ERROR(ReadCounters(args, options));
  WS_RETURN_IF_ERROR(ReadStalls(args, options));
  for (const std::string& text : args.Texts("--tag")) AddTags(text, options.tags);
  options.output = args.Text("--output").value_or("");
  options.require = args.Has("--require");
  options.analyze = !args.Has("--no-analyze");
  const auto hz = args.Count("--host-hz");
  constexpr uint64_t kMostHz = 1000;
  if (hz && (*hz == 0 || *hz > kMostHz || args.Has("--no-host-samples")))
    return Wrong("--host-hz takes 1 to 1000; for none: --no-host-samples alone");
  options.host_hz = args.Has("--no-host-samples") ? 0 : static_cast<unsigned>(hz.value_or(options.host_hz));
  return options;
}

}  // namespace warpscope::cli
