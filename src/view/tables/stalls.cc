// Stall samples: why kernels wait, by kernel, by source line, by instruction.
#include "analysis/stalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/kernels.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::StallCount;
using analysis::StalledKernel;
using analysis::StallPlace;

std::string PlaceText(const model::Trace& trace, const StallPlace& place) {
  if (place.line == 0) return fmt::format("+0x{:x}", place.offset_bytes);
  const std::string_view file = trace.Text(place.file);
  const size_t slash = file.rfind('/');
  return fmt::format("{}:{}", slash == std::string_view::npos ? file : file.substr(slash + 1), place.line);
}

std::string WaitText(const StallCount* count) {
  return count == nullptr ? "" : std::string(analysis::StallText(count->reason));
}
Cell WaitPct(const StallCount* count, uint64_t of) {
  return count == nullptr ? Cell{} : PctOf(static_cast<double>(count->samples), static_cast<double>(of));
}
const StallCount* SecondWait(const std::vector<StallCount>& reasons) {
  bool first = true;
  for (const StallCount& count : reasons) {
    if (!analysis::IsWait(count.reason)) continue;
    if (!first) return &count;
    first = false;
  }
  return nullptr;
}

// Time of each kernel of the timeline that lies in scope, and of all.
struct DeviceTimes {
  std::map<model::StringId, int64_t> of;
  int64_t all_ns = 0;
};
DeviceTimes TimesOf(const Subject& subject) {
  DeviceTimes times;
  for (const analysis::KernelRow& row : analysis::SummarizeKernels(subject.index, subject.device_scope)) {
    times.of[row.name] += row.total_ns;
    times.all_ns += row.total_ns;
  }
  return times;
}

void Describe(const Subject& subject, const std::vector<StalledKernel>& kernels, Table& table) {
  if (kernels.empty()) return;
  uint64_t samples = 0;
  for (const StalledKernel& kernel : kernels) samples += kernel.samples;
  const analysis::StallSampling sampling = analysis::SamplingOf(subject.trace());
  std::string text = fmt::format("{} of {}", Plural(samples, "sample"), Plural(kernels.size(), "kernel"));
  if (sampling.least_period_log2 > 0)
    text += fmt::format(", one of each SM every {} cycles", uint64_t{1} << sampling.least_period_log2);
  if (sampling.dropped > 0) text += fmt::format("; {} more were dropped by the hardware", sampling.dropped);
  table.summary.push_back(text + ".");
}

Table KernelRows(const Subject& subject, const std::vector<StalledKernel>& kernels, const StallsQuery& query) {
  const model::Trace& trace = subject.trace();
  Table table;
  table.name = "stalls";
  table.title = "Why the warps of each kernel wait, most sampled first";
  table.columns = {FullName(),
                   {"kernel", "kernel", Kind::kName},
                   {"samples", "samples", Kind::kCount, 5},
                   {"share_of_samples_pct", "of samples", Kind::kPct, 4},
                   {"total_ns", "time", Kind::kDurationNs, 6},
                   {"share_of_kernels_pct", "of time", Kind::kPct},
                   {"issuing_pct", "issuing", Kind::kPct, 7},
                   {"top_stall", "reason", Kind::kText},
                   {"top_stall_pct", "of it", Kind::kPct},
                   {"top_stall_text", "waits most", Kind::kText, 3},
                   {"second_stall", "second reason", Kind::kText, kDataOnly},
                   {"second_stall_pct", "second", Kind::kPct, kDataOnly},
                   {"hottest_place", "at", Kind::kText},
                   {"hottest_place_pct", "there", Kind::kPct, 8},
                   {"hottest_file", "file", Kind::kName, kDataOnly},
                   {"hottest_line", "line", Kind::kId, kDataOnly},
                   {"hottest_sass", "instruction", Kind::kName, 9}};
  const DeviceTimes times = TimesOf(subject);
  for (const StalledKernel& kernel : kernels) {
    if (!query.wants_kernel(trace.Text(kernel.name))) continue;
    const StallCount* top = kernel.top_wait();
    const StallCount* second = SecondWait(kernel.reasons);
    const StallPlace* place = top == nullptr ? nullptr : kernel.Hottest(top->reason);
    const auto time = times.of.find(kernel.name);
    const bool timed = time != times.of.end();
    table.rows.push_back(
        {NameCell(subject, kernel.name), Text(ShortKernel(trace.Text(kernel.name))), Int(kernel.samples),
         Number(kernel.share_pct), timed ? Int(time->second) : Cell{},
         timed ? PctOf(static_cast<double>(time->second), static_cast<double>(times.all_ns)) : Cell{},
         PctOf(static_cast<double>(kernel.Samples("selected")), static_cast<double>(kernel.samples)),
         top ? Text(top->reason) : Cell{}, WaitPct(top, kernel.samples), Text(WaitText(top)),
         second ? Text(second->reason) : Cell{}, WaitPct(second, kernel.samples),
         place ? Text(PlaceText(trace, *place)) : Cell{},
         place ? PctOf(static_cast<double>(place->samples), static_cast<double>(kernel.samples)) : Cell{},
         place && place->line > 0 ? NameCell(subject, place->file) : Cell{},
         place && place->line > 0 ? Int(place->line) : Cell{}, place ? NameCell(subject, place->sass) : Cell{}});
  }
  table.notes = {
      "of time: the kernel's share of all kernel time on the timeline. of it: the share of the kernel's samples with "
      "that reason; at: the line (or instruction) that has most of them.",
      "A wait for data shows where the data is used first, which may be behind the line that loads it."};
  return table;
}

