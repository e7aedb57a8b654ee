// The program: whether it can be started, and whether a library can be loaded into it. Where the run is written to.
#include "record/program.h"

#include <fmt/format.h>

#include "record/preflight/checks.h"

namespace warpscope::record::preflight {
namespace {

constexpr unsigned kX86 = 62, kArm = 183;  // e_machine of elf.h
#if defined(__aarch64__)
constexpr unsigned kOwnMachine = kArm;
#else
constexpr unsigned kOwnMachine = kX86;
#endif

std::string Chain(const ProgramChain& chain) {
  std::string text;
  for (const std::string& path : chain.paths) text += (text.empty() ? "" : " -> ") + path;
  return text;
}

void JudgeFile(const Context& c, const ProgramChain& chain, Checks& checks) {
  const std::string& last = chain.paths.back();
  const auto info = c.system.Stat(chain.paths.front());
  const auto last_info = c.system.Stat(last);
  if (!info || info->is_folder || !info->is_executable) {
    checks.Fail("program", chain.paths.front() + (info && info->is_folder ? " is a folder" : " may not be executed"),
                "chmod +x " + chain.paths.front() + ", or name the interpreter that runs it");
  } else if (chain.elf && !chain.elf->is_64_bit) {
    checks.Fail("program", last + " is a 32-bit program: CUDA and CUPTI exist for 64 bit only", "build it for 64 bit");
  } else if (chain.elf && chain.elf->machine != kOwnMachine &&
             (chain.elf->machine == kX86 || chain.elf->machine == kArm)) {
    checks.Fail("program", last + " is made for another processor", "build it for this machine");
  } else if (chain.elf && !chain.elf->has_interpreter) {
    checks.Warn("program",
                last + " is linked statically: nothing can be loaded into it; programs that it starts are recorded",
                "link it dynamically (without -static)");
  } else if (info->gains_rights || (last_info && last_info->gains_rights)) {
    checks.Warn(
        "program",
        last +
            " gains rights when it starts (set-user-id or capabilities): the loader may ignore what a recording needs",
        "record it as the user that it runs as, from a copy without those rights");
  } else {
    checks.Ok("program", Chain(chain) + (chain.elf ? "" : " (run by a shell)"));
  }
}

}  // namespace

void CheckProgram(const Context& c, Checks& checks) {
  const auto& agent = c.request.agent;
  if (agent.ok()) checks.Ok("agent", agent.value().empty() ? "not asked for" : agent.value());
  else checks.Fail("agent", agent.status().message(), "install Warpscope as a whole");
  if (c.request.program.empty()) return;
  const ProgramChain chain = FollowProgram(c.system, c.request.program[0]);
  if (chain.paths.empty())
    checks.Fail("program", c.request.program[0] + " was not found",
                "check the name and PATH; a file here is named ./NAME");
  else if (!chain.missing.empty())
    checks.Fail("program",
                fmt::format("{} names the interpreter {}, which was not found", chain.paths.back(), chain.missing),
                "install it, or start the script with the one that you have");
  else JudgeFile(c, chain, checks);
}

void CheckOutput(const Context& c, Checks& checks) {
  constexpr uint64_t kTooLittle = 64u << 20, kLittle = 1u << 30;
  const std::string here = c.system.WorkingFolder();
  std::string folder = c.request.output.empty() ? here : FolderOf(c.request.output);
  if (folder.empty() || folder[0] != '/') folder = folder == "." ? here : here + "/" + folder;
  const auto info = c.system.Stat(folder);
  const auto free = c.system.FreeBytes(folder);
  constexpr double kMebibyte = 1u << 20;
  const std::string space =
      free ? fmt::format("{:.0f} MiB free in {}", static_cast<double>(*free) / kMebibyte, folder) : folder;
  if (!info || !info->is_folder) checks.Fail("output", folder + ": there is no such folder", "mkdir -p " + folder);
  else if (!info->is_writable)
    checks.Fail("output", folder + ": no permission to write",
                "choose another place: warpscope record -o /tmp/run ...");
  else if (free && *free < kTooLittle) checks.Fail("output", space, "free some, or choose another place with -o");
  else if (free && *free < kLittle)
    checks.Warn("output", space + ": a long recording may fill it", "choose another place with -o");
  else checks.Ok("output", space);
}

}  // namespace warpscope::record::preflight
