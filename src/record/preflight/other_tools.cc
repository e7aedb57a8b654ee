// Other tools in the same program or on the same device: of those that use CUPTI, one a process works.
#include <fmt/format.h>

#include <array>

#include "record/preflight/checks.h"

namespace warpscope::record::preflight {
namespace {

// Variables that a tool sets in the programs that it runs.
struct Sign {
  std::string_view variable, tool;
};
constexpr std::array kSessions = {
    Sign{"NSYS_PROFILING_SESSION_ID", "Nsight Systems"},
    Sign{"NSYSDK_INJECTION64_PATH", "Nsight Systems"},
    Sign{"QUADD_INJECTION_PROXY", "Nsight Systems"},
    Sign{"NV_NSIGHT_INJECTION_TRANSPORT_TYPE", "Nsight Compute"},
    Sign{"NVPROF_ID", "nvprof"},
};
// Programs that run others under their eyes, by the name that the kernel keeps (15 bytes).
constexpr std::array kParents = {
    Sign{"nsys", "Nsight Systems"},
    Sign{"nsys-launcher", "Nsight Systems"},
    Sign{"ncu", "Nsight Compute"},
    Sign{"nv-nsight-cu-cl", "Nsight Compute"},
    Sign{"compute-sanitiz", "Compute Sanitizer"},
    Sign{"cuda-gdb", "cuda-gdb"},
    Sign{"nvprof", "nvprof"},
};
// Parts of names of libraries that hold or use CUPTI.
constexpr std::array<std::string_view, 9> kLibraries = {"ToolsInjection", "libcupti",  "sanitizer-collection",
                                                        "libkineto",      "nsys",      "libscorep",
                                                        "libTAU",         "libhpcrun", "libproton"};

std::string SessionTool(const Context& c) {
  for (const Sign& sign : kSessions) {
    if (c.system.Variable(std::string(sign.variable)).value_or("").empty()) continue;
    return fmt::format("{} is set: this shell runs under {}", sign.variable, sign.tool);
  }
  constexpr int kMostParents = 32;
  uint64_t pid = static_cast<uint64_t>(c.system.ParentPid());
  for (int i = 0; i < kMostParents && pid > 1; ++i) {
    const std::string process = fmt::format("/proc/{}/", pid);
    const std::string name = FirstLineOf(c.system, process + "comm");
    for (const Sign& sign : kParents) {
      if (name == sign.variable) return fmt::format("{} (process {}) runs this shell", sign.tool, pid);
    }
    pid = NumberIn(ValueIn(c.system, process + "status", "PPid", ':')).value_or(0);
  }
  return {};
}

void CheckInjection(const Context& c, Checks& checks) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const std::string path = c.system.Variable(name).value_or("");
    if (path.empty() || path.find("libwarpscope_agent") != std::string::npos) continue;
    checks.Warn(
        "injection",
        fmt::format("{}={}: recording puts its own library there, so that one records nothing meanwhile", name, path),
        fmt::format("unset {}", name));
    return;
  }
  for (const std::string& path : Split(c.system.Variable("LD_PRELOAD").value_or(""), ':')) {
    for (const std::string& word : Split(path, ' ')) {
      for (const std::string_view part : kLibraries) {
        if (BaseName(word).find(part) == std::string::npos) continue;
        checks.Fail("injection", "LD_PRELOAD loads another profiler: " + word, "unset LD_PRELOAD");
        return;
      }
    }
  }
  checks.Ok("injection", "no other tool's library is loaded into programs");
}

}  // namespace

void CheckOtherTools(const Context& c, Checks& checks) {
  CheckInjection(c, checks);
  const std::string session = SessionTool(c);
  if (!session.empty()) {
    checks.Fail("other_profiler", session + ", and only one tool a program can use CUPTI",
                "start warpscope outside of that tool");
  } else if (const auto daemon = c.system.Variable("KINETO_USE_DAEMON"); daemon && *daemon != "0") {
    checks.Warn("other_profiler",
                "KINETO_USE_DAEMON: PyTorch may start its own profiler in the program, which then competes for CUPTI",
                "unset KINETO_USE_DAEMON");
  } else {
    checks.Ok("other_profiler", "none runs this shell");
  }
}

}  // namespace warpscope::record::preflight
