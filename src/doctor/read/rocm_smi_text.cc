// rocm-smi as text: "GPU[0] : Temperature (Sensor edge) (C): 31.0", and its concise table, whose columns differ by
// release; their units tell them apart.
#include "doctor/read/line_reader.h"
#include "doctor/read/put.h"
#include "doctor/words.h"
#include "import/rocm_smi/reading_keys.h"

namespace warpscope::doctor::read {
namespace {

namespace amd = import::rocm_smi;

class RocmSmiText final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"ROCm System Management", "= Concise Info", "GPU[", "End of ROCm"};
  }
  bool IsOpen() const override { return in_table_ || in_ras_; }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (text.find("ROCm System Management Interface") != std::string_view::npos) return true;
    if (text.find("= Concise Info =") != std::string_view::npos) return in_table_ = true;
    if (text.starts_with("GPU[")) {
      in_ras_ = false;
      return Fact(text, machine);
    }
    if (text.find("End of ROCm SMI Log") != std::string_view::npos) in_table_ = in_ras_ = false;
    if (in_ras_) return RasRow(text, machine);
    return in_table_ && Row(text, machine);
  }

 private:
  bool Fact(std::string_view text, Machine& machine) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos || !put_.Begin(Count(text.substr(4, close - 4)))) return false;
    text = Trim(text.substr(close + 1));
    if (!text.starts_with(':')) return false;
    text = Trim(text.substr(1));
    // --showrasinfo: a table below, "Block  Status  Correctable Error  Uncorrectable Error".
    if (text.starts_with("RAS INFO")) {
      put_.Number(machine, ReadingName::kEccCorrected, 0), put_.Number(machine, ReadingName::kEccUncorrected, 0);
      return in_ras_ = true;
    }
    const size_t colon = text.rfind(": ");
    if (colon == std::string_view::npos) return false;
    const std::string_view key = text.substr(0, colon), value = Trim(text.substr(colon + 2));
    if ((key == "Card series" || key == "Card Series" || key == "Card model" || key == "Card Model") &&
        !value.starts_with("0x") && put_.Device(machine).name.empty())
      put_.Device(machine).name = std::string(value.substr(0, 80));
    if (key == "PCI Bus") put_.Device(machine).address = PlainAddress(value);
    const auto name = amd::RocmSmiName(key);
    const auto quantity = name ? amd::QuantityIn(value) : std::nullopt;
    if (quantity)
      put_.Number(machine, *name,
                  quantity->unit.empty() ? amd::Convert(quantity->value, amd::UnitInKey(key)).value : quantity->value);
    return true;
  }

  // "UMC  ENABLED  0  0": the memory controllers (UMC) count errors of the memory, the other blocks their own. A block
  // whose checks are off counts nothing, whatever stands there.
  bool RasRow(std::string_view text, Machine& machine) {
    const std::vector<std::string_view> words = Words(text);
    if (words.empty() || words[0] == "Block" || words[0].starts_with("=") || words[0].starts_with("_")) return true;
    if (words.size() != 4 || !put_.is_begun()) return false;
    const auto corrected = Count(words[2]), uncorrected = Count(words[3]);
    if (!corrected || !uncorrected) return false;
    const std::string status = Lower(words[1]);
    if (status != "enabled" && status != "on") return true;
    if (Lower(words[0]) != "umc") {
      if (*uncorrected > 0)
        put_.Complain(machine,
                      {Complaint::Grade::kMajor, "rocm-smi counts " + Plural(*uncorrected, "uncorrected error") +
                                                     " in the block " + std::string(words[0].substr(0, 16))});
      return true;
    }
    Look& look = put_.Device(machine).looks.back();
    const auto add = [&](ReadingName name, uint64_t count) {
      put_.Number(machine, name, look.Number(name).value_or(0) + static_cast<double>(count));
    };
    add(ReadingName::kEccCorrected, *corrected), add(ReadingName::kEccUncorrected, *uncorrected);
    return true;
  }

  // "0  1  0x740f, 42924  49.0°C  96.0W  N/A, N/A, 0  1700Mhz  1600Mhz  0%  auto  300.0W  92%  100%".
  bool Row(std::string_view text, Machine& machine) {
    const std::vector<std::string_view> words = Words(text);
    if (words.size() < 6 || !Count(words[0]) || !put_.Begin(Count(words[0]))) return false;
    std::vector<double> degrees, watts, clocks, shares;
    for (const std::string_view word : words) {
      double value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc()) continue;
      const std::string unit = Lower(std::string_view(end, static_cast<size_t>(word.data() + word.size() - end)));
      if (unit == "c" || unit ==
                             "\xC2\xB0"
                             "c")
        degrees.push_back(value);
      else if (unit == "w") watts.push_back(value);
      else if (unit == "mhz") clocks.push_back(value);
      else if (unit == "%") shares.push_back(value);
    }
    const auto number = [&](ReadingName name, const std::vector<double>& values, size_t at) {
      if (at < values.size()) put_.Number(machine, name, values[at]);
    };
    number(ReadingName::kTemperatureGpu, degrees, 0);
    if (watts.size() == 2) number(ReadingName::kPowerDraw, watts, 0);
    if (!watts.empty()) number(ReadingName::kPowerLimit, watts, watts.size() - 1);
    number(ReadingName::kClockSm, clocks, 0);
    number(ReadingName::kClockMemory, clocks, 1);
    if (shares.size() == 3) number(ReadingName::kFanSpeed, shares, 0);
    if (!shares.empty()) number(ReadingName::kUtilizationGpu, shares, shares.size() - 1);
    return true;
  }

  Put put_{Vendor::kAmd};
  bool in_table_ = false, in_ras_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_rocm_smi_text() { return std::make_unique<RocmSmiText>(); }

}  // namespace warpscope::doctor::read
