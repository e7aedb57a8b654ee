// What tables of totals alone show.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/kernel_name.h"
#include "rules/measurements/measurements.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using model::SummaryKind;
using model::SummaryRow;

constexpr size_t kKinds = 8;
constexpr size_t kLongNameChars = 80;
constexpr std::array<const char*, kKinds> kWords = {"kernels",     "copies",      "operators",              "API calls",
                                                    "collectives", "annotations", "operating-system calls", "parts of steps"};

bool OfDevice(SummaryKind kind) {
  return kind == SummaryKind::kKernel || kind == SummaryKind::kCopy || kind == SummaryKind::kCollective;
}

std::string TotalMs(int64_t ns) { return Ms(static_cast<double>(ns) / 1e6); }

// Device work says what the program is made of; totals of host calls are mostly waiting, and operators hold each other.
const SummaryRow* Largest(const std::vector<SummaryRow>& rows, bool of_device) {
  const SummaryRow* largest = nullptr;
  for (const SummaryRow& row : rows) {
    if (!row.total_ns || (of_device && !OfDevice(row.kind))) continue;
    if (largest == nullptr || *row.total_ns > *largest->total_ns) largest = &row;
  }
  return largest;
}

}  // namespace

bool JudgeSummaries(const model::Trace& trace, const std::string&, Verdict& verdict) {
  if (trace.summaries.empty()) return false;
  std::array<double, kKinds> total_ms{};
  for (const SummaryRow& row : trace.summaries)
    total_ms[static_cast<size_t>(row.kind)] += static_cast<double>(row.total_ns.value_or(0)) / 1e6;
  double device_ms = 0;
  for (const SummaryKind kind : {SummaryKind::kKernel, SummaryKind::kCopy, SummaryKind::kCollective})
    device_ms += total_ms[static_cast<size_t>(kind)];
  bool graphs = false;
  for (const SummaryRow& row : trace.summaries)
    graphs |= row.kind == SummaryKind::kApiCall && trace.Text(row.name).find("GraphLaunch") != std::string_view::npos;
  verdict.answer = "The file holds totals only";
  const SummaryRow* largest = Largest(trace.summaries, device_ms > 0);
  if (largest != nullptr) {
    const std::string_view name = trace.Text(largest->name);
    verdict.answer += fmt::format("; the largest is {} with {}",
                                  largest->kind == SummaryKind::kKernel && name.size() > kLongNameChars
                                      ? analysis::ShortKernelName(name)
                                      : std::string(name),
                                  TotalMs(*largest->total_ns));
    if (device_ms > 0)
      verdict.answer += fmt::format(" ({} of the device's work)", Pct(100 * static_cast<double>(*largest->total_ns) / 1e6 / device_ms));
  }
  verdict.answer += ".";
  std::string parts;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (total_ms[kind] > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", kWords[kind], Ms(total_ms[kind]));
  }
  if (!parts.empty()) verdict.notes.push_back("Together: " + parts + ".");
  const double copies_ms = total_ms[static_cast<size_t>(SummaryKind::kCopy)];
  const double kernels_ms = total_ms[static_cast<size_t>(SummaryKind::kKernel)];
  if (copies_ms > kernels_ms && kernels_ms > 0)
    verdict.notes.push_back("Copies take longer than kernels: whether they overlap them, only a timeline tells.");
  if (graphs)
    verdict.notes.push_back("Graphs were launched: kernels inside them are in these totals only if they were recorded one by one.");
  verdict.notes.push_back("Totals do not say what waits for what, so no gain is predicted: give the recording itself.");
  return true;
}

}  // namespace warpscope::rules
