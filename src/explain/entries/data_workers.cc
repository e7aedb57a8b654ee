// Processes around the program that feed it or run it: data loader workers, engine processes, crashes that the shell
// tells.
#include <fmt/format.h>

#include "explain/explain.h"
#include "explain/text/pattern.h"

namespace warpscope::explain {
namespace {

// "killed by signal: Bus error": the signal tells the cause.
void WorkWorkerSignal(std::span<const Match> matches, Answer* answer) {
  const auto match = Find("is killed by signal: {w}", matches.front().window);
  if (!match) return;
  const std::string signal(match->captures[0]);
  if (signal.starts_with("Killed")) {
    answer->headline = "A data loader worker was killed from outside: the host's or the container's memory ran out.";
    answer->cause = "Workers hold copies of the data set, or prefetch more than the memory limit allows.";
    answer->fixes = {
        "Fewer workers (num_workers), a smaller prefetch_factor, and no Python lists of the whole data set.",
        "Raise the memory limit of the container or job."};
  } else if (signal.starts_with("Bus")) {
    answer->headline = "A data loader worker met a bus error: shared memory (/dev/shm) is full.";
    answer->cause = "Docker gives a container 64 MiB of /dev/shm; batches travel through it.";
    answer->fixes = {"Container: --shm-size=8g or --ipc=host; Kubernetes: an emptyDir with medium Memory at /dev/shm.",
                     "Fewer workers, or a smaller prefetch_factor."};
  } else if (signal.starts_with("Segmentation") || signal.starts_with("Aborted")) {
    answer->headline = "A data loader worker crashed inside a library that it called.";
    answer->cause = "A decoder (OpenCV, image or audio library) that does not survive a fork, or a damaged file.";
    answer->fixes = {"Run with num_workers=0 to see where; cv2.setNumThreads(0) in each worker.",
                     "multiprocessing_context='spawn', or another decoder."};
  }
}

constexpr Entry kEntries[] = {
    {"data.worker_signal", "A data loader worker was ended by a signal",
     "DataLoader worker (pid {n}) is killed by signal:", Role::kRoot, "host_memory",
     "The process that loads batches ended; the signal's name says how.",
     "Killed: host memory. Bus error: shared memory. Segmentation fault: a library in the worker.",
     "What does the kernel say? $ warpscope faults\nMemory and limit? $ free -g; cat /sys/fs/cgroup/memory.max; df -h "
     "/dev/shm",
     "Fewer workers and a smaller prefetch_factor.\nMore memory, or more of /dev/shm (--shm-size=8g).",
     "Do not reduce the GPU's batch for it: it is about the host.", "PyTorch, torch.utils.data", WorkWorkerSignal},
    {"data.worker_exit", "A data loader worker ended unexpectedly",
     "DataLoader worker (pid(s) {*}) exited unexpectedly\nPin memory thread exited unexpectedly", Role::kSymptom,
     "host_memory", "A worker process is gone without saying why.",
     "It was killed for memory, crashed in a library, or ran out of shared memory or open files.",
     "In the main process the traceback shows: num_workers=0\nWas it killed? $ warpscope faults",
     "Correct what num_workers=0 shows.\nNothing shown: fewer workers, more /dev/shm (--shm-size=8g), ulimit -n 65536.",
     "Do not wrap it in a retry: it returns.", "PyTorch, torch.utils.data"},
    {"data.open_files", "Too many open files",
     "Errno 24] Too many open files\nToo many open files (24)\nreceived {n} items of ancdata", Role::kRoot, "",
     "The process reached its limit of open files; each tensor that workers share holds one.",
     "A low limit (1024) together with many workers, or files that are opened and never closed.",
     "The limit? $ ulimit -n\nWho holds them? $ ls /proc/PID/fd | wc -l",
     "ulimit -n 65536 (service: LimitNOFILE; container: --ulimit nofile=65536).\n"
     "torch.multiprocessing.set_sharing_strategy('file_system').",
     "", "PyTorch, multiprocessing: sharing strategies"},
    {"engine.core", "An inference engine's worker process failed",
     "Engine core initialization failed. See root cause above\nWorkerProc initialization failed due to an exception in "
     "a "
     "background process\nEngine process failed to start\nExecutor worker died during initialization",
     Role::kSymptom, "launcher", "The process that owns the GPU ended; this line only tells that.",
     "The first traceback above: mostly memory, a missing kernel, or NCCL.",
     "Which error was first? $ warpscope explain --file LOG", "Correct the first error of the worker.", "",
     "vLLM, troubleshooting"},
    {"crash.bus", "The program ended with a bus error", "^Bus error (core dumped)\n^Bus error", Role::kRoot,
     "host_memory",
     "A page that was promised could not be had: nearly always /dev/shm or a full disk behind a mapped file.",
     "Shared memory of the container (64 MiB by default) is full.", "$ df -h /dev/shm .",
     "Container: --shm-size=8g or --ipc=host.\nFree the disk.", "", "signal(7): SIGBUS"},
    {"crash.segfault", "The program crashed (segmentation fault)",
     "^Segmentation fault (core dumped)\n^Segmentation fault\nexit code 139\nexited with code 139\nSignal 11 (SIGSEGV)",
     Role::kSymptom, "crash", "A library used memory that is not its own; the shell does not know which.",
     "Mixed versions of libraries (PyTorch, CUDA, extension), or a bad pointer in an extension.",
     "Where in Python? $ python -X faulthandler PROGRAM\nIn which library? $ warpscope faults   (the kernel's line "
     "names it)\n"
     "Whole stack? $ gdb -ex run -ex bt --args python PROGRAM",
     "Bring PyTorch, extensions and CUDA libraries to versions that belong together, in a fresh environment.",
     "Do not look for it on the GPU first: faults there are CUDA errors.", "Python, faulthandler"},
};

}  // namespace

extern const std::span<const Entry> kDataWorkers;
const std::span<const Entry> kDataWorkers = kEntries;

}  // namespace warpscope::explain
