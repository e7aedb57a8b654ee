#include "rules/whatif/hand_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analysis/interval_set.h"
#include "analysis/kernel_name.h"
#include "analysis/name_pattern.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::kNone;

constexpr double kMostRatio = 100;

struct TargetWord {
  std::string_view word;
  HandTarget target;
};
constexpr TargetWord kTargets[] = {
    {"kernel", HandTarget::kKernel}, {"op", HandTarget::kOperator}, {"copy", HandTarget::kCopy},
    {"host", HandTarget::kHost},     {"call", HandTarget::kCall},   {"wait", HandTarget::kWait},
    {"cause", HandTarget::kCause},
};

Status Wrong(std::string_view flag, std::string_view text, std::string_view why) {
  constexpr size_t kShownBytes = 100;
  return {StatusCode::kInvalidArgument,
          fmt::format("{} {}{}: {}; see: warpscope whatif --help", flag, text.substr(0, kShownBytes),
                      text.size() > kShownBytes ? "..." : "", why)};
}

Result<HandChange> ParseTarget(std::string_view flag, std::string_view text) {
  const size_t colon = text.find(':');
  HandChange change;
  change.text = std::string(text);
  for (const TargetWord& word : kTargets) {
    if (colon == std::string_view::npos || text.substr(0, colon) != word.word) continue;
    change.target = word.target;
    change.pattern = std::string(text.substr(colon + 1));
    if (change.pattern.empty()) return Wrong(flag, text, "nothing stands after the colon");
    if (word.target == HandTarget::kCause) return change;
    if (const auto pattern = analysis::NamePattern::Compile(change.pattern); !pattern.ok())
      return Wrong(flag, text, pattern.status().message());
    return change;
  }
  return Wrong(flag, text, "it begins with kernel:, op:, copy:, host:, call:, wait: or cause:");
}

std::string_view CopyWord(const model::Trace& trace, uint32_t row) {
  if (trace.gpu.kind[row] == model::GpuKind::kMemset) return "memset";
  const model::CopyDetail* copy = trace.Copy(row);
  if (copy == nullptr) return "copy";
  switch (copy->kind) {
    case model::CopyKind::kHostToDevice: return "h2d";
    case model::CopyKind::kDeviceToHost: return "d2h";
    case model::CopyKind::kDeviceToDevice: return "d2d";
    case model::CopyKind::kPeerToPeer: return "p2p";
    case model::CopyKind::kHostToHost: return "h2h";
    case model::CopyKind::kUnknown: break;
  }
  return "copy";
}

// Collects the rows of one change and what they take.
class Trial {
 public:
  Trial(const Context& context, const HandChange& change, const analysis::NamePattern& pattern)
      : context_(context), trace_(context.trace), change_(change), pattern_(pattern) {}

  HandOutcome Run() {
    switch (change_.target) {
      case HandTarget::kKernel:
      case HandTarget::kCopy: Device(); break;
      case HandTarget::kOperator: Operators(); break;
      case HandTarget::kHost:
      case HandTarget::kCall:
      case HandTarget::kWait: Host(); break;
      case HandTarget::kCause: break;
    }
    if (outcome_.rows == 0) return std::move(outcome_);
    const int64_t device_ns = analysis::IntervalSet(device_).length_ns(),
                  host_ns = analysis::IntervalSet(host_).length_ns();
    const int64_t time_ns = std::max(device_ns, host_ns);
    outcome_.time_ms = context_.PerStepMs(time_ns);
    outcome_.predicted = context_.Predict(outcome_.change, outcome_.side);
    outcome_.share_pct = context_.SharePct(time_ns);
    // Recording makes host work longer and leaves device work as it is: that is a larger part of the real step.
    if (device_ns >= host_ns && outcome_.predicted && outcome_.predicted->step_ms_before > 0)
      outcome_.share_pct = std::min(100.0, 100 * *outcome_.time_ms / outcome_.predicted->step_ms_before);
    if (!device_.empty()) outcome_.beside_pct = context_.SharePct(BesideNs());
    if (!change_.overlap) outcome_.most_pct = *outcome_.share_pct * (1 - change_.ratio);
    KeepWithinBound();
    return std::move(outcome_);
  }

