#include "analysis/roofline.h"

#include <algorithm>
#include <map>

#include "analysis/kernel_profiles.h"
#include "analysis/kernels_in_scope.h"
#include "analysis/profile_join.h"
#include "analysis/roofline_counters.h"

namespace warpscope::analysis {
namespace {

constexpr std::string_view kRecordFlops =
    "the report does not count floating-point instructions; record with ncu --set full, or --section "
    "SpeedOfLight_RooflineChart";
constexpr std::string_view kRecordTensor =
    "the matrix units were busy and the report does not count their operations (sm__ops_path_tensor_*); record with "
    "ncu --set full";

// Time of the timeline's kernels in scope by (name, geometry).
struct KernelTimes {
  std::map<ProfileJoin::Target, std::pair<uint64_t, int64_t>> by_target;  // launches, ns
  int64_t all_ns = 0;
};

KernelTimes TimesOf(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  KernelTimes times;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (!HoldsKernel(scope, trace, row)) continue;
    auto& [count, total_ns] = times.by_target[{trace.gpu.name[row], trace.gpu.detail[row]}];
    ++count;
    total_ns += trace.gpu.dur_ns[row];
    times.all_ns += trace.gpu.dur_ns[row];
  }
  return times;
}

// Compilers load constants with packed half multiply-adds (HFMA2, counted as four operations): so few of them are no
// arithmetic of the program, nor are those beside as many of single precision.
constexpr double kStrayRatio = 0.01;
constexpr double kPackedFlops = 4;

// The kind that comes nearest to its own peak; of kinds without a known peak the busiest. kCount: all are 0.
FlopKind MainKind(const Rates& rates) {
  FlopKind best = FlopKind::kCount;
  std::pair<double, double> most = {0, 0};
  const auto consider = [&](size_t i, double least_share) {
    if (!rates.flops[i] || !(rates.flops[i]->per_s > 0)) return;
    const double share = rates.flop_roofs[i] ? rates.flops[i]->per_s / rates.flop_roofs[i]->per_s : 0;
    const std::pair<double, double> worth = {share, rates.flops[i]->per_s};
    if (worth > most && share >= least_share) most = worth, best = static_cast<FlopKind>(i);
  };
  constexpr auto kHalf = static_cast<size_t>(FlopKind::kFp16);
  for (size_t i = 0; i < kFlopKinds; ++i) {
    if (i != kHalf) consider(i, 0);
  }
  const auto& single = rates.flops[static_cast<size_t>(FlopKind::kFp32)];
  const auto& half = rates.flops[kHalf];
  if (single && half && half->per_s <= kPackedFlops * single->per_s) return best;
  consider(kHalf, best == FlopKind::kCount ? 0 : kStrayRatio);
  return best;
}

// Whether the kinds that were counted allow a word on the kernel: a use of one of them, or none of the common ones.
bool IsCounted(const Rates& rates) {
  return MainKind(rates) != FlopKind::kCount || rates.flops[static_cast<size_t>(FlopKind::kFp32)].has_value();
}

}  // namespace

std::string_view FlopKindName(FlopKind kind) {
  switch (kind) {
    case FlopKind::kFp64: return "fp64";
    case FlopKind::kFp32: return "fp32";
    case FlopKind::kFp16: return "fp16";
    case FlopKind::kTensorFp64: return "tensor-fp64";
    case FlopKind::kTensorTf32: return "tensor-tf32";
    case FlopKind::kTensorFp32: return "tensor-fp32";
    case FlopKind::kTensorBf16: return "tensor-bf16";
    case FlopKind::kTensorFp16: return "tensor-fp16";
    case FlopKind::kTensorFp8: return "tensor-fp8";
    case FlopKind::kTensorInt8: return "tensor-int8";
    case FlopKind::kCount: break;
  }
  return "";
}

std::string_view RoofLevelName(RoofLevel level) {
  switch (level) {
    case RoofLevel::kDram: return "dram";
    case RoofLevel::kL2: return "l2";
    case RoofLevel::kL1: return "l1";
    case RoofLevel::kCount: break;
  }
  return "";
}

std::string_view CountedByName(CountedBy by) {
  switch (by) {
    case CountedBy::kInstructions: return "instructions";
    case CountedBy::kTensorOps: return "tensor operations";
    case CountedBy::kPipeInstructions: return "pipe instructions, at most";
    case CountedBy::kPipeUse: return "pipe use, at most";
    case CountedBy::kShapes: return "shapes";
  }
  return "";
}

std::string_view RoofSourceName(RoofSource source) {
  switch (source) {
    case RoofSource::kReport: return "report";
    case RoofSource::kMeasured: return "benchmark";
    case RoofSource::kDataSheet: return "data sheet";
    case RoofSource::kEstimated: return "estimate";
  }
  return "";
}

// Of the bandwidth. Own choice: sampled counters tell shares of a peak in steps of about a thousandth.
constexpr double kLeastTrafficRatio = 0.001;

