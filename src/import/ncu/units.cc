// Names are UNIT__WORDS[.ROLLUP][.SUBMETRIC...], for example "lts__t_sectors_op_read.sum.per_second": the counter's own
// dimension comes from its words, the submetric divides it.
#include "import/ncu/units.h"

#include <algorithm>
#include <iterator>

namespace warpscope::import::ncu {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

constexpr std::string_view kSubmetrics[] = {"avg",
                                            "max",
                                            "min",
                                            "sum",
                                            "pct",
                                            "ratio",
                                            "max_rate",
                                            "peak_burst",
                                            "peak_sustained",
                                            "peak_sustained_active",
                                            "peak_sustained_elapsed",
                                            "peak_sustained_frame",
                                            "peak_sustained_region",
                                            "per_second",
                                            "per_cycle_active",
                                            "per_cycle_elapsed",
                                            "per_cycle_in_frame",
                                            "per_cycle_in_region",
                                            "pct_of_peak_burst_active",
                                            "pct_of_peak_burst_elapsed",
                                            "pct_of_peak_sustained_active",
                                            "pct_of_peak_sustained_elapsed",
                                            "pct_of_peak_sustained_frame",
                                            "pct_of_peak_sustained_region"};

struct Parts {
  std::string_view counter;  // "lts__t_sectors_op_read", without "TPC.TriageCompute."
  bool pct = false, per_second = false, per_cycle = false;
};

Parts Split(std::string_view name) {
  Parts parts;
  for (;;) {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) break;
    const std::string_view last = name.substr(dot + 1);
    if (std::find(std::begin(kSubmetrics), std::end(kSubmetrics), last) == std::end(kSubmetrics)) break;
    parts.pct |= last.starts_with("pct");
    parts.per_second |= last == "per_second";
    // A peak is one of a cycle; "peak_sustained_elapsed" is that of the whole run again.
    parts.per_cycle |= last.starts_with("per_cycle") || last == "peak_sustained" || last == "peak_burst";
    name = name.substr(0, dot);
  }
  parts.counter = name.substr(name.rfind('.') + 1);  // npos + 1 is 0
  return parts;
}

// Metrics that are no hardware counters: exact names or beginnings, the longest that fits.
struct Fixed {
  std::string_view begin;
  std::string_view unit;
};
constexpr Fixed kFixed[] = {
    {"derived__", ""},
    {"derived__avg_thread", "thread"},
    {"derived__derivative_avg_thread", "thread"},
    {"derived__local_spilling_requests_pct", "%"},
    {"derived__lts__lts2xbar_bytes", "byte"},
    {"derived__memory_l2_theoretical_sectors", "sector"},
    {"derived__pct_occupancy_per_block_size", "%"},
    {"derived__pct_occupancy_per_register_count", "%/register"},
    {"derived__pct_occupancy_per_shared_mem_size", "%/byte"},
    {"derived__sm__sass_thread", "thread"},
    {"derived__smsp__inst_executed_op_branch_pct", "%"},
    {"derived__smsp__sass_thread", "thread"},
    {"device__", ""},
    {"gcc__xbar2gcc_sectors", ""},
    {"launch__", ""},
    {"launch__block_dim", "block"},
    {"launch__cluster_max_active", "cluster"},
    {"launch__cluster_max_potential_size", "block"},
    {"launch__occupancy_cluster_", "%"},
    {"launch__occupancy_limit_", "block"},
    {"launch__persisting_l2_cache_size", "byte"},
    {"launch__registers_per_thread", "register/thread"},
    {"launch__shared_mem_config_size", "byte"},
    {"launch__shared_mem_per_block", "byte/block"},
    {"launch__sm_count", "SM"},
    {"launch__thread_count", "thread"},
    {"memory_", ""},
    {"memory_l1_", "sectors"},
    {"memory_l2_", "sectors"},
    {"numa__", ""},
    {"nvlink__", ""},
    {"profiler__", ""},
    {"profiler__pmsampler_buffer_size_bytes", "byte"},
    {"profiler__pmsampler_interval_time", "ns"},
    {"profiler__pmsampler_merged_samples", "sample"},
    {"profiler__replayer_bytes", "byte"},
    {"profiler__replayer_passes", "pass"},
    {"sm__maximum_warps_avg_per_active_cycle", "warp"},
    {"sm__maximum_warps_per_active_cycle_pct", "%"},
    {"smsp__branch_targets_threads", "branches"},
    {"smsp__maximum_warps_avg_per_active_cycle", "warp"},
    {"smsp__pcsamp_", ""},
    {"smsp__pcsamp_aggregated_passes", "pass"},
    {"smsp__pcsamp_buffer_size_bytes", "byte"},
    {"smsp__pcsamp_dropped_bytes", "byte"},
    {"smsp__pcsamp_interval_cycles", "cycle"},
    {"smsp__pcsamp_warps_issue_stalled", "warp"},
    {"smsp__pcsamp_warps_issue_stalled_branch_resolving", "branches"},
    {"smsp__pcsamp_warps_issue_stalled_no_inst", "inst"},
};

