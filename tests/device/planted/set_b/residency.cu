// How many warps a multiprocessor holds, and how the blocks of a grid fill the device.
#include "../planted.h"

using planted::kSms;
using planted::Mix;
using planted::Thread;
using planted::Threads;

__device__ double Load(const volatile double* x) { return *x; }
__device__ int Load(const volatile int* x) { return *x; }
// Integer work that keeps the scheduler busy: three chains of shifts and logic.
__device__ unsigned Stir(unsigned seed, int steps) {
  unsigned a = seed, b = seed * 3 + 1, c = seed * 5 + 2;
#pragma unroll 4
  for (int k = 0; k < steps; ++k) a ^= (a << 7) + 11u, b ^= (b >> 3) + 13u, c ^= (c << 5) + 17u;
  return a ^ b ^ c;
}

// A polynomial of degree 63 at the end of a walk, in double: its factors loaded before the walk, or after it.
__global__ void __launch_bounds__(128) p110a(const int* next, const double* factors, double* out) {
  double f[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) f[k] = Load(factors + k * 128 + threadIdx.x);
  int place = planted::FirstPlace();
#pragma unroll 1
  for (int k = 0; k < 40; ++k) place = Load(next + place);
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) sum = sum * (place * 1e-7) + f[k];
  out[Thread()] = sum;
}
__global__ void __launch_bounds__(128) p110b(const int* next, const double* factors, double* out) {
  int place = planted::FirstPlace();
#pragma unroll 1
  for (int k = 0; k < 40; ++k) place = Load(next + place);
  double sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) sum = sum * (place * 1e-7) + factors[k * 128 + threadIdx.x];
  out[Thread()] = sum;
}
PLANT(p110a, p110a<<<kSms * 80, 128>>>(m.next, reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));
PLANT(p110b, p110b<<<kSms * 80, 128>>>(m.next, reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));

// Sums values through an index with a cache of the last ones: 56 KiB for each block of four warps, or 6 KiB.
__device__ void SumThrough(const int* index, const float* x, float* out) {
  extern __shared__ float recent[];
  float sum = 0;
#pragma unroll 1
  for (int i = Thread(); i < 12 << 20; i += Threads()) {
    const float v = x[index[i % (planted::kRows * 32)]];
    recent[threadIdx.x] = v;
    sum += v;
  }
  __syncthreads();
  out[Thread()] = sum + recent[127 - threadIdx.x];
}
__global__ void __launch_bounds__(128) p111a(const int* index, const float* x, float* out) { SumThrough(index, x, out); }
__global__ void __launch_bounds__(128) p111b(const int* index, const float* x, float* out) { SumThrough(index, x, out); }
PLANT(p111a, planted::AllowShared(p111a, 56 << 10); p111a<<<kSms * 16, 128, 56 << 10>>>(m.next, m.a, m.c));
PLANT(p111b, planted::AllowShared(p111b, 6 << 10); p111b<<<kSms * 16, 128, 6 << 10>>>(m.next, m.a, m.c));

// Walks of doubles' places, blocks of 32 threads or of 128.
__device__ double SumWalk(const int* next, const double* x) {
  int place = planted::FirstPlace();
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < 48; ++k) {
    place = next[place];
    sum += x[place / 2];
  }
  return sum;
}
__global__ void p112a(const int* next, const double* x, double* out) { out[Thread()] = SumWalk(next, x); }
__global__ void p112b(const int* next, const double* x, double* out) { out[Thread()] = SumWalk(next, x); }
PLANT(p112a, p112a<<<kSms * 192, 32>>>(m.next, reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));
PLANT(p112b, p112b<<<kSms * 48, 128>>>(m.next, reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));

// The same hashes by 40 blocks of 768 threads, or by 264.
__device__ void HashAll(unsigned* out, int count) {
  unsigned all = 0;
#pragma unroll 1
  for (int i = Thread(); i < count; i += Threads()) all += Stir(i, 64);
  out[Thread()] = all;
}
__global__ void p113a(unsigned* out, int count) { HashAll(out, count); }
__global__ void p113b(unsigned* out, int count) { HashAll(out, count); }
PLANT(p113a, p113a<<<40, 768>>>(reinterpret_cast<unsigned*>(m.c), 2 << 20));
PLANT(p113b, p113b<<<kSms * 2, 768>>>(reinterpret_cast<unsigned*>(m.c), 2 << 20));

// Chunks of hashes, a block a chunk of equal length, one block at a time on a multiprocessor: 150 blocks, or 132.
__device__ void HashChunks(unsigned* out, int first, int last, int stride) {
  unsigned all = 0;
#pragma unroll 1
  for (int i = first; i < last; i += stride) all += Stir(i * 768 + threadIdx.x, 64);
  out[Thread()] = all;
}
constexpr int kWide = 130 << 10;
__global__ void __launch_bounds__(768) p114a(unsigned* out) { HashChunks(out, blockIdx.x * 60, blockIdx.x * 60 + 60, 1); }
__global__ void __launch_bounds__(768) p114b(unsigned* out) { HashChunks(out, blockIdx.x, 150 * 60, kSms); }
PLANT(p114a, planted::AllowShared(p114a, kWide); p114a<<<150, 768, kWide>>>(reinterpret_cast<unsigned*>(m.c)));
PLANT(p114b, planted::AllowShared(p114b, kWide); p114b<<<kSms, 768, kWide>>>(reinterpret_cast<unsigned*>(m.c)));

// Sums of the rows of a sparse matrix, a block a row: every 128th row has 512 Ki values, the others 8 Ki; or the values in
// equal parts.
constexpr int kSparseRows = 4096;
__device__ float SumOf(const float* x, size_t first, size_t last) {
  float sum = 0;
#pragma unroll 4
  for (size_t i = first + threadIdx.x; i < last; i += blockDim.x) sum += x[i];
  return sum;
}
__global__ void p115a(const float* x, float* out) {
  const size_t row = blockIdx.x, longer = (row + 71) / 128;
  const size_t first = longer * (512 << 10) + (row - longer) * 8192;
  out[Thread()] = SumOf(x, first, first + (row % 128 == 57 ? 512 << 10 : 8192));
}
__global__ void p115b(const float* x, float* out) {
  const size_t share = (32 * size_t(512 << 10) + (kSparseRows - 32) * size_t{8192}) / kSparseRows;
  out[Thread()] = SumOf(x, blockIdx.x * share, (blockIdx.x + 1) * share);
}
PLANT(p115a, p115a<<<kSparseRows, 256>>>(m.a, m.c));
PLANT(p115b, p115b<<<kSparseRows, 256>>>(m.a, m.c));