 private:
  // What is only made shorter keeps all that waits for it, so no path through the steps loses more than is saved on it,
  // and what lies on one path lies there one after the other (Amdahl 1967). What is gone, or waits no longer, takes its
  // dependencies along: no bound. Of host rows the time as recorded is the bound: without the recorder they take less.
  void KeepWithinBound() {
    const bool shorter = change_.ratio > 0 && change_.ratio < 1 && !change_.overlap;
    if (!shorter || !outcome_.predicted || !(outcome_.predicted->step_ms_before > 0)) return;
    const double rows_ms =
        context_.PerStepMs(analysis::IntervalSet(device_).length_ns() + analysis::IntervalSet(host_).length_ns());
    const double most_pct = 100 * (1 - change_.ratio) * rows_ms / outcome_.predicted->step_ms_before;
    analysis::Prediction& predicted = *outcome_.predicted;
    predicted.high_pct = std::max(predicted.gain_pct, std::min(predicted.high_pct, most_pct));
    outcome_.bound_pct = most_pct;
  }

  // In which other device work runs too: of what is saved there the step has nothing.
  int64_t BesideNs() const {
    std::vector<uint32_t> changed;
    for (const WhatIf::Gpu& edit : outcome_.change.gpu_edits) changed.push_back(edit.row);
    std::sort(changed.begin(), changed.end());
    std::vector<analysis::Interval> others;
    for (const uint32_t row : context_.gpu_rows) {
      if (!std::binary_search(changed.begin(), changed.end(), row))
        others.push_back({trace_.gpu.start_ns[row], trace_.gpu.end_ns(row)});
    }
    return analysis::IntervalSet(device_).IntersectionLength(analysis::IntervalSet(others));
  }

  bool Wants(std::string_view name) const { return pattern_.Find(name); }

  void ChangeGpu(uint32_t row) {
    ++outcome_.rows;
    device_.push_back({trace_.gpu.start_ns[row], trace_.gpu.end_ns(row)});
    if (change_.overlap) outcome_.change.MoveToLane(row, 0);
    else if (change_.ratio == 0) outcome_.change.RemoveGpu(row);
    else outcome_.change.SetGpuDuration(row, Scaled(trace_.gpu.dur_ns[row]));
  }

  void ChangeHost(uint32_t row) {
    ++outcome_.rows;
    outcome_.side = analysis::Side::kHost;
    const int64_t begin_ns = trace_.host.start_ns[row], end_ns = trace_.host.end_ns(row);
    host_.push_back({begin_ns, end_ns});
    if (change_.target == HandTarget::kWait) outcome_.change.DropWait(row);
    else if (change_.target == HandTarget::kCall && change_.ratio == 0) outcome_.change.RemoveCall(row);
    else outcome_.change.ScaleHost(trace_.host.thread[row], begin_ns, end_ns, change_.ratio);
  }

  int64_t Scaled(int64_t dur_ns) const {
    return static_cast<int64_t>(static_cast<double>(dur_ns) * change_.ratio + 0.5);
  }

  void Device() {
    const bool kernels = change_.target == HandTarget::kKernel;
    for (const uint32_t row : context_.gpu_rows) {
      const bool is_kernel =
          trace_.gpu.kind[row] == model::GpuKind::kKernel || trace_.gpu.kind[row] == model::GpuKind::kGraphLaunch;
      if (is_kernel != kernels) continue;
      if (kernels ? Wants(trace_.GpuName(row)) : Wants(CopyWord(trace_, row))) ChangeGpu(row);
    }
    if (kernels && outcome_.rows == 0) DeviceCategory();
  }

  // No kernel is so named, but a kind of kernels is ("gemm"), as `kernels --by category` tells them.
  void DeviceCategory() {
    for (const uint32_t row : context_.gpu_rows) {
      if (trace_.gpu.kind[row] != model::GpuKind::kKernel) continue;
      if (analysis::KernelCategoryName(analysis::ClassifyKernel(trace_.GpuName(row)).category) == change_.pattern)
        ChangeGpu(row);
    }
  }

  // What lies inside a matching row goes with it.
  bool IsOutermost(uint32_t row) const {
    for (uint32_t parent = trace_.host.parent[row]; parent != kNone; parent = trace_.host.parent[parent]) {
      if (IsTarget(parent) && Wants(trace_.HostName(parent))) return false;
    }
    return true;
  }
  bool IsTarget(uint32_t row) const {
    switch (change_.target) {
      case HandTarget::kOperator: return trace_.host.kind[row] == model::HostKind::kOperator;
      case HandTarget::kCall:
      case HandTarget::kWait: return context_.index.is_call(row);
      default: return true;
    }
  }

  bool IsHostRow(uint32_t row) const {
    return context_.InWindow(row) && trace_.HostDomain(row) == context_.rank.link_domain && IsTarget(row) &&
           Wants(trace_.HostName(row)) && IsOutermost(row);
  }

