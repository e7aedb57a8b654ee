#include "analysis/gpu_peaks.h"

#include <array>
#include <cctype>
#include <string>

namespace warpscope::analysis {
namespace {

struct Row {
  std::string_view needle;  // in the device name, lower case; the first row that matches wins
  double fp64, fp64_tensor, fp32, tf32, fp16, bf16, fp8;  // TFLOP/s; 0 in this table = none
  double bandwidth_gb_per_s;
};

constexpr std::array kRows = {
    // NVIDIA data centre
    Row{"gb300", 1.2, 0, 76, 1250, 2500, 2500, 5000, 8000},
    Row{"b300", 1.2, 0, 76, 1125, 2250, 2250, 4500, 8000},
    Row{"gb200", 40, 40, 80, 1250, 2500, 2500, 5000, 8000},
    Row{"b200", 37, 37, 75, 1125, 2250, 2250, 4500, 8000},
    Row{"b100", 30, 30, 60, 875, 1750, 1750, 3500, 8000},
    Row{"gh200", 34, 67, 67, 494.7, 989.4, 989.4, 1979, 4000},
    Row{"h200 nvl", 30, 60, 60, 417.5, 835.5, 835.5, 1671, 4800},
    Row{"h200", 34, 67, 67, 494.7, 989.4, 989.4, 1979, 4800},
    Row{"h100 nvl", 30, 60, 60, 417.5, 835.5, 835.5, 1671, 3938},
    Row{"h100 pcie", 25.6, 51.2, 51.2, 378, 756, 756, 1513, 2039},
    Row{"h100", 34, 67, 67, 494.7, 989.4, 989.4, 1979, 3350},
    Row{"h800 pcie", 0.8, 0, 51.2, 378, 756, 756, 1513, 2039},
    Row{"h800", 1, 0, 67, 494.7, 989.4, 989.4, 1979, 3350},
    Row{"h20", 1, 0, 44, 74, 148, 148, 296, 4000},
    Row{"a100-pcie-80gb", 9.7, 19.5, 19.5, 156, 312, 312, 0, 1935},
    Row{"a100 80gb pcie", 9.7, 19.5, 19.5, 156, 312, 312, 0, 1935},
    Row{"a100-sxm4-80gb", 9.7, 19.5, 19.5, 156, 312, 312, 0, 2039},
    Row{"a100", 9.7, 19.5, 19.5, 156, 312, 312, 0, 1555},
    Row{"a800", 9.7, 19.5, 19.5, 156, 312, 312, 0, 2039},
    Row{"a30", 5.2, 10.3, 10.3, 82, 165, 165, 0, 933},
    Row{"a10g", 0.49, 0, 31.5, 35, 70, 70, 0, 600},
    Row{"a40", 0.58, 0, 37.4, 74.8, 149.7, 149.7, 0, 696},
    Row{"a16", 0.14, 0, 4.5, 9, 18, 18, 0, 200},
    Row{"l40s", 1.4, 0, 91.6, 183, 362, 362, 733, 864},
    Row{"l40", 1.4, 0, 90.5, 90.5, 181, 181, 362, 864},
    Row{"l20", 0.93, 0, 59.8, 59.8, 119.5, 119.5, 239, 864},
    Row{"nvidia l4", 0.49, 0, 30.3, 60, 121, 121, 242.5, 300},
    Row{"v100-pcie", 7, 0, 14, 0, 112, 0, 0, 900},
    Row{"v100s", 8.2, 0, 16.4, 0, 130, 0, 0, 1134},
    Row{"v100", 7.8, 0, 15.7, 0, 125, 0, 0, 900},
    Row{"titan v", 7.4, 0, 14.9, 0, 119, 0, 0, 653},
    Row{"tesla t4", 0.25, 0, 8.1, 0, 65, 0, 0, 320},
    Row{"p100", 4.7, 0, 9.3, 0, 0, 0, 0, 732},
    // NVIDIA workstation
    Row{"rtx pro 6000", 1.97, 0, 126, 126, 252, 252, 504, 1792},
    Row{"rtx 6000 ada", 1.42, 0, 91.1, 91.1, 182.2, 182.2, 364, 960},
    Row{"rtx a6000", 0.6, 0, 38.7, 77.4, 154.8, 154.8, 0, 768},
    Row{"rtx a5000", 0.43, 0, 27.8, 55.6, 111.1, 111.1, 0, 768},
    Row{"rtx a4000", 0.3, 0, 19.2, 38.3, 76.7, 76.7, 0, 448},
    Row{"quadro rtx 8000", 0.51, 0, 16.3, 0, 130.5, 0, 0, 672},
    Row{"quadro rtx 6000", 0.51, 0, 16.3, 0, 130.5, 0, 0, 672},
    Row{"titan rtx", 0.51, 0, 16.3, 0, 130.5, 0, 0, 672},
    // GeForce (tensor rates halve with 32-bit accumulation)
    Row{"rtx 5090", 1.64, 0, 104.8, 104.8, 209.5, 209.5, 419, 1792},
    Row{"rtx 5080", 0.88, 0, 56.3, 56.3, 112.6, 112.6, 225, 960},
    Row{"rtx 5070 ti", 0.69, 0, 43.9, 43.9, 87.9, 87.9, 175.8, 896},
    Row{"rtx 5070", 0.48, 0, 30.9, 30.9, 61.7, 61.7, 123.5, 672},
    Row{"rtx 5060 ti", 0.37, 0, 23.7, 23.7, 47.4, 47.4, 94.8, 448},
    Row{"rtx 5060", 0.3, 0, 19.2, 19.2, 38.4, 38.4, 76.8, 448},
    Row{"rtx 4090", 1.29, 0, 82.6, 82.6, 165.2, 165.2, 330.3, 1008},
    Row{"rtx 4080", 0.76, 0, 48.7, 48.7, 97.5, 97.5, 194.9, 717},
    Row{"rtx 4070 ti", 0.63, 0, 40.1, 40.1, 80.2, 80.2, 160.4, 504},
    Row{"rtx 4070", 0.46, 0, 29.1, 29.1, 58.3, 58.3, 116.6, 504},
    Row{"rtx 4060 ti", 0.34, 0, 22.1, 22.1, 44.1, 44.1, 88.3, 288},
    Row{"rtx 4060", 0.24, 0, 15.1, 15.1, 30.2, 30.2, 60.5, 272},
    Row{"rtx 3090 ti", 0.63, 0, 40, 40, 80, 80, 0, 1008},
    Row{"rtx 3090", 0.56, 0, 35.6, 35.6, 71.2, 71.2, 0, 936},
    Row{"rtx 3080 ti", 0.53, 0, 34.1, 34.1, 68.2, 68.2, 0, 912},
    Row{"rtx 3080", 0.47, 0, 29.8, 29.8, 59.5, 59.5, 0, 760},
    Row{"rtx 3070", 0.32, 0, 20.3, 20.3, 40.6, 40.6, 0, 448},
    Row{"rtx 3060 ti", 0.25, 0, 16.2, 16.2, 32.4, 32.4, 0, 448},
    Row{"rtx 3060", 0.2, 0, 12.7, 12.7, 25.5, 25.5, 0, 360},
    Row{"rtx 2080 ti", 0.42, 0, 13.4, 0, 53.8, 0, 0, 616},
    Row{"rtx 2080", 0.33, 0, 10.6, 0, 42.4, 0, 0, 448},
    Row{"rtx 2070", 0.23, 0, 7.5, 0, 29.9, 0, 0, 448},
    Row{"rtx 2060", 0.2, 0, 6.5, 0, 25.8, 0, 0, 336},
    // AMD
    Row{"mi355x", 78.6, 78.6, 157.3, 0, 2516, 2516, 5033, 8000},
    Row{"mi350x", 72.1, 72.1, 144.2, 0, 2307, 2307, 4614, 8000},
    Row{"mi325x", 81.7, 163.4, 163.4, 653.7, 1307, 1307, 2615, 6000},
    Row{"mi308x", 40, 80, 80, 60, 115, 115, 230, 4000},
    Row{"mi300x", 81.7, 163.4, 163.4, 653.7, 1307, 1307, 2615, 5300},
    Row{"mi300a", 61.3, 122.6, 122.6, 490.3, 980.6, 980.6, 1961, 5300},
    Row{"mi250x", 23.9, 47.9, 47.9, 0, 191.5, 191.5, 0, 1638},
    Row{"mi250", 22.6, 45.3, 45.3, 0, 181, 181, 0, 1638},
    Row{"mi210", 22.6, 45.3, 45.3, 0, 181, 181, 0, 1638},
    Row{"mi100", 11.5, 0, 46.1, 0, 184.6, 92.3, 0, 1229},
    // Last: names that are part of others.
    Row{"nvidia a10", 0.49, 0, 31.2, 62.5, 125, 125, 0, 600},
    Row{"nvidia a2", 0.07, 0, 4.5, 9, 18, 18, 0, 200},
};

std::optional<double> Known(double value) { return value > 0 ? std::optional<double>(value) : std::nullopt; }

GpuPeaks FromRow(const Row& row) {
  GpuPeaks peaks;
  peaks.fp64_tflops = Known(row.fp64);
  peaks.fp64_tensor_tflops = Known(row.fp64_tensor);
  peaks.fp32_tflops = Known(row.fp32);
  peaks.tf32_tflops = Known(row.tf32);
  peaks.fp16_tflops = Known(row.fp16);
  peaks.bf16_tflops = Known(row.bf16);
  peaks.fp8_tflops = Known(row.fp8);
  peaks.dram_bytes_per_s = row.bandwidth_gb_per_s * 1e9;
  peaks.tensor_cores = row.fp16 > 0;
  return peaks;
}

// FLOP a clock and SM (CUDA C++ Programming Guide, "Arithmetic Instructions"; tensor rates: architecture papers).
struct PerSm {
  uint32_t cc;  // 10 * major + minor
  double fp64, fp32, tf32, fp16, fp8;
  bool bf16;
};
constexpr std::array kPerSm = {
    PerSm{60, 64, 128, 0, 0, 0, false},
    PerSm{61, 8, 256, 0, 0, 0, false},
    PerSm{70, 64, 128, 0, 1024, 0, false},
    PerSm{75, 4, 128, 0, 512, 0, false},
    PerSm{80, 64, 128, 1024, 2048, 0, true},
    PerSm{86, 4, 256, 256, 512, 0, true},
    PerSm{89, 4, 256, 256, 512, 1024, true},
    PerSm{90, 128, 256, 2048, 4096, 8192, true},
    PerSm{100, 128, 256, 4096, 8192, 16384, true},
    PerSm{120, 4, 256, 256, 512, 1024, true},
};
constexpr double kTypicalClockHz = 1.6e9;

std::optional<GpuPeaks> FromCapability(const model::Device& device) {
  if (!device.cc_major || !device.sm_count || *device.sm_count == 0) return std::nullopt;
  const uint32_t cc = 10 * *device.cc_major + device.cc_minor.value_or(0);
  const PerSm* found = nullptr;
  for (const PerSm& row : kPerSm) {
    if (row.cc <= cc && row.cc / 10 == cc / 10) found = &row;
  }
  if (found == nullptr) return std::nullopt;
  const double tera = *device.sm_count * kTypicalClockHz / 1e12;
  GpuPeaks peaks;
  peaks.fp64_tflops = Known(found->fp64 * tera);
  peaks.fp32_tflops = Known(found->fp32 * tera);
  peaks.tf32_tflops = Known(found->tf32 * tera);
  peaks.fp16_tflops = Known(found->fp16 * tera);
  if (found->bf16) peaks.bf16_tflops = peaks.fp16_tflops;
  peaks.fp8_tflops = Known(found->fp8 * tera);
  peaks.tensor_cores = found->fp16 > 0;
  peaks.estimated = true;
  return peaks;
}

bool IsWordEnd(const std::string& text, size_t at) {
  return at >= text.size() || std::isalnum(static_cast<unsigned char>(text[at])) == 0;
}

std::optional<double> Tera(const std::optional<double>& tflops) {
  return tflops ? std::optional<double>(*tflops * 1e12) : std::nullopt;
}

}  // namespace

std::optional<GpuPeaks> PeaksOf(const model::Device& device) {
  std::string name;
  for (const char c : device.name) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Row& row : kRows) {
    const size_t at = name.find(row.needle);
    if (at == std::string::npos) continue;
    // "l40" must not be found in "l40s", nor "h20" in "h200".
    const bool starts = at == 0 || IsWordEnd(name, at - 1);
    if (starts && IsWordEnd(name, at + row.needle.size())) return FromRow(row);
  }
  return FromCapability(device);
}

std::optional<double> PeakFlops(const GpuPeaks& peaks, Precision precision) {
  switch (precision) {
    case Precision::kFp64: return Tera(peaks.fp64_tensor_tflops ? peaks.fp64_tensor_tflops : peaks.fp64_tflops);
    case Precision::kFp32: return Tera(peaks.fp32_tflops);
    case Precision::kTf32: return Tera(peaks.tf32_tflops);
    case Precision::kFp16: return Tera(peaks.fp16_tflops);
    case Precision::kBf16: return Tera(peaks.bf16_tflops);
    case Precision::kHalf: return Tera(peaks.bf16_tflops ? peaks.bf16_tflops : peaks.fp16_tflops);
    case Precision::kFp8: return Tera(peaks.fp8_tflops);
    default: return std::nullopt;
  }
}

std::optional<double> UsableBandwidth(const std::optional<GpuPeaks>& peaks) {
  if (!peaks || !peaks->dram_bytes_per_s) return std::nullopt;
  return 0.8 * *peaks->dram_bytes_per_s;
}

}  // namespace warpscope::analysis
