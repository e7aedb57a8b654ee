// xpu-smi stats, health and discovery as text: framed tables "| GPU Power (W) | 92 |" below "| Device ID | 0 |".
#include "doctor/read/line_reader.h"
#include "doctor/read/put.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

struct Known {
  std::string_view title;  // without its unit
  ReadingName name;
  double factor;
};
constexpr double kMebibyte = 1048576;
constexpr Known kKnown[] = {
    {"GPU Utilization", ReadingName::kUtilizationGpu, 1},
    {"GPU Power", ReadingName::kPowerDraw, 1},
    {"GPU Frequency", ReadingName::kClockGraphics, 1},
    {"GPU Core Temperature", ReadingName::kTemperatureGpu, 1},
    {"GPU Memory Temperature", ReadingName::kTemperatureMemory, 1},
    {"GPU Memory Used", ReadingName::kMemoryUsed, kMebibyte},
    {"Memory Physical Size", ReadingName::kMemoryTotal, kMebibyte},
};

class XpuSmiText final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"|"}; }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (!text.starts_with('|') || !text.ends_with('|') || text.size() < 3) return false;
    const std::string_view inside = text.substr(1, text.size() - 2);
    const size_t bar = inside.find('|');
    if (bar == std::string_view::npos) return false;
    const std::string_view key = Trim(inside.substr(0, bar)), value = Trim(inside.substr(bar + 1));
    if (key == "Device ID") {
      part_.clear();
      return put_.Begin(Count(value));
    }
    if (!put_.is_begun()) return false;
    if (!key.empty()) part_ = key;
    if (value.starts_with("Status:")) return Health(Trim(value.substr(7)), machine);
    if (value.starts_with("Device Name:")) {
      put_.Device(machine).name = std::string(Trim(value.substr(12)).substr(0, 80));
      return true;
    }
    if (const auto address = Behind(value, "PCI BDF Address:")) {
      put_.Device(machine).address = PlainAddress(*address);
      return true;
    }
    return Number(key, value, machine);
  }

 private:
  // "1. GPU Core Temperature" is the part; Ok, Warning, Critical, Unknown (XPU Manager, health).
  bool Health(std::string_view state, Machine& machine) {
    const size_t dot = part_.find(". ");
    const std::string what = dot == std::string::npos ? part_ : part_.substr(dot + 2);
    put_.Device(machine);
    using Grade = Complaint::Grade;
    if (state == "Warning" || state == "Critical")
      put_.Complain(machine, {state == "Critical" ? Grade::kCritical : Grade::kMinor,
                              "xpu-smi tells the health " + std::string(state) + " of " + what.substr(0, 60)});
    return true;
  }

  // Tiles stand in one cell: "Tile 0: 95; Tile 1: 92" - the highest counts.
  bool Number(std::string_view key, std::string_view value, Machine& machine) {
    const std::string_view title = Trim(key.substr(0, key.find('(')));
    for (const Known& known : kKnown) {
      if (known.title != title) continue;
      std::optional<double> most;
      for (std::string_view word : Words(value)) {
        while (!word.empty() && (word.back() == ';' || word.back() == ',')) word.remove_suffix(1);
        double number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error == std::errc() && end == word.data() + word.size() && (!most || number > *most)) most = number;
      }
      if (most) put_.Number(machine, known.name, *most * known.factor);
      return most.has_value();
    }
    return false;
  }

  Put put_{Vendor::kIntel};
  std::string part_;
};

}  // namespace

std::unique_ptr<LineReader> Make_xpu_smi_text() { return std::make_unique<XpuSmiText>(); }

}  // namespace warpscope::doctor::read
