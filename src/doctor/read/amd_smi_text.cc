// amd-smi metric and static as text: "GPU: 0" at the left, below it keys by depth,
//     TEMPERATURE:
//         HOTSPOT: 99 °C
// and amd-smi monitor: a heading "GPU  POWER  GPU_T ..." with a line a device.
#include <map>

#include "doctor/read/amd_ecc.h"
#include "doctor/read/line_reader.h"
#include "doctor/read/put.h"
#include "doctor/words.h"
#include "import/monitor/value.h"
#include "import/rocm_smi/reading_keys.h"

namespace warpscope::doctor::read {
namespace {

namespace amd = import::rocm_smi;

// "748 W", "99 °C", "32 GT/s": number and unit; the degree sign is left out.
std::optional<amd::Quantity> QuantityOf(std::string_view text) {
  const std::vector<std::string_view> words = Words(text);
  if (words.empty() || words.size() > 2) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(words[0].data(), words[0].data() + words[0].size(), value);
  if (error != std::errc() || end != words[0].data() + words[0].size()) return std::nullopt;
  const std::string_view unit = words.size() == 2 ? words[1] : std::string_view();
  return amd::Convert(value, import::monitor::WithoutDegrees(unit));
}

struct Column {
  std::string_view title;
  ReadingName name;
};
constexpr Column kColumns[] = {
    {"POWER", ReadingName::kPowerDraw},          {"PWR_CAP", ReadingName::kPowerLimit},
    {"GPU_T", ReadingName::kTemperatureHotspot}, {"GPU_TEMP", ReadingName::kTemperatureHotspot},
    {"MEM_T", ReadingName::kTemperatureMemory},  {"MEM_TEMP", ReadingName::kTemperatureMemory},
    {"GFX_CLK", ReadingName::kClockSm},          {"GFX_CLOCK", ReadingName::kClockSm},
    {"GFX%", ReadingName::kUtilizationGpu},      {"GFX_UTIL", ReadingName::kUtilizationGpu},
    {"MEM%", ReadingName::kUtilizationMemory},   {"MEM_UTIL", ReadingName::kUtilizationMemory},
    {"VRAM_USED", ReadingName::kMemoryUsed},     {"VRAM_TOTAL", ReadingName::kMemoryTotal},
    {"SINGLE_ECC", ReadingName::kEccCorrected},  {"DOUBLE_ECC", ReadingName::kEccUncorrected},
    {"PCIE_REPLAY", ReadingName::kPcieReplays},
};

class AmdSmiText final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"GPU:", "GFX_CL"}; }
  bool IsOpen() const override { return put_.is_begun() || !columns_.empty(); }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (line.starts_with("GPU:")) {
      path_.clear();
      columns_.clear();
      return put_.Begin(Count(Trim(line.substr(4))));
    }
    if (line.starts_with("GPU ") && (line.find("GFX_CL") != std::string_view::npos)) {
      columns_.clear();
      for (const std::string_view word : Words(text)) columns_.emplace_back(word);
      put_.End();
      return true;
    }
    if (!columns_.empty()) return Row(text, machine);
    const size_t depth = line.find_first_not_of(' ');
    if (!put_.is_begun() || depth == std::string_view::npos || depth == 0) {
      if (!text.empty()) put_.End();
      return false;
    }
    return Key(depth, text, machine);
  }

 private:
  bool Key(size_t depth, std::string_view text, Machine& machine) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    path_.erase(path_.lower_bound(depth), path_.end());
    constexpr size_t kMostDepth = 8;
    if (path_.size() < kMostDepth) path_[depth] = Lower(text.substr(0, colon));
    const std::string_view value = Trim(text.substr(colon + 1));
    if (value.empty()) return true;
    std::string path;
    for (const auto& [at, key] : path_) path += (path.empty() ? "" : ".") + key;
    Value(path, value, machine);
    return true;
  }

  void Value(const std::string& path, std::string_view value, Machine& machine) {
    if (path == "bus.bdf") {
      Gpu& gpu = put_.Device(machine);
      if (gpu.address.empty()) gpu.address = PlainAddress(value);
    } else if (path == "asic.market_name") {
      put_.Device(machine).name = std::string(value.substr(0, 80));
    } else if (path.ends_with("throttle_status")) {
      if (value == "THROTTLED")
        put_.Complain(machine, {Complaint::Grade::kMinor, "amd-smi tells that it is throttled, and not by what"});
    } else if (const auto count = QuantityOf(value);
               count && ecc_.Take(put_.index(), path, count->value, put_.Device(machine))) {
      // amd_ecc.h
    } else if (const auto name = amd::AmdSmiName(path)) {
      const model::ReadingKind kind = model::InfoOf(*name).kind;
      const auto quantity = QuantityOf(value);
      if (quantity) put_.Number(machine, *name, quantity->value);
      else if (kind == model::ReadingKind::kState && !amd::IsNoValue(value))
        put_.Number(machine, *name, value.starts_with("NOT") || value == "UNTHROTTLED" || value == "False" ? 0 : 1);
      if (*name == ReadingName::kDriverVersion && machine.driver_version.empty())
        machine.driver_version = value.substr(0, 40);
    }
  }

  // Values with their units are two words: "  0   95 W   37 °C  N/A".
  bool Row(std::string_view text, Machine& machine) {
    std::vector<std::string> values;
    for (const std::string_view word : Words(text)) {
      const bool is_unit =
          !values.empty() && word.find_first_of("0123456789") == std::string_view::npos && word != "N/A";
      if (is_unit) values.back() += " " + std::string(word);
      else values.emplace_back(word);
    }
    if (values.size() != columns_.size() || !put_.Begin(Count(values[0]))) {
      columns_.clear();
      return false;
    }
    for (size_t i = 1; i < values.size(); ++i) {
      const auto quantity = QuantityOf(values[i]);
      for (const Column& known : kColumns) {
        if (quantity && known.title == columns_[i]) put_.Number(machine, known.name, quantity->value);
      }
    }
    put_.End();
    return true;
  }

  Put put_{Vendor::kAmd};
  AmdEcc ecc_;
  std::map<size_t, std::string> path_;  // by depth
  std::vector<std::string> columns_;
};

}  // namespace

std::unique_ptr<LineReader> Make_amd_smi_text() { return std::make_unique<AmdSmiText>(); }

}  // namespace warpscope::doctor::read
