// Accesses of global memory: which bytes a warp touches, how wide, and whether a cache can keep them.
#include "../planted.h"

using planted::kSms;
using planted::Mix;
using planted::Thread;
using planted::Threads;

// Scales 4096 x 4096 doubles by a factor for each row: threads of a warp down a column, or along a row.
constexpr int kSide = 4096;
__global__ void p101a(const double* x, const double* factor, double* y) {
  const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 8 + threadIdx.y;
  y[size_t(row) * kSide + column] = x[size_t(row) * kSide + column] * factor[row];
}
__global__ void p101b(const double* x, const double* factor, double* y) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  y[size_t(row) * kSide + column] = x[size_t(row) * kSide + column] * factor[row];
}
PLANT(p101a, p101a<<<dim3(kSide / 32, kSide / 8), dim3(32, 8)>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.b), reinterpret_cast<double*>(m.c)));
PLANT(p101b, p101b<<<dim3(kSide / 32, kSide / 8), dim3(32, 8)>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.b), reinterpret_cast<double*>(m.c)));

// Which of 8 Mi messages of 64 bytes are marked: the marks inside the messages, or in an array of their own.
constexpr int kMessages = 8 << 20;
__global__ void p102a(const int* messages, unsigned* marked) {
  const int i = Thread();
  const unsigned vote = __ballot_sync(0xffffffffu, messages[size_t(i) * 16 + 3] & 1);
  if (i % 32 == 0) marked[i / 32] = vote;
}
__global__ void p102b(const int* marks, unsigned* marked) {
  const int i = Thread();
  const unsigned vote = __ballot_sync(0xffffffffu, marks[i] & 1);
  if (i % 32 == 0) marked[i / 32] = vote;
}
PLANT(p102a, p102a<<<kMessages / 512, 512>>>(reinterpret_cast<int*>(m.a), reinterpret_cast<unsigned*>(m.c)));
PLANT(p102b, p102b<<<kMessages / 512, 512>>>(reinterpret_cast<int*>(m.a), reinterpret_cast<unsigned*>(m.c)));

// Turns 96 Mi small integers into a mean of the two beside each other, bytes again: a value a thread, or sixteen.
constexpr int kSmall = 96 << 20;
__global__ void p103a(const signed char* x, const signed char* y, signed char* mean) {
#pragma unroll 1
  for (int i = Thread(); i < kSmall; i += Threads()) mean[i] = static_cast<signed char>((x[i] + y[i]) / 2);
}
__global__ void p103b(const char4* x, const char4* y, char4* mean) {
  const auto* xs = reinterpret_cast<const int4*>(x);
  const auto* ys = reinterpret_cast<const int4*>(y);
#pragma unroll 1
  for (int i = Thread(); i < kSmall / 16; i += Threads()) {
    int4 u = xs[i], v = ys[i];
    auto* p = reinterpret_cast<signed char*>(&u);
    auto* q = reinterpret_cast<signed char*>(&v);
#pragma unroll
    for (int k = 0; k < 16; ++k) p[k] = static_cast<signed char>((p[k] + q[k]) / 2);
    reinterpret_cast<int4*>(mean)[i] = u;
  }
}
PLANT(p103a, p103a<<<kSms * 16, 128>>>(reinterpret_cast<signed char*>(m.a), reinterpret_cast<signed char*>(m.b), reinterpret_cast<signed char*>(m.c)));
PLANT(p103b, p103b<<<kSms * 16, 128>>>(reinterpret_cast<char4*>(m.a), reinterpret_cast<char4*>(m.b), reinterpret_cast<char4*>(m.c)));

