#include "analysis/diff/causes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/diff/change_kind.h"
#include "analysis/diff/pair.h"

namespace warpscope::analysis {
namespace {

constexpr double kLeastStepPct = 0.5;  // of the step: smaller causes are summed
constexpr double kLeastDiffPct = 2;    // of the difference, likewise
constexpr double kLargeStepPct = 2;    // named even where the steps' spread could explain it
constexpr size_t kMostNamed = 200;
constexpr size_t kNamesKept = 3;

struct Half {  // one side of a cause
  std::vector<double> step_ns;
  double count = 0;
  std::map<std::string, double> names;  // time by kernel or subject
  void Add(const std::vector<int64_t>& cells) {
    step_ns.resize(cells.size());
    for (size_t i = 0; i < cells.size(); ++i) step_ns[i] += static_cast<double>(cells[i]);
  }
};

struct Sum {
  Cause cause;
  Half a, b;
  std::map<std::string, double> subjects;  // weight by |difference|
};

double MeanMs(const std::vector<double>& step_ns, const std::vector<uint32_t>& use) {
  double total = 0;
  if (step_ns.empty() || use.empty()) return 0;
  for (const uint32_t step : use) total += step_ns[step];
  return total / static_cast<double>(use.size()) / 1e6;
}

double MeanMs(const std::vector<int64_t>& step_ns, const std::vector<uint32_t>& use) {
  return MeanMs(std::vector<double>(step_ns.begin(), step_ns.end()), use);
}

std::vector<std::string> Largest(const std::map<std::string, double>& weights) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, weight] : weights) {
    if (weight > 0 && !name.empty()) order.emplace_back(-weight, name);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min(order.size(), kNamesKept); ++i) out.push_back(order[i].second);
  return out;
}

class Finder {
 public:
  explicit Finder(const CauseInputs& in) : in_(in), a_(*in.a), b_(*in.b), words_(*in.words) {}

  CauseList Run() {
    Kernels();
    Moves(a_, true), Moves(b_, false);
    Idles(a_, true), Idles(b_, false);
    ChargeBlockingCalls();
    Parts();
    List();
    return std::move(out_);
  }

 private:
  // Causes of one kind, detail and subject are one.
  Sum& At(CauseKind kind, const std::string& detail, const std::string& key) {
    Sum& sum = sums_[{static_cast<uint8_t>(kind), detail, key}];
    sum.cause.kind = kind;
    sum.cause.detail = detail;
    return sum;
  }

  double UsedMs(const std::vector<uint32_t>& rows, const StepParts& parts, const std::vector<uint32_t>& use) const {
    double total = 0;
    for (const uint32_t row : rows) total += MeanMs(parts.works[row].step_ns, use);
    return total;
  }

  void Kernels() {
    const std::vector<WorkPair> pairs = PairWorks(a_, b_);
    std::vector<PairChange> changes;
    std::vector<RatioWeight> ratios;
    double all_ms = 0, paired_a = 0, paired_b = 0, total_a = 0, total_b = 0;
    for (const WorkPair& pair : pairs) {
      changes.push_back(ChangeOf(pair, a_, b_, words_));
      const double a_ms = UsedMs(pair.a, a_, in_.use_a), b_ms = UsedMs(pair.b, b_, in_.use_b);
      total_a += a_ms, total_b += b_ms;
      if (!pair.a.empty() && !pair.b.empty()) paired_a += a_ms, paired_b += b_ms;
      all_ms += a_ms;
      if (changes.back().kind == CauseKind::kKernelSpeed) ratios.push_back({changes.back().ratio, a_ms});
    }
    if (total_a > 0) out_.paired_a_pct = 100 * paired_a / total_a;
    if (total_b > 0) out_.paired_b_pct = 100 * paired_b / total_b;
    const double common = CommonRatio(std::move(ratios), all_ms);
    for (size_t i = 0; i < pairs.size(); ++i) AddPair(pairs[i], changes[i], common);
  }

  void AddPair(const WorkPair& pair, PairChange change, double common) {
    if (change.kind == CauseKind::kKernelSpeed && IsNear(change.ratio, common)) change.kind = CauseKind::kDeviceSpeed;
    // Many operators that changed in one way are one cause; what has a cause of its own is told apart.
    const bool merged = change.kind == CauseKind::kPrecision || change.kind == CauseKind::kDeviceSpeed ||
                        change.kind == CauseKind::kNewKernels || change.kind == CauseKind::kVanishedKernels;
    Sum& sum = At(change.kind, change.detail, merged ? std::string() : change.subject + KernelKey(pair, change));
    AddWorks(pair.a, a_, &sum.a), AddWorks(pair.b, b_, &sum.b);
    sum.subjects[change.subject] += std::abs(UsedMs(pair.b, b_, in_.use_b) - UsedMs(pair.a, a_, in_.use_a));
  }

  // One operator runs several kernels: each that changed on its own is a cause of its own.
  std::string KernelKey(const WorkPair& pair, const PairChange& change) const {
    if (change.kind != CauseKind::kKernelSpeed && change.kind != CauseKind::kKernelCount) return {};
    return "\n" + std::string(words_.Text(a_.works[pair.a.front()].name));
  }

