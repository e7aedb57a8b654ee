#include "rules/settings.h"

#include <charconv>

namespace warpscope::rules {
namespace {

std::optional<unsigned> NumberIn(const std::optional<std::string>& text) {
  unsigned value = 0;
  if (!text) return std::nullopt;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), value);
  return parsed.ec == std::errc() ? std::optional(value) : std::nullopt;
}

SettingFor Is(std::string name, std::string value, std::string meaning, std::string caution = "") {
  return {Setting{std::move(name), std::move(value), std::move(meaning), std::move(caution)}, ""};
}
SettingFor None(std::string reason) { return {std::nullopt, std::move(reason)}; }

// PyTorch's allocator: segments that grow instead of new ones (docs of torch.cuda, "Memory management").
SettingFor Allocator(const Environment& environment) {
  constexpr std::string_view kName = "PYTORCH_CUDA_ALLOC_CONF", kOption = "expandable_segments";
  const std::string now = environment(kName).value_or("");
  if (now.find(kOption) != std::string::npos) return None("PYTORCH_CUDA_ALLOC_CONF names expandable_segments already.");
  return Is(std::string(kName), (now.empty() ? "" : now + ",") + std::string(kOption) + ":True",
            "PyTorch's cache lets its segments grow, so sizes that vary ask the driver less often.");
}

// PyTorch reads the first when it starts, as the default of torch.backends.cuda.matmul.allow_tf32; CUDA's libraries
// obey the second, and only its 0 does something.
SettingFor Tf32(const Environment& environment) {
  const std::string caution = "products of float32 keep about three decimal digits; look at the results.";
  if (environment("NVIDIA_TF32_OVERRIDE") == "0")
    return {Setting{"NVIDIA_TF32_OVERRIDE", std::nullopt, "CUDA's libraries may use TF32 again.", caution}, ""};
  if (environment("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE") == "1")
    return None("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE is 1 already; the program sets its precision itself.");
  return Is("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "1",
            "PyTorch computes float32 matrix products in TF32, unless the program sets the precision itself.", caution);
}

SettingFor Streams(const Environment& environment) {
  constexpr unsigned kMost = 32, kUsual = 8;
  if (NumberIn(environment("CUDA_DEVICE_MAX_CONNECTIONS")).value_or(kUsual) >= kMost)
    return None("CUDA_DEVICE_MAX_CONNECTIONS is 32 already, the most there are.");
  return Is(
      "CUDA_DEVICE_MAX_CONNECTIONS", "32",
      "each stream gets a hardware queue of its own (8 are usual), so work of one does not wait behind another's.",
      "some frameworks set 1 on purpose, to keep the order of communication and compute.");
}

SettingFor Blocking(const Environment& environment, std::string otherwise) {
  const auto now = environment("CUDA_LAUNCH_BLOCKING");
  if (!now || *now == "0" || now->empty()) return None(std::move(otherwise));
  return Is("CUDA_LAUNCH_BLOCKING", "0", "launches return at once; your environment makes each wait for its kernel.");
}

SettingFor Threads(const Environment& environment, unsigned cores, std::string otherwise) {
  const auto now = NumberIn(environment("OMP_NUM_THREADS"));
  if (!now || *now >= cores) return None(std::move(otherwise));
  return Is("OMP_NUM_THREADS", std::to_string(cores),
            "operators on the CPU use all cores that the program may use; launchers such as torchrun set 1.",
            "several processes on one machine share these cores.");
}

SettingFor Loading(const Environment& environment, std::string otherwise) {
  if (environment("CUDA_MODULE_LOADING") != "EAGER") return None(std::move(otherwise));
  return Is("CUDA_MODULE_LOADING", "LAZY", "kernels are loaded at their first use, not all at the start.");
}

}  // namespace

SettingFor SettingOf(const Finding& finding, const Environment& environment, unsigned cores) {
  std::string otherwise = "Its fix is a change of the program.";
  if (!finding.actions.empty()) otherwise = "Its fix is a change of the program: " + finding.actions.front().text;
  if (finding.id == "allocator_churn") return Allocator(environment);
  if (finding.id == "fp32_no_tensor_core") return Tf32(environment);
  if (finding.id == "serialized_streams") return Streams(environment);
  if (finding.id == "launch_bound" || finding.id == "host_sync") return Blocking(environment, std::move(otherwise));
  if (finding.id == "cpu_op" || finding.id == "cpu_bound_host" || finding.id == "data_loading")
    return Threads(environment, cores, std::move(otherwise));
  if (finding.id == "model_load") return Loading(environment, std::move(otherwise));
  if (finding.id == "fragmentation")
    return None(
        "Its gain is memory, not time: run with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True and look at "
        "warpscope memory.");
  return None(std::move(otherwise));
}

}  // namespace warpscope::rules
