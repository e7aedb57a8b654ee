// npu-smi info -t health: "NPU ID : 5", "Health Status : Alarm", and why: "Error Code", "Error Information" (CANN,
// npu-smi reference). Its table is read as a monitor's.
#include "doctor/read/line_reader.h"
#include "doctor/read/put.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

class NpuHealth final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"NPU ID", "Health Status", "Error Information", "npu-smi info -t health"};
  }

  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    // The command as it was typed names the device where its answer does not.
    if (const auto id = Behind(text, "npu-smi info -t health -i")) {
      index_ = Number(id->substr(0, id->find(' ')));
      return false;
    }
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view key = Trim(text.substr(0, colon)), value = Trim(text.substr(colon + 1));
    if (key == "NPU ID") {
      index_ = Number(value);
      return false;  // other tables of npu-smi begin so as well
    }
    if (key == "Health Status") return Health(value, machine);
    if (key == "Error Information" && bad_ && value != "NA" && !value.empty()) {
      Put put(Vendor::kAscend);
      put.Begin(index_.value_or(0));
      std::vector<Complaint>& all = put.Device(machine).complaints;
      if (!all.empty() && all.back().words.find(": ") == std::string::npos)
        all.back().words += ": " + std::string(value.substr(0, 120));
      return true;
    }
    return false;
  }

 private:
  static std::optional<unsigned> Number(std::string_view text) {
    constexpr uint64_t kMostIndex = 4096;
    const auto index = Count(Trim(text));
    return index && *index <= kMostIndex ? std::optional(static_cast<unsigned>(*index)) : std::nullopt;
  }

  // OK, Warning, Alarm, Critical, UNKNOWN.
  bool Health(std::string_view word, Machine& machine) {
    Put put(Vendor::kAscend);
    put.Begin(index_.value_or(0));
    put.Device(machine);
    const std::string lower = Lower(word);
    bad_ = lower != "ok" && lower != "na" && !lower.empty();
    if (!bad_) return true;
    using Grade = Complaint::Grade;
    const Grade grade = lower == "warning" ? Grade::kMinor : lower == "critical" ? Grade::kCritical : Grade::kMajor;
    put.Complain(machine, {grade, "npu-smi tells the health " + std::string(word.substr(0, 40))});
    return true;
  }

  std::optional<unsigned> index_;
  bool bad_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_npu_health() { return std::make_unique<NpuHealth>(); }

}  // namespace warpscope::doctor::read
