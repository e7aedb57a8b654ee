// Runs planted kernels: [--time] [--once] [--only PREFIX[,PREFIX...]] [--list].
//   --time  one line a kernel: its name and the median of 21 launches, in ms, by CUDA events
//   --once  each kernel once, for a profiler; without either option both are done
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "planted.h"

namespace {

void Must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

__global__ void FillValues(float* x, unsigned seed) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < planted::kFloats; i += stride)
    x[i] = 0.5f + static_cast<float>(planted::Mix(static_cast<unsigned>(i) ^ seed) >> 8) / 16777216.0f;
}

// A linear congruential step of full period over kRows (a power of two): factor 1 mod 4, odd increment.
__global__ void FillNext(int* next) {
  const int i = planted::Thread();
  const unsigned row = static_cast<unsigned>(i) / 32;
  next[i] = static_cast<int>((row * 69069u + 12345u) % planted::kRows * 32 + i % 32);
}

float MedianMs(const planted::Launch& launch, const planted::Buffers& m) {
  constexpr int kRounds = 21;
  cudaEvent_t at[2 * kRounds];
  for (auto& event : at) Must(cudaEventCreate(&event), "cudaEventCreate");
  for (int i = 0; i < 3; ++i) launch.run(m);
  for (int i = 0; i < kRounds; ++i) {
    cudaEventRecord(at[2 * i]);
    launch.run(m);
    cudaEventRecord(at[2 * i + 1]);
  }
  Must(cudaDeviceSynchronize(), launch.name.c_str());
  std::vector<float> ms(kRounds);
  for (int i = 0; i < kRounds; ++i) cudaEventElapsedTime(&ms[i], at[2 * i], at[2 * i + 1]);
  for (auto& event : at) cudaEventDestroy(event);
  std::nth_element(ms.begin(), ms.begin() + kRounds / 2, ms.end());
  return ms[kRounds / 2];
}

bool Chosen(const std::string& name, const std::string& only) {
  if (only.empty()) return true;
  std::stringstream words(only);
  for (std::string word; std::getline(words, word, ',');)
    if (name.compare(0, word.size(), word) == 0) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bool time = false, once = false;
  std::string only;
  auto& all = planted::Launches();
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--time") == 0) time = true;
    else if (std::strcmp(argv[i], "--once") == 0) once = true;
    else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) only = argv[++i];
    else if (std::strcmp(argv[i], "--list") == 0) {
      for (const auto& launch : all) std::printf("%s\n", launch.name.c_str());
      return 0;
    } else {
      std::fprintf(stderr, "usage: %s [--time] [--once] [--only PREFIX,...] [--list]\n", argv[0]);
      return 2;
    }
  }
  if (!time && !once) time = once = true;
  planted::Buffers m;
  for (float** x : {&m.a, &m.b, &m.c}) Must(cudaMalloc(x, planted::kFloats * sizeof(float)), "cudaMalloc");
  Must(cudaMalloc(&m.next, size_t{planted::kRows} * 32 * sizeof(int)), "cudaMalloc");
  unsigned seed = 1;
  for (float* x : {m.a, m.b, m.c}) FillValues<<<planted::kSms * 8, 256>>>(x, seed++);
  FillNext<<<planted::kRows * 32 / 256, 256>>>(m.next);
  Must(cudaDeviceSynchronize(), "filling the buffers");
  for (const auto& launch : all) {
    if (!Chosen(launch.name, only)) continue;
    if (time) std::printf("%s %.6f\n", launch.name.c_str(), MedianMs(launch, m));
    if (once) launch.run(m);
    Must(cudaGetLastError(), launch.name.c_str());
    Must(cudaDeviceSynchronize(), launch.name.c_str());
    std::fflush(stdout);
  }
  return 0;
}
