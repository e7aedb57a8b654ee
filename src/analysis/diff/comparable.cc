#include "analysis/diff/comparable.h"

#include <algorithm>
#include <cmath>

namespace warpscope::analysis {
namespace {

// Alone enough to refuse; enough with another; a remark.
constexpr uint32_t kRefuses = 60, kSevere = 40, kHeavy = 30, kModerate = 20, kLight = 10;

std::string Counted(size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

class Judge {
 public:
  Judge(const RunSide& a, const RunSide& b, const std::string& name_a, const std::string& name_b)
      : a_(a), b_(b), name_a_(name_a), name_b_(name_b) {}

  std::vector<Objection> Run() {
    if (!HasWork(a_, name_a_) || !HasWork(b_, name_b_)) return std::move(out_);
    Devices();
    StepsFound();
    WorkOfAStep();
    Losses(a_, name_a_);
    Losses(b_, name_b_);
    std::stable_sort(out_.begin(), out_.end(),
                     [](const Objection& x, const Objection& y) { return x.weight > y.weight; });
    return std::move(out_);
  }

 private:
  void Add(uint32_t weight, std::string text) { out_.push_back({std::move(text), weight}); }

  bool HasWork(const RunSide& side, const std::string& name) {
    if (side.parts.counted > 0) return true;
    Add(100, side.has_timeline ? name + " holds no device work" : name + " holds no timeline of device work");
    return false;
  }

  void Devices() {
    if (a_.devices != b_.devices)
      Add(kRefuses, name_a_ + " ran on " + Counted(a_.devices, "device") + ", " + name_b_ + " on " +
                        Counted(b_.devices, "device"));
    else if (a_.ranks != b_.ranks)
      Add(kRefuses, name_a_ + " holds " + Counted(a_.ranks, "rank") + ", " + name_b_ + " " + Counted(b_.ranks, "rank"));
  }

  static bool HasSteps(const RunSide& side) { return side.source != StepSource::kWholeWindow; }

  void StepsFound() {
    if (HasSteps(a_) != HasSteps(b_)) {
      Add(kRefuses, "the steps of " + (HasSteps(a_) ? name_a_ : name_b_) + " were found, those of " +
                        (HasSteps(a_) ? name_b_ : name_a_) + " not: one step would be held against a whole recording");
      return;
    }
    if (!HasSteps(a_))
      Add(kModerate, "nothing repeats in either recording: each counts as one step, so no spread is known");
    else if (a_.source != b_.source)
      Add(kLight, "the steps were found in different ways (marks of the program, order of kernels)");
    constexpr uint32_t kFew = 3;
    const uint32_t fewest = std::min(a_.counted(), b_.counted());
    if (HasSteps(a_) && fewest < kFew)
      Add(fewest < 2 ? kSevere : kHeavy,
          "only " + Counted(fewest, "step") + " counted on one side; record at least 10");
    WarmUp(a_, name_a_, b_, name_b_);
    WarmUp(b_, name_b_, a_, name_a_);
  }

  static std::string_view FormatOf(const RunSide& side) {
    for (const Fact& fact : side.facts) {
      if (fact.subject == "recording" && fact.name == "format") return fact.value;
    }
    return "";
  }

  // A recording that ended early holds what the other one left out: its steps are longer, but only early. From half of
  // the counted steps on these decide the middle one. Warming up makes no step shorter, so a side that is no slower is
  // none. Recorders may start at different places of a program: where they differ, all of the steps refuse nothing.
  void WarmUp(const RunSide& side, const std::string& name, const RunSide& other, const std::string& other_name) {
    if (!HasSteps(side) || side.warmup >= other.warmup || side.counted() == 0) return;
    const uint32_t early = std::min(other.warmup - side.warmup, side.counted());
    if (2 * early < side.counted() || MedianOf(side.step_ms) <= MedianOf(other.step_ms)) return;
    const bool all = early == side.counted() && FormatOf(side) == FormatOf(other);
    Add(all ? kRefuses : kSevere, Counted(early, "step") + " of the " + std::to_string(side.counted()) +
                                      " counted in " + name + " may be warm-up: " + other_name +
                                      " left out its first " + std::to_string(other.warmup));
  }

  // Steps that hold several times as many kernels and as much time are no like steps: another loop was found.
  void WorkOfAStep() {
    const double a = static_cast<double>(a_.parts.kernels) / a_.parts.totals_of;
    const double b = static_cast<double>(b_.parts.kernels) / b_.parts.totals_of;
    if (a <= 0 || b <= 0) return;
    const double ratio = std::max(a, b) / std::min(a, b);
    const double whole = std::round(ratio);
    const auto Total = [](const RunSide& side) {
      double own_ns = 0;
      for (const Work& work : side.parts.works) own_ns += static_cast<double>(work.own_ns);
      return own_ns / side.parts.totals_of;
    };
    const double times = std::max(Total(a_), 1.0) / std::max(Total(b_), 1.0);
    const double time_ratio = std::max(times, 1 / times);
    // As many times the kernels as the time, and a whole number of both: a step of one is several of the other.
    const bool several =
        whole >= 2 && std::abs(ratio - whole) < 0.1 * whole && std::abs(time_ratio - ratio) < 0.2 * ratio;
    const bool marked = a_.source == b_.source && a_.source == StepSource::kProfilerStep;
    if (several && !marked)
      Add(kRefuses, "a step of one side holds " + std::to_string(static_cast<int>(whole)) +
                        " times the work of the other's: the steps are not alike");
  }

  void Losses(const RunSide& side, const std::string& name) {
    for (const Objection& loss : side.losses) Add(loss.weight, name + ": " + loss.text);
  }

  const RunSide& a_;
  const RunSide& b_;
  const std::string& name_a_;
  const std::string& name_b_;
  std::vector<Objection> out_;
};

}  // namespace

std::vector<Objection> Objections(const RunSide& a, const RunSide& b, const std::string& name_a,
                                  const std::string& name_b) {
  return Judge(a, b, name_a, name_b).Run();
}

std::vector<Objection> LossesOf(const model::Trace& trace) {
  using model::LedgerCode;
  std::vector<Objection> losses;
  const double rows = std::max<double>(1, trace.gpu.size());
  const auto lost = [&](LedgerCode code, const char* what) {
    const auto count = static_cast<double>(trace.ledger.Count(code));
    constexpr double kMuch = 0.05;
    if (count > 0) losses.push_back({what, count / rows > kMuch ? kHeavy : kLight});
  };
  if (trace.ledger.Count(LedgerCode::kTruncatedFile) > 0)
    losses.push_back({"cut off: its file ends in the middle of a record", kModerate});
  if (trace.ledger.Count(LedgerCode::kFailedFile) > 0) losses.push_back({"files could not be read", kModerate});
  lost(LedgerCode::kLostRecord, "records were lost while recording");
  lost(LedgerCode::kUntimedRecord, "device records have no time");
  lost(LedgerCode::kGraphUnderRecorded, "graph launches have no kernel records");
  lost(LedgerCode::kBrokenRecord, "broken records were dropped");
  lost(LedgerCode::kNegativeDuration, "records that end before they start were dropped");
  return losses;
}

}  // namespace warpscope::analysis
