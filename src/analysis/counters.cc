#include "analysis/counters.h"

#include <algorithm>

#include "analysis/amd_counters.h"
#include "analysis/launch_counters.h"

namespace warpscope::analysis {
namespace {

constexpr std::string_view kNames[] = {
#define WS_COUNTER(enumerator, names) names,
#include "analysis/counters.def"
#undef WS_COUNTER
};

// Words of the metrics and what they mean (Nsight Compute's documentation, "Warp Scheduler States").
struct Reason {
  std::string_view word, text;
};
constexpr Reason kReasons[] = {
    {"barrier", "waiting at a barrier (__syncthreads)"},
    {"branch_resolving", "waiting for a branch target"},
    {"dispatch_stall", "held back by the dispatcher"},
    {"drain", "waiting for stores to finish before the exit"},
    {"gmma", "waiting for a warp-group matrix instruction"},
    {"imc_miss", "waiting for constants (immediate constant cache miss)"},
    {"lg_throttle", "waiting for the queue of global and local memory instructions"},
    {"long_scoreboard", "waiting for data from global or local memory"},
    {"math_pipe_throttle", "waiting for a busy arithmetic pipe"},
    {"membar", "waiting at a memory fence"},
    {"mio_throttle", "waiting for the queue of shared memory and special instructions"},
    {"misc", "waiting for other reasons"},
    {"no_instruction", "waiting for instructions (instruction cache or jumps)"},
    {"no_instructions", "waiting for instructions (instruction cache or jumps)"},
    {"not_selected", "ready, but another warp was chosen"},
    {"selected", "issuing"},
    {"short_scoreboard", "waiting for shared memory or special functions"},
    {"sleeping", "sleeping"},
    {"tex_throttle", "waiting for the texture queue"},
    {"wait", "waiting a fixed time for the instruction before"},
    {"warpgroup_arrive", "waiting for the other warps of a warp group"},
};

constexpr std::string_view kPipes[] = {"adu",
                                       "alu",
                                       "cbu",
                                       "fma",
                                       "fmaheavy",
                                       "fmalite",
                                       "fp16",
                                       "fp64",
                                       "lsu",
                                       "shared",
                                       "tensor",
                                       "tensor_op_hmma",
                                       "tensor_op_imma",
                                       "tensor_op_dmma",
                                       "tensor_op_gmma",
                                       "tex",
                                       "tma",
                                       "uniform",
                                       "xu"};

}  // namespace

const Stall* KernelCounters::FindStall(std::string_view reason) const {
  const auto it =
      std::find_if(stalls.begin(), stalls.end(), [&](const Stall& stall) { return stall.reason == reason; });
  return it == stalls.end() ? nullptr : &*it;
}
double KernelCounters::StallPct(std::string_view reason) const {
  const Stall* stall = FindStall(reason);
  return stall == nullptr ? 0 : stall->share_pct;
}

std::string_view CounterName(Counter counter) {
  const std::string_view names = kNames[static_cast<size_t>(counter)];
  return names.substr(0, names.find('|'));
}

std::string_view CounterName(Counter counter, const KernelCounters& counters) {
  if (!counters.is_amd) return CounterName(counter);
  if (counter == Counter::kComputePct && counters.computes_by_matrix) return RocmName(Counter::kTensorPct);
  const std::string_view name = RocmName(counter);
  return name.empty() ? CounterName(counter) : name;
}

std::string_view StallText(std::string_view reason) {
  for (const Reason& known : kReasons) {
    if (known.word == reason) return known.text;
  }
  return reason;
}

CounterReader::CounterReader(const model::Trace& trace) : trace_(trace) {
  const auto add = [&](std::string_view name, Role role, size_t index, size_t priority) {
    const model::StringId id = trace.strings.Find(name);
    if (id != model::kNoString)
      meanings_[id].push_back({role, static_cast<uint8_t>(index), static_cast<uint8_t>(priority)});
  };
  for (size_t i = 0; i < std::size(kNames); ++i) {
    std::string_view rest = kNames[i];
    for (size_t priority = 0; !rest.empty(); ++priority) {
      const size_t bar = rest.find('|');
      add(rest.substr(0, bar), Role::kValue, i, priority);
      rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
    }
  }
  for (size_t i = 0; i < std::size(kReasons); ++i) {
    const std::string word(kReasons[i].word);
    add("smsp__average_warps_issue_stalled_" + word + "_per_issue_active.ratio", Role::kStall, i, 0);
    add("smsp__average_warp_latency_issue_stalled_" + word + ".ratio", Role::kStall, i, 1);
    add("smsp__pcsamp_warps_issue_stalled_" + word, Role::kStallSample, i, 0);
  }
  for (size_t i = 0; i < std::size(kPipes); ++i) {
    const std::string word(kPipes[i]);
    add("sm__inst_executed_pipe_" + word + ".avg.pct_of_peak_sustained_active", Role::kPipe, i, 1);
    add("sm__pipe_" + word + "_cycles_active.avg.pct_of_peak_sustained_active", Role::kPipe, i, 0);
  }
  const bool has_amd = std::any_of(trace.sources.begin(), trace.sources.end(),
                                   [](const model::Source& source) { return source.vendor == model::Vendor::kAmd; });
  if (has_amd) amd_ = std::make_unique<AmdCounters>(trace);
}

CounterReader::~CounterReader() = default;

KernelCounters CounterReader::Read(const model::KernelProfile& profile) const {
  constexpr uint8_t kUnset = UINT8_MAX;
  KernelCounters counters;
  std::array<uint8_t, static_cast<size_t>(Counter::kCount)> best;
  best.fill(kUnset);
  struct Slot {
    double value = 0;
    uint8_t priority = kUnset;
    void Take(double v, uint8_t p) {
      if (p < priority) value = v, priority = p;
    }
  };
  std::array<Slot, std::size(kReasons)> stalls{}, samples{};
  std::array<Slot, std::size(kPipes)> pipes{};
  for (uint32_t row = profile.metric_begin; row < profile.metric_end; ++row) {
    const model::Metric& metric = trace_.metrics[row];
    const auto it = meanings_.find(metric.name);
    if (it == meanings_.end()) continue;
    double value = 0;
    if (const auto* number = std::get_if<double>(&metric.value)) value = *number;
    else if (const auto* count = std::get_if<uint64_t>(&metric.value)) value = static_cast<double>(*count);
    else continue;
    for (const Meaning& meaning : it->second) {
      switch (meaning.role) {
        case Role::kStall: stalls[meaning.index].Take(value, meaning.priority); break;
        case Role::kStallSample: samples[meaning.index].Take(value, meaning.priority); break;
        case Role::kPipe: pipes[meaning.index].Take(value, meaning.priority); break;
        case Role::kValue:
          if (meaning.priority >= best[meaning.index]) break;
          best[meaning.index] = meaning.priority;
          counters.values[meaning.index] = value;
          break;
      }
    }
  }
  // Measured cycles where they were collected; else the samples.
  const auto fill = [&](const auto& slots, bool are_cycles) {
    double sum = 0;
    for (const Slot& slot : slots) sum += slot.value;
    if (!(sum > 0)) return;
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].priority == kUnset || !(slots[i].value > 0)) continue;
      counters.stalls.push_back({kReasons[i].word, 100 * slots[i].value / sum, are_cycles ? slots[i].value : 0});
    }
  };
  fill(stalls, true);
  if (counters.stalls.empty()) fill(samples, false);
  std::stable_sort(counters.stalls.begin(), counters.stalls.end(),
                   [](const Stall& a, const Stall& b) { return a.share_pct > b.share_pct; });
  for (size_t i = 0; i < pipes.size(); ++i) {
    if (pipes[i].priority != kUnset) counters.pipes.push_back({kPipes[i], pipes[i].value});
  }
  std::stable_sort(counters.pipes.begin(), counters.pipes.end(),
                   [](const Pipe& a, const Pipe& b) { return a.pct > b.pct; });
  if (amd_ != nullptr && trace_.sources[profile.source].vendor == model::Vendor::kAmd) amd_->Fill(profile, &counters);
  FillFromLaunch(trace_, profile, &counters);
  return counters;
}

}  // namespace warpscope::analysis
