// GpuPeaks: what a GPU can reach at best, by device name and compute capability: dense arithmetic and memory bandwidth.
// Owns the data table; everything that predicts a kernel's floor reads it. [MT] Pure functions.
// Sources: the vendors' data sheets and architecture papers (NVIDIA V100, T4, A100, A30, A10, A40, L4, L40, L40S, H100,
// H200, GH200, DGX B200, GB200 NVL72; "Ampere GA102", "Ada", "RTX Blackwell" architecture papers for GeForce and RTX
// cards; AMD CDNA, CDNA 2, CDNA 3, CDNA 4 data sheets). Numbers are without structured sparsity, tensor numbers with
// 32-bit accumulation, and AMD dual-die cards a die (that is how the runtime numbers devices).
// Invariant: absent means "not known" or "the device cannot": never 0.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/kernel_name.h"
#include "model/trace.h"

namespace warpscope::analysis {

struct GpuPeaks {
  // Dense TFLOP/s. fp64 and fp32: plain arithmetic; the others: tensor cores.
  std::optional<double> fp64_tflops, fp64_tensor_tflops, fp32_tflops, tf32_tflops, fp16_tflops, bf16_tflops, fp8_tflops;
  std::optional<double> dram_bytes_per_s;
  bool tensor_cores = false;
  bool estimated = false;  // from SM count and capability, not from a data sheet: good to a factor of 1.5
};

// By name first, else from compute capability and SM count (no bandwidth then); absent if neither says anything.
std::optional<GpuPeaks> PeaksOf(const model::Device& device);

// The best arithmetic rate for a number format, FLOP/s. kHalf takes bf16, else fp16.
std::optional<double> PeakFlops(const GpuPeaks& peaks, Precision precision);

// What a memory-bound kernel reaches in practice: 0.8 of the data sheet.
std::optional<double> UsableBandwidth(const std::optional<GpuPeaks>& peaks);

}  // namespace warpscope::analysis
