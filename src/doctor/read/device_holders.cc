// fuser -v and lsof on /dev/nvidia*: which programs hold the devices' files, also those that nvidia-smi does not list.
#include <algorithm>

#include "doctor/read/line_reader.h"

namespace warpscope::doctor::read {
namespace {

class DeviceHolders final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"/dev/nvidia", "PID ACCESS"}; }
  bool IsOpen() const override { return in_fuser_; }
  bool Line(std::string_view line, Machine& machine) override {
    const std::vector<std::string_view> words = Words(line.substr(0, 400));
    if (words.empty()) return in_fuser_ = false;
    // "                     USER        PID ACCESS COMMAND".
    if (words.size() == 4 && words[1] == "PID" && words[2] == "ACCESS") {
      List(machine);
      return in_fuser_ = true;
    }
    if (in_fuser_) {
      const size_t first = words[0].starts_with("/dev/") ? 1 : 0;
      // "/dev/nvidia0:  alice  2202 F...m python".
      if (words.size() >= first + 4 && Count(words[first + 1]))
        return Add(*Count(words[first + 1]), words[first + 3], machine);
      return in_fuser_ = false;
    }
    // lsof: "python  2202 alice  5u  CHR 195,255  0t0  513 /dev/nvidiactl".
    const bool is_lsof = words.size() >= 7 && Count(words[1]) && words.back().starts_with("/dev/nvidia") &&
                         std::find(words.begin(), words.end(), "CHR") != words.end();
    if (is_lsof) return Add(*Count(words[1]), words[0], machine);
    // fuser without -v: "/dev/nvidia0:  2202 2203m".
    if (!words[0].starts_with("/dev/nvidia") || !words[0].ends_with(':') || words.size() < 2) return false;
    std::vector<uint64_t> found;
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t end = words[i].find_first_not_of("0123456789");
      const auto pid = Count(words[i].substr(0, end));
      const bool is_pid = pid && (end == std::string_view::npos ||
                                  words[i].substr(end).find_first_not_of("cefFrm") == std::string_view::npos);
      if (!is_pid) return false;
      found.push_back(*pid);
    }
    for (const uint64_t pid : found) Add(pid, {}, machine);
    return true;
  }

 private:
  static void List(Machine& machine) {
    if (!machine.holders) machine.holders.emplace();
  }
  static bool Add(uint64_t pid, std::string_view name, Machine& machine) {
    constexpr size_t kMost = 4096, kLongestName = 40;
    List(machine);
    const bool known = std::any_of(machine.holders->begin(), machine.holders->end(),
                                   [&](const Process& one) { return one.pid == pid; });
    if (!known && machine.holders->size() < kMost)
      machine.holders->push_back({pid, std::string(name.substr(0, kLongestName)), std::nullopt, std::nullopt, 0});
    return true;
  }

  bool in_fuser_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_device_holders() { return std::make_unique<DeviceHolders>(); }

}  // namespace warpscope::doctor::read