PlaceResult PlaceOf(const RooflinePoint& point, RoofLevel level, std::optional<FlopKind> kind) {
  const Rates& rates = point.rates;
  const auto at_level = static_cast<size_t>(level);
  if (!kind && !IsCounted(rates))
    return {std::nullopt, std::string(rates.tensor_unknown ? kRecordTensor : kRecordFlops)};
  const FlopKind main = kind.value_or(MainKind(rates));
  if (rates.tensor_unknown && !kind) return {std::nullopt, std::string(kRecordTensor)};
  if (kind && !rates.flops[static_cast<size_t>(*kind)])
    return {std::nullopt, "the report does not count " + std::string(FlopKindName(*kind)) + " arithmetic"};
  if (!rates.bytes[at_level])
    return {std::nullopt, "bytes at " + std::string(RoofLevelName(level)) +
                              " are not in the data; record with ncu --set full, or choose another --level"};
  RooflinePlace place;
  place.level = level;
  place.bytes_per_s = rates.bytes[at_level]->per_s;
  // No arithmetic at all has no kind; its roof of arithmetic does not matter.
  place.kind = main == FlopKind::kCount ? FlopKind::kFp32 : main;
  const auto at_kind = static_cast<size_t>(place.kind);
  place.flops_per_s = rates.flops[at_kind] ? rates.flops[at_kind]->per_s : 0;
  if (place.flops_per_s == 0 && place.bytes_per_s == 0)
    return {std::nullopt, "no arithmetic, and no bytes at " + std::string(RoofLevelName(level))};
  const auto& peak = rates.flop_roofs[at_kind];
  const auto& bandwidth = rates.byte_roofs[at_level];
  // Next to no traffic is none: what a neighbour or the counter itself moves would set the intensity.
  const bool traffic = !bandwidth || place.bytes_per_s >= kLeastTrafficRatio * bandwidth->per_s;
  if (place.bytes_per_s > 0 && traffic) place.intensity = place.flops_per_s / place.bytes_per_s;
  if (peak && bandwidth) place.ridge = peak->per_s / bandwidth->per_s;
  if (place.flops_per_s == 0) place.memory_side = true;
  else if (!place.intensity) place.memory_side = false;
  else if (place.ridge) place.memory_side = *place.intensity < *place.ridge;
  // Fewer FLOP would lie further left, perhaps on the other side. Matrix units do nothing but arithmetic.
  const bool is_bound = rates.flops[at_kind] && rates.flops[at_kind]->at_most() && place.kind <= FlopKind::kFp16;
  if (is_bound && place.memory_side == false) place.memory_side.reset();
  if (!place.memory_side) return {place, ""};
  if (*place.memory_side && bandwidth) {
    place.roof_pct = 100 * place.bytes_per_s / bandwidth->per_s;
    place.roof_flops_per_s = place.intensity.value_or(0) * bandwidth->per_s;
  } else if (!*place.memory_side && peak) {
    place.roof_pct = 100 * place.flops_per_s / peak->per_s;
    place.roof_flops_per_s = peak->per_s;
  }
  return {place, ""};
}

Roofline RooflineOfCounters(const Index& index, const Scope& scope) {
  const model::Trace& trace = index.trace();
  const auto groups = GroupProfiles(trace, GroupBy::kNameAndGeometry);
  const RateReader reader(trace);
  Roofline roofline;
  roofline.timeline_weights = trace.gpu.size() > 0;
  KernelTimes times;
  ProfileJoin join;
  if (roofline.timeline_weights) times = TimesOf(index, scope), join = JoinProfiles(trace, groups);
  int64_t covered_ns = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    const model::KernelProfile& profile = trace.kernel_profiles[groups[i].typical];
    RooflinePoint point;
    point.name = profile.name;
    point.config = profile.config;
    point.device = profile.device;
    point.rates = reader.Read(profile);
    point.duration_ns = static_cast<double>(profile.dur_ns.value_or(0));
    point.launch_count = groups[i].profiles.size();
    point.total_ns = groups[i].total_ns;
    point.share_pct = groups[i].share_pct;
    if (roofline.timeline_weights) {
      point.launch_count = 0, point.total_ns = 0;
      point.share_pct.reset();
      for (const auto& target : join.targets[i]) {
        const auto it = times.by_target.find(target);
        if (it == times.by_target.end()) continue;
        point.launch_count += it->second.first;
        point.total_ns += it->second.second;
      }
      covered_ns += point.total_ns;
      if (point.launch_count > 0 && times.all_ns > 0)
        point.share_pct = 100.0 * static_cast<double>(point.total_ns) / static_cast<double>(times.all_ns);
    }
    roofline.points.push_back(std::move(point));
  }
  if (roofline.timeline_weights && times.all_ns > 0)
    roofline.covered_pct = 100.0 * static_cast<double>(covered_ns) / static_cast<double>(times.all_ns);
  std::stable_sort(roofline.points.begin(), roofline.points.end(),
                   [](const RooflinePoint& a, const RooflinePoint& b) { return a.total_ns > b.total_ns; });
  return roofline;
}

}  // namespace warpscope::analysis
