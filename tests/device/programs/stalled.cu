// Kernels whose dominating stall and source line are known: the lines that warps wait at carry a mark, "hot: NAME".
// usage: stalled SECONDS
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

// A chain of dependent loads that miss the caches: each waits for the one before.
__global__ void alpha(const unsigned* next, unsigned* out, int rounds) {
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 4099u % (1u << 26);
  for (int i = 0; i < rounds; ++i) {
    at = next[at];  // hot: alpha
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// All lanes in one bank of shared memory.
__global__ void beta(float* out, int rounds) {
  __shared__ volatile float shared[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) shared[i] = i;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int i = 0; i < rounds; ++i) {
    sum += shared[lane * 32 + (i & 31)];  // hot: beta
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// One warp computes, the others wait for it at the barrier: sampled at the instruction behind it, which may be the loop's.
__global__ void gamma_(float* out, int rounds) {
  float value = threadIdx.x;
  for (int i = 0; i < rounds; ++i) {  // hot: gamma_
    if (threadIdx.x < 32) {
      for (int k = 0; k < 400; ++k) value = value * 1.0001f + 0.5f;
    }
    __syncthreads();  // hot: gamma_
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Independent multiply-adds in double precision by many warps: the pipe is full.
__global__ void delta(double* out, int rounds) {
  double a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < rounds; ++i) {
    a = a * 1.0001 + 0.5, b = b * 1.0002 + 0.5, c = c * 1.0003 + 0.5, d = d * 1.0004 + 0.5;  // hot: delta
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  constexpr size_t kWords = size_t{1} << 26;
  constexpr int kBlocks = 528, kThreads = 256;
  unsigned* next = nullptr;
  void* out = nullptr;
  CHECK(cudaMalloc(&next, kWords * sizeof(unsigned)));
  CHECK(cudaMalloc(&out, kBlocks * 1024 * sizeof(double)));
  unsigned* host = static_cast<unsigned*>(std::malloc(kWords * sizeof(unsigned)));
  unsigned long long state = 88172645463325252ull;
  for (size_t i = 0; i < kWords; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    host[i] = static_cast<unsigned>(state % kWords);
  }
  CHECK(cudaMemcpy(next, host, kWords * sizeof(unsigned), cudaMemcpyHostToDevice));
  const auto begin = std::chrono::steady_clock::now();
  int rounds = 0;
  for (;; ++rounds) {
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (passed > seconds) break;
    alpha<<<kBlocks, kThreads>>>(next, static_cast<unsigned*>(out), 300);
    beta<<<kBlocks, kThreads>>>(static_cast<float*>(out), 2000);
    gamma_<<<kBlocks, 1024>>>(static_cast<float*>(out), 50);
    delta<<<kBlocks, kThreads>>>(static_cast<double*>(out), 4000);
    CHECK(cudaDeviceSynchronize());
  }
  std::printf("rounds %d launches %d\n", rounds, 4 * rounds);
  return 0;
}
