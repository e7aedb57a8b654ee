// Shared memory and matrix products; controls at a roof.
#include <mma.h>

#include "../planted.h"

using planted::kSms;
using planted::Thread;
using planted::Threads;

// Sums of the columns of a tile, and of its rows: 32 values a row, or 33.
template <int kPitch>
__device__ float TileSums(const float* x, int rounds) {
  __shared__ float tile[8][32 * kPitch];
  float* mine = tile[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < 32; ++k) mine[k * kPitch + lane] = x[k * 256 + threadIdx.x];
  __syncwarp();
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += mine[lane * kPitch + k];
    mine[round % 32 * kPitch + lane] = sum;
    __syncwarp();
  }
  return sum;
}
__global__ void p50a(const float* x, float* y) { y[Thread()] = TileSums<32>(x, 12); }
__global__ void p50b(const float* x, float* y) { y[Thread()] = TileSums<33>(x, 12); }
PLANT(p50a, p50a<<<kSms * 20, 256>>>(m.a, m.c));
PLANT(p50b, p50b<<<kSms * 20, 256>>>(m.a, m.c));

// A histogram of 16 bins for each thread: a thread's bins side by side, or a bin's threads.
__global__ void __launch_bounds__(256) p51a(const unsigned* x, unsigned* y) {
  __shared__ unsigned bins[256 * 16];
  for (int k = 0; k < 16; ++k) bins[k * 256 + threadIdx.x] = 0;
  __syncthreads();
  unsigned h = x[Thread()];
#pragma unroll 4
  for (int k = 0; k < 512; ++k) h = h * 1664525u + 1013904223u, bins[threadIdx.x * 16 + (h >> 28)] += k;
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < 16; ++k) sum ^= bins[k * 256 + threadIdx.x] + k;
  y[Thread()] = sum;
}
__global__ void __launch_bounds__(256) p51b(const unsigned* x, unsigned* y) {
  __shared__ unsigned bins[256 * 16];
  for (int k = 0; k < 16; ++k) bins[k * 256 + threadIdx.x] = 0;
  __syncthreads();
  unsigned h = x[Thread()];
#pragma unroll 4
  for (int k = 0; k < 512; ++k) h = h * 1664525u + 1013904223u, bins[(h >> 28) * 256 + threadIdx.x] += k;
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < 16; ++k) sum ^= bins[k * 256 + threadIdx.x] + k;
  y[Thread()] = sum;
}
PLANT(p51a, p51a<<<kSms * 24, 256>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c)));
PLANT(p51b, p51b<<<kSms * 24, 256>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c)));

