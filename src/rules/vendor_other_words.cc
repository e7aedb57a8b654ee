#include "rules/vendor_other_words.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

namespace warpscope::rules {
namespace {

struct Pair {
  std::string_view from, to;
};

constexpr Pair kIntel[] = {
    {"torch.cuda.", "torch.xpu."},
    {"\"cuda\"", "\"xpu\""},
    {"tensor cores", "matrix engines (XMX)"},
    {"Tensor cores", "Matrix engines"},
    {"tensor core", "matrix engine"},
    {"multiprocessors", "Xe cores"},
    {"multiprocessor", "Xe core"},
    {"warps", "sub-groups"},
    {"warp", "sub-group"},
    {"NCCL", "oneCCL"},
};
constexpr Pair kHuawei[] = {
    {"torch.cuda.CUDAGraph", "torch.npu.NPUGraph"},
    {"torch.cuda.", "torch.npu."},
    {"\"cuda\"", "\"npu\""},
    {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF"},
    {"CUDA graph", "NPU graph"},
    {"tensor cores", "cube units"},
    {"Tensor cores", "Cube units"},
    {"tensor core", "cube unit"},
    {"multiprocessors", "AI cores"},
    {"multiprocessor", "AI core"},
    {"NCCL", "HCCL"},
};

std::span<const Pair> WordsOf(model::Vendor vendor) {
  if (vendor == model::Vendor::kIntel) return kIntel;
  if (vendor == model::Vendor::kHuawei) return kHuawei;
  return {};
}

bool HasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool OfCuda(std::string_view text) {
  return HasAny(text, {"cuda", "CUDA", "cublas", "cuBLAS", "cuDNN", "cudnn", "nvrtc", "NVRTC", "nvcc", "TF32",
                       "set_float32_matmul_precision"});
}

void Replace(std::string* text, std::span<const Pair> words) {
  for (const Pair& pair : words) {
    for (size_t at = text->find(pair.from); at != std::string::npos; at = text->find(pair.from, at + pair.to.size()))
      text->replace(at, pair.from.size(), pair.to);
  }
}

// Lines of code that are left without the words of another world; comments of alternatives go with what they belong to.
std::string OwnLines(const std::string& code) {
  std::string kept;
  for (size_t at = 0; at < code.size();) {
    const size_t end = std::min(code.find('\n', at), code.size());
    const std::string_view line = std::string_view(code).substr(at, end - at);
    if (OfCuda(line)) return {};  // a half recipe is none
    kept.append(kept.empty() ? "" : "\n").append(line);
    at = end + 1;
  }
  return kept;
}

std::string_view RecorderOf(model::Vendor vendor, std::string_view format) {
  if (vendor == model::Vendor::kHuawei)
    return "torch_npu.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]), or msprof";
  if (vendor == model::Vendor::kIntel && format == "kineto")
    return "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.XPU])";
  if (vendor == model::Vendor::kIntel) return "unitrace --chrome-call-logging --chrome-kernel-logging <program>";
  if (format == "tensorflow") return "jax.profiler.trace(...) or tf.profiler with the host tracer on";
  return "";
}

// What to record instead. PyTorch's own switches stay where the recording is PyTorch's.
std::string RecordWith(const std::string& text, model::Vendor vendor, std::string_view format) {
  const bool torch = format == "kineto" || format == "ascend";
  const bool devices = HasAny(text, {"ProfilerActivity.CUDA", "CUDA activities", "a timeline of the same program"});
  const bool of_torch = HasAny(text, {"torch.profiler", "prof.step()"});
  const std::string_view recorder = RecorderOf(vendor, format);
  if (devices)
    return recorder.empty() ? "a recording that holds the device's work and the calls that issued it"
                            : std::string(recorder);
  if (!of_torch || torch) return text;
  if (HasAny(text, {"device properties", "deviceProperties"})) return "this recorder does not write device properties";
  return recorder.empty() ? "a recording of the program's own framework that holds it" : std::string(recorder);
}

void SpeakFinding(model::Vendor vendor, bool torch, Finding& finding) {
  const auto words = WordsOf(vendor);
  Replace(&finding.title, words);
  for (Evidence& evidence : finding.evidence) Replace(&evidence.text, words);
  for (Action& action : finding.actions) {
    Replace(&action.text, words);
    Replace(&action.code, words);
    action.code = OwnLines(action.code);
    if (!torch && HasAny(action.code, {"torch"})) action.code.clear();
  }
  const bool known = vendor != model::Vendor::kUnknown || !torch;
  if (known) {
    std::erase_if(finding.actions, [&](const Action& action) {
      return action.text.rfind("In CUDA C++", 0) == 0 || (OfCuda(action.text) && finding.actions.size() > 1);
    });
  }
  Replace(&finding.verify, words);
  Replace(&finding.concept_text, words);
}

}  // namespace

void SpeakOther(model::Vendor vendor, std::string_view format, Verdict& verdict) {
  const bool torch = format == "kineto" || format == "ascend";
  const auto words = WordsOf(vendor);
  Replace(&verdict.answer, words);
  for (Finding& finding : verdict.findings) SpeakFinding(vendor, torch, finding);
  for (Abstention& abstention : verdict.abstained) {
    Replace(&abstention.reason, words);
    abstention.record_instead = RecordWith(abstention.record_instead, vendor, format);
  }
  for (std::string& note : verdict.notes) Replace(&note, words);
}

std::string_view OtherCountersCommand(model::Vendor vendor) {
  if (vendor == model::Vendor::kIntel) return "unitrace -q -g ComputeBasic <program>";
  if (vendor == model::Vendor::kHuawei) return "msprof --aic-metrics=PipeUtilization --application=<program>";
  return "";
}

}  // namespace warpscope::rules
