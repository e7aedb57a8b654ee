// memory_use and bar1: who holds device memory, also where nobody is listed.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::string Shown(const Process& process) {
  std::string text = process.name.empty() ? "process" : process.name;
  if (process.pid != 0) text += fmt::format(" ({})", process.pid);
  if (process.bytes) text += " " + Gibibytes(static_cast<double>(*process.bytes));
  return text;
}

const Process* InList(const Machine& machine, uint64_t pid) {
  if (!machine.process_list) return nullptr;
  const auto found = machine.process_list->find(pid);
  return found == machine.process_list->end() ? nullptr : &found->second;
}

bool IsStuck(char state) { return state == 'D' || state == 'Z'; }

// Processes that are in no state to let go; those of the list that look like users of a GPU are told as well.
std::vector<std::string> Stuck(const Machine& machine, const std::vector<Process>& listed) {
  std::vector<std::string> words;
  for (const Process& process : listed) {
    const Process* known = InList(machine, process.pid);
    const char state = known != nullptr ? known->state : process.state;
    if (IsStuck(state)) words.push_back(fmt::format("{} is in state {}", Shown(process), state));
  }
  if (!words.empty() || !machine.process_list || !listed.empty()) return words;
  for (const auto& [pid, process] : *machine.process_list) {
    if (IsStuck(process.state)) words.push_back(fmt::format("{} is in state {}", Shown(process), process.state));
  }
  return words;
}

// Those of the list that hang, where none of them is listed on the device: one may be the holder.
std::string StuckOthers(const Machine& machine) {
  const std::vector<std::string> others = Stuck(machine, {});
  return others.empty() ? std::string() : "; " + Joined(others);
}

constexpr std::string_view kFind =
    "find the holders as root on the host: sudo fuser -v /dev/nvidia*; end them; reset the device only if none is left";
constexpr std::string_view kStuckNext =
    "state D waits inside of the driver (see warpscope faults; a restart may be needed); for Z end its parent";

bool IsUnseen(const Machine& machine, const Process& process) {
  const bool missing = machine.process_list && process.pid != 0 && InList(machine, process.pid) == nullptr;
  return process.is_seen == false || missing;
}

// Where the memory that is held is not told: processes that do not let go, or are not there. True if a step was added.
bool Unlisted(const Machine& machine, const std::vector<Process>& listed, Steps& steps) {
  if (listed.empty()) return false;
  if (const std::vector<std::string> stuck = Stuck(machine, listed); !stuck.empty()) {
    steps.Fail("memory_use", Joined(stuck) + ": it does not let go of the device", std::string(kStuckNext));
    return true;
  }
  std::vector<std::string> unseen;
  for (const Process& process : listed) {
    if (IsUnseen(machine, process)) unseen.push_back(Shown(process));
  }
  if (unseen.empty()) return false;
  steps.Warn("memory_use",
             "held by " + Joined(unseen) +
                 ", which is not seen here: a process of another container, or one that ended without letting go" +
                 StuckOthers(machine),
             std::string(kFind));
  return true;
}

void Bar1(const Gpu& gpu, Steps& steps) {
  const auto used = gpu.Number(ReadingName::kBar1Used), total = gpu.Number(ReadingName::kBar1Total);
  constexpr double kFull = 0.95;
  if (!used || !total || *total <= 0 || *used < kFull * *total) return;
  steps.Warn("bar1",
             fmt::format("{} of {} of the window through which the host maps device memory are used", Gibibytes(*used),
                         Gibibytes(*total)),
             "fewer registrations (RDMA, GPUDirect) or programs; a larger window: \"Above 4G decoding\" and resizable "
             "BAR in the BIOS");
}

}  // namespace

void CheckMemoryUse(const Machine& machine, const Gpu& gpu, Steps& steps) {
  if (gpu.is_lost) return;
  Bar1(gpu, steps);
  const auto used = gpu.Number(ReadingName::kMemoryUsed), total = gpu.Number(ReadingName::kMemoryTotal);
  const std::vector<Process> listed = gpu.processes.value_or(std::vector<Process>());
  if (!used) {
    if (Unlisted(machine, listed, steps)) return;
    // The tool says that there is none; a value that cannot be says nothing.
    const Value* told = nullptr;
    if (!gpu.looks.empty()) {
      const auto found = gpu.looks.back().values.find(ReadingName::kMemoryTotal);
      if (found != gpu.looks.back().values.end()) told = &found->second;
    }
    if (told != nullptr && told->is_absent_word && !told->is_impossible && !total && gpu.vendor == Vendor::kNvidia &&
        !gpu.is_part)
      steps.Ok("memory_use",
               "the device tells no memory of its own: it shares that of the system" +
                   (machine.memory_bytes ? " (" + Gibibytes(static_cast<double>(*machine.memory_bytes)) + ")"
                                         : std::string()));
    return;
  }
  std::string text = Gibibytes(*used);
  if (total) text += " of " + Gibibytes(*total);
  std::vector<std::string> words, unseen;
  for (const Process& process : listed) {
    words.push_back(Shown(process));
    if (IsUnseen(machine, process)) unseen.push_back(Shown(process));
  }
  const std::vector<std::string> stuck = Stuck(machine, listed);
  // A choice, for no document gives a limit: what the driver keeps for itself and a desktop's programs take some
  // hundred MiB each, and a program that is worth looking for holds more.
  constexpr double kOwnBytes = 1.0 * (1u << 30);
  const bool nobody = gpu.processes && listed.empty() && *used > kOwnBytes;
  if (!stuck.empty() && *used > kOwnBytes) {
    steps.Fail("memory_use", text + " are held, and " + Joined(stuck) + ": it does not let go",
               std::string(kStuckNext));
  } else if (nobody && !machine.is_wsl && !machine.is_windows) {
    std::string holders;
    for (const Process& one : machine.holders.value_or(std::vector<Process>()))
      holders += (holders.empty() ? "" : ", ") + Shown(one);
    steps.Warn("memory_use",
               text + " are held, and no process is listed" +
                   (holders.empty() ? ": one of another container or user, or one that hangs at its end"
                                    : "; the device's files are held by " + holders),
               std::string(kFind));
  } else if (!unseen.empty()) {
    steps.Warn("memory_use",
               text + ", held by " + Joined(unseen) +
                   ", which is not seen here: a process of another container, or one that ended without letting go" +
                   StuckOthers(machine),
               std::string(kFind));
  } else if (!words.empty()) {
    steps.Ok("memory_use", text + ", held by " + Joined(words));
  } else {
    steps.Ok("memory_use", text);
  }
}

}  // namespace warpscope::doctor
