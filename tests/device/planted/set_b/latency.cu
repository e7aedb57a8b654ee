// Waiting: chains of dependent instructions, loads, barriers and atomics.
#include "../planted.h"

using planted::kSms;
using planted::Mix;
using planted::Thread;
using planted::Threads;

// A recurrence of pairs of halves, one warp a scheduler: one chain, or six that take a sixth of the steps each.
__global__ void p120a(__half2* out, __half2 f, __half2 g) {
  __half2 x = __float2half2_rn(0.001f * threadIdx.x);
#pragma unroll 16
  for (int k = 0; k < 73728; ++k) x = __hfma2(x, f, g);
  out[Thread()] = x;
}
__global__ void p120b(__half2* out, __half2 f, __half2 g) {
  __half2 x[6];
  for (int k = 0; k < 6; ++k) x[k] = __float2half2_rn(0.001f * threadIdx.x + k);
#pragma unroll 4
  for (int k = 0; k < 12288; ++k)
    for (__half2& v : x) v = __hfma2(v, f, g);
  for (int k = 1; k < 6; ++k) x[0] = __hadd2(x[0], x[k]);
  out[Thread()] = x[0];
}
PLANT(p120a, p120a<<<kSms, 128>>>(reinterpret_cast<__half2*>(m.c), __float2half2_rn(0.9f), __float2half2_rn(0.1f)));
PLANT(p120b, p120b<<<kSms, 128>>>(reinterpret_cast<__half2*>(m.c), __float2half2_rn(0.9f), __float2half2_rn(0.1f)));

// A recurrence in double, one warp a scheduler: one chain, or four.
__global__ void p121a(double* out, double f, double g) {
  double x = Thread();
#pragma unroll 16
  for (int k = 0; k < 32768; ++k) x = x * f + g;
  out[Thread()] = x;
}
__global__ void p121b(double* out, double f, double g) {
  double x[4] = {double(Thread()), 1, 2, 3};
#pragma unroll 4
  for (int k = 0; k < 8192; ++k)
    for (double& v : x) v = v * f + g;
  out[Thread()] = x[0] + x[1] + x[2] + x[3];
}
PLANT(p121a, p121a<<<kSms * 2, 64>>>(reinterpret_cast<double*>(m.c), 0.99, 0.5));
PLANT(p121b, p121b<<<kSms * 2, 64>>>(reinterpret_cast<double*>(m.c), 0.99, 0.5));

// Finds 8 Ki keys a multiprocessor among 1 Mi sorted ones: two warps that take one key after another, or a key a thread.
constexpr int kKeys = 1 << 20;
__device__ int Find(const int* next, int key) {
  int low = 0;
  // The table is not sorted; its bits steer the search as a sorted one's would, 20 dependent loads from L2 deep.
#pragma unroll 1
  for (int step = kKeys / 2; step > 0; step /= 2) low += ((__ldcg(next + low + step) ^ key) & 64) ? step : 0;
  return low;
}
__global__ void p122a(const int* next, int* found) {
#pragma unroll 1
  for (int k = 0; k < 128; ++k) {
    const int key = k * Threads() + Thread();
    found[key] = Find(next, int(Mix(key / 32)));
  }
}
__global__ void p122b(const int* next, int* found) {
  const int key = Thread();
  found[key] = Find(next, int(Mix(key / 32)));
}
PLANT(p122a, p122a<<<kSms, 64>>>(m.next, reinterpret_cast<int*>(m.c)));
PLANT(p122b, p122b<<<kSms * 32, 256>>>(m.next, reinterpret_cast<int*>(m.c)));

