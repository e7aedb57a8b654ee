#include "import/rocm_smi/reading_keys.h"

#include <algorithm>
#include <cctype>

#include "import/csv/csv_reader.h"

namespace warpscope::import::rocm_smi {
namespace {

using model::ReadingName;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

struct Key {
  std::string_view key;
  ReadingName name;
};

// Lower case, without the unit and the colon.
constexpr Key kRocmSmi[] = {
    {"average graphics package power", ReadingName::kPowerDraw},
    {"current graphics package power", ReadingName::kPowerDraw},
    {"current socket graphics package power", ReadingName::kPowerDraw},
    {"max graphics package power", ReadingName::kPowerLimit},
    {"temperature (sensor edge)", ReadingName::kTemperatureGpu},
    {"temperature (sensor junction)", ReadingName::kTemperatureHotspot},
    {"temperature (sensor memory)", ReadingName::kTemperatureMemory},
    {"temperature (sensor mem)", ReadingName::kTemperatureMemory},
    {"gpu use", ReadingName::kUtilizationGpu},
    {"gpu memory use", ReadingName::kUtilizationMemory},
    {"gpu memory read/write activity", ReadingName::kUtilizationMemory},
    {"voltage", ReadingName::kVoltage},
    {"fan speed", ReadingName::kFanSpeed},
    {"sclk clock speed", ReadingName::kClockSm},
    {"mclk clock speed", ReadingName::kClockMemory},
    {"socclk clock speed", ReadingName::kClockSoc},
    {"fclk clock speed", ReadingName::kClockFabric},
    {"vram total memory", ReadingName::kMemoryTotal},
    {"vram total used memory", ReadingName::kMemoryUsed},
    {"pcie replay count", ReadingName::kPcieReplays},
    {"energy counter", ReadingName::kEnergy},
    {"driver version", ReadingName::kDriverVersion},
};

constexpr Key kAmdSmi[] = {
    {"usage.gfx_activity", ReadingName::kUtilizationGpu},
    {"usage.umc_activity", ReadingName::kUtilizationMemory},
    {"gfx", ReadingName::kUtilizationGpu},
    {"gfx_activity", ReadingName::kUtilizationGpu},
    {"mem", ReadingName::kUtilizationMemory},
    {"umc_activity", ReadingName::kUtilizationMemory},
    {"encoder", ReadingName::kUtilizationEncoder},
    {"decoder", ReadingName::kUtilizationDecoder},
    {"power.socket_power", ReadingName::kPowerDraw},
    {"power.current_socket_power", ReadingName::kPowerDraw},
    {"power.current_power", ReadingName::kPowerDraw},
    {"power.average_socket_power", ReadingName::kPowerDrawAverage},
    {"power_usage", ReadingName::kPowerDraw},
    {"power.max_power_limit", ReadingName::kPowerLimitMax},
    {"limit.max_power", ReadingName::kPowerLimitMax},
    {"limit.socket_power", ReadingName::kPowerLimit},
    {"limit.current_power", ReadingName::kPowerLimit},
    {"limit.ppt0.max_power_limit", ReadingName::kPowerLimitMax},
    {"limit.ppt0.min_power_limit", ReadingName::kPowerLimitMin},
    {"limit.ppt0.socket_power_limit", ReadingName::kPowerLimit},
    {"max_power", ReadingName::kPowerLimitMax},
    {"power.gfx_voltage", ReadingName::kVoltage},
    {"voltage.gfx", ReadingName::kVoltage},
    {"clock.gfx_0.clk", ReadingName::kClockSm},
    {"clock.gfx_0.max_clk", ReadingName::kClockMaxSm},
    {"clock.gfx.clk", ReadingName::kClockSm},
    {"clock.gfx.cur_clk", ReadingName::kClockSm},
    {"gfx_clk", ReadingName::kClockSm},
    {"gfx_clock", ReadingName::kClockSm},
    {"clock.mem_0.clk", ReadingName::kClockMemory},
    {"clock.mem_0.max_clk", ReadingName::kClockMaxMemory},
    {"clock.mem.clk", ReadingName::kClockMemory},
    {"clock.mem.cur_clk", ReadingName::kClockMemory},
    {"mem_clock", ReadingName::kClockMemory},
    {"clock.vclk_0.clk", ReadingName::kClockVideo},
    {"clock.vclk_0.max_clk", ReadingName::kClockMaxVideo},
    {"clock.socclk_0.clk", ReadingName::kClockSoc},
    {"clock.fclk_0.clk", ReadingName::kClockFabric},
    {"temperature.edge", ReadingName::kTemperatureGpu},
    {"temperature.hotspot", ReadingName::kTemperatureHotspot},
    {"hotspot_temperature", ReadingName::kTemperatureHotspot},
    {"temperature.mem", ReadingName::kTemperatureMemory},
    {"memory_temperature", ReadingName::kTemperatureMemory},
    {"limit.slowdown_hotspot_temperature", ReadingName::kTemperatureSlowdown},
    {"limit.shutdown_hotspot_temperature", ReadingName::kTemperatureShutdown},
    {"mem_usage.total_vram", ReadingName::kMemoryTotal},
    {"mem_usage.used_vram", ReadingName::kMemoryUsed},
    {"mem_usage.free_vram", ReadingName::kMemoryFree},
    {"vram_total", ReadingName::kMemoryTotal},
    {"vram_used", ReadingName::kMemoryUsed},
    {"vram.size", ReadingName::kMemoryTotal},
    {"ecc.total_correctable_count", ReadingName::kEccCorrected},
    {"ecc.total_uncorrectable_count", ReadingName::kEccUncorrected},
    {"ecc.total_correctable", ReadingName::kEccCorrected},
    {"ecc.total_uncorrectable", ReadingName::kEccUncorrected},
    {"single_bit_ecc", ReadingName::kEccCorrected},
    {"double_bit_ecc", ReadingName::kEccUncorrected},
    {"pcie.width", ReadingName::kPcieWidthCurrent},
    {"pcie.current_lanes", ReadingName::kPcieWidthCurrent},
    {"bus.max_pcie_width", ReadingName::kPcieWidthMax},
    {"bus.max_pcie_lanes", ReadingName::kPcieWidthMax},
    {"pcie.replay_count", ReadingName::kPcieReplays},
    {"pcie_replay", ReadingName::kPcieReplays},
    {"fan.usage", ReadingName::kFanSpeed},
    {"energy.total_energy_consumption", ReadingName::kEnergy},
    {"throttle.ppt_violation_status", ReadingName::kThrottlePower},
    {"throttle.socket_thermal_violation_status", ReadingName::kThrottleThermal},
    {"driver.version", ReadingName::kDriverVersion},
    {"driver.driver_version", ReadingName::kDriverVersion},
};

template <size_t kSize>
std::optional<ReadingName> Find(const Key (&keys)[kSize], std::string_view key) {
  const auto* const found =
      std::find_if(std::begin(keys), std::end(keys), [&](const Key& item) { return item.key == key; });
  return found == std::end(keys) ? std::nullopt : std::optional(found->name);
}

}  // namespace

std::string_view UnitInKey(std::string_view key) {
  while (!key.empty() && (key.back() == ':' || key.back() == ' ')) key.remove_suffix(1);
  if (key.empty() || key.back() != ')') return {};
  const size_t open = key.rfind('(');
  const std::string_view unit =
      open == std::string_view::npos ? std::string_view() : key.substr(open + 1, key.size() - open - 2);
  return unit.size() <= 6 && unit.find(' ') == std::string_view::npos ? unit : std::string_view();
}

std::optional<ReadingName> RocmSmiName(std::string_view key) {
  const std::string_view unit = UnitInKey(key);
  while (!key.empty() && (key.back() == ':' || key.back() == ' ')) key.remove_suffix(1);
  if (!unit.empty()) key.remove_suffix(unit.size() + 2);
  while (!key.empty() && key.back() == ' ') key.remove_suffix(1);
  const std::string name = Lower(key);
  if (name == "fan speed" && unit != "%") return std::nullopt;  // a level of 255
  return Find(kRocmSmi, name);
}

std::optional<ReadingName> AmdSmiName(std::string_view path) { return Find(kAmdSmi, Lower(path)); }

bool IsPrivateKey(std::string_view key) {
  const std::string name = Lower(key);
  for (const std::string_view word : {"serial", "uuid", "unique", "process", "firmware", "(topology)", "fru", "fw_list",
                                      "sku", "vbios", "subvendor", "part_number"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

Quantity Convert(double value, std::string_view unit) {
  struct Unit {
    std::string_view word, name;
    double factor;
  };
  // AMD's "MB" of memory are mebibytes: 196592 MB of 192 GiB (MI300X).
  constexpr Unit kUnits[] = {
      {"w", "watts", 1},        {"c", "celsius", 1},         {"mhz", "mhz", 1},     {"ghz", "mhz", 1000},
      {"%", "pct", 1},          {"vram%", "pct", 1},         {"b", "bytes", 1},     {"kb", "bytes", 1024},
      {"mb", "bytes", 1048576}, {"gb", "bytes", 1073741824}, {"mv", "volts", 1e-3}, {"v", "volts", 1},
      {"j", "joules", 1},       {"uj", "joules", 1e-6},      {"ns", "ns", 1},       {"mw", "watts", 1e-3}};
  const std::string word = Lower(unit);
  for (const Unit& known : kUnits) {
    if (known.word == word) return {value * known.factor, std::string(known.name)};
  }
  return {value, word};
}

std::optional<Quantity> QuantityIn(std::string_view text) {
  if (const auto plain = ParseNumber(text, '.')) return Quantity{*plain, {}};
  // "8 (1725Mhz)": what stands in the brackets.
  if (const size_t open = text.rfind('('); open != std::string_view::npos && text.back() == ')')
    text = text.substr(open + 1, text.size() - open - 2);
  size_t digits = 0;
  while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) || text[digits] == '.'))
    ++digits;
  const auto value = ParseNumber(text.substr(0, digits), '.');
  const std::string_view unit = text.substr(digits);
  const bool is_unit = !unit.empty() && unit.size() <= 4 && std::all_of(unit.begin(), unit.end(), [](unsigned char c) {
    return std::isalpha(c) || c == '%';
  });
  return value && is_unit ? std::optional(Convert(*value, unit)) : std::nullopt;
}

bool IsNoValue(std::string_view text) {
  const std::string word = Lower(text);
  return word.empty() || word == "n/a" || word == "na" || word == "none" || word == "unknown" ||
         word == "not supported" || word == "-";
}

}  // namespace warpscope::import::rocm_smi
