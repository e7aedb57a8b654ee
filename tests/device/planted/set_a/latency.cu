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

// A walk of 2,048 steps by eight warps a multiprocessor, or four walks of 512 steps by 32 warps.
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
PLANT(p23a, p23a<<<kSms, 256>>>(m.next, reinterpret_cast<int*>(m.c), 2048));
PLANT(p23b, p23b<<<kSms * 4, 256>>>(m.next, reinterpret_cast<int*>(m.c), 512));

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

// 24 rounds of work between barriers: the first warp of a block with 40 parts and the others with two, or all with the mean.
__device__ float Rounds(int parts) {
  __shared__ float turn[512];
  float v = Thread();
#pragma unroll 1
  for (int round = 0; round < 24; ++round) {
    v = Part(v, parts * 8);
    turn[threadIdx.x] = v;
    __syncthreads();
    v += turn[(threadIdx.x + 32) % 512];
    __syncthreads();
  }
  return v;
}
__global__ void p25a(float* out) { out[Thread()] = Rounds(threadIdx.x < 32 ? 160 : 8); }
__global__ void p25b(float* out) { out[Thread()] = Rounds((160 + 15 * 8) / 16); }
PLANT(p25a, p25a<<<kSms * 8, 512>>>(m.c));
PLANT(p25b, p25b<<<kSms * 8, 512>>>(m.c));

// Counts the values over a bound in 16 classes, one in 32 of 64 Mi: in global memory, or in shared memory first.
constexpr int kCounted = 64 << 20;
constexpr float kBound = 1.5f - 1.0f / 32;
__device__ int Class(float v) { return int((v - kBound) * 512) & 15; }
__global__ void p26a(const float4* x, int* counts) {
#pragma unroll 2
  for (int i = Thread(); i < kCounted / 4; i += Threads()) {
    const float4 v = x[i];
    for (const float one : {v.x, v.y, v.z, v.w})
      if (one > kBound) atomicAdd(&counts[Class(one)], 1);
  }
}
__global__ void p26b(const float4* x, int* counts) {
  __shared__ int mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll 2
  for (int i = Thread(); i < kCounted / 4; i += Threads()) {
    const float4 v = x[i];
    for (const float one : {v.x, v.y, v.z, v.w})
      if (one > kBound) atomicAdd(&mine[Class(one)], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
PLANT(p26a, p26a<<<kSms * 8, 256>>>(reinterpret_cast<float4*>(m.a), reinterpret_cast<int*>(m.c)));
PLANT(p26b, p26b<<<kSms * 8, 256>>>(reinterpret_cast<float4*>(m.a), reinterpret_cast<int*>(m.c)));

// One sum of 512 MiB: an atomic a thread, or one a block.
__device__ float Partial(const float4* x) {
  float sum = 0;
#pragma unroll 8
  for (int i = Thread(); i < int(planted::kFloats / 4); i += Threads()) {
    const float4 v = x[i];
    sum += v.x + v.y + v.z + v.w;
  }
  return sum * 1e-6f;
}
__global__ void p27a(const float4* x, float* sum) { atomicAdd(sum, Partial(x)); }
__global__ void p27b(const float4* x, float* sum) {
  __shared__ float part[8];
  float v = Partial(x);
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) v += part[k];
    atomicAdd(sum, v);
  }
}
PLANT(p27a, p27a<<<kSms * 8, 256>>>(reinterpret_cast<float4*>(m.a), m.c));
PLANT(p27b, p27b<<<kSms * 8, 256>>>(reinterpret_cast<float4*>(m.a), m.c));
