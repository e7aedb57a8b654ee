// ls and ls -l of /dev, rules of a device control group (devices.list), and what opening a device answered.
#include <algorithm>

#include "doctor/read/line_reader.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

// "/dev/nvidia0", "nvidiactl", "nvidia-uvm", "dri/renderD128", "kfd"; "" for anything else.
std::string NodeOf(std::string_view word) {
  while (!word.empty() && (word.back() == ',' || word.back() == ':')) word.remove_suffix(1);
  if (word.starts_with("/dev/")) word.remove_prefix(5);
  const bool is_nvidia =
      word.starts_with("nvidia") && word.size() > 6 &&
      (word.substr(6).find_first_not_of("0123456789") == std::string_view::npos || word == "nvidiactl" ||
       word == "nvidia-uvm" || word == "nvidia-uvm-tools" || word == "nvidia-modeset");
  const bool is_other = word == "kfd" || word == "dxg" || word == "davinci_manager" ||
                        (word.starts_with("dri/renderD") && word.size() < 20) ||
                        (word.starts_with("davinci") && word.size() > 7 &&
                         word.substr(7).find_first_not_of("0123456789") == std::string_view::npos);
  return is_nvidia || is_other ? "/dev/" + std::string(word) : std::string();
}

class DeviceNodes final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"nvidia", "kfd", "dxg", "davinci", "dri/renderD", "devices", "a 0", "a 1", "a 2", "a 3",
            "a 4",    "a 5", "a 6", "a 7",     "a 8",         "a 9",     "a *", "b 0", "b 1", "b 2",
            "b 3",    "b 4", "b 5", "b 6",     "b 7",         "b 8",     "b 9", "b *", "c 0", "c 1",
            "c 2",    "c 3", "c 4", "c 5",     "c 6",         "c 7",     "c 8", "c 9", "c *"};
  }
  bool IsOpen() const override { return in_rules_; }
  bool Line(std::string_view line, Machine& machine) override {
    const bool is_rule = Rule(line, machine);
    in_rules_ = is_rule;
    if (is_rule || Tried(line, machine)) return true;
    const std::vector<std::string_view> words = Words(line);
    if (words.empty()) return false;
    const bool is_long = words[0].size() >= 10 && words[0].size() <= 11 && words[0][0] == 'c' &&
                         (words[0][1] == 'r' || words[0][1] == '-');
    if (is_long) {
      const std::string path = NodeOf(words.back());
      if (path.empty()) return false;
      DeviceNode& node = Listed(machine, path);
      // Nobody but the owner may open it.
      node.readable = node.writable = words[0].substr(4, 6) != "------";
      return true;
    }
    constexpr size_t kMostWords = 64;
    const bool all = words.size() <= kMostWords && std::all_of(words.begin(), words.end(), [](std::string_view word) {
                       return !NodeOf(word).empty() || word.starts_with("nvidia-cap");
                     });
    if (!all) return false;
    for (const std::string_view word : words) {
      if (const std::string path = NodeOf(word); !path.empty()) Listed(machine, path);
    }
    return true;
  }

 private:
  static std::string_view Unquoted(std::string_view word) {
    const size_t begin = word.find("/dev/");
    if (begin == std::string_view::npos) return {};
    word.remove_prefix(begin);
    return word.substr(0, word.find_first_of("\"',:"));
  }

  // What one attempt to open or list a file answered: "/dev/nvidiactl: Operation not permitted", strace's
  // "open("/dev/nvidiactl", O_RDWR) = -1 EPERM", "ls: cannot access '/dev/nvidia-uvm': No such file or directory", that
  // in other languages as well.
  static bool Tried(std::string_view line, Machine& machine) {
    const size_t at = std::min({line.find("/dev/nvidia"), line.find("/dev/dxg"), line.find("/dev/kfd")});
    if (at == std::string_view::npos) return false;
    const auto says = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
    const std::string path = NodeOf(Unquoted(line.substr(at)));
    if (says("Operation not permitted") || says(" EPERM")) {
      if (path.empty()) return false;
      Node(machine, path).is_forbidden = true;
      return true;
    }
    if (says("Permission denied") || says(" EACCES")) {
      if (path.empty()) return false;
      Node(machine, path).readable = false;
      return true;
    }
    const bool is_ls = Trim(line).starts_with("ls: ") || Trim(line).starts_with("stat: ");
    if (!is_ls && !says("No such file or directory") && !says(" ENOENT")) return false;
    // A pattern that nothing fits: there is none at all.
    if (path.empty()) {
      if (!says("/dev/nvidia*")) return false;
      if (!machine.nodes || machine.nodes_are_partial) machine.nodes.emplace();
      machine.nodes_are_partial = false;
      return true;
    }
    if (machine.missing_nodes.size() < kMostEntries) machine.missing_nodes.push_back(path);
    if (!machine.nodes) machine.nodes.emplace(), machine.nodes_are_partial = true;
    return true;
  }

  // Of a list, which tells all that there are.
  static DeviceNode& Listed(Machine& machine, const std::string& path) {
    DeviceNode& node = Node(machine, path);
    machine.nodes_are_partial = false;
    return node;
  }
  static DeviceNode& Node(Machine& machine, const std::string& path) {
    if (!machine.nodes) machine.nodes.emplace(), machine.nodes_are_partial = true;
    const auto found = std::find_if(machine.nodes->begin(), machine.nodes->end(),
                                    [&](const DeviceNode& one) { return one.path == path; });
    if (found != machine.nodes->end()) return *found;
    if (machine.nodes->size() >= kMostEntries) return machine.nodes->back();
    machine.nodes->push_back({path, true, true, false});
    return machine.nodes->back();
  }

  // "c 195:* rwm", "a *:* rwm", several in one line between " / ". A text that shows them before and after tells the
  // state after last: a list that begins behind something else takes the place of the one before.
  bool Rule(std::string_view line, Machine& machine) {
    const std::string lower = Lower(line.substr(0, 80));
    const bool is_after = lower.find("after") != std::string::npos && lower.find("devices") != std::string::npos;
    bool took = false;
    if (is_after && machine.device_rules) machine.device_rules->clear();
    const std::vector<std::string_view> words = Words(line);
    for (size_t i = 0; i + 2 < words.size(); ++i) {
      std::string_view kind = words[i];
      while (!kind.empty() && (kind.front() == '`' || kind.front() == '"')) kind.remove_prefix(1);
      const bool is_kind = kind == "c" || kind == "a" || kind == "b";
      const std::string_view numbers = words[i + 1];
      std::string_view rights = words[i + 2];
      while (!rights.empty() && (rights.back() == '`' || rights.back() == '"' || rights.back() == ','))
        rights.remove_suffix(1);
      const bool fits = is_kind && numbers.find(':') != std::string_view::npos &&
                        numbers.find_first_not_of("0123456789:*") == std::string_view::npos && !rights.empty() &&
                        rights.find_first_not_of("rwm") == std::string_view::npos;
      if (!fits) continue;
      if (!machine.device_rules || (!in_rules_ && !took && had_rules_)) machine.device_rules.emplace();
      had_rules_ = true;
      if (machine.device_rules->size() < kMostEntries)
        machine.device_rules->push_back(std::string(kind) + " " + std::string(numbers) + " " + std::string(rights));
      if (machine.container.empty()) machine.container = "container";
      took = true;
    }
    return took;
  }

  bool in_rules_ = false, had_rules_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_device_nodes() { return std::make_unique<DeviceNodes>(); }

}  // namespace warpscope::doctor::read