Table PlaceRows(const Subject& subject, const std::vector<StalledKernel>& kernels, StallsBy by,
                const StallsQuery& query) {
  const model::Trace& trace = subject.trace();
  const bool by_line = by == StallsBy::kLine;
  Table table;
  table.name = by_line ? "stalls.line" : "stalls.instruction";
  table.title = by_line ? "Source lines where warps wait, most sampled first"
                        : "Instructions where warps wait, most "
                          "sampled first";
  table.columns = {FullName(),
                   {"kernel", "kernel", Kind::kName, 3},
                   {"file", "file", Kind::kName, kDataOnly},
                   {"line", "line", Kind::kId, kDataOnly},
                   {"offset", "offset", Kind::kText, by_line ? kDataOnly : 0},
                   {"place", "at", Kind::kText},
                   {"samples", "samples", Kind::kCount, 5},
                   {"share_of_kernel_pct", "of kernel", Kind::kPct},
                   {"share_of_samples_pct", "of samples", Kind::kPct, 6},
                   {"top_stall", "reason", Kind::kText},
                   {"top_stall_pct", "of it", Kind::kPct, 2},
                   {"top_stall_text", "waits most", Kind::kText, 4},
                   {"second_stall", "second reason", Kind::kText, kDataOnly},
                   {"second_stall_pct", "second", Kind::kPct, kDataOnly},
                   {"sass", "instruction", Kind::kName, by_line ? 8 : 1}};
  struct Row {
    const StalledKernel* kernel;
    const StallPlace* place;
  };
  std::vector<Row> rows;
  uint64_t all = 0;
  for (const StalledKernel& kernel : kernels) {
    all += kernel.samples;
    if (!query.wants_kernel(trace.Text(kernel.name))) continue;
    for (const StallPlace& place : by_line ? kernel.lines : kernel.instructions) rows.push_back({&kernel, &place});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.place->samples > b.place->samples; });
  for (const auto& [kernel, place] : rows) {
    const StallCount* top = place->top_wait();
    const StallCount* second = SecondWait(place->reasons);
    table.rows.push_back(
        {NameCell(subject, kernel->name), Text(ShortKernel(trace.Text(kernel->name))),
         place->line > 0 ? NameCell(subject, place->file) : Cell{}, place->line > 0 ? Int(place->line) : Cell{},
         Text(fmt::format("0x{:x}", place->offset_bytes)), place->line > 0 ? Text(PlaceText(trace, *place)) : Cell{},
         Int(place->samples), PctOf(static_cast<double>(place->samples), static_cast<double>(kernel->samples)),
         PctOf(static_cast<double>(place->samples), static_cast<double>(all)), top ? Text(top->reason) : Cell{},
         WaitPct(top, place->samples), Text(WaitText(top)), second ? Text(second->reason) : Cell{},
         WaitPct(second, place->samples), NameCell(subject, place->sass)});
  }
  table.notes = {
      "of it: the share of the line's samples with that reason. A wait for data shows where the data is used "
      "first, which may be behind the line that loads it."};
  if (by_line && table.rows.empty() && !kernels.empty())
    table.empty_text =
        "The machine code carries no source lines. Compile with -lineinfo (nvcc; for PyTorch extensions in "
        "extra_cuda_cflags), or look at: --by instruction.";
  return table;
}

}  // namespace

Table StallTable(const Subject& subject, StallsBy by, const StallsQuery& query) {
  const auto kernels = analysis::SummarizeStalls(subject.trace());
  Table table = by == StallsBy::kKernel ? KernelRows(subject, kernels, query) : PlaceRows(subject, kernels, by, query);
  Describe(subject, kernels, table);
  if (kernels.empty())
    table.empty_text = "No stall reasons were sampled. Record them with: warpscope record --stalls -- PROGRAM";
  return table;
}

}  // namespace warpscope::view