const Fixed* FindFixed(std::string_view counter) {
  const Fixed* best = nullptr;
  for (const Fixed& fixed : kFixed) {
    if (counter.starts_with(fixed.begin) && (best == nullptr || fixed.begin.size() > best->begin.size())) best = &fixed;
  }
  return best;
}

// Averages ("X__average_A_per_B") and other quotients have units of their own.
std::optional<std::string_view> QuotientUnit(std::string_view counter) {
  if (Has(counter, "bytes_per_sector")) return "byte/sector";
  if (Has(counter, "bytes_per_wavefront")) return "byte";
  if (Has(counter, "sectors_per_request")) return "sector";
  if (Has(counter, "_rate") || Has(counter, "average_branch_targets")) return "";
  if (Has(counter, "inst_issued_per_issue_active")) return "inst/cycle";
  if (Has(counter, "issue_stalled") && Has(counter, "_per_issue_active")) return "inst";
  if (Has(counter, "warps_active_per_issue_active")) return "warp";
  if (Has(counter, "warp_latency") || Has(counter, "cta_latency") || Has(counter, "warps_active_per_inst"))
    return "cycle";
  if (Has(counter, "per_inst_executed")) return "";
  if (Has(counter, "inst_executed") && Has(counter, "_per_warp")) return "inst/warp";
  if (Has(counter, "threads_launched_per_warp")) return "thread/warp";
  if (Has(counter, "registers_per_thread")) return "register/thread";
  if (Has(counter, "bytes_per_cta")) return "byte/block";
  if (Has(counter, "average")) return "";
  // Tables over instruction kinds rather than counts.
  if (Has(counter, "_per_opcode") || counter.ends_with("_type")) return "";
  return std::nullopt;
}

// Requests count as a unit only where the L2 or the GPC cache serves them; those of the L1 are plain numbers, and those
// of the instruction caches are counted in cycles.
std::string_view RequestUnit(std::string_view counter) {
  if (Has(counter, "tag_requests")) return "";
  if (counter.starts_with("lts__") || counter.starts_with("gcc__") || counter.starts_with("l1tex__m_"))
    return "request";
  if (counter.starts_with("sm__icc") || counter.starts_with("smsp__imc")) return "cycle";
  if (counter.starts_with("l1tex__tmain")) return "inst";
  return "";
}

