// ROCm: what HIP, HSA and the libraries say.
#include <fmt/format.h>

#include "explain/explain.h"
#include "explain/text/pattern.h"

namespace warpscope::explain {
namespace {

// "HIP error: invalid device ordinal", "hipErrorInvalidDevice": the same words and names as CUDA's, whose meaning and
// cause hold as well.
void WorkHip(std::span<const Match> matches, Answer* answer) {
  std::string_view text = matches.front().window;
  if (const size_t colon = text.find(": "); !text.starts_with("hipError") && colon != std::string_view::npos)
    text.remove_prefix(colon + 2);
  const bool is_name = text.starts_with("hipError") || text.starts_with("HIPError");
  for (const Entry* entry : Catalogue()) {
    if (!entry->id.starts_with("cuda.")) continue;
    const size_t open = entry->title.find('('), close = entry->title.find("): ");
    if (open == std::string_view::npos || close == std::string_view::npos) continue;
    const std::string_view name = entry->title.substr(open + 1 + std::string_view("cuda").size(), close - open - 5);
    const std::string_view words = entry->title.substr(close + 3);
    const std::string_view mine = is_name ? text.substr(3) : text;
    const std::string_view theirs = is_name ? name : words;
    if (mine.size() < theirs.size() || !EqualsNoCase(mine.substr(0, theirs.size()), theirs)) continue;
    if (is_name && mine.size() > theirs.size() && IsWordByte(mine[theirs.size()])) continue;
    const size_t stop = entry->meaning.find(". ");
    answer->headline = std::string(entry->meaning.substr(0, stop)) + (stop == std::string_view::npos ? "" : ".");
    answer->cause = std::string(entry->cause);
    answer->facts.push_back({"name", "name", fmt::format("hip{}", name), 0});
    return;
  }
}

constexpr Entry kEntries[] = {
    {"amd.hip", "A call of HIP failed",
     "?HIP error: {*}\n?ROCm error: {*}\n?HIP error {n}\n?HIP runtime error: {*}\n?hipError{w}\nhipGetDeviceCount "
     "returned {n}\nTriton Error [HIP]: Code: {n}",
     Role::kRoot, "hip", "HIP's errors have CUDA's words and, for the most part, CUDA's numbers.", "By the words.",
     "Which call really? Launches report late: $ AMD_SERIALIZE_KERNEL=3 HIP_LAUNCH_BLOCKING=1 PROGRAM\nWhat does the "
     "kernel's log say? $ sudo dmesg -T | warpscope faults -\nDoes the build know this GPU? $ rocminfo | grep gfx; "
     "python -c \"import torch; print(torch.version.hip, torch.cuda.get_arch_list())\"",
     "Take driver, ROCm and framework of one release.\nCorrect what the words name.", "", "ROCm, HIP error codes",
     WorkHip},
    {"amd.shared_object", "The GPU's code could not be loaded",
     "hipErrorSharedObjectInitFailed\nhipErrorSharedObjectSymbolNotFound\nshared object initialization failed\nHIP "
     "error: shared object initialization failed\nhipErrorInvalidImage\nhipErrorInvalidKernelFile\nHIP error: device "
     "kernel image is invalid",
     Role::kRoot, "arch", "ROCm took a code object and could not make it ready for this GPU.",
     "It was made for another gfx architecture, or by a newer compiler than the driver knows; two GPUs of different "
     "kinds (an integrated one too) in one machine.",
     "Which GPUs? $ rocminfo | grep -E \"Marketing Name|gfx\"\nWhat is in the build? $ python -c \"import torch; "
     "print(torch.cuda.get_arch_list())\"",
     "Hide the integrated GPU: HIP_VISIBLE_DEVICES=0 (ROCR_VISIBLE_DEVICES=0), or switch it off in the BIOS.\nA build "
     "for this architecture; no HSA_OVERRIDE_GFX_VERSION that does not fit.",
     "", "ROCm, HIP error codes"},
    {"amd.hsa", "The ROCm runtime did not start or refused a call",
     "Initializing the hsa runtime failed\nhsa_init() failed\n?HSA_STATUS_ERROR_{w}\nHSA_STATUS_ERROR: A generic error "
     "has occurred\nhsaKmtOpenKFD failed\nHSAKMT{*}failed\nhsa api call failure\nCould not open /dev/kfd",
     Role::kRoot, "no_device", "HSA is the lowest layer of ROCm; it speaks with the driver through /dev/kfd.",
     "The user may not open /dev/kfd, the driver is older than this ROCm, or the GPU failed before.",
     "Does it answer? $ rocminfo | head -5; ls -l /dev/kfd /dev/dri; id\nKernel log? $ sudo dmesg | grep -iE "
     "'kfd|amdgpu' | tail -20",
     "Groups render and video; container: --device /dev/kfd --device /dev/dri; driver and ROCm of one release.", "",
     "ROCm, HSA status codes"},
    {"amd.library", "A library of ROCm failed",
     "rocblas_status_{w}\nrocBLAS error: {*}\nhipBLASLt error: "
     "{*}\nHIPBLAS_STATUS_{w}\nHIPBLASLT_STATUS_{w}\nrocsolver_status_{w}\nHIPFFT_{w} "
     "error\nmiopenStatus{w}\nMIOPEN_STATUS_{w}\nAttempting to use hipBLASLt on an unsupported architecture",
     Role::kSymptom, "cublas", "rocBLAS, hipBLASLt or MIOpen refused or failed; the word behind \"status\" says how.",
     "memory: the GPU is full. internal_error, not_initialized: an earlier fault, or a library without this GPU. "
     "unsupported architecture alone only picks another library.",
     "Which GPU, which files? $ rocminfo | grep gfx; ls /opt/rocm/lib/rocblas/library | head\nWhat failed first? $ "
     "AMD_SERIALIZE_KERNEL=3 PROGRAM",
     "A build for this gfx; TORCH_BLAS_PREFER_HIPBLASLT=0 where hipBLASLt lacks it.", "",
     "ROCm, rocBLAS and MIOpen documentation"},
    {"amd.miopen_remark", "MIOpen chooses an algorithm with less memory",
     "MIOpen(HIP): Warning [IsEnoughWorkspace]\nMIOpen(HIP): Warning [SearchForAllSolutions]\nMIOpen(HIP): Warning "
     "[SQLiteBase] Missing system database file",
     Role::kRemark, "",
     "A remark: a faster algorithm wanted a larger work area, or the tuned list for this GPU is not installed.",
     "PyTorch gives MIOpen no work area in some modes.", "",
     "Nothing to repair. Faster first runs: MIOPEN_FIND_MODE=FAST.", "", "ROCm, MIOpen documentation"},
};

}  // namespace

extern const std::span<const Entry> kVendorsAmd;
const std::span<const Entry> kVendorsAmd = kEntries;

}  // namespace warpscope::explain
