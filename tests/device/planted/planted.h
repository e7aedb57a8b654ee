// What the planted kernels share: buffers of known content, a list of launches, and small device helpers.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace planted {

constexpr int kSms = 132;                      // of an H200: the grids are cut for it
constexpr size_t kFloats = size_t{128} << 20;  // of each big buffer: 512 MiB, far over the 60 MB L2
constexpr int kRows = 131072;                  // rows of 32 in the table to walk: 16 MiB, fits L2

struct Buffers {
  float* a = nullptr;   // kFloats values in [0.5, 1.5)
  float* b = nullptr;   // the same
  float* c = nullptr;   // output
  int* next = nullptr;  // [kRows][32]: the place of the same lane in the next row of one cycle over all rows
};

struct Launch {
  std::string name;
  std::function<void(const Buffers&)> run;
};

inline std::vector<Launch>& Launches() {
  static std::vector<Launch> all;
  return all;
}

struct Add {
  Add(const char* name, std::function<void(const Buffers&)> run) { Launches().push_back({name, std::move(run)}); }
};

// PLANT(name, statement): the statement launches `name` on the buffers m.
#define PLANT(name, ...) static const planted::Add add_##name(#name, [](const planted::Buffers& m) { __VA_ARGS__; })

template <class Kernel>
void AllowShared(Kernel kernel, int bytes) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

__host__ __device__ inline unsigned Mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

__device__ inline int Thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ inline int Threads() { return static_cast<int>(gridDim.x * blockDim.x); }

// The place of this thread's lane in the row that its warp begins with.
__device__ inline int FirstPlace() {
  const unsigned warp = static_cast<unsigned>(Thread()) / 32;
  return static_cast<int>(Mix(warp) % kRows * 32 + threadIdx.x % 32);
}

}  // namespace planted
