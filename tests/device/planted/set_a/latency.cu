// Waiting: chains of dependent instructions, loads, barriers and atomics.
#include "../planted.h"

using planted::kSms;
using planted::Mix;
using planted::Thread;
using planted::Threads;

// A recurrence of 96 Ki steps a thread, one warp a scheduler: one chain, or four that take a quarter of the steps each.
__global__ void p20a(float* out, float f, float g) {
  float x = Thread();
#pragma unroll 16
  for (int k = 0; k < 98304; ++k) x = x * f + g;
  out[Thread()] = x;
}
__global__ void p20b(float* out, float f, float g) {
  float x[4] = {float(Thread()), 1, 2, 3};
#pragma unroll 4
  for (int k = 0; k < 24576; ++k)
    for (float& v : x) v = v * f + g;
  out[Thread()] = x[0] + x[1] + x[2] + x[3];
}
PLANT(p20a, p20a<<<kSms, 128>>>(m.c, 0.99f, 0.5f));
PLANT(p20b, p20b<<<kSms, 128>>>(m.c, 0.99f, 0.5f));

// Integer hashes of a chain (each needs the one before), one warp a scheduler; or four chains.
__device__ unsigned Turn(unsigned h) { return (h * 0x9e3779b1U) ^ (h >> 15); }
__global__ void p21a(unsigned* out) {
  unsigned h = Thread();
#pragma unroll 8
  for (int k = 0; k < 36864; ++k) h = Turn(h);
  out[Thread()] = h;
}
__global__ void p21b(unsigned* out) {
  unsigned h[4] = {unsigned(Thread()), 1, 2, 3};
#pragma unroll 4
  for (int k = 0; k < 9216; ++k)
    for (unsigned& v : h) v = Turn(v);
  out[Thread()] = h[0] ^ h[1] ^ h[2] ^ h[3];
}
PLANT(p21a, p21a<<<kSms, 128>>>(reinterpret_cast<unsigned*>(m.c)));
PLANT(p21b, p21b<<<kSms, 128>>>(reinterpret_cast<unsigned*>(m.c)));

// Values through an index, eight warps a multiprocessor: a load at a time, or eight on their way.
constexpr int kIndexed = 8 << 20, kIndexRows = planted::kRows * 32;
__global__ void p22a(const int* index, const float* x, float* out) {
  float sum = 0;
#pragma unroll 1
  for (int i = Thread(); i < kIndexed * 2; i += Threads()) sum += x[index[i % kIndexRows]];
  out[Thread()] = sum;
}
__global__ void p22b(const int* index, const float* x, float* out) {
  float sum = 0;
  for (int i = Thread(); i < kIndexed * 2; i += Threads() * 8) {
    int at[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) at[k] = i + k * Threads() < kIndexed * 2 ? index[(i + k * Threads()) % kIndexRows] : -1;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += at[k] >= 0 ? x[at[k]] : 0.0f;
  }
  out[Thread()] = sum;
}
PLANT(p22a, p22a<<<kSms * 2, 128>>>(m.next, m.a, m.c));
PLANT(p22b, p22b<<<kSms * 2, 128>>>(m.next, m.a, m.c));

// A walk of 4,096 steps by two warps a multiprocessor, or sixteen walks of 256 steps by 32 warps.
__global__ void p23a(const int* next, int* out, int steps) {
  int place = planted::FirstPlace();
#pragma unroll 1
  for (int k = 0; k < steps; ++k) place = next[place];
  out[Thread()] = place;
}
__global__ void p23b(const int* next, int* out, int steps) {
  int place = planted::FirstPlace();
#pragma unroll 1
  for (int k = 0; k < steps; ++k) place = next[place];
  out[Thread()] = place;
}
PLANT(p23a, p23a<<<kSms, 64>>>(m.next, reinterpret_cast<int*>(m.c), 4096));
PLANT(p23b, p23b<<<kSms * 2, 512>>>(m.next, reinterpret_cast<int*>(m.c), 256));

