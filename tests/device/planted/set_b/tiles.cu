// Shared memory and matrix products; controls at a roof.
#include <cuda_bf16.h>
#include <mma.h>

#include "../planted.h"

using planted::kSms;
using planted::Thread;
using planted::Threads;

// Products of a 32 x 32 tile of doubles with a vector, a thread a row: 32 values a row, or 33.
template <int kPitch>
__device__ double TileProducts(const double* x, int rounds) {
  extern __shared__ double tiles[];
  double* tile = tiles + threadIdx.x / 32 * 32 * kPitch;
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < 32; ++k) tile[k * kPitch + lane] = x[k * 128 + threadIdx.x];
  __syncwarp();
  double v = x[threadIdx.x];
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    double sums[4] = {};
#pragma unroll
    for (int k = 0; k < 32; ++k) sums[k % 4] += tile[lane * kPitch + k] * v;
    v = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return v;
}
__global__ void __launch_bounds__(128) p140a(const double* x, double* y) { y[Thread()] = TileProducts<32>(x, 12); }
__global__ void __launch_bounds__(128) p140b(const double* x, double* y) { y[Thread()] = TileProducts<33>(x, 12); }
constexpr int kTileBytes = 4 * 32 * 33 * 8;
PLANT(p140a, planted::AllowShared(p140a, kTileBytes); p140a<<<kSms * 24, 128, kTileBytes>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));
PLANT(p140b, planted::AllowShared(p140b, kTileBytes); p140b<<<kSms * 24, 128, kTileBytes>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));

// Butterflies over eight values of a thread in shared memory: a thread's values side by side, or 256 apart.
__device__ void Butterflies(int* tile, int first, int step, int rounds) {
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int far = 1; far < 8; far *= 2) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        if (k & far) continue;
        volatile int* low = tile + first + k * step;
        volatile int* high = tile + first + (k + far) * step;
        const int a = *low, b = *high;
        *low = a + b, *high = a - b;
      }
    }
  }
}
__global__ void __launch_bounds__(256) p141a(const int* x, int* y) {
  __shared__ int tile[2048];
  for (int k = 0; k < 8; ++k) tile[k * 256 + threadIdx.x] = x[k * 256 + threadIdx.x];
  __syncthreads();
  Butterflies(tile, threadIdx.x * 8, 1, 12);
  __syncthreads();
  for (int k = 0; k < 8; ++k) y[(size_t(blockIdx.x) * 8 + k) * 256 + threadIdx.x] = tile[k * 256 + threadIdx.x];
}
__global__ void __launch_bounds__(256) p141b(const int* x, int* y) {
  __shared__ int tile[2048];
  for (int k = 0; k < 8; ++k) tile[k * 256 + threadIdx.x] = x[k * 256 + threadIdx.x];
  __syncthreads();
  Butterflies(tile, threadIdx.x, 256, 12);
  __syncthreads();
  for (int k = 0; k < 8; ++k) y[(size_t(blockIdx.x) * 8 + k) * 256 + threadIdx.x] = tile[k * 256 + threadIdx.x];
}
PLANT(p141a, p141a<<<kSms * 16, 256>>>(reinterpret_cast<int*>(m.a), reinterpret_cast<int*>(m.c)));
PLANT(p141b, p141b<<<kSms * 16, 256>>>(reinterpret_cast<int*>(m.a), reinterpret_cast<int*>(m.c)));

