// nvidia-smi nvlink -s (links and their speed) and -e (errors), below "GPU 0: NAME (UUID: ...)".
#include <charconv>

#include "doctor/read/line_reader.h"
#include "doctor/read/smi_processes.h"

namespace warpscope::doctor::read {
namespace {

class Nvlink final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"GPU ", "Link "}; }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (text.starts_with("GPU ") && text.find(": ") != std::string_view::npos) {
      End(machine);
      const auto index = Count(text.substr(4, text.find(':') - 4));
      constexpr uint64_t kMostIndex = 4096;
      index_ = index && *index <= kMostIndex ? std::optional(static_cast<unsigned>(*index)) : std::nullopt;
      return false;  // the list of devices belongs to others
    }
    if (!index_ || !text.starts_with("Link ")) return false;
    const size_t colon = text.find(": ");
    if (colon == std::string_view::npos || !Count(text.substr(5, colon - 5))) return false;
    const std::string_view value = Trim(text.substr(colon + 2));
    if (value == "<inactive>" || value == "inactive") {
      ++down_;
      return has_states_ = true;
    }
    if (value.ends_with("GB/s")) {
      ++up_;
      return has_states_ = true;
    }
    const size_t errors = value.find("Errors: ");
    if (errors == std::string_view::npos) return false;
    const auto count = Count(Trim(value.substr(errors + 8)));
    if (!count) return false;
    errors_ += static_cast<double>(*count);
    return has_errors_ = true;
  }

  void End(Machine& machine) override {
    if (index_ && (has_states_ || has_errors_)) {
      Gpu* gpu = FindOrAdd(machine, Vendor::kNvidia, {}, index_);
      if (gpu->looks.empty()) gpu->looks.emplace_back();
      auto& values = gpu->looks.back().values;
      if (has_states_)
        values[ReadingName::kNvlinkLinks].number = up_, values[ReadingName::kNvlinkLinksDown].number = down_;
      if (has_errors_) values[ReadingName::kNvlinkErrors].number = errors_;
    }
    *this = Nvlink();
  }

 private:
  std::optional<unsigned> index_;
  double up_ = 0, down_ = 0, errors_ = 0;
  bool has_states_ = false, has_errors_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_nvlink() { return std::make_unique<Nvlink>(); }

}  // namespace warpscope::doctor::read
