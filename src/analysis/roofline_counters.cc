#include "analysis/roofline_counters.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/gpu_peaks.h"
#include "analysis/kernel_name.h"
#include "analysis/roofline_recipes.h"

namespace warpscope::analysis {
namespace {

// The numbers of one profile by name.
class Values {
 public:
  Values(const model::Trace& trace, const model::KernelProfile& profile) : trace_(trace) {
    for (uint32_t row = profile.metric_begin; row < profile.metric_end; ++row) {
      const model::Metric& metric = trace.metrics[row];
      if (const auto* number = std::get_if<double>(&metric.value)) by_name_[metric.name] = *number;
      else if (const auto* count = std::get_if<uint64_t>(&metric.value))
        by_name_[metric.name] = static_cast<double>(*count);
    }
    if (profile.dur_ns && *profile.dur_ns > 0) seconds_ = static_cast<double>(*profile.dur_ns) / 1e9;
    else if (const auto ns = Get("gpu__time_duration.sum"); ns && *ns > 0) seconds_ = *ns / 1e9;
  }

  // Absent also for what cannot be a count, a rate or a share.
  std::optional<double> Get(const std::string& name) const {
    const model::StringId id = trace_.strings.Find(name);
    if (id == model::kNoString) return std::nullopt;
    const auto it = by_name_.find(id);
    if (it == by_name_.end() || !std::isfinite(it->second) || it->second < 0) return std::nullopt;
    return it->second;
  }
  std::optional<double> First(std::initializer_list<std::string> names) const {
    for (const std::string& name : names) {
      if (const auto value = Get(name)) return value;
    }
    return std::nullopt;
  }

  // What was counted, a second.
  std::optional<double> Rate(const std::string& counter) const {
    if (const auto value = Get(counter + ".sum.per_second")) return value;
    if (const auto value = First({counter + ".sum", counter}); value && seconds_) return *value / *seconds_;
    const auto value = Get(counter + ".sum.per_cycle_elapsed");
    const auto hz = Clock(counter);
    return value && hz ? std::optional(*value * *hz) : std::nullopt;
  }
  // The most that can be counted a second at the clocks of the run.
  std::optional<double> PeakRate(const std::string& counter) const {
    if (const auto value = Get(counter + ".sum.peak_sustained_elapsed.per_second"); value && *value > 0) return value;
    const auto peak = Get(counter + ".sum.peak_sustained");
    if (const auto hz = Clock(counter); peak && hz && *peak * *hz > 0) return *peak * *hz;
    // An average is of one unit; the clocks of all units are summed.
    const auto one = Get(counter + ".avg.peak_sustained");
    const auto all_hz = Get(Unit(counter) + "__cycles_elapsed.sum.per_second");
    if (one && all_hz && *one * *all_hz > 0) return *one * *all_hz;
    // A share of the peak tells it, if it is large enough for its printed digits.
    constexpr double kLeastPct = 1;
    const auto pct =
        First({counter + ".sum.pct_of_peak_sustained_elapsed", counter + ".avg.pct_of_peak_sustained_elapsed"});
    if (const auto rate = Rate(counter); rate && pct && *rate > 0 && *pct >= kLeastPct) return *rate / (*pct / 100);
    return std::nullopt;
  }

 private:
  // "smsp" of "smsp__inst_executed", "lts" of "derived__lts__lts2xbar_bytes".
  static std::string Unit(std::string_view counter) {
    constexpr std::string_view kDerived = "derived__";
    if (counter.starts_with(kDerived)) counter.remove_prefix(kDerived.size());
    return std::string(counter.substr(0, counter.find("__")));
  }
  std::optional<double> Clock(const std::string& counter) const {
    const std::string unit = Unit(counter);
    const bool is_sm = unit == "sm" || unit == "smsp" || unit == "l1tex";
    auto hz = Get(unit + "__cycles_elapsed.avg.per_second");
    if (!hz && is_sm)
      hz = First({"sm__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second",
                  "gpc__cycles_elapsed.avg.per_second", "gpc__cycles_elapsed.max.per_second"});
    if (hz || !seconds_) return hz;
    auto cycles = First({unit + "__cycles_elapsed.avg", unit + "__cycles_elapsed.max"});
    if (!cycles && is_sm)
      cycles = First(
          {"sm__cycles_elapsed.avg", "sm__cycles_elapsed.max", "gpc__cycles_elapsed.avg", "gpc__cycles_elapsed.max"});
    return cycles ? std::optional(*cycles / *seconds_) : std::nullopt;
  }

