#include "analysis/gpu_peaks.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

model::Device Named(std::string name) {
  model::Device device;
  device.name = std::move(name);
  return device;
}

TEST(GpuPeaks, FindsTheRightModelOfSimilarNames) {
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA H200"))->dram_bytes_per_s, 4800e9);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA H20"))->bf16_tflops, 148);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA H100 80GB HBM3"))->dram_bytes_per_s, 3350e9);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA H100 PCIe"))->bf16_tflops, 756);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA A100-SXM4-40GB"))->dram_bytes_per_s, 1555e9);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA A100-SXM4-80GB"))->dram_bytes_per_s, 2039e9);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA A10"))->fp32_tflops, 31.2);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA A10G"))->bf16_tflops, 70);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA L4"))->bf16_tflops, 121);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA L40S"))->bf16_tflops, 362);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA L40"))->bf16_tflops, 181);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA GeForce RTX 4080 SUPER"))->fp32_tflops, 48.7);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("AMD Instinct MI300X"))->bf16_tflops, 1307);
  EXPECT_DOUBLE_EQ(*PeaksOf(Named("NVIDIA GB200"))->bf16_tflops, 2500);
}

TEST(GpuPeaks, OldDevicesHaveNoTf32AndSomeNoTensorCores) {
  const auto v100 = PeaksOf(Named("Tesla V100-SXM2-16GB"));
  EXPECT_TRUE(v100->tensor_cores);
  EXPECT_FALSE(v100->tf32_tflops.has_value());
  EXPECT_FALSE(v100->bf16_tflops.has_value());
  EXPECT_DOUBLE_EQ(*PeakFlops(*v100, Precision::kHalf), 125e12);
  EXPECT_FALSE(PeaksOf(Named("Tesla P100-PCIE-16GB"))->tensor_cores);
}

TEST(GpuPeaks, FallsBackToCapabilityAndSaysSo) {
  model::Device device = Named("NVIDIA Something New");
  EXPECT_FALSE(PeaksOf(device).has_value());
  device.cc_major = 9, device.cc_minor = 0, device.sm_count = 132;
  const auto peaks = PeaksOf(device);
  ASSERT_TRUE(peaks.has_value());
  EXPECT_TRUE(peaks->estimated);
  EXPECT_NEAR(*peaks->bf16_tflops, 865, 1);
  EXPECT_FALSE(peaks->dram_bytes_per_s.has_value());
  EXPECT_FALSE(UsableBandwidth(peaks).has_value());
  device.cc_major = 42;
  EXPECT_FALSE(PeaksOf(device).has_value());
}

}  // namespace
}  // namespace warpscope::analysis
