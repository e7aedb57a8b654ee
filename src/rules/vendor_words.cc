#include "rules/vendor_words.h"

#include <cctype>
#include <utility>

#include "rules/vendor_other_words.h"
#include "rules/xla_words.h"

namespace warpscope::rules {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

// Whole words only; the first that fits wins. What a name in the recording could contain stands in kCode.
constexpr Words kPhrases[] = {
    {"the tensor cores are not used", "16-bit products would run many times faster"},
    {"compute on the ordinary float32 units", "compute in float32"},
    {"kernel names should say tf32, bf16 or fp16 (nvjet, tensorop, hmma), not simt, sgemm or ffma",
     "names of products should be of 16-bit types (Cijk_*_BBS, _HHS, mfma), not of float32 (_SB)"},
    {"tensor cores", "matrix cores"},
    {"Tensor cores", "Matrix cores"},
    {"tensor core", "matrix core"},
    {"tensor-core", "matrix-core"},
    {"CUDA graphs", "HIP graphs"},
    {"CUDA graph", "HIP graph"},
    {"CUDA C++", "HIP C++"},
    {"multiprocessors", "compute units"},
    {"multiprocessor", "compute unit"},
    {"SMs'", "CUs'"},
    {"SMs", "CUs"},
    {"an SM", "a CU"},
    {"An SM", "A CU"},
    {"SM", "CU"},
    {"shared memory", "LDS"},
    {"Shared memory", "LDS"},
    {"shared array", "array in LDS"},
    {"registers a thread", "VGPRs a thread"},
    {"warps", "waves"},
    {"warp", "wave"},
    {"cuDNN's or FlashAttention's", "Composable Kernel's or FlashAttention's"},
    {"cuDNN", "MIOpen"},
    {"cuBLAS", "hipBLAS"},
    {"NVRTC", "hipRTC"},
    {"one cudaMemcpyAsync, or cudaMemcpyBatchAsync", "one hipMemcpyAsync"},
    {"cudaMallocHost", "hipHostMalloc"},
    {"cudaMemcpyAsync", "hipMemcpyAsync"},
    {"no cudaMalloc and no cudaFree", "no hipMalloc and no hipFree"},
    {"the library for matrix-core arithmetic", "the library for 16-bit products"},
};

// Identifiers in code.
constexpr Words kCode[] = {
    {"cudaGraphInstantiate(&exec, graph, 0)", "hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0)"},
    {"cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH)",
     "hipblasGemmEx(..., HIP_R_16BF, ..., HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT)"},
    {"cudaMallocHost", "hipHostMalloc"},
    {"cudaFreeHost", "hipHostFree"},
    {"CUDA_MODULE_LOADING=EAGER", "HIP_ENABLE_DEFERRED_LOADING=0"},
    {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"},
    {"cublasGemmEx", "hipblasGemmEx"},
    {"CUBLAS_COMPUTE_32F", "HIPBLAS_COMPUTE_32F"},
    {"CUBLAS_GEMM_DEFAULT", "HIPBLAS_GEMM_DEFAULT"},
    {"CUDA_R_16BF", "HIP_R_16BF"},
    {"CUDA_R_16F", "HIP_R_16F"},
    {"cub::", "hipcub::"},
};

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Replaces `from` where it stands as a word of its own.
void Replace(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at)) {
    const size_t end = at + from.size();
    const bool begins = at == 0 || !IsWord((*text)[at - 1]) || !IsWord(from.front());
    const bool ends = end == text->size() || !IsWord((*text)[end]) || !IsWord(from.back());
    if (!begins || !ends) {
      at = end;
      continue;
    }
    text->replace(at, from.size(), to);
    at += to.size();
  }
}

// cudaEventRecord -> hipEventRecord: HIP keeps the rest of the name.
void TurnCalls(std::string* text) {
  constexpr std::string_view kPrefix = "cuda";
  for (size_t at = text->find(kPrefix); at != std::string::npos; at = text->find(kPrefix, at + 1)) {
    const size_t next = at + kPrefix.size();
    if ((at > 0 && (IsWord((*text)[at - 1]) || (*text)[at - 1] == '.')) || next >= text->size()) continue;
    if ((*text)[next] >= 'A' && (*text)[next] <= 'Z') text->replace(at, kPrefix.size(), "hip");
  }
}

