// ibstat: adapters and their ports.
#include <charconv>

#include "doctor/read/line_reader.h"

namespace warpscope::doctor::read {
namespace {

class Ibstat final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"CA '"}; }
  bool IsOpen() const override { return !adapter_.empty(); }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (text.starts_with("CA '")) {
      adapter_ = std::string(text.substr(4, text.find('\'', 4) - 4).substr(0, 40));
      in_port_ = false;
      return true;
    }
    if (adapter_.empty()) return false;
    if (text.starts_with("Port ") && text.back() == ':' && machine.ports.size() < kMostEntries) {
      machine.ports.emplace_back();
      machine.ports.back().adapter = adapter_;
      machine.ports.back().port = static_cast<unsigned>(Count(text.substr(5, text.size() - 6)).value_or(0));
      return in_port_ = true;
    }
    if (!in_port_) return false;
    NetworkPort& port = machine.ports.back();
    if (const auto state = Of(text, "State:")) port.state = *state;
    else if (const auto physical = Of(text, "Physical state:")) port.physical_state = *physical;
    else if (const auto layer = Of(text, "Link layer:")) port.layer = *layer;
    else if (const auto rate = Of(text, "Rate:")) {
      double value = 0;
      constexpr double kMost = 1e5;  // XDR of 2025 has 800
      const bool is_number = std::from_chars(rate->data(), rate->data() + rate->size(), value).ec == std::errc();
      if (is_number && value >= 0 && value <= kMost) port.gbit_per_s = value;
    } else {
      return false;
    }
    return true;
  }

 private:
  static std::optional<std::string> Of(std::string_view text, std::string_view key) {
    return text.starts_with(key) ? std::optional(std::string(Trim(text.substr(key.size())).substr(0, 40)))
                                 : std::nullopt;
  }

  std::string adapter_;
  bool in_port_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_ibstat() { return std::make_unique<Ibstat>(); }

}  // namespace warpscope::doctor::read
