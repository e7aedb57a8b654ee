// Twelve kernels of different limits, each launched a few times: what exact counters are compared on. Argument: launches
// of each (default 2). Build: nvcc -O3 -arch=native -lineinfo.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdio>
#include <cstdlib>

namespace {

#define CHECK(call)                                                                     \
  do {                                                                                  \
    const cudaError_t error = (call);                                                   \
    if (error != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));               \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

constexpr int kN = 1 << 24, kSide = 2048;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void gather(const float* a, float* c, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[static_cast<size_t>(i) * stride % kN];
}
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * kSide + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * kSide + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void multiply(const float* a, const float* b, float* c) {
  __shared__ float left[16][17], right[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < kSide; k += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * kSide + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * kSide + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * kSide + column] = sum;
}
__global__ void doubles(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[i], y = 1.0;
  for (int k = 0; k < 256; ++k) y = y * x + 0.5;
  c[i] = static_cast<float>(y);
}
__global__ void sines(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float y = a[i];
  for (int k = 0; k < 128; ++k) y = __sinf(y) + __expf(y);
  c[i] = y;
}
__global__ void histogram(const float* a, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[static_cast<int>(a[i] * 16) & 15], 1);
}
__global__ void branches(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float y = a[i];
  for (int k = 0; k < 64; ++k) {
    if ((i + k) % 4 == 0) y = y * 1.5f + 1;
    else if ((i + k) % 4 == 1) y = sqrtf(y + 2);
    else if ((i + k) % 4 == 2) y = y / (k + 1.0f);
    else y = y - 0.25f;
  }
  c[i] = y;
}
__global__ void reduce(const float* a, float* out, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i];
  part[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
__global__ void tensor(const __half* a, const __half* b, float* c, int rounds) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  for (int i = 0; i < rounds; ++i) wmma::mma_sync(sum, left, right, sum);
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  wmma::store_matrix_sync(c + warp * 256, sum, 16, wmma::mem_row_major);
}
__global__ void arrays(const float* a, float* c, int n, int turn) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own[64];
  for (int k = 0; k < 64; ++k) own[k] = a[(i + k) % n];
  float y = 0;
  for (int k = 0; k < 64; ++k) y += own[(k * turn + i) & 63];
  c[i] = y;
}
__global__ void chase(const int* next, int* out, int steps) {
  int at = threadIdx.x + blockIdx.x * blockDim.x;
  for (int i = 0; i < steps; ++i) at = next[at];
  out[threadIdx.x + blockIdx.x * blockDim.x] = at;
}
__global__ void together(float* a, int n) {  // cooperative
  const auto grid = cooperative_groups::this_grid();
  for (int round = 0; round < 4; ++round) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] = a[i] * 0.5f + 1;
    grid.sync();
  }
}
__global__ void __cluster_dims__(2, 1, 1) clustered(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * 0.5f + 1;
}

__global__ void fill(float* a, int* next, __half* h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] = (i % 1000) * 0.001f;
  next[i] = static_cast<int>((i * 7919LL + 12345) % n);
  if (i < 256) h[i] = __float2half(0.5f);
}

}  // namespace

int main(int count, char** words) {
  const int launches = count > 1 ? std::atoi(words[1]) : 2;
  float *a, *b, *c;
  int *next, *bins;
  __half* h;
  CHECK(cudaMalloc(&a, kN * sizeof(float)));
  CHECK(cudaMalloc(&b, kN * sizeof(float)));
  CHECK(cudaMalloc(&c, kN * sizeof(float)));
  CHECK(cudaMalloc(&next, kN * sizeof(int)));
  CHECK(cudaMalloc(&bins, kN * sizeof(int)));
  CHECK(cudaMalloc(&h, 4096));
  const int blocks = kN / 256;
  fill<<<blocks, 256>>>(a, next, h, kN);
  fill<<<blocks, 256>>>(b, next, h, kN);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < launches; ++i) {
    add<<<blocks, 256>>>(a, b, c, kN);
    gather<<<blocks, 256>>>(a, c, kN, 33);
    transpose<<<dim3(kSide / 32, kSide / 32), dim3(32, 32)>>>(a, c);
    multiply<<<dim3(kSide / 16, kSide / 16), dim3(16, 16)>>>(a, b, c);
    doubles<<<blocks / 4, 256>>>(a, c, kN);
    sines<<<blocks, 256>>>(a, c, kN);
    histogram<<<blocks / 4, 256>>>(a, bins, kN);
    branches<<<blocks, 256>>>(a, c, kN);
    reduce<<<1024, 256>>>(a, c, kN);
    tensor<<<2048, 128>>>(h, h, c, 512);
    arrays<<<blocks / 8, 256>>>(a, c, kN, 5);
    chase<<<264, 128>>>(next, bins, 200);
    CHECK(cudaGetLastError());
  }
  int device = 0, sms = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  int n = kN;
  void* parameters[] = {&c, &n};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), dim3(sms), dim3(256), parameters));
  clustered<<<blocks, 256>>>(c, kN);
  CHECK(cudaGetLastError());
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 3; ++i) add<<<1024, 256, 0, stream>>>(a, b, c, 1024 * 256);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaDeviceSynchronize());
  float first = 0;
  CHECK(cudaMemcpy(&first, c, sizeof(first), cudaMemcpyDeviceToHost));
  std::printf("done %.3f\n", first);
  return 0;
}
