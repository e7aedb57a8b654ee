#include "record/host/perf_refusal.h"

#include <cerrno>
#include <cstring>

#include "record/host/proc_files.h"

namespace warpscope::record::host {

std::string PerfRefusal(int error) {
  std::string text = "perf_event_open was refused (" + std::string(std::strerror(error)) + ")";
  std::string level = ReadProc("/proc/sys/kernel/perf_event_paranoid", 16).value_or("");
  level = level.substr(0, level.find('\n'));
  if (!level.empty() && level != "2" && level != "1" && level != "0" && level != "-1")
    return text + "; kernel.perf_event_paranoid is " + level + ", set it to 2: sysctl kernel.perf_event_paranoid=2";
  if (error == EPERM || error == EACCES)
    return text + "; in a container allow it: --cap-add=PERFMON or a seccomp profile with perf_event_open";
  return text;
}

}  // namespace warpscope::record::host