  void AddWorks(const std::vector<uint32_t>& rows, const StepParts& parts, Half* half) const {
    for (const uint32_t row : rows) {
      const Work& work = parts.works[row];
      half->Add(work.step_ns);
      half->count += static_cast<double>(work.count) / parts.totals_of;
      half->names[ShortKernelName(words_.Text(work.name))] += static_cast<double>(work.own_ns) / parts.totals_of;
    }
  }

  // Copies by direction and memory; fills.
  void Moves(const StepParts& parts, bool is_a) {
    for (const Work& work : parts.works) {
      if (work.kind != WorkKind::kCopy && work.kind != WorkKind::kMemset) continue;
      const std::string name(words_.Text(work.name));
      Sum& sum = work.kind == WorkKind::kCopy ? At(CauseKind::kCopy, name, name) : At(CauseKind::kFill, "", "");
      Half& half = is_a ? sum.a : sum.b;
      half.Add(work.step_ns);
      half.count += static_cast<double>(work.count) / parts.totals_of;
      if (work.place.op != 0) sum.subjects[std::string(words_.Text(work.place.op))] += static_cast<double>(work.own_ns);
    }
  }

  void Idles(const StepParts& parts, bool is_a) {
    for (const IdleWork& idle : parts.idles) {
      Sum& sum = At(CauseKind::kIdle, std::string(IdleKindName(idle.kind)), "");
      Half& half = is_a ? sum.a : sum.b;
      half.Add(idle.step_ns);
      double total = 0;
      for (const int64_t ns : idle.step_ns) total += static_cast<double>(ns);
      half.names[std::string(words_.Text(idle.subject))] += total / parts.counted;
    }
    const bool host = in_.host_a && in_.host_b;
    Sum& rest = At(CauseKind::kIdle, host ? "other" : "not_recorded", "");
    (is_a ? rest.a : rest.b).Add(parts.rest_ns);
  }

  // A CPU that waits for the GPU cannot run ahead afterwards: each launch then shows as idle time, though launching
  // itself is as before. So where blocking calls became many more (or fewer), the part of the launches' idle time that
  // their number does not explain goes to the blocking calls.
  void ChargeBlockingCalls() {
    constexpr double kTimes = 2, kLeastCalls = 2;
    const auto per_step = [](uint64_t count, const StepParts& parts) {
      return static_cast<double>(count) / std::max<uint32_t>(parts.totals_of, 1);
    };
    const double waits_a = per_step(a_.waits, a_), waits_b = per_step(b_.waits, b_);
    const double frees_a = per_step(a_.frees, a_), frees_b = per_step(b_.frees, b_);
    const bool by_frees = std::abs(frees_b - frees_a) > std::abs(waits_b - waits_a);
    const double calls_a = by_frees ? frees_a : waits_a, calls_b = by_frees ? frees_b : waits_b;
    const double launches_a = per_step(a_.launches, a_), launches_b = per_step(b_.launches, b_);
    if (std::max(calls_a, calls_b) < kTimes * std::min(calls_a, calls_b)) return;
    if (std::abs(calls_b - calls_a) < kLeastCalls || launches_a <= 0 || launches_b <= 0) return;
    Sum& launches = At(CauseKind::kIdle, std::string(IdleKindName(IdleKind::kLaunches)), "");
    const double ms_a = MeanMs(launches.a.step_ns, in_.use_a), ms_b = MeanMs(launches.b.step_ns, in_.use_b);
    // As if the side with fewer blocking calls had launched as often as the other.
    const bool from_a = calls_a > calls_b;
    const double ms_with = from_a ? ms_a : ms_b;
    const double ms_without = from_a ? ms_b * launches_a / launches_b : ms_a * launches_b / launches_a;
    if (ms_with <= ms_without) return;
    const IdleKind kind = by_frees ? IdleKind::kAllocation : IdleKind::kSync;
    Sum& blocking = At(CauseKind::kIdle, std::string(IdleKindName(kind)), "");
    Half& from = from_a ? launches.a : launches.b;
    Half& to = from_a ? blocking.a : blocking.b;
    const double share = 1 - ms_without / ms_with;
    to.step_ns.resize(from.step_ns.size());
    for (size_t i = 0; i < from.step_ns.size(); ++i) {
      to.step_ns[i] += share * from.step_ns[i];
      from.step_ns[i] -= share * from.step_ns[i];
    }
  }

