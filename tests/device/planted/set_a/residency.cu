// How many warps a multiprocessor holds, and how the blocks of a grid fill the device.
#include "../planted.h"

using planted::kSms;
using planted::Mix;
using planted::Thread;
using planted::Threads;

// Ordered by `volatile`: what was loaded stays in its register until it is used.
__device__ float Load(const volatile float* x) { return *x; }
__device__ int Load(const volatile int* x) { return *x; }
__device__ int Walk(const int* next, int place, int steps) {
#pragma unroll 1
  for (int k = 0; k < steps; ++k) place = next[place];
  return place;
}
// Four independent chains of multiply and add; saturates the pipe from eight warps a scheduler on.
__device__ float Work(float x, int steps) {
  float a = x, b = x + 1, c = x + 2, d = x + 3;
#pragma unroll 4
  for (int k = 0; k < steps; ++k) {
    a = a * 0.999f + 0.01f, b = b * 0.998f + 0.01f, c = c * 0.997f + 0.01f, d = d * 0.996f + 0.01f;
  }
  return a + b + c + d;
}

// 48 steps of a walk, four weights each: all weights loaded before the walk, or each with its step.
constexpr int kSteps = 48;
__global__ void __launch_bounds__(256) p10a(const int* next, const float* weights, float* out) {
  float w[kSteps * 4];
#pragma unroll
  for (int k = 0; k < kSteps * 4; ++k) w[k] = Load(weights + k * 256 + threadIdx.x);
  int place = planted::FirstPlace();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
    place = Load(next + place);
    sum = sum * w[4 * k] + w[4 * k + 1] + (w[4 * k + 2] + w[4 * k + 3]) * place;
  }
  out[Thread()] = sum;
}
__global__ void __launch_bounds__(256) p10b(const int* next, const float* weights, float* out) {
  int place = planted::FirstPlace();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < kSteps; ++k) {
    const float* w = weights + k * 1024 + threadIdx.x;
    place = Load(next + place);
    sum = sum * Load(w) + Load(w + 256) + (Load(w + 512) + Load(w + 768)) * place;
  }
  out[Thread()] = sum;
}
PLANT(p10a, p10a<<<kSms * 32, 256>>>(m.next, m.a, m.c));
PLANT(p10b, p10b<<<kSms * 32, 256>>>(m.next, m.a, m.c));

// 96 weights for the end of a walk: loaded before it, or after it.
template <bool kBefore>
__device__ void Weigh(const int* next, const float* weights, float* out) {
  float w[96];
  int place = planted::FirstPlace();
  if (!kBefore) place = Walk(next, place, 64);
#pragma unroll
  for (int k = 0; k < 96; ++k) w[k] = Load(weights + k * 512 + threadIdx.x);
  if (kBefore) {
#pragma unroll 1
    for (int k = 0; k < 64; ++k) place = Load(next + place);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 96; ++k) sum = sum * place + w[k];
  out[Thread()] = sum;
}
__global__ void __launch_bounds__(512) p11a(const int* next, const float* w, float* out) { Weigh<true>(next, w, out); }
__global__ void __launch_bounds__(512, 4) p11b(const int* next, const float* w, float* out) { Weigh<false>(next, w, out); }
PLANT(p11a, p11a<<<kSms * 16, 512>>>(m.next, m.a, m.c));
PLANT(p11b, p11b<<<kSms * 16, 512>>>(m.next, m.a, m.c));

// A walk whose ends are exchanged in shared memory: room asked for the largest case, or for this one.
__global__ void __launch_bounds__(128) p12a(const int* next, int* out) {
  extern __shared__ int last[];
  last[threadIdx.x] = Walk(next, planted::FirstPlace(), 64);
  __syncthreads();
  out[Thread()] = last[127 - threadIdx.x];
}
__global__ void __launch_bounds__(128) p12b(const int* next, int* out) {
  extern __shared__ int last[];
  last[threadIdx.x] = Walk(next, planted::FirstPlace(), 64);
  __syncthreads();
  out[Thread()] = last[127 - threadIdx.x];
}
PLANT(p12a, planted::AllowShared(p12a, 72 << 10); p12a<<<kSms * 64, 128, 72 << 10>>>(m.next, reinterpret_cast<int*>(m.c)));
PLANT(p12b, planted::AllowShared(p12b, 8 << 10); p12b<<<kSms * 64, 128, 8 << 10>>>(m.next, reinterpret_cast<int*>(m.c)));