  void Host() {
    for (uint32_t row = 0; row < trace_.host.size(); ++row) {
      if (IsHostRow(row)) ChangeHost(row);
    }
  }

  void Operators() {
    for (const uint32_t row : context_.gpu_rows) {
      const uint32_t call = trace_.gpu.call[row];
      if (call == kNone) continue;
      const uint32_t op = context_.Enclosing(call, [&](uint32_t at) {
        return trace_.host.kind[at] == model::HostKind::kOperator && Wants(trace_.HostName(at));
      });
      if (op != kNone) ChangeGpu(row);
    }
    Host();
  }

  const Context& context_;
  const model::Trace& trace_;
  const HandChange& change_;
  const analysis::NamePattern& pattern_;
  std::vector<analysis::Interval> device_, host_;
  HandOutcome outcome_;
};

Result<HandOutcome> TryCause(const HandChange& change, const std::vector<Finding>& findings) {
  HandOutcome outcome;
  std::string known;
  for (const Finding& finding : findings) {
    if (!finding.change.empty() && known.find(finding.id) == std::string::npos)
      known += (known.empty() ? "" : ", ") + finding.id;
    if (finding.id != change.pattern || finding.change.empty() || outcome.predicted) continue;
    outcome.change = finding.change;
    outcome.predicted = finding.predicted;
    outcome.share_pct = finding.share_pct;
    outcome.side = analysis::Side::kHost;
  }
  if (outcome.change.empty())
    return Status(StatusCode::kNotFound,
                  fmt::format("--drop {}: the verdict names no such cause with a gain; it has: {}", change.text,
                              known.empty() ? "none" : known));
  return outcome;
}

}  // namespace

Result<HandChange> ParseScale(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return Wrong("--scale", text, "it ends with =RATIO, such as kernel:gemm=0.5");
  auto change = ParseTarget("--scale", text.substr(0, equals));
  if (!change.ok()) return change;
  if (change->target == HandTarget::kCause || change->target == HandTarget::kWait)
    return Wrong("--scale", text, "causes and waits can be dropped, not scaled: --drop");
  const std::string_view number = text.substr(equals + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), change->ratio);
  if (error != std::errc() || end != number.data() + number.size() || !(change->ratio >= 0) ||
      change->ratio > kMostRatio)
    return Wrong("--scale", text, "the ratio is a number from 0 to 100: 0.5 is twice as fast");
  change->text = std::string(text);
  return change;
}

Result<HandChange> ParseDrop(std::string_view text) {
  auto change = ParseTarget("--drop", text);
  if (change.ok()) change->ratio = 0;
  return change;
}

Result<HandChange> ParseOverlap(std::string_view text) {
  if (text == "copies") text = "copy:.";
  auto change = ParseTarget("--overlap", text);
  if (!change.ok()) return change;
  if (change->target != HandTarget::kCopy) return Wrong("--overlap", text, "only copies: copies, or copy:h2d");
  change->overlap = true;
  if (change->text == "copy:.") change->text = "copies";
  return change;
}

Result<std::vector<HandOutcome>> TryByHand(const Context& context, const std::vector<HandChange>& changes,
                                           const std::vector<Finding>& findings) {
  std::vector<HandOutcome> outcomes;
  for (const HandChange& change : changes) {
    if (change.target == HandTarget::kCause) {
      auto outcome = TryCause(change, findings);
      if (!outcome.ok()) return outcome.status();
      outcomes.push_back(std::move(outcome).value());
      continue;
    }
    auto pattern = analysis::NamePattern::Compile(change.pattern);
    if (!pattern.ok()) return pattern.status();
    outcomes.push_back(Trial(context, change, *pattern).Run());
  }
  return outcomes;
}

std::optional<analysis::Prediction> TryTogether(const Context& context, const std::vector<HandOutcome>& outcomes) {
  WhatIf all;
  analysis::Side side = analysis::Side::kGpu;
  std::optional<double> most_pct = 0;  // of all, where each has a bound
  for (const HandOutcome& outcome : outcomes) {
    all.Add(outcome.change);
    if (outcome.side == analysis::Side::kHost) side = outcome.side;
    if (most_pct) most_pct = outcome.bound_pct ? std::optional(*most_pct + *outcome.bound_pct) : std::nullopt;
  }
  auto predicted = context.Predict(all, side);
  if (predicted && most_pct)
    predicted->high_pct = std::max(predicted->gain_pct, std::min(predicted->high_pct, *most_pct));
  return predicted;
}

}  // namespace warpscope::rules
