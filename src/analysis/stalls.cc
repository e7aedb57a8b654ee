#include "analysis/stalls.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace warpscope::analysis {
namespace {

using Counts = std::map<std::string_view, uint64_t>;

std::vector<StallCount> Sorted(const Counts& counts) {
  std::vector<StallCount> sorted;
  for (const auto& [reason, samples] : counts) sorted.push_back({reason, samples});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const StallCount& a, const StallCount& b) { return a.samples > b.samples; });
  return sorted;
}

const StallCount* TopWait(const std::vector<StallCount>& reasons) {
  for (const StallCount& count : reasons) {
    if (IsWait(count.reason)) return &count;
  }
  return nullptr;
}

// Equal code of one name is one kernel, also over processes; code without a checksum has its name alone.
using InstructionKey = std::tuple<uint64_t, uint64_t>;  // code, offset
using LineKey = std::pair<model::StringId, uint32_t>;

struct Place {
  StallPlace place;
  Counts counts;
  uint64_t hottest = 0;  // samples of the instruction that stands for the line
};

std::vector<StallPlace> Places(std::vector<Place>& places) {
  std::vector<StallPlace> sorted;
  for (Place& from : places) {
    from.place.reasons = Sorted(from.counts);
    sorted.push_back(std::move(from.place));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const StallPlace& a, const StallPlace& b) { return a.samples > b.samples; });
  return sorted;
}

class KernelBuilder {
 public:
  void Add(const model::PcSample& row, std::string_view reason) {
    Place& instruction = instructions_[{row.code, row.offset_bytes}];
    if (instruction.place.samples == 0) {
      instruction.place.offset_bytes = row.offset_bytes;
      instruction.place.file = row.file;
      instruction.place.line = row.line;
      instruction.place.sass = row.sass;
    }
    instruction.place.samples += row.samples;
    instruction.counts[reason] += row.samples;
  }

  StalledKernel Build(model::StringId name) {
    StalledKernel kernel;
    kernel.name = name;
    Counts all;
    std::map<LineKey, Place> by_line;
    std::vector<Place> places;
    for (auto& [key, instruction] : instructions_) {
      kernel.samples += instruction.place.samples;
      for (const auto& [reason, samples] : instruction.counts) all[reason] += samples;
      if (instruction.place.line > 0) AddToLine(instruction, by_line[{instruction.place.file, instruction.place.line}]);
      places.push_back(std::move(instruction));
    }
    kernel.reasons = Sorted(all);
    kernel.instructions = Places(places);
    places.clear();
    for (auto& [key, line] : by_line) places.push_back(std::move(line));
    kernel.lines = Places(places);
    return kernel;
  }

 private:
  static void AddToLine(const Place& instruction, Place& line) {
    for (const auto& [reason, samples] : instruction.counts) line.counts[reason] += samples;
    const uint64_t samples = line.place.samples + instruction.place.samples;
    if (instruction.place.samples > line.hottest) {
      line.hottest = instruction.place.samples;
      line.place = instruction.place;
    }
    line.place.samples = samples;
  }

  std::map<InstructionKey, Place> instructions_;
};

}  // namespace

std::string_view StallReason(std::string_view metric) {
  constexpr std::string_view kBefore = "issue_stalled_", kNotIssued = "_not_issued";
  const size_t at = metric.find(kBefore);
  if (at == std::string_view::npos || metric.ends_with(kNotIssued)) return {};
  return metric.substr(at + kBefore.size());
}

bool IsWait(std::string_view reason) { return reason != "selected" && reason != "not_selected"; }

const StallCount* StallPlace::top_wait() const { return TopWait(reasons); }
const StallCount* StalledKernel::top_wait() const { return TopWait(reasons); }

uint64_t StalledKernel::Samples(std::string_view reason) const {
  for (const StallCount& count : reasons) {
    if (count.reason == reason) return count.samples;
  }
  return 0;
}

const StallPlace* StalledKernel::Hottest(std::string_view reason) const {
  const StallPlace* best = nullptr;
  uint64_t most = 0;
  for (const StallPlace& place : lines.empty() ? instructions : lines) {
    for (const StallCount& count : place.reasons) {
      if (count.reason != reason || count.samples <= most) continue;
      most = count.samples;
      best = &place;
    }
  }
  return best;
}

std::vector<StalledKernel> SummarizeStalls(const model::Trace& trace) {
  std::map<model::StringId, KernelBuilder> builders;
  for (const model::PcSample& row : trace.pc_samples) {
    const std::string_view reason = StallReason(trace.Text(row.reason));
    if (!reason.empty() && row.samples > 0) builders[row.function].Add(row, reason);
  }
  std::vector<StalledKernel> kernels;
  uint64_t all = 0;
  for (auto& [name, builder] : builders) {
    kernels.push_back(builder.Build(name));
    all += kernels.back().samples;
  }
  for (StalledKernel& kernel : kernels)
    kernel.share_pct = 100.0 * static_cast<double>(kernel.samples) / static_cast<double>(all);
  std::stable_sort(kernels.begin(), kernels.end(), [&](const StalledKernel& a, const StalledKernel& b) {
    return a.samples != b.samples ? a.samples > b.samples : trace.Text(a.name) < trace.Text(b.name);
  });
  return kernels;
}

std::vector<Stall> StallShares(const StalledKernel& kernel) {
  std::vector<Stall> shares;
  for (const StallCount& count : kernel.reasons)
    shares.push_back(
        {count.reason, 100.0 * static_cast<double>(count.samples) / static_cast<double>(kernel.samples), 0});
  return shares;
}

StallSampling SamplingOf(const model::Trace& trace) {
  StallSampling sampling;
  for (const model::PcWindow& window : trace.pc_windows) {
    const bool first = sampling.least_period_log2 == 0;
    sampling.samples += window.samples;
    sampling.dropped += window.dropped;
    sampling.foreign += window.foreign;
    sampling.least_period_log2 = first ? window.period_log2 : std::min(sampling.least_period_log2, window.period_log2);
    sampling.most_period_log2 = std::max(sampling.most_period_log2, window.period_log2);
  }
  return sampling;
}

}  // namespace warpscope::analysis