// What the counter counts: the first word that names a countable thing.
std::string_view CounterUnit(std::string_view counter) {
  struct Noun {
    std::string_view word, unit;
  };
  constexpr Noun kNouns[] = {
      {"bytes", "byte"},
      {"sectors", "sector"},
      {"cycles", "cycle"},
      {"inst", "inst"},
      {"instruction", "inst"},
      {"instructions", "inst"},
      {"warps", "warp"},
      {"threads", "thread"},
      {"ctas", "block"},
      {"branch", "branches"},
      {"time", "ns"},
      {"issue", "cycle"},
      {"writeback", "cycle"},
      {"wavefronts", ""},
      {"conflicts", ""},
      {"ops", ""},
      {"cgas", ""},
      {"accesses", ""},
      {"tags", ""},
      {"throughput", "%"},
  };
  size_t begin = counter.find("__");
  if (begin == std::string_view::npos) begin = 0;
  while (begin < counter.size()) {
    if (counter[begin] == '_') {
      ++begin;
      continue;
    }
    const size_t end = std::min(counter.find('_', begin), counter.size());
    const std::string_view word = counter.substr(begin, end - begin);
    if (word == "requests") return RequestUnit(counter);
    for (const Noun& noun : kNouns) {
      if (word == noun.word) return noun.unit;
    }
    begin = end;
  }
  return "";
}

std::string Divide(std::string_view unit, const Parts& parts) {
  if (parts.per_second) return unit == "cycle" ? "hz" : unit.empty() ? "" : std::string(unit) + "/s";
  if (parts.per_cycle) {
    // Active warps and issue slots are counted once a cycle: the quotient is their number.
    if (unit == "warp") return "warp";
    return unit == "cycle" || unit.empty() ? "" : std::string(unit) + "/cycle";
  }
  return std::string(unit);
}

// ---- Printed units.

struct Word {
  std::string_view printed, base;
  double factor;
};
constexpr Word kTimes[] = {{"ns", "ns", 1},        {"nsecond", "ns", 1},   {"us", "ns", 1e3}, {"usecond", "ns", 1e3},
                           {"ms", "ns", 1e6},      {"msecond", "ns", 1e6}, {"s", "ns", 1e9},  {"second", "ns", 1e9},
                           {"minute", "ns", 6e10}, {"hour", "ns", 3.6e12}};
constexpr Word kPrefixes[] = {{"K", "", 1e3}, {"k", "", 1e3},  {"M", "", 1e6},
                              {"G", "", 1e9}, {"T", "", 1e12}, {"P", "", 1e15}};

const Word* FindTime(std::string_view word) {
  const auto* it = std::find_if(std::begin(kTimes), std::end(kTimes), [&](const Word& w) { return w.printed == word; });
  return it == std::end(kTimes) ? nullptr : it;
}

// "Gbyte" -> byte, 1e9; "Mhz" -> hz, 1e6; other words are as they are.
ScaledUnit BaseWord(std::string_view word) {
  if (const Word* time = FindTime(word)) return {std::string(time->base), time->factor};
  std::string_view rest = word;
  double factor = 1;
  for (const Word& prefix : kPrefixes) {
    if (!word.starts_with(prefix.printed)) continue;
    rest = word.substr(1);
    factor = prefix.factor;
  }
  if (rest == "byte" || rest == "bytes") return {"byte", factor};
  if (rest == "hz" || rest == "Hz") return {"hz", factor};
  return {std::string(word), 1};
}

}  // namespace

ScaledUnit BaseUnit(std::string_view printed) {
  const size_t slash = printed.find('/');
  ScaledUnit above = BaseWord(printed.substr(0, slash));
  if (slash == std::string_view::npos) return above;
  const std::string_view below = printed.substr(slash + 1);
  if (const Word* time = FindTime(below)) {
    above.factor *= 1e9 / time->factor;
    above.unit = above.unit == "cycle" ? "hz" : above.unit + "/s";
    return above;
  }
  // The tool scales "%/Kbyte" by dividing too: 2614 %/byte is printed as 2.614 %/Kbyte.
  const ScaledUnit divisor = BaseWord(below);
  return {above.unit + "/" + divisor.unit, above.factor * divisor.factor};
}

std::string MetricUnit(std::string_view name) {
  const Parts parts = Split(name);
  if (parts.pct) return "%";
  if (const Fixed* fixed = FindFixed(parts.counter)) return std::string(fixed->unit);
  if (const auto quotient = QuotientUnit(parts.counter)) return std::string(*quotient);
  return Divide(CounterUnit(parts.counter), parts);
}

}  // namespace warpscope::import::ncu