  const model::Trace& trace_;
  std::unordered_map<model::StringId, double> by_name_;
  std::optional<double> seconds_;
};

// Absent unless every term is there.
std::optional<double> SumOf(const Values& values, const Terms& terms) {
  double sum = 0;
  for (const Term& term : terms) {
    if (term.counter.empty()) break;
    const auto rate = values.Rate(std::string(term.counter));
    if (!rate) return std::nullopt;
    sum += term.factor * *rate;
  }
  return std::max(sum, 0.0);
}

void CountFlops(const Values& values, Rates* rates) {
  for (const FlopRecipe& recipe : FlopRecipes()) {
    auto& rate = rates->flops[static_cast<size_t>(recipe.kind)];
    if (rate) continue;
    if (const auto per_s = SumOf(values, recipe.terms)) rate = FlopRate{*per_s, recipe.by};
  }
  for (const RoofRecipe& recipe : FlopRoofRecipes()) {
    auto& roof = rates->flop_roofs[static_cast<size_t>(recipe.kind)];
    if (roof) continue;
    if (const auto peak = values.PeakRate(std::string(recipe.counter)))
      roof = Roof{*peak * recipe.factor, RoofSource::kReport};
  }
}

// Bytes and their roof are of the same counter: what a cache can do depends on what is counted there. DRAM has one
// peak, whichever counter tells it.
void CountBytes(const Values& values, Rates* rates) {
  for (const ByteRecipe& recipe : ByteRecipes()) {
    const auto level = static_cast<size_t>(recipe.level);
    const bool had_bytes = rates->bytes[level].has_value();
    if (!had_bytes) {
      if (const auto per_s = SumOf(values, recipe.terms))
        rates->bytes[level] = ByteRate{*per_s, recipe.terms[0].counter, false};
    }
    const bool is_of_bytes = !had_bytes && rates->bytes[level];
    if (rates->byte_roofs[level] || (recipe.level != RoofLevel::kDram && !is_of_bytes)) continue;
    if (const auto peak = values.PeakRate(std::string(recipe.terms[0].counter)))
      rates->byte_roofs[level] = Roof{*peak * recipe.terms[0].factor, RoofSource::kReport};
  }
}

std::optional<double> PipePct(const Values& values, std::span<const std::string_view> pipes) {
  for (const std::string_view pipe : pipes) {
    const std::string name(pipe);
    if (const auto pct =
            values.First({name + ".avg.pct_of_peak_sustained_elapsed", name + ".sum.pct_of_peak_sustained_elapsed",
                          name + ".avg.pct_of_peak_sustained_active"}))
      return pct;
  }
  return std::nullopt;
}

// The matrix units' operand type, where only the kernel's name can tell it.
std::optional<FlopKind> TensorKindOf(std::string_view kernel) {
  switch (ClassifyKernel(kernel).precision) {
    case Precision::kTf32: return FlopKind::kTensorTf32;
    case Precision::kFp16: return FlopKind::kTensorFp16;
    case Precision::kBf16:
    case Precision::kHalf: return FlopKind::kTensorBf16;
    case Precision::kFp8: return FlopKind::kTensorFp8;
    default: return std::nullopt;
  }
}

// Of the peaks, over all kinds of arithmetic whose rate and peak are known; 0: none is.
double LargestSharePct(const Rates& rates) {
  double largest = 0;
  for (size_t kind = 0; kind < kFlopKinds; ++kind) {
    if (rates.flops[kind] && rates.flop_roofs[kind])
      largest = std::max(largest, rates.flops[kind]->per_s / rates.flop_roofs[kind]->per_s * 100);
  }
  return largest;
}

// Where nothing was counted, the busy share of a pipe says how much there can have been at most.
void EstimateFromPipes(const Values& values, std::string_view kernel, Rates* rates) {
  const auto estimate = [&](FlopKind kind, double pct) {
    auto& rate = rates->flops[static_cast<size_t>(kind)];
    const auto& roof = rates->flop_roofs[static_cast<size_t>(kind)];
    if (!rate && (roof || pct == 0)) rate = FlopRate{roof ? roof->per_s * pct / 100 : 0, CountedBy::kPipeUse};
    return rate.has_value();
  };
  for (const PipeRecipe& recipe : PipeRecipes()) {
    if (recipe.kind == FlopKind::kCount) continue;
    if (const auto pct = PipePct(values, recipe.pipes)) estimate(recipe.kind, *pct);
  }
  bool counted = false;
  for (const FlopKind kind : {FlopKind::kTensorTf32, FlopKind::kTensorBf16, FlopKind::kTensorFp16}) {
    counted |= rates->flops[static_cast<size_t>(kind)].has_value();
  }
  constexpr double kBusyPct = 1;  // a stray matrix instruction that moves a constant is no arithmetic
  const auto busy_pct = PipePct(values, HalfTensorPipes());
  if (counted || !busy_pct) return;
  if (*busy_pct < kBusyPct) {
    rates->flops[static_cast<size_t>(FlopKind::kTensorBf16)] = FlopRate{0, CountedBy::kPipeUse};
    return;
  }
  const auto kind = TensorKindOf(kernel);
  // Where another kind is nearer to its peak, that one is the kernel's place: an H200's tensor pipe was 2 to 3 % busy
  // in kernels of plain fp32 and fp64 arithmetic.
  rates->tensor_unknown = (!kind || !estimate(*kind, *busy_pct)) && LargestSharePct(*rates) <= *busy_pct;
}

// The busy share of DRAM times its peak, where no bytes were counted.
void EstimateDram(const Values& values, Rates* rates) {
  constexpr auto kDram = static_cast<size_t>(RoofLevel::kDram);
  if (rates->bytes[kDram] || !rates->byte_roofs[kDram]) return;
  for (const std::string_view metric : DramShares()) {
    const auto pct = values.Get(std::string(metric));
    if (!pct) continue;
    rates->bytes[kDram] = ByteRate{rates->byte_roofs[kDram]->per_s * *pct / 100, metric, false};
    return;
  }
}

// Of the device itself; else the only one of its run: the files of a workload number the device in different ways.
std::optional<double> MeasuredValue(const model::Trace& trace, uint32_t device, std::string_view reading_name) {
  const model::StringId id = trace.strings.Find(reading_name);
  if (id == model::kNoString) return std::nullopt;
  const std::string& run = trace.sources[trace.devices[device].source].part_of;
  std::optional<double> other;
  size_t other_count = 0;
  for (const model::Reading& reading : trace.readings) {
    if (reading.name != id || !reading.value || !std::isfinite(*reading.value) || !(*reading.value > 0)) continue;
    if (reading.device == device) return reading.value;
    if (!run.empty() && trace.sources[reading.source].part_of == run) other = reading.value, ++other_count;
  }
  return other_count == 1 ? other : std::nullopt;
}

}  // namespace

RateReader::RateReader(const model::Trace& trace) : trace_(trace), device_roofs_(trace.devices.size()) {
  for (uint32_t device = 0; device < device_roofs_.size(); ++device) FillRoofs(trace, device, &device_roofs_[device]);
}

Rates RateReader::Read(const model::KernelProfile& profile) const {
  const Values values(trace_, profile);
  Rates rates;
  CountFlops(values, &rates);
  CountBytes(values, &rates);
  if (profile.device < device_roofs_.size()) {
    const Rates& roofs = device_roofs_[profile.device];
    for (size_t i = 0; i < kFlopKinds; ++i) {
      if (!rates.flop_roofs[i]) rates.flop_roofs[i] = roofs.flop_roofs[i];
    }
    for (size_t i = 0; i < kRoofLevels; ++i) {
      if (!rates.byte_roofs[i]) rates.byte_roofs[i] = roofs.byte_roofs[i];
    }
  }
  EstimateFromPipes(values, trace_.Text(profile.name), &rates);
  EstimateDram(values, &rates);
  return rates;
}

void FillRoofs(const model::Trace& trace, uint32_t device, Rates* rates) {
  if (device == model::kNone || device >= trace.devices.size()) return;
  for (const MeasuredRoof& measured : MeasuredRoofs()) {
    auto& roof = measured.kind != FlopKind::kCount ? rates->flop_roofs[static_cast<size_t>(measured.kind)]
                                                   : rates->byte_roofs[static_cast<size_t>(measured.level)];
    if (roof) continue;
    if (const auto value = MeasuredValue(trace, device, measured.reading)) roof = Roof{*value * 1e9, measured.source};
  }
  const auto peaks = PeaksOf(trace.devices[device]);
  if (!peaks) return;
  const RoofSource source = peaks->estimated ? RoofSource::kEstimated : RoofSource::kDataSheet;
  const auto fill = [&](FlopKind kind, const std::optional<double>& tflops) {
    auto& roof = rates->flop_roofs[static_cast<size_t>(kind)];
    if (!roof && tflops) roof = Roof{*tflops * 1e12, source};
  };
  fill(FlopKind::kFp64, peaks->fp64_tflops);
  fill(FlopKind::kFp32, peaks->fp32_tflops);
  fill(FlopKind::kTensorFp64, peaks->fp64_tensor_tflops);
  fill(FlopKind::kTensorTf32, peaks->tf32_tflops);
  fill(FlopKind::kTensorBf16, peaks->bf16_tflops);
  fill(FlopKind::kTensorFp16, peaks->fp16_tflops);
  fill(FlopKind::kTensorFp8, peaks->fp8_tflops);
  auto& dram = rates->byte_roofs[static_cast<size_t>(RoofLevel::kDram)];
  if (!dram && peaks->dram_bytes_per_s) dram = Roof{*peaks->dram_bytes_per_s, source};
}

}  // namespace warpscope::analysis