// TF32 is no setting of these devices' libraries.
bool IsTf32(const Action& action) {
  return action.text.find("TF32") != std::string::npos &&
         action.code.find("set_float32_matmul_precision") != std::string::npos;
}

// What to record, in the tool that the user has at hand.
std::string RecordWith(std::string text, bool torch) {
  constexpr std::string_view kRocprof = "rocprofv3 --runtime-trace -- <program>";
  if (text == "a timeline of the same program: torch.profiler, nsys or rocprofv3")
    return "a timeline of the same program: " + std::string(kRocprof) + ", or torch.profiler";
  if (!torch && text == "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])")
    return std::string(kRocprof) + ", or torch.profiler for operators";
  if (!torch && text == "torch.profiler with CUDA activities: it writes grids and deviceProperties")
    return std::string(kRocprof) + ": it writes grids and agents";
  return InRocmWords(std::move(text), false);
}

}  // namespace

std::string InRocmWords(std::string text, bool code) {
  if (code) {
    for (const auto& [from, to] : kCode) Replace(&text, from, to);
  }
  for (const auto& [from, to] : kPhrases) Replace(&text, from, to);
  if (code) TurnCalls(&text);
  return text;
}

void SpeakVendor(model::Vendor vendor, std::string_view format, Verdict& verdict) {
  const bool unknown_tool = vendor == model::Vendor::kUnknown && (format == "tensorflow" || format == "chrome");
  if (format == "xplane") SpeakXla(verdict);
  if (vendor == model::Vendor::kIntel || vendor == model::Vendor::kHuawei || unknown_tool) {
    SpeakOther(vendor, format, verdict);
    if (vendor == model::Vendor::kHuawei) CallDevice("NPU", verdict);
    return;
  }
  if (vendor != model::Vendor::kAmd) return;
  verdict.answer = InRocmWords(std::move(verdict.answer), false);
  for (Finding& finding : verdict.findings) {
    finding.title = InRocmWords(std::move(finding.title), false);
    for (Evidence& evidence : finding.evidence) evidence.text = InRocmWords(std::move(evidence.text), false);
    std::erase_if(finding.evidence,
                  [](const Evidence& evidence) { return evidence.text.rfind("with TF32 alone", 0) == 0; });
    std::erase_if(finding.actions, IsTf32);
    for (Action& action : finding.actions) {
      action.text = InRocmWords(std::move(action.text), true);
      action.code = InRocmWords(std::move(action.code), true);
    }
    finding.verify = InRocmWords(std::move(finding.verify), true);
    finding.concept_text = InRocmWords(std::move(finding.concept_text), true);
    Replace(&finding.concept_text, "(bf16, fp16, TF32)", "(bf16, fp16)");
  }
  for (Abstention& abstention : verdict.abstained) {
    abstention.reason = InRocmWords(std::move(abstention.reason), false);
    abstention.record_instead = RecordWith(std::move(abstention.record_instead), format == "kineto");
  }
  for (std::string& note : verdict.notes) note = InRocmWords(std::move(note), false);
}

std::string_view WhatToRecord(model::Vendor vendor) {
  if (vendor == model::Vendor::kAmd) return "record with rocprofv3 --runtime-trace -- <program>";
  return "record with activities=[CPU, CUDA]";
}

std::string CountersCommandFor(model::Vendor vendor, const std::string& kernel) {
  if (vendor == model::Vendor::kAmd) return "rocprof-compute profile -n counters -k " + kernel + " -- <program>";
  if (const std::string_view other = OtherCountersCommand(vendor); !other.empty()) return std::string(other);
  return "warpscope counters -k " + kernel + " --launch-skip 10 --launch-count 3 -- <program>";
}

}  // namespace warpscope::rules
