// Kernels of known character for sampled counters: each keeps one part of the device busy. They run in steps of a mixed
// order, with gaps, for so many seconds, and the time of every step is printed.
// usage: character SECONDS [STEPS] [GAP_US]
#include <cuda_fp16.h>
#include <mma.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t error = (call);                                                    \
    if (error != cudaSuccess) {                                                          \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

__global__ void copy_far(const float4* from, float4* to, size_t count) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x)
    to[i] = from[i];
}
__global__ void read_near(const float4* from, float* to, int count, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x + round * 8192) % count; i < count; i += gridDim.x * blockDim.x)
      sum += from[i].x + from[i].w;
  }
  if (sum == 42.0f) to[0] = sum;
}
__global__ void multiply_add(float* to, int rounds) {
  float a = threadIdx.x, b = 1.0f, c = 2.0f, d = 3.0f;
  for (int i = 0; i < rounds; ++i) {
    a = a * 1.0001f + 0.5f, b = b * 1.0002f + 0.5f, c = c * 1.0003f + 0.5f, d = d * 1.0004f + 0.5f;
  }
  if (a + b + c + d == 42.0f) to[0] = a;
}
__global__ void logic(unsigned* to, int rounds) {
  unsigned a = threadIdx.x, b = a * 3, c = a ^ 5, d = a | 7;
  for (int i = 0; i < rounds; ++i) {
    a = (a ^ b) & (c | i), b = (b ^ c) | (d & i), c = (c & d) ^ (a | i), d = (d | a) ^ (b & i);
  }
  if (a + b + c + d == 42u) to[0] = a;
}
__global__ void doubles(double* to, int rounds) {
  double a = threadIdx.x, b = 1.0;
  for (int i = 0; i < rounds; ++i) a = a * 1.0001 + 0.5, b = b * 1.0002 + 0.5;
  if (a + b == 42.0) to[0] = a;
}
__global__ void tiles(const half* from, float* to, int rounds) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> c, d;
  load_matrix_sync(a, from, 16);
  load_matrix_sync(b, from + 256, 16);
  fill_fragment(c, 0.0f);
  fill_fragment(d, 0.0f);
  for (int i = 0; i < rounds; ++i) mma_sync(c, a, b, c), mma_sync(d, a, b, d);
  if (c.x[0] + d.x[0] == 42.0f) to[0] = c.x[0];
}
__global__ void chase(const int* next, int* to, int rounds) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < rounds; ++i) at = next[at];
  if (at == -1) to[0] = at;
}
__global__ void banks(float* to, int rounds) {
  __shared__ float tile[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) tile[i] = i;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < rounds; ++i) sum += tile[(threadIdx.x * 4 + i * 32) % 4096];
  if (sum == 42.0f) to[0] = sum;
}
__global__ void short_scale(float4* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i].x *= 1.0001f, data[i].y += 1.0f;
}
__global__ void short_sine(float* data, int count, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < count ? data[i] : 0;
  for (int round = 0; round < rounds; ++round) x = __sinf(x) + 0.5f;
  if (i < count) data[i] = x;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  const long most_steps = argc > 2 ? std::atol(argv[2]) : 1L << 40;
  const int gap_us = argc > 3 ? std::atoi(argv[3]) : 100;
  constexpr size_t kFar = size_t{1} << 25;  // 512 MiB of float4
  constexpr int kNear = 1 << 20;            // 16 MiB: in the L2
  constexpr int kChase = 1 << 26;
  float4 *far = nullptr, *other = nullptr;
  float* out = nullptr;
  int* next = nullptr;
  half* tile = nullptr;
  CHECK(cudaMalloc(&far, kFar * sizeof(float4)));
  CHECK(cudaMalloc(&other, kFar * sizeof(float4)));
  CHECK(cudaMalloc(&out, 4096));
  CHECK(cudaMalloc(&tile, 4096));
  CHECK(cudaMalloc(&next, size_t{kChase} * sizeof(int)));
  CHECK(cudaMemset(far, 0, kFar * sizeof(float4)));
  CHECK(cudaMemset(tile, 0, 4096));
  int* host = static_cast<int*>(std::malloc(size_t{kChase} * sizeof(int)));
  for (int i = 0; i < kChase; ++i) host[i] = static_cast<int>((i * 1664525ull + 1013904223ull) % kChase);
  CHECK(cudaMemcpy(next, host, size_t{kChase} * sizeof(int), cudaMemcpyHostToDevice));
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  const int sms = device.multiProcessorCount;
  const auto begin = std::chrono::steady_clock::now();
  const auto since = [](auto from) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  };
  unsigned random = 1;
  long step = 0;
  for (; step < most_steps && since(begin) < seconds; ++step) {
    const auto step_begin = std::chrono::steady_clock::now();
    random = random * 1664525u + 1013904223u;
    const int turn = static_cast<int>(random >> 24) % 3;
    copy_far<<<sms * 8, 256>>>(far, other, kFar / 2);
    for (int i = 0; i < 6 + turn; ++i) {
      short_scale<<<512, 256>>>(far, 512 * 256);
      short_sine<<<256, 256>>>(reinterpret_cast<float*>(other), 256 * 256, 40);
    }
    multiply_add<<<sms * 8, 256>>>(out, 20000);
    tiles<<<sms * 8, 128>>>(tile, out, 4000);
    if (turn == 1) usleep(static_cast<unsigned>(gap_us));
    chase<<<sms / 2, 64>>>(next, reinterpret_cast<int*>(out), 400);
    logic<<<sms * 8, 256>>>(reinterpret_cast<unsigned*>(out), 10000);
    for (int i = 0; i < 4; ++i) {
      short_sine<<<256, 256>>>(reinterpret_cast<float*>(other), 256 * 256, 40);
      read_near<<<sms * 4, 512>>>(far, out, kNear, 4);
    }
    doubles<<<sms * 8, 256>>>(reinterpret_cast<double*>(out), 4000);
    banks<<<sms * 8, 256>>>(out, 8000);
    CHECK(cudaDeviceSynchronize());
    std::printf("%.1f\n", since(step_begin) * 1e6);
  }
  std::fprintf(stderr, "%ld steps\n", step);
  return 0;
}