// C = A B of half precision, 2048 each way, sums in float: by multiply and add, or by tensor instructions.
constexpr int kN = 2048;
__global__ void __launch_bounds__(256, 2) p52a(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) float as[2][8][132], bs[2][8][128];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const __half* from_a = a + size_t(blockIdx.y * 128 + t / 2) * kN + t % 2 * 4;
  const __half* from_b = b + size_t(t / 32) * kN + blockIdx.x * 128 + t % 32 * 4;
  float sum[8][8] = {};
  uint2 next_a = *reinterpret_cast<const uint2*>(from_a), next_b = *reinterpret_cast<const uint2*>(from_b);
  int buffer = 0;
  for (int k0 = 0; k0 < kN; k0 += 8) {
    const auto* pair_a = reinterpret_cast<const __half2*>(&next_a);
    const auto* pair_b = reinterpret_cast<const __half2*>(&next_b);
    for (int i = 0; i < 2; ++i) {
      const float2 two = __half22float2(pair_a[i]);
      as[buffer][t % 2 * 4 + 2 * i][t / 2] = two.x, as[buffer][t % 2 * 4 + 2 * i + 1][t / 2] = two.y;
      *reinterpret_cast<float2*>(&bs[buffer][t / 32][t % 32 * 4 + 2 * i]) = __half22float2(pair_b[i]);
    }
    __syncthreads();
    if (k0 + 8 < kN) {
      next_a = *reinterpret_cast<const uint2*>(from_a + k0 + 8);
      next_b = *reinterpret_cast<const uint2*>(from_b + size_t(k0 + 8) * kN);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float x[8], y[8];
      for (int i = 0; i < 8; i += 4) {
        *reinterpret_cast<float4*>(x + i) = *reinterpret_cast<const float4*>(&as[buffer][k][ty * 4 + i * 16]);
        *reinterpret_cast<float4*>(y + i) = *reinterpret_cast<const float4*>(&bs[buffer][k][tx * 4 + i * 16]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += x[i] * y[j];
    }
    buffer ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; j += 4)
      *reinterpret_cast<float4*>(c + size_t(blockIdx.y * 128 + ty * 4 + i % 4 + i / 4 * 64) * kN + blockIdx.x * 128 + tx * 4 + j * 16) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
__global__ void __launch_bounds__(256) p52b(const __half* a, const __half* b, float* c) {
  using namespace nvcuda::wmma;
  __shared__ __half as[128][40], bs[32][136];
  const int warp = threadIdx.x / 32, wy = warp / 2 * 32, wx = warp % 2 * 64;
  fragment<accumulator, 16, 16, 16, float> sum[2][4];
  for (auto& row : sum)
    for (auto& one : row) fill_fragment(one, 0.0f);
  for (int k0 = 0; k0 < kN; k0 += 32) {
    for (int e = threadIdx.x; e < 512; e += 256) {
      *reinterpret_cast<uint4*>(&as[e / 4][e % 4 * 8]) =
          *reinterpret_cast<const uint4*>(a + size_t(blockIdx.y * 128 + e / 4) * kN + k0 + e % 4 * 8);
      *reinterpret_cast<uint4*>(&bs[e / 16][e % 16 * 8]) =
          *reinterpret_cast<const uint4*>(b + size_t(k0 + e / 16) * kN + blockIdx.x * 128 + e % 16 * 8);
    }
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      fragment<matrix_a, 16, 16, 16, __half, row_major> x[2];
      fragment<matrix_b, 16, 16, 16, __half, row_major> y[4];
      for (int i = 0; i < 2; ++i) load_matrix_sync(x[i], &as[wy + i * 16][k], 40);
      for (int j = 0; j < 4; ++j) load_matrix_sync(y[j], &bs[k][wx + j * 16], 136);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      store_matrix_sync(c + size_t(blockIdx.y * 128 + wy + i * 16) * kN + blockIdx.x * 128 + wx + j * 16, sum[i][j], kN,
                        mem_row_major);
}
PLANT(p52a, p52a<<<dim3(kN / 128, kN / 128), 256>>>(reinterpret_cast<__half*>(m.a), reinterpret_cast<__half*>(m.b), m.c));
PLANT(p52b, p52b<<<dim3(kN / 128, kN / 128), 256>>>(reinterpret_cast<__half*>(m.a), reinterpret_cast<__half*>(m.b), m.c));

// Copies 256 MiB.
__global__ void p60a(const float4* x, float4* y) {
  const int i = Thread();
  y[i] = x[i];
}
PLANT(p60a, p60a<<<(16 << 20) / 256, 256>>>(reinterpret_cast<float4*>(m.a), reinterpret_cast<float4*>(m.c)));

// Sums 512 MiB.
__global__ void p61a(const float4* x, float* out) {
  float sum = 0;
#pragma unroll 8
  for (int i = Thread(); i < int(planted::kFloats / 4); i += Threads()) {
    const float4 v = x[i];
    sum += v.x + v.y + v.z + v.w;
  }
  out[Thread()] = sum;
}
PLANT(p61a, p61a<<<kSms * 8, 256>>>(reinterpret_cast<float4*>(m.a), m.c));

// Multiplies and adds, eight chains a thread.
__global__ void p62a(float* out, float f, float g) {
  float x[8];
  for (int k = 0; k < 8; ++k) x[k] = Thread() + k;
#pragma unroll 8
  for (int k = 0; k < 1024; ++k)
    for (float& v : x) v = v * f + g;
  float sum = 0;
  for (float v : x) sum += v;
  out[Thread()] = sum;
}
PLANT(p62a, p62a<<<kSms * 32, 256>>>(m.c, 0.99f, 0.5f));

// Integer logic, four chains a thread.
__global__ void p63a(unsigned* out) {
  unsigned x[4];
  for (int k = 0; k < 4; ++k) x[k] = Thread() * 77 + k;
#pragma unroll 8
  for (int k = 0; k < 768; ++k)
    for (unsigned& v : x) v ^= (v << 5) ^ (v >> 9);
  out[Thread()] = x[0] ^ x[1] ^ x[2] ^ x[3];
}
PLANT(p63a, p63a<<<kSms * 32, 256>>>(reinterpret_cast<unsigned*>(m.c)));

// Tensor instructions on registers, four accumulators a warp.
__global__ void p64a(float* out) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> x;
  fragment<matrix_b, 16, 16, 16, __half, col_major> y;
  fragment<accumulator, 16, 16, 16, float> sum[4];
  fill_fragment(x, __float2half(0.01f * (threadIdx.x / 32)));
  fill_fragment(y, __float2half(0.02f));
  for (auto& s : sum) fill_fragment(s, 1.0f);
#pragma unroll 4
  for (int k = 0; k < 1024; ++k)
    for (auto& s : sum) mma_sync(s, x, y, s);
  float all = 0;
  for (auto& s : sum)
    for (int k = 0; k < s.num_elements; ++k) all += s.x[k];
  out[Thread()] = all;
}
PLANT(p64a, p64a<<<kSms * 8, 256>>>(m.c));

// Reads 24 MiB sixteen times, a different order for each block.
__global__ void p65a(const float4* x, float* out) {
  constexpr int kCount = 24 << 16;
  float sum = 0;
#pragma unroll 8
  for (int i = 0; i < 16 * kCount / (kSms * 8 * 256); ++i) {
    const float4 v = x[(unsigned(i) * Threads() + blockIdx.x * 40961u * 256 + threadIdx.x) % kCount];
    sum += v.x + v.y + v.z + v.w;
  }
  out[Thread()] = sum;
}
PLANT(p65a, p65a<<<kSms * 8, 256>>>(reinterpret_cast<float4*>(m.a), m.c));

// Reads shared memory, no two threads of a warp in one bank.
__global__ void p66a(const float* x, float* out) {
  __shared__ float4 tile[1024];
  for (int k = threadIdx.x; k < 1024; k += 256) tile[k] = reinterpret_cast<const float4*>(x)[k];
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < 1024; ++k) {
    const float4 v = tile[(k * 32 + threadIdx.x) % 1024];
    sum += v.x * v.y + v.z * v.w;
  }
  out[Thread()] = sum;
}
PLANT(p66a, p66a<<<kSms * 16, 256>>>(m.a, m.c));

// C = A B in float, 2048 each way: tiles of 128, eight by eight sums a thread, the next tile loaded ahead.
__global__ void __launch_bounds__(256, 2) p67a(const float* a, const float* b, float* c) {
  __shared__ float as[2][8][132], bs[2][8][128];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const float* from_a = a + size_t(blockIdx.y * 128 + t / 2) * kN + t % 2 * 4;
  const float* from_b = b + size_t(t / 32) * kN + blockIdx.x * 128 + t % 32 * 4;
  float sum[8][8] = {};
  float4 next_a = *reinterpret_cast<const float4*>(from_a), next_b = *reinterpret_cast<const float4*>(from_b);
  int buffer = 0;
  for (int k0 = 0; k0 < kN; k0 += 8) {
    const int at = t % 2 * 4, row = t / 2;
    as[buffer][at][row] = next_a.x, as[buffer][at + 1][row] = next_a.y;
    as[buffer][at + 2][row] = next_a.z, as[buffer][at + 3][row] = next_a.w;
    *reinterpret_cast<float4*>(&bs[buffer][t / 32][t % 32 * 4]) = next_b;
    __syncthreads();
    if (k0 + 8 < kN) {
      next_a = *reinterpret_cast<const float4*>(from_a + k0 + 8);
      next_b = *reinterpret_cast<const float4*>(from_b + size_t(k0 + 8) * kN);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float x[8], y[8];
      for (int i = 0; i < 8; i += 4) {
        *reinterpret_cast<float4*>(x + i) = *reinterpret_cast<const float4*>(&as[buffer][k][ty * 4 + i * 16]);
        *reinterpret_cast<float4*>(y + i) = *reinterpret_cast<const float4*>(&bs[buffer][k][tx * 4 + i * 16]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += x[i] * y[j];
    }
    buffer ^= 1;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; j += 4)
      *reinterpret_cast<float4*>(c + size_t(blockIdx.y * 128 + ty * 4 + i % 4 + i / 4 * 64) * kN + blockIdx.x * 128 + tx * 4 + j * 16) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
PLANT(p67a, p67a<<<dim3(kN / 128, kN / 128), 256>>>(m.a, m.b, m.c));

// Multiplies and adds of data that are double throughout, four chains a thread.
__global__ void p68a(const double* in, double* out, double f, double g) {
  double x[4];
  for (int k = 0; k < 4; ++k) x[k] = in[Thread()] + k;
#pragma unroll 8
  for (int k = 0; k < 512; ++k)
    for (double& v : x) v = v * f + g;
  out[Thread()] = x[0] + x[1] + x[2] + x[3];
}
PLANT(p68a, p68a<<<kSms * 32, 256>>>(reinterpret_cast<double*>(m.b), reinterpret_cast<double*>(m.c), 0.99, 0.5));
