// OOM kills, crashes, hung tasks, machine checks: lines of the kernel that concern the host.
#include <fmt/format.h>

#include "faults/parsers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

constexpr std::string_view kGpuLibraries[] = {
    "libnccl",   "librccl", "libcuda", "libcudnn",  "libcublas", "libcufft",      "libnv",     "libtorch", "libc10",
    "libamdhip", "libhsa",  "libhip",  "libtriton", "libze_",    "libtensorflow", "libascend", "libhccl"};

// "1234 (python) ..." behind "Killed process ".
void TakeVictim(std::string_view rest, Event* event) {
  event->pid = TakeNumber(rest);
  Skip(rest, ",");
  SkipSpaces(rest);
  if (!Skip(rest, "(")) return;
  if (const auto name = TakeUntil(rest, ")")) event->process = name->substr(0, 64);
}

// "name[123]: segfault at ... in libnccl.so.2[...]", "traps: name[123] general protection fault ... in
// libcuda.so.1[...]"
bool ReadCrash(std::string_view message, ParseContext& context) {
  const auto library = After(message, " in lib");
  if (!library) return false;
  const std::string_view name = std::string_view(library->data() - 3, library->size() + 3);
  bool is_gpu = false;
  for (const std::string_view known : kGpuLibraries) is_gpu |= name.starts_with(known);
  if (!is_gpu) return false;
  Event event = ParseContext::Make(FindEntry("segfault-gpu-library"), message);
  std::string_view rest = message;
  Skip(rest, "traps: ");
  if (const auto process = TakeUntil(rest, "[")) {
    event.process = process->substr(0, 64);
    event.pid = TakeNumber(rest);
  }
  event.place = name.substr(0, std::min<size_t>(name.find('['), 48));
  context.emit(std::move(event));
  return true;
}

// "anon-rss:1234kB, file-rss:12kB, shmem-rss:0kB": what the program held.
void ReadMemory(std::string_view message, Event* event) {
  const auto own = NumberAfter(message, "anon-rss:"), shared = NumberAfter(message, "shmem-rss:");
  constexpr uint64_t kMostKib = uint64_t{1} << 44;
  if (!own || *own > kMostKib || shared.value_or(0) > kMostKib) return;
  constexpr double kGib = 1024.0 * 1024.0;
  event->details.push_back(fmt::format("The program held {:.1f} GiB of its own.", static_cast<double>(*own) / kGib));
  if (shared.value_or(0) >= 1024 * 1024)
    event->details.push_back(
        fmt::format("And {:.1f} GiB of shared memory: /dev/shm, where data loaders hand over batches.",
                    static_cast<double>(*shared) / kGib));
}

}  // namespace

bool HostParser::Read(const LogLine& line, ParseContext& context) {
  const std::string_view message = line.message;
  const auto emit = [&](std::string_view id) {
    context.emit(ParseContext::Make(FindEntry(id), message));
    return true;
  };
  // "Out of memory: Killed process 1 (x)", before 5.x "Kill process"; "Memory cgroup out of memory: ..."
  auto killed = After(message, "ut of memory: Kill");
  const bool is_bare = !killed && message.starts_with("Killed process ");
  if (is_bare) killed = After(message, "Kill");
  if (killed) {
    std::string_view rest = *killed;
    Skip(rest, "ed");
    if (!Skip(rest, " process ")) return false;
    Event event = ParseContext::Make(
        FindEntry(Has(message, "Memory cgroup out of memory") ? "oom-kill-cgroup" : "oom-kill"), message);
    TakeVictim(rest, &event);
    ReadMemory(message, &event);
    if (is_bare && event.pid.value_or(0) == last_oom_pid_) return true;  // the second line of older kernels
    last_oom_pid_ = event.pid.value_or(0);
    context.emit(std::move(event));
    return true;
  }
  if (Has(message, "segfault at ") || Has(message, "general protection fault")) return ReadCrash(message, context);
  // Daemons that act before the kernel has to.
  if (line.tag == "systemd-oomd" && message.starts_with("Killed ")) return emit("oom-kill-cgroup");
  if (const auto stuck = After(message, "BUG: soft lockup")) {
    Event event = ParseContext::Make(FindEntry("hung-task"), message);
    if (auto name = After(*stuck, "! [")) {
      if (const auto program = TakeUntil(*name, ":")) {
        event.process = program->substr(0, 64);
        event.pid = TakeNumber(*name);
      }
    }
    context.emit(std::move(event));
    return true;
  }
  if (message.starts_with("EDAC MC")) {
    if (Has(message, " UE ")) return emit("mce-uncorrected");
    if (Has(message, " CE ")) return emit("mce-corrected");
  }
  if (Has(message, "Machine Check Exception: ")) return emit("mce-uncorrected");
  if (message.starts_with("INFO: task ") && Has(message, " blocked for more than ")) {
    Event event = ParseContext::Make(FindEntry("hung-task"), message);
    std::string_view rest = *After(message, "INFO: task ");
    if (const auto name = TakeUntil(rest, ":")) {
      event.process = name->substr(0, 64);
      event.pid = TakeNumber(rest);
    }
    context.emit(std::move(event));
    return true;
  }
  if (const auto check = After(message, "[Hardware Error]: ")) {
    if (check->starts_with("Corrected error") || check->starts_with("Deferred error")) {
      context.emit(ParseContext::Make(FindEntry("mce-corrected"), *check));
      return true;
    }
    if (check->starts_with("Uncorrected")) {
      context.emit(ParseContext::Make(FindEntry("mce-uncorrected"), *check));
      return true;
    }
  }
  return false;
}

}  // namespace warpscope::faults
