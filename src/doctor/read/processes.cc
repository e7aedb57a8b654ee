// ps: processes with their state, by the columns that its heading names.
#include "doctor/read/line_reader.h"

namespace warpscope::doctor::read {
namespace {

// "root 4711 ...": the second word is a number.
bool IsRow(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  const size_t blank = line.find_first_of(" \t", first);
  if (blank == std::string_view::npos) return false;
  const size_t second = line.find_first_not_of(" \t", blank);
  if (second == std::string_view::npos || line[second] < '0' || line[second] > '9') return false;
  const size_t end = line.find_first_not_of("0123456789", second);
  return end != std::string_view::npos && (line[end] == ' ' || line[end] == '\t');
}

class Processes final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"PID"}; }
  bool IsOpen() const override { return in_list_; }
  bool Begins(std::string_view line) const override { return IsRow(line); }
  bool Line(std::string_view line, Machine& machine) override {
    const std::vector<std::string_view> words = Words(line);
    if (words.empty()) return false;
    const auto column = [&](std::string_view one, std::string_view other) -> std::optional<size_t> {
      for (size_t i = 0; i < words.size(); ++i) {
        if (words[i] == one || words[i] == other) return i;
      }
      return std::nullopt;
    };
    const auto pid = column("PID", "PID"), state = column("STAT", "S"), name = column("COMMAND", "CMD");
    if (pid && state && words.size() <= 20) {
      pid_ = *pid, state_ = *state, name_ = name.value_or(words.size() - 1);
      if (!machine.process_list) machine.process_list.emplace();
      return in_list_ = true;
    }
    if (!in_list_) return Headless(words, machine);
    if (words.size() <= std::max(pid_, state_) || !Count(words[pid_])) return in_list_ = false;
    Add(*Count(words[pid_]), words[state_], words.size() > name_ ? words[name_] : std::string_view(), machine);
    return true;
  }

 private:
  // A single line of ps aux without its heading: "root 4711 99.0 1.2 1234 567 ? Dl 10:00 1:23 python3 train.py".
  static bool Headless(const std::vector<std::string_view>& words, Machine& machine) {
    if (words.size() < 11 || !Count(words[1]) || !Count(words[4]) || !Count(words[5]) ||
        words[2].find('.') == std::string_view::npos)
      return false;
    if (!machine.process_list) machine.process_list.emplace();
    Add(*Count(words[1]), words[7], words[10], machine);
    return true;
  }

  static void Add(uint64_t pid, std::string_view state, std::string_view command, Machine& machine) {
    constexpr size_t kLongestName = 40;
    if (machine.process_list->size() >= kMostEntries || state.empty()) return;
    std::string_view name = command.substr(command.rfind('/') + 1);
    (*machine.process_list)[pid] = {pid, std::string(name.substr(0, kLongestName)), std::nullopt, true, state[0]};
  }

  size_t pid_ = 0, state_ = 0, name_ = 0;
  bool in_list_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_processes() { return std::make_unique<Processes>(); }

}  // namespace warpscope::doctor::read
