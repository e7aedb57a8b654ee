#include "doctor/read/amd_ecc.h"

#include <algorithm>

#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

constexpr std::string_view kOpening = "amd-smi counts ";

void Store(const std::optional<double>& total, const std::optional<double>& outside,
           const std::optional<double>& memory, ReadingName name, Gpu& gpu) {
  if (gpu.looks.empty()) gpu.looks.emplace_back();
  std::optional<double> count = memory;
  if (!count && total) count = std::max(0.0, *total - outside.value_or(0));
  if (count) gpu.looks.back().values[name].number = count;
}

}  // namespace

bool AmdEcc::Take(size_t device, const std::string& path, double count, Gpu& gpu) {
  constexpr size_t kMostDevices = 4096, kMostBlocks = 64;
  const size_t last = path.rfind('.');
  if (last == std::string::npos || !(path.starts_with("ecc.") || path.starts_with("ecc_blocks."))) return false;
  if (count < 0 || (devices_.size() >= kMostDevices && !devices_.contains(device))) return true;
  Device& known = devices_[device];
  std::string_view key = std::string_view(path).substr(last + 1);
  if (key.ends_with("_count")) key.remove_suffix(6);
  if (path.starts_with("ecc_blocks.")) {
    const std::string block = path.substr(11, last - 11);
    if (block == "umc") {
      if (key == "correctable") known.corrected.memory = count;
      else if (key == "uncorrectable") known.uncorrected.memory = count;
    } else if (key == "uncorrectable" && (known.blocks.size() < kMostBlocks || known.blocks.contains(block))) {
      known.blocks[block] = count;
    }
  } else if (key == "total_correctable") {
    known.corrected.total = count;
  } else if (key == "total_uncorrectable") {
    known.uncorrected.total = count;
  } else if (key == "cache_correctable") {
    known.corrected.outside = count;
  } else if (key == "cache_uncorrectable") {
    known.uncorrected.outside = count;
  }
  Store(known.corrected.total, known.corrected.outside, known.corrected.memory, ReadingName::kEccCorrected, gpu);
  Store(known.uncorrected.total, known.uncorrected.outside, known.uncorrected.memory, ReadingName::kEccUncorrected,
        gpu);

  constexpr size_t kMostComplaints = 16;
  std::erase_if(gpu.complaints, [](const Complaint& one) { return one.words.starts_with(kOpening); });
  const auto complain = [&](double errors, const std::string& where) {
    if (errors > 0 && gpu.complaints.size() < kMostComplaints)
      gpu.complaints.push_back(
          {Complaint::Grade::kMajor,
           std::string(kOpening) + Plural(static_cast<uint64_t>(errors), "uncorrected error") + " " + where});
  };
  if (known.blocks.empty())
    complain(known.uncorrected.outside.value_or(0), "outside the memory (caches, engines, links)");
  for (const auto& [block, errors] : known.blocks) {
    std::string name = block.substr(0, 16);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    complain(errors, "in the block " + name);
  }
  return true;
}

}  // namespace warpscope::doctor::read
