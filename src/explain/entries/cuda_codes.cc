// Errors of the CUDA runtime and driver, by name, number or words (cuda_codes.def).
#include <array>

#include "explain/explain.h"

namespace warpscope::explain {
namespace {

#define WS_ASYNC_CHECKS                                                                                               \
  "Which call is it really? Launches report late: run once with $ CUDA_LAUNCH_BLOCKING=1 PROGRAM\nWhat does the API " \
  "check say? $ compute-sanitizer PROGRAM"
constexpr const char* kAsyncChecks = WS_ASYNC_CHECKS;
constexpr const char* kFaultChecks =
    "Which kernel? Errors of kernels are reported late: run once with $ CUDA_LAUNCH_BLOCKING=1 PROGRAM\n"
    "Which line and address? $ compute-sanitizer --tool memcheck PROGRAM\n"
    "Does the kernel's log show an Xid at that time, and is it one of the machine? $ warpscope faults "
    "/var/log/kern.log\n"
    "Does it follow the program to another GPU? $ CUDA_VISIBLE_DEVICES=1 PROGRAM";
constexpr const char* kAssertChecks =
    "Which assertion? It stands in the log above, with file, block and thread: $ grep -m3 \"Assertion\" LOG\n"
    "Which operation? $ CUDA_LAUNCH_BLOCKING=1 PROGRAM\n"
    "What are the values? On the CPU the same data give a readable error: run the step with device='cpu'";
constexpr const char* kArchChecks =
    "What does the GPU need? $ nvidia-smi --query-gpu=name,compute_cap --format=csv\n"
    "What was the build made for? $ python -c \"import torch; print(torch.__version__, torch.cuda.get_arch_list())\"\n"
    "Which library fails? One built apart (flash-attn, xformers, bitsandbytes, own extensions) has its own list: $ "
    "cuobjdump --list-elf LIBRARY.so";
constexpr const char* kArchFixes =
    "Install a build that lists the GPU's architecture: a newer CUDA build for a new GPU, an older one for an old "
    "GPU.\n"
    "Rebuild extensions for it: TORCH_CUDA_ARCH_LIST=\"X.Y\" pip install --no-build-isolation --force-reinstall "
    "PACKAGE";
constexpr const char* kDriverChecks =
    "Which driver runs, up to which CUDA? $ nvidia-smi\n"
    "Which CUDA does the program bring? $ python -c \"import torch; print(torch.version.cuda)\"";
constexpr const char* kDriverFixes =
    "Update the driver of the host (not the toolkit).\n"
    "Or install a build for an older CUDA that the driver supports.";
constexpr const char* kMixedDriverChecks =
    "Which version is loaded? $ cat /proc/driver/nvidia/version\n"
    "Which libcuda is found, and are there several? $ ldconfig -p | grep libcuda.so; echo $LD_LIBRARY_PATH\n"
    "Was a driver updated since boot? $ grep -i nvidia /var/log/dpkg.log /var/log/dnf.log; uptime";
constexpr const char* kCaptureChecks =
    "Which call breaks the capture? $ CUDA_LAUNCH_BLOCKING=0 TORCH_SHOW_CPP_STACKTRACES=1 PROGRAM\n"
    "Does the code run without capture, after warm-up steps?";
constexpr const char* kCudaSource = "CUDA Runtime API reference, section 'Data types used by CUDA Runtime' (cudaError)";

// The first sentence of the meaning is the answer; name and number of the code follow it.
void WorkCode(std::span<const Match>, Answer* answer) {
  const size_t end = answer->meaning.find(". ");
  std::string first = answer->meaning.substr(0, end);
  if (!first.empty() && first.back() == '.') first.pop_back();
  const std::string rest = end == std::string::npos ? std::string() : answer->meaning.substr(end + 2);
  std::string code = answer->headline.substr(0, answer->headline.find("): ") + 1);
  answer->headline = first + ". " + code + ".";
  answer->meaning = rest;
}

#define WS_TEXT(number) #number
#define WS_CUDA_PATTERNS(number, runtime, driver, words) \
  runtime "\n" driver "\nCUDA error: " words "\nCUDA error " WS_TEXT(number) "\nCUDA error: " WS_TEXT(number)          \
  "\nCUDA error(" WS_TEXT(number) ")\nCUDA error (" WS_TEXT(number) ")\nCUDA runtime error (" WS_TEXT(number)           \
  ")\nCUDA runtime error: " words "\nCUDA driver error: " words "\nCUDA driver error: " WS_TEXT(number)                 \
  "\nCUDA failure " WS_TEXT(number) "\nCUDA failure '" words "\nError " WS_TEXT(number) ": " words                       \
  "\nGPUassert: " words "\ncode=" WS_TEXT(number) "(cuda\ncode=" WS_TEXT(number) "(CUDA_\nTriton Error [CUDA]: " words    \
  "\ncuInit(0) returned " WS_TEXT(number) "\ncuInit result " WS_TEXT(number) "\ncuInit: " WS_TEXT(number)               \
  "\ncuInit returned " WS_TEXT(number) "\ncuInit failed: " WS_TEXT(number) "\ncuInit failed with error code "            \
  WS_TEXT(number) "\ncuInit: UNKNOWN ERROR (" WS_TEXT(number) ")" "\ncuInit returned error " WS_TEXT(number) "\nCUDA kernel failed : " words                             \
  "\n[" WS_TEXT(number) "] Call to cu{w}\nCUDA kernel errors: " words "\ncudaGetDeviceCount returned " WS_TEXT(number) "\ncudaGetDeviceCount failed: " words   \
  "\nCUDA runtime error ({n}) : " words "\nTHCudaCheck FAIL{*} : " words "\nlazily at initialization with error: " words "\nTHCudaCheck FAIL{*}error=" WS_TEXT(number) " :"

#define WS_CUDA(number, runtime, driver, words, role, group, meaning, cause, checks, fixes, avoid) \
  {"cuda." WS_TEXT(number),                                                                        \
   "CUDA error " WS_TEXT(number) " (" runtime "): " words,                                         \
   WS_CUDA_PATTERNS(number, runtime, driver, words),                                               \
   Role::role,                                                                                     \
   group,                                                                                          \
   meaning,                                                                                        \
   cause,                                                                                          \
   checks,                                                                                         \
   fixes,                                                                                          \
   avoid,                                                                                          \
   kCudaSource,                                                                                    \
   WorkCode},

constexpr Entry kEntries[] = {
#include "explain/entries/cuda_codes.def"
};
#undef WS_CUDA

}  // namespace

extern const std::span<const Entry> kCudaCodes;
const std::span<const Entry> kCudaCodes = kEntries;

}  // namespace warpscope::explain
