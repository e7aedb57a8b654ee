// amd-smi without a command (since ROCm 7): a box with two lines a device and the processes below,
//     | BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
//     | GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
//     | 0000:09:00.0    AMD Instinct MI325X | 0 %      49 °C   0          144/1000 W |
//     |   0       0       3        SPX/NPS1 | 0 %        N/A           283/262128 MB |
// Temp is the hot spot's, UEC the uncorrectable memory errors (amd-smi's own help, amdsmi_logger.py).
#include <array>

#include "doctor/read/line_reader.h"
#include "doctor/read/put.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

struct Cell {
  std::string_view value, unit;  // "144/1000", "W"; "N/A", ""
};

// Values of a half of a row, each with the unit behind it.
std::vector<Cell> CellsOf(std::string_view text) {
  std::vector<Cell> cells;
  for (const std::string_view word : Words(text)) {
    const bool is_unit = word == "%" || word == "W" || word == "MB" || word == "GB" || word.ends_with("C");
    if (is_unit && !cells.empty() && cells.back().unit.empty()) cells.back().unit = word;
    else cells.push_back({word, {}});
  }
  return cells;
}

std::optional<double> NumberOf(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

class AmdSmiBox final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"| AMD-SMI "}; }
  bool IsOpen() const override { return part_ != Part::kNone; }

  bool Line(std::string_view line, Machine& machine) override {
    std::string_view text = Trim(line);
    const size_t begin = text.find('|');  // pasted text may be quoted: "> | AMD-SMI ..."
    if (text.find("| AMD-SMI ") != std::string_view::npos) return Title(text, machine);
    if (begin == std::string_view::npos || !text.ends_with('|')) {
      const bool is_frame = text.find("+--") != std::string_view::npos;
      if (!is_frame) part_ = Part::kNone;
      return is_frame;
    }
    text = text.substr(begin + 1, text.size() - begin - 2);
    if (text.find("Processes:") != std::string_view::npos) part_ = Part::kProcesses;
    if (part_ == Part::kProcesses) return ProcessRow(text, machine);
    const size_t bar = text.find('|');
    if (bar == std::string_view::npos) return true;
    return Row(text.substr(0, bar), text.substr(bar + 1), machine);
  }

 private:
  enum class Part : uint8_t { kNone, kDevices, kProcesses };

  bool Title(std::string_view text, Machine& machine) {
    part_ = Part::kDevices;
    address_.clear();
    const auto version = Behind(text, "amdgpu version:");
    const std::string found = version ? VersionIn(version->substr(0, 12)) : std::string();
    if (machine.driver_version.empty()) machine.driver_version = found;
    return true;
  }

  bool Row(std::string_view left, std::string_view right, Machine& machine) {
    const std::vector<std::string_view> words = Words(left);
    if (words.empty() || left.find("BDF") != std::string_view::npos || words[0] == "GPU") return true;
    const std::vector<Cell> cells = CellsOf(right);
    if (const std::string address = PlainAddress(words[0]); !address.empty()) {
      // The first line of a device: its number stands in the second.
      address_ = address;
      name_ = std::string(Trim(Trim(left).substr(words[0].size())).substr(0, 80));
      first_ = cells;
      return true;
    }
    constexpr uint64_t kMostIndex = 4096;
    const auto index = Count(words[0]);
    if (!index || *index > kMostIndex || address_.empty()) return true;
    Gpu* gpu = FindOrAdd(machine, Vendor::kAmd, address_, static_cast<unsigned>(*index));
    gpu->vendor = Vendor::kAmd;
    gpu->index = static_cast<unsigned>(*index);
    if (gpu->name.empty() && !name_.starts_with("0x")) gpu->name = name_;
    if (gpu->looks.empty()) gpu->looks.emplace_back();
    auto& values = gpu->looks.back().values;
    constexpr std::array kFirst = {ReadingName::kUtilizationMemory, ReadingName::kTemperatureHotspot,
                                   ReadingName::kEccUncorrected};
    for (size_t i = 0; i < kFirst.size() && i < first_.size(); ++i) {
      if (const auto number = NumberOf(first_[i].value)) values[kFirst[i]].number = number;
    }
    if (first_.size() > kFirst.size())
      Pair(first_[kFirst.size()], 1, ReadingName::kPowerDraw, ReadingName::kPowerLimit, values);
    constexpr std::array kSecond = {ReadingName::kUtilizationGpu, ReadingName::kFanSpeed};
    for (size_t i = 0; i < kSecond.size() && i < cells.size(); ++i) {
      if (const auto number = NumberOf(cells[i].value)) values[kSecond[i]].number = number;
    }
    constexpr double kMegabyte = 1048576, kGigabyte = 1073741824;  // of 2^20 bytes, as the driver counts
    if (cells.size() > kSecond.size())
      Pair(cells[kSecond.size()], cells[kSecond.size()].unit == "GB" ? kGigabyte : kMegabyte, ReadingName::kMemoryUsed,
           ReadingName::kMemoryTotal, values);
    address_.clear();
    return true;
  }

  // "144/1000", "N/A/0" (a limit of 0 is none), "14".
  static void Pair(const Cell& cell, double factor, ReadingName now, ReadingName most,
                   std::map<ReadingName, Value>& values) {
    const size_t slash = cell.value.rfind('/');
    if (const auto number = NumberOf(cell.value.substr(0, slash))) values[now].number = *number * factor;
    if (slash == std::string_view::npos) return;
    const auto limit = NumberOf(cell.value.substr(slash + 1));
    if (limit && *limit > 0) values[most].number = *limit * factor;
  }

  // "    0    2266127  python3   2.0 MB    1.9 GB    1.9 GB   97.4 %": the second size is that of device memory.
  bool ProcessRow(std::string_view text, Machine& machine) const {
    const std::vector<std::string_view> words = Words(text);
    if (words.size() < 4) return true;
    const auto index = Count(words[0]), pid = Count(words[1]);
    constexpr uint64_t kMostIndex = 4096;
    if (!index || *index > kMostIndex || !pid) return true;
    Process process{*pid, std::string(words[2].substr(0, 60)), std::nullopt, std::nullopt, 0};
    size_t sizes = 0;
    for (size_t i = 3; i + 1 < words.size() && sizes < 2; ++i) {
      if (!NumberOf(words[i]) || !words[i + 1].ends_with("B")) continue;
      if (++sizes == 2) process.bytes = BytesOf(std::string(words[i]) + std::string(words[i + 1]));
    }
    Gpu* gpu = FindOrAdd(machine, Vendor::kAmd, {}, static_cast<unsigned>(*index));
    if (!gpu->processes) gpu->processes.emplace();
    if (gpu->processes->size() < kMostEntries) gpu->processes->push_back(std::move(process));
    return true;
  }

  Part part_ = Part::kNone;
  std::string address_, name_;
  std::vector<Cell> first_;
};

}  // namespace

std::unique_ptr<LineReader> Make_amd_smi_box() { return std::make_unique<AmdSmiBox>(); }

}  // namespace warpscope::doctor::read