// C = A B of bfloat16, 1024 x 4096 x 2048, sums in float: eight by four sums a thread, or tensor instructions.
using Bf = __nv_bfloat16;
constexpr int kM = 1024, kN = 2048, kK = 4096;
__global__ void __launch_bounds__(128) p142a(const Bf* a, const Bf* b, float* c) {
  __shared__ __align__(16) float as[8][64], bs[8][64];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sum[8][4] = {};
  for (int k0 = 0; k0 < kK; k0 += 8) {
    for (int e = threadIdx.x; e < 512; e += 128) {
      as[e / 64][e % 64] = __bfloat162float(a[size_t(k0 + e / 64) * kM + blockIdx.y * 64 + e % 64]);
      bs[e / 64][e % 64] = __bfloat162float(b[size_t(k0 + e / 64) * kN + blockIdx.x * 64 + e % 64]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float x[8], y[4];
      *reinterpret_cast<float4*>(x) = *reinterpret_cast<const float4*>(&as[k][ty * 8]);
      *reinterpret_cast<float4*>(x + 4) = *reinterpret_cast<const float4*>(&as[k][ty * 8 + 4]);
      *reinterpret_cast<float4*>(y) = *reinterpret_cast<const float4*>(&bs[k][tx * 4]);
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j) c[size_t(blockIdx.y * 64 + ty * 8 + i) * kN + blockIdx.x * 64 + tx * 4 + j] = sum[i][j];
}
__global__ void __launch_bounds__(128) p142b(const Bf* a, const Bf* b, float* c) {
  using namespace nvcuda::wmma;
  __shared__ Bf as[32][72], bs[32][72];
  const int warp = threadIdx.x / 32, wy = warp / 2 * 32, wx = warp % 2 * 32;
  fragment<accumulator, 16, 16, 16, float> sum[2][2];
  for (auto& row : sum)
    for (auto& one : row) fill_fragment(one, 0.0f);
  for (int k0 = 0; k0 < kK; k0 += 32) {
    for (int e = threadIdx.x; e < 256; e += 128) {
      *reinterpret_cast<uint4*>(&as[e / 8][e % 8 * 8]) =
          *reinterpret_cast<const uint4*>(a + size_t(k0 + e / 8) * kM + blockIdx.y * 64 + e % 8 * 8);
      *reinterpret_cast<uint4*>(&bs[e / 8][e % 8 * 8]) =
          *reinterpret_cast<const uint4*>(b + size_t(k0 + e / 8) * kN + blockIdx.x * 64 + e % 8 * 8);
    }
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      fragment<matrix_a, 16, 16, 16, Bf, col_major> x[2];
      fragment<matrix_b, 16, 16, 16, Bf, row_major> y[2];
      for (int i = 0; i < 2; ++i) load_matrix_sync(x[i], &as[k][wy + i * 16], 72), load_matrix_sync(y[i], &bs[k][wx + i * 16], 72);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      store_matrix_sync(c + size_t(blockIdx.y * 64 + wy + i * 16) * kN + blockIdx.x * 64 + wx + j * 16, sum[i][j], kN, mem_row_major);
}
PLANT(p142a, p142a<<<dim3(kN / 64, kM / 64), 128>>>(reinterpret_cast<Bf*>(m.a), reinterpret_cast<Bf*>(m.b), m.c));
PLANT(p142b, p142b<<<dim3(kN / 64, kM / 64), 128>>>(reinterpret_cast<Bf*>(m.a), reinterpret_cast<Bf*>(m.b), m.c));

// Controls. Tensor instructions on bfloat16 in registers, three accumulators a warp.
__global__ void __launch_bounds__(128) p157a(float* out) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, Bf, row_major> x;
  fragment<matrix_b, 16, 16, 16, Bf, col_major> y;
  fragment<accumulator, 16, 16, 16, float> sum[3];
  fill_fragment(x, __float2bfloat16(0.01f * (threadIdx.x / 32)));
  fill_fragment(y, __float2bfloat16(0.02f));
  for (auto& s : sum) fill_fragment(s, 1.0f);
#pragma unroll 4
  for (int k = 0; k < 1024; ++k)
    for (auto& s : sum) mma_sync(s, x, y, s);
  float all = 0;
  for (auto& s : sum)
    for (int k = 0; k < s.num_elements; ++k) all += s.x[k];
  out[Thread()] = all;
}
PLANT(p157a, p157a<<<kSms * 24, 128>>>(m.c));

// Reads doubles of shared memory, neighbours side by side.
__global__ void p158a(const double* x, double* out) {
  __shared__ double tile[2048];
  for (int k = threadIdx.x; k < 2048; k += 512) tile[k] = x[k];
  __syncthreads();
  double sum = 0;
#pragma unroll 16
  for (int k = 0; k < 1024; ++k) sum = fmax(sum, tile[(k * 64 + threadIdx.x) % 2048]);
  out[Thread()] = sum;
}
PLANT(p158a, p158a<<<kSms * 16, 512>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));