// Running sums of 1,024 integers: a step of doubling distance and two barriers ten times, or shuffles and two barriers.
constexpr int kScans = kSms * 32;
__global__ void __launch_bounds__(1024) p123a(const int* x, int* y) {
  __shared__ int sums[1024];
#pragma unroll 1
  for (int row = 0; row < 4; ++row) {
    const int at = (blockIdx.x * 4 + row) * 1024 + threadIdx.x;
    sums[threadIdx.x] = x[at];
    __syncthreads();
#pragma unroll 1
    for (int far = 1; far < 1024; far *= 2) {
      const int other = int(threadIdx.x) >= far ? sums[threadIdx.x - far] : 0;
      __syncthreads();
      sums[threadIdx.x] += other;
      __syncthreads();
    }
    y[at] = sums[threadIdx.x];
  }
}
__device__ int WarpScan(int v) {
  for (int far = 1; far < 32; far *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, v, far);
    if (int(threadIdx.x % 32) >= far) v += other;
  }
  return v;
}
__global__ void __launch_bounds__(1024) p123b(const int* x, int* y) {
  // A warp scans a row by itself, 32 values at a time.
  const int lane = threadIdx.x % 32, row = Thread() / 32;
  int before = 0;
#pragma unroll 4
  for (int k = 0; k < 1024; k += 32) {
    const int v = WarpScan(x[row * 1024 + k + lane]) + before;
    y[row * 1024 + k + lane] = v;
    before = __shfl_sync(0xffffffffu, v, 31);
  }
}
PLANT(p123a, p123a<<<kScans, 1024>>>(reinterpret_cast<int*>(m.a), reinterpret_cast<int*>(m.c)));
PLANT(p123b, p123b<<<kScans * 4 / 32, 1024>>>(reinterpret_cast<int*>(m.a), reinterpret_cast<int*>(m.c)));

// The largest of 64 Mi values in each of three groups: an atomic for 64 values, or one a block for each group.
__device__ unsigned Largest(const unsigned* x) {
  unsigned most = 0;
#pragma unroll 8
  for (int k = 0; k < 64; ++k) most = max(most, x[k * (1 << 20) + Thread()]);
  return most;
}
__global__ void p124a(const unsigned* x, unsigned* most) { atomicMax(&most[threadIdx.x / 32 % 3 * 2], Largest(x)); }
__global__ void p124b(const unsigned* x, unsigned* most) {
  __shared__ unsigned mine[3];
  if (threadIdx.x < 3) mine[threadIdx.x] = 0;
  __syncthreads();
  const unsigned all = __reduce_max_sync(0xffffffffu, Largest(x));
  if (threadIdx.x % 32 == 0) atomicMax(&mine[threadIdx.x / 32 % 3], all);
  __syncthreads();
  if (threadIdx.x < 3) atomicMax(&most[threadIdx.x * 2], mine[threadIdx.x]);
}
PLANT(p124a, p124a<<<(1 << 20) / 256, 256>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c)));
PLANT(p124b, p124b<<<(1 << 20) / 256, 256>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c)));

// Counts in four classes in shared memory, 69 million values made on the way: one counter a class, or one for each lane.
__global__ void p125a(unsigned* counts) {
  __shared__ unsigned mine[4];
  if (threadIdx.x < 4) mine[threadIdx.x] = 0;
  __syncthreads();
  unsigned h = Mix(Thread());
#pragma unroll 4
  for (int k = 0; k < 128; ++k) h = h * 1664525u + 1013904223u, atomicAdd(&mine[h >> 30], h & 3);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
__global__ void p125b(unsigned* counts) {
  __shared__ unsigned mine[8][4][32];
  auto& own = mine[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < 4; ++k) own[k][lane] = 0;
  unsigned h = Mix(Thread());
#pragma unroll 4
  for (int k = 0; k < 128; ++k) h = h * 1664525u + 1013904223u, own[h >> 30][lane] += h & 3;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    const unsigned all = __reduce_add_sync(0xffffffffu, own[k][lane]);
    if (lane == 0) atomicAdd(&counts[k], all);
  }
}
PLANT(p125a, p125a<<<kSms * 16, 256>>>(reinterpret_cast<unsigned*>(m.c)));
PLANT(p125b, p125b<<<kSms * 16, 256>>>(reinterpret_cast<unsigned*>(m.c)));
