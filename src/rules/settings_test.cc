#include "rules/settings.h"

#include <gtest/gtest.h>

#include <map>

namespace warpscope::rules {
namespace {

SettingFor Of(const char* id, const std::map<std::string, std::string, std::less<>>& variables = {},
              unsigned cores = 8) {
  Finding finding;
  finding.id = id;
  finding.actions.push_back({"Do this.", ""});
  return SettingOf(
      finding,
      [&](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      cores);
}

TEST(SettingOf, IsOfferedWhereAVariableDoesIt) {
  EXPECT_EQ(Of("allocator_churn").setting->value, "expandable_segments:True");
  EXPECT_EQ(Of("allocator_churn", {{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64"}}).setting->value,
            "max_split_size_mb:64,expandable_segments:True");
  EXPECT_EQ(Of("fp32_no_tensor_core").setting->name, "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE");
  EXPECT_FALSE(Of("fp32_no_tensor_core").setting->caution.empty());
  const auto forbidden = Of("fp32_no_tensor_core", {{"NVIDIA_TF32_OVERRIDE", "0"}});
  EXPECT_EQ(forbidden.setting->name, "NVIDIA_TF32_OVERRIDE");
  EXPECT_FALSE(forbidden.setting->value);
  EXPECT_EQ(Of("serialized_streams").setting->value, "32");
  EXPECT_EQ(Of("cpu_op", {{"OMP_NUM_THREADS", "1"}}, 16).setting->value, "16");
  EXPECT_EQ(Of("launch_bound", {{"CUDA_LAUNCH_BLOCKING", "1"}}).setting->value, "0");
  EXPECT_EQ(Of("model_load", {{"CUDA_MODULE_LOADING", "EAGER"}}).setting->value, "LAZY");
}

TEST(SettingOf, IsNotWhereItWouldChangeNothing) {
  for (const char* id :
       {"launch_bound", "host_sync", "cpu_op", "data_loading", "model_load", "pageable_copy", "gc_pause"}) {
    const SettingFor none = Of(id);
    EXPECT_FALSE(none.setting) << id;
    EXPECT_NE(none.reason.find("Do this."), std::string::npos) << id;
  }
  EXPECT_FALSE(Of("allocator_churn", {{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:False"}}).setting);
  EXPECT_FALSE(Of("serialized_streams", {{"CUDA_DEVICE_MAX_CONNECTIONS", "32"}}).setting);
  EXPECT_FALSE(Of("cpu_op", {{"OMP_NUM_THREADS", "8"}}, 8).setting);
  EXPECT_FALSE(Of("fragmentation").setting);
}

}  // namespace
}  // namespace warpscope::rules
