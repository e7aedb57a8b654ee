#include "view/verdict_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "view/format.h"

namespace warpscope::view {

std::string_view LayerName(rules::Layer layer) {
  switch (layer) {
    case rules::Layer::kApplication: return "application";
    case rules::Layer::kFramework: return "framework";
    case rules::Layer::kDriver: return "driver";
    case rules::Layer::kKernel: return "kernel";
  }
  return "";
}

std::string_view DimensionName(rules::Dimension dimension) {
  switch (dimension) {
    case rules::Dimension::kCompute: return "compute";
    case rules::Dimension::kMemory: return "memory";
    case rules::Dimension::kLatency: return "latency";
    case rules::Dimension::kHardware: return "hardware";
  }
  return "";
}

std::string_view ConfidenceName(rules::Confidence confidence) {
  switch (confidence) {
    case rules::Confidence::kHigh: return "high";
    case rules::Confidence::kMedium: return "medium";
    case rules::Confidence::kLow: return "low";
  }
  return "";
}

namespace {

// Index of the finding that explains `index`; its own index if none does. Chains are followed to their end, and a
// circle (which no engine should make) ends where it is noticed.
size_t RootCause(const rules::Verdict& verdict, size_t index) {
  size_t at = index;
  for (size_t hops = 0; hops <= verdict.findings.size(); ++hops) {
    const std::string& cause = verdict.findings[at].caused_by;
    if (cause.empty()) return at;
    const auto found = std::find_if(verdict.findings.begin(), verdict.findings.end(),
                                    [&](const rules::Finding& finding) { return finding.id == cause; });
    if (found == verdict.findings.end()) return at;
    const auto next = static_cast<size_t>(found - verdict.findings.begin());
    if (next == at) return at;
    at = next;
  }
  return index;
}

// "-36", "+3", "0": a change of the step time, so a gain is negative.
std::string ChangeText(double gain_pct) {
  const double change = -gain_pct;
  if (std::fabs(change) < 0.05) return "0";
  if (std::fabs(change) < 9.95) return fmt::format("{:+.1f}", change);
  return fmt::format("{:+.0f}", change);
}

}  // namespace

std::vector<size_t> StandingFindings(const rules::Verdict& verdict) {
  std::vector<size_t> standing;
  for (size_t i = 0; i < verdict.findings.size(); ++i) {
    if (RootCause(verdict, i) == i) standing.push_back(i);
  }
  return standing;
}

std::vector<size_t> SymptomsOf(const rules::Verdict& verdict, size_t cause) {
  std::vector<size_t> symptoms;
  for (size_t i = 0; i < verdict.findings.size(); ++i) {
    if (i != cause && RootCause(verdict, i) == cause) symptoms.push_back(i);
  }
  return symptoms;
}

std::string PredictionText(const analysis::Prediction& prediction, std::string_view arrow) {
  std::string text =
      fmt::format("{} {} {} a step", FormatMs(prediction.step_ms_before), arrow, FormatMs(prediction.step_ms_after));
  const std::string point = ChangeText(prediction.gain_pct);
  const std::string small = ChangeText(prediction.low_pct), large = ChangeText(prediction.high_pct);
  if (small == large) return fmt::format("{} ({} %)", text, point);
  return fmt::format("{} ({} %, between {} and {} %)", text, point, small, large);
}

}  // namespace warpscope::view