// Blocks of one warp, of which a multiprocessor holds 32 at most, or of eight.
__global__ void p13a(const int* next, int* out) { out[Thread()] = Walk(next, planted::FirstPlace(), 96); }
__global__ void p13b(const int* next, int* out) { out[Thread()] = Walk(next, planted::FirstPlace(), 96); }
PLANT(p13a, p13a<<<kSms * 256, 32>>>(m.next, reinterpret_cast<int*>(m.c)));
PLANT(p13b, p13b<<<kSms * 32, 256>>>(m.next, reinterpret_cast<int*>(m.c)));

// A sum of 256 MiB by 24 blocks, or by eight for each multiprocessor.
__device__ float Stream(const float4* x, int count) {
  float sum = 0;
#pragma unroll 4
  for (int i = Thread(); i < count; i += Threads()) {
    const float4 v = x[i];
    sum += v.x + v.y + v.z + v.w;
  }
  return sum;
}
__global__ void p14a(const float4* x, float* out) { out[Thread()] = Stream(x, 16 << 20); }
__global__ void p14b(const float4* x, float* out) { out[Thread()] = Stream(x, 16 << 20); }
PLANT(p14a, p14a<<<24, 512>>>(reinterpret_cast<float4*>(m.a), m.c));
PLANT(p14b, p14b<<<kSms * 4, 512>>>(reinterpret_cast<float4*>(m.a), m.c));

// The same arithmetic by 48 blocks, or by 132.
__global__ void __launch_bounds__(1024) p15a(float* out, int steps) { out[Thread()] = Work(Thread(), steps); }
__global__ void __launch_bounds__(1024) p15b(float* out, int steps) { out[Thread()] = Work(Thread(), steps); }
PLANT(p15a, p15a<<<48, 1024>>>(m.c, 13200));
PLANT(p15b, p15b<<<132, 1024>>>(m.c, 4800));

// Pieces of work, 100 a block: 12 blocks more than fit at once, or as many blocks as fit, each with its share of the pieces.
__device__ void Pieces(float* out, int first, int count, int stride) {
  float sum = 0;
#pragma unroll 1
  for (int piece = first; piece < count; piece += stride) sum += Work(piece + threadIdx.x, 48);
  out[Thread()] = sum;
}
constexpr int kWide = 160 << 10;  // bytes of shared memory that let one block at a time onto a multiprocessor
__global__ void __launch_bounds__(1024) p16a(float* out) { Pieces(out, blockIdx.x * 100, blockIdx.x * 100 + 100, 1); }
__global__ void __launch_bounds__(1024) p16b(float* out) { Pieces(out, blockIdx.x, 144 * 100, kSms); }
PLANT(p16a, planted::AllowShared(p16a, kWide); p16a<<<144, 1024, kWide>>>(m.c));
PLANT(p16b, planted::AllowShared(p16b, kWide); p16b<<<kSms, 1024, kWide>>>(m.c));

// The same, two waves and a rest of eight blocks; half as many threads.
__global__ void __launch_bounds__(512) p17a(float* out) { Pieces(out, blockIdx.x * 90, blockIdx.x * 90 + 90, 1); }
__global__ void __launch_bounds__(512) p17b(float* out) { Pieces(out, blockIdx.x, 272 * 90, kSms); }
PLANT(p17a, planted::AllowShared(p17a, kWide); p17a<<<272, 512, kWide>>>(m.c));
PLANT(p17b, planted::AllowShared(p17b, kWide); p17b<<<kSms, 512, kWide>>>(m.c));

// Lists of pieces, a block a list: one list in 96 holds two fifths of all, or the lists are cut into equal parts.
constexpr int kLists = kSms * 16;
__global__ void __launch_bounds__(256) p18a(float* out) {
  const int length = blockIdx.x % 96 == 40 ? 640 : 10;
  Pieces(out, blockIdx.x * 640, blockIdx.x * 640 + length, 1);
}
__global__ void __launch_bounds__(256) p18b(float* out) {
  const int total = kLists / 96 * 640 + (kLists - kLists / 96) * 10;
  Pieces(out, blockIdx.x, total, kLists);
}
PLANT(p18a, p18a<<<kLists, 256>>>(m.c));
PLANT(p18b, p18b<<<kLists, 256>>>(m.c));