// A serial part in each of 256 rounds: done by one warp after another while 15 wait, or by all warps between fewer barriers.
__device__ float Part(float v, int steps) {
#pragma unroll 8
  for (int k = 0; k < steps; ++k) v = v * 0.99f + 0.01f;
  return v;
}
__global__ void p24a(float* out) {
  __shared__ float turn[512];
  float v = Thread();
#pragma unroll 1
  for (int round = 0; round < 256; ++round) {
    if (threadIdx.x / 32 == unsigned(round) % 16) v = Part(v, 128);
    turn[threadIdx.x] = v;
    __syncthreads();
    v += turn[(threadIdx.x + 32) % 512];
    __syncthreads();
  }
  out[Thread()] = v;
}
__global__ void p24b(float* out) {
  __shared__ float turn[512];
  float v = Thread();
#pragma unroll 1
  for (int round = 0; round < 16; ++round) {
    v = Part(v, 128);
    turn[threadIdx.x] = v;
    __syncthreads();
    v += turn[(threadIdx.x + 32) % 512];
    __syncthreads();
  }
  out[Thread()] = v;
}
PLANT(p24a, p24a<<<kSms * 16, 512>>>(m.c));
PLANT(p24b, p24b<<<kSms * 16, 512>>>(m.c));

// Sums of rows of 1,024: a tree with a barrier a level, or shuffles and two barriers.
constexpr int kSumRows = 32;
__global__ void __launch_bounds__(1024) p25a(const float* x, float* out) {
  __shared__ float part[1024];
#pragma unroll 1
  for (int r = 0; r < kSumRows; ++r) {
    part[threadIdx.x] = x[(size_t(blockIdx.x) * kSumRows + r) * 1024 % (8 << 20) + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int half = 512; half > 0; half /= 2) {
      if (int(threadIdx.x) < half) part[threadIdx.x] += part[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x * kSumRows + r] = part[0];
    __syncthreads();
  }
}
__global__ void __launch_bounds__(1024) p25b(const float* x, float* out) {
  // A warp sums a row by itself: no barrier is needed.
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int r = warp; r < kSumRows; r += 32) {
    const float* row = x + (size_t(blockIdx.x) * kSumRows + r) * 1024 % (8 << 20);
    float sum = 0;
#pragma unroll 8
    for (int k = lane; k < 1024; k += 32) sum += row[k];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    if (lane == 0) out[blockIdx.x * kSumRows + r] = sum;
  }
}
PLANT(p25a, p25a<<<kSms * 16, 1024>>>(m.a, m.c));
PLANT(p25b, p25b<<<kSms * 16, 1024>>>(m.a, m.c));

// Counts 8 Mi values in 16 classes: in global memory, or in shared memory first.
constexpr int kCounted = 8 << 20;
__device__ int Class(float v) { return int((v - 0.5f) * 16) & 15; }
__global__ void p26a(const float* x, int* counts) {
  for (int i = Thread(); i < kCounted; i += Threads()) atomicAdd(&counts[Class(x[i])], 1);
}
__global__ void p26b(const float* x, int* counts) {
  __shared__ int mine[16 * 32];
  for (int k = threadIdx.x; k < 16 * 32; k += 256) mine[k] = 0;
  __syncthreads();
  for (int i = Thread(); i < kCounted; i += Threads()) atomicAdd(&mine[Class(x[i]) * 32 + threadIdx.x % 32], 1);
  __syncthreads();
  if (threadIdx.x < 16) {
    int sum = 0;
    for (int k = 0; k < 32; ++k) sum += mine[threadIdx.x * 32 + (k + threadIdx.x) % 32];
    atomicAdd(&counts[threadIdx.x], sum);
  }
}
PLANT(p26a, p26a<<<kSms * 8, 256>>>(m.a, reinterpret_cast<int*>(m.c)));
PLANT(p26b, p26b<<<kSms * 8, 256>>>(m.a, reinterpret_cast<int*>(m.c)));

// One sum of 4 Mi values: an atomic a value, or one a block.
__global__ void p27a(const float* x, float* sum) { atomicAdd(sum, x[Thread()] * 1e-6f); }
__global__ void p27b(const float* x, float* sum) {
  __shared__ float part[8];
  float v = x[Thread()] * 1e-6f;
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) v += part[k];
    atomicAdd(sum, v);
  }
}
PLANT(p27a, p27a<<<(4 << 20) / 256, 256>>>(m.a, m.c));
PLANT(p27b, p27b<<<(4 << 20) / 256, 256>>>(m.a, m.c));