  void Parts() {
    std::map<std::string, PartChange> parts;
    constexpr std::array<const char*, 4> kNames = {"kernels", "communication", "copies", "fills"};
    const auto side = [&](const StepParts& of, const std::vector<uint32_t>& use, double PartChange::*ms) {
      for (const Work& work : of.works) parts[kNames[static_cast<size_t>(work.kind)]].*ms += MeanMs(work.step_ns, use);
      for (const IdleWork& idle : of.idles)
        parts["idle_" + std::string(IdleKindName(idle.kind))].*ms += MeanMs(idle.step_ns, use);
      parts["idle_other"].*ms += MeanMs(of.rest_ns, use);
    };
    side(a_, in_.use_a, &PartChange::a_ms), side(b_, in_.use_b, &PartChange::b_ms);
    for (auto& [name, part] : parts) {
      part.name = name;
      if (part.a_ms != 0 || part.b_ms != 0) out_.parts.push_back(part);
    }
    const auto idle = [](const PartChange& part) { return part.name.starts_with("idle_"); };
    std::stable_sort(out_.parts.begin(), out_.parts.end(), [&](const PartChange& x, const PartChange& y) {
      if (idle(x) != idle(y)) return idle(y);
      return std::max(x.a_ms, x.b_ms) > std::max(y.a_ms, y.b_ms);
    });
  }

  void List() {
    double step_a_ms = MeanMs(a_.length_ns, in_.use_a);
    for (auto& [key, sum] : sums_) {
      Cause cause = std::move(sum.cause);
      sum.a.step_ns.resize(a_.counted), sum.b.step_ns.resize(b_.counted);
      cause.a_ms = MeanMs(sum.a.step_ns, in_.use_a), cause.b_ms = MeanMs(sum.b.step_ns, in_.use_b);
      cause.diff_ms = cause.b_ms - cause.a_ms;
      if (cause.a_ms == 0 && cause.b_ms == 0) continue;
      cause.count_a = sum.a.count, cause.count_b = sum.b.count;
      cause.names_a = Largest(sum.a.names), cause.names_b = Largest(sum.b.names);
      const std::vector<std::string> subjects = Largest(sum.subjects);
      if (!subjects.empty()) cause.subject = subjects.front();
      // As many tests as there are causes: each gets its share of the 5 % (Bonferroni).
      const double confidence = 100 - 5.0 / static_cast<double>(sums_.size());
      cause.interval_ms = ShiftBetween(CellsMs(sum.a.step_ns), CellsMs(sum.b.step_ns), confidence);
      if (cause.interval_ms) {
        cause.interval_ms->low = std::min(cause.interval_ms->low, cause.diff_ms);
        cause.interval_ms->high = std::max(cause.interval_ms->high, cause.diff_ms);
      }
      const double size = 100 * std::abs(cause.diff_ms);
      const bool large = size >= kLeastStepPct * step_a_ms && size >= kLeastDiffPct * std::abs(in_.step_diff_ms);
      cause.beyond_noise = cause.interval_ms ? cause.interval_ms->low > 0 || cause.interval_ms->high < 0 : large;
      cause.named = large && (cause.beyond_noise || size >= kLargeStepPct * step_a_ms);
      out_.causes.push_back(std::move(cause));
    }
    Order();
    FoldSmall();
  }

  // Where the middle step is compared, one disturbed step widens no cause either.
  std::vector<double> CellsMs(std::vector<double> ns) const {
    for (double& value : ns) value /= 1e6;
    if (!in_.of_middle) return ns;
    const Range near = NearRange(ns);
    for (double& value : ns) value = std::clamp(value, near.low, near.high);
    return ns;
  }

  // What goes with the difference first, then what goes against it; largest first.
  void Order() {
    const double way = in_.step_diff_ms < 0 ? -1 : 1;
    std::stable_sort(out_.causes.begin(), out_.causes.end(), [&](const Cause& x, const Cause& y) {
      if (x.named != y.named) return x.named;
      const bool with_x = x.diff_ms * way > 0, with_y = y.diff_ms * way > 0;
      if (with_x != with_y) return with_x;
      return std::abs(x.diff_ms) > std::abs(y.diff_ms);
    });
  }

  void FoldSmall() {
    Cause other;
    size_t kept = 0;
    for (Cause& cause : out_.causes) {
      if (cause.named && kept < kMostNamed) {
        if (&out_.causes[kept] != &cause) out_.causes[kept] = std::move(cause);
        ++kept;
        continue;
      }
      ++out_.unnamed;
      other.a_ms += cause.a_ms, other.b_ms += cause.b_ms;
      other.diff_ms += cause.diff_ms;
      other.count_a += cause.count_a, other.count_b += cause.count_b;
    }
    out_.causes.resize(kept);
    if (out_.unnamed > 0) out_.causes.push_back(std::move(other));
  }

  const CauseInputs& in_;
  const StepParts& a_;
  const StepParts& b_;
  const Words& words_;
  std::map<std::tuple<uint8_t, std::string, std::string>, Sum> sums_;
  CauseList out_;
};

}  // namespace

std::string_view CauseKindName(CauseKind kind) {
  constexpr std::array<std::string_view, static_cast<size_t>(CauseKind::kCount)> kNames = {
      "precision",   "algorithm",        "fusion", "shapes", "kernel_speed",  "kernel_count", "device_speed",
      "new_kernels", "vanished_kernels", "copy",   "fill",   "communication", "idle",         "other"};
  return kNames[static_cast<size_t>(kind)];
}

CauseList FindCauses(const CauseInputs& inputs) { return Finder(inputs).Run(); }

}  // namespace warpscope::analysis