// Rows of four doubles from a table of 192 MiB, four threads a row, 24 rows each: in any order, or by windows of 6 MiB.
constexpr int kTableRows = 6 << 20, kWindows = 32, kWindowRows = kTableRows / kWindows, kPickers = 4 << 20;
__global__ void p104a(const double* table, double* out) {
  const int i = Thread();
  double sum = 0;
#pragma unroll 6
  for (int k = 0; k < 24; ++k) sum += table[size_t(Mix(i / 4 + k * kPickers) % kTableRows) * 4 + i % 4];
  out[i] = sum;
}
__global__ void p104b(const double* table, double* out) {
  const int i = Thread(), window = blockIdx.x / (kPickers / 128 / kWindows);
  const double* from = table + size_t(window) * kWindowRows * 4;
  double sum = 0;
#pragma unroll 6
  for (int k = 0; k < 24; ++k) sum += from[size_t(Mix(i / 4 + k * kPickers) % kWindowRows) * 4 + i % 4];
  out[i] = sum;
}
PLANT(p104a, p104a<<<kPickers / 128, 128>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));
PLANT(p104b, p104b<<<kPickers / 128, 128>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));

// Controls. a = b + s c in double, 96 MiB each.
__global__ void p150a(const double2* b, const double2* c, double2* a, double s) {
  const int i = Thread();
  const double2 u = b[i], v = c[i];
  a[i] = make_double2(u.x + s * v.x, u.y + s * v.y);
}
PLANT(p150a, p150a<<<(6 << 20) / 256, 256>>>(reinterpret_cast<double2*>(m.a), reinterpret_cast<double2*>(m.b), reinterpret_cast<double2*>(m.c), 0.5));

// Sums 384 MiB of integers, four bytes a load, sixteen loads on their way.
__global__ void p151a(const int* x, int* out) {
  int sum = 0;
#pragma unroll 16
  for (int i = Thread(); i < 96 << 20; i += Threads()) sum += x[i];
  out[Thread()] = sum;
}
PLANT(p151a, p151a<<<kSms * 4, 512>>>(reinterpret_cast<int*>(m.a), reinterpret_cast<int*>(m.c)));

// Normalises rows of 4,096 halves: a block a row, which stays in registers between its two sums.
__global__ void __launch_bounds__(512) p152a(const uint4* x, uint4* y) {
  __shared__ float part[32];
  uint4 v = x[size_t(blockIdx.x) * 512 + threadIdx.x];
  auto* h = reinterpret_cast<__half2*>(&v);
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const float2 f = __half22float2(h[k]);
    sum += f.x * f.x + f.y * f.y;
  }
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = part[threadIdx.x % 16];
  for (int k = 8; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
  const __half2 scale = __float2half2_rn(rsqrtf(sum / 4096 + 1e-5f));
  for (int k = 0; k < 4; ++k) h[k] = __hmul2(h[k], scale);
  y[size_t(blockIdx.x) * 512 + threadIdx.x] = v;
}
PLANT(p152a, p152a<<<32768, 512>>>(reinterpret_cast<uint4*>(m.a), reinterpret_cast<uint4*>(m.c)));

// Half the rows of 512 bytes of a table of 256 MiB, in an order of their own, a warp a row.
__global__ void p153a(const float4* table, float4* out) {
  const unsigned row = Thread() / 32 * 7919u % (1u << 19);
  out[Thread()] = table[size_t(row) * 32 + threadIdx.x % 32];
}
PLANT(p153a, p153a<<<(8 << 20) / 256, 256>>>(reinterpret_cast<float4*>(m.a), reinterpret_cast<float4*>(m.c)));

// Reads 20 MiB 24 times, eight bytes a load.
__global__ void p154a(const float2* x, float* out) {
  constexpr unsigned kCount = 20u << 17;
  float sum = 0;
  unsigned at = (blockIdx.x * 7561u * 512 + threadIdx.x) % kCount;
#pragma unroll 8
  for (unsigned i = 0; i < 24 * kCount / (kSms * 4 * 512); ++i) {
    const float2 v = x[at];
    sum += v.x * v.y;
    at += kSms * 4 * 512;
    if (at >= kCount) at -= kCount;
  }
  out[Thread()] = sum;
}
PLANT(p154a, p154a<<<kSms * 4, 512>>>(reinterpret_cast<float2*>(m.a), m.c));
