// Accesses of global memory: which bytes a warp touches, how wide, and whether a cache can keep them.
#include "../planted.h"

using planted::Mix;
using planted::Thread;
using planted::Threads;

// Sums of 128 values for each of 262,144 rows, a thread a row: rows stored one after another, or columns.
constexpr int kRowCount = 262144, kColumns = 128;
__global__ void p01a(const float* x, float* sums) {
  const int row = Thread();
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < kColumns; ++k) sum += x[size_t(row) * kColumns + k];
  sums[row] = sum;
}
__global__ void p01b(const float* x, float* sums) {
  const int row = Thread();
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < kColumns; ++k) sum += x[size_t(k) * kRowCount + row];
  sums[row] = sum;
}
PLANT(p01a, p01a<<<kRowCount / 256, 256>>>(m.a, m.c));
PLANT(p01b, p01b<<<kRowCount / 256, 256>>>(m.a, m.c));

// One field of a particle moves by another: records of 12 fields, or an array for each field.
constexpr int kParticles = 8 << 20;
struct Particle {
  float field[12];
};
__global__ void p02a(Particle* p, float dt) {
  const int i = Thread();
  p[i].field[1] += p[i].field[7] * dt;
}
__global__ void p02b(float* place, const float* speed, float dt) {
  const int i = Thread();
  place[i] += speed[i] * dt;
}
PLANT(p02a, p02a<<<kParticles / 256, 256>>>(reinterpret_cast<Particle*>(m.c), 1e-3f));
PLANT(p02b, p02b<<<kParticles / 256, 256>>>(m.c, m.a, 1e-3f));

// Transposes 8192 x 8192: straight, or through a tile of shared memory.
constexpr int kSide = 8192;
__global__ void p03a(const float* in, float* out) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int y = blockIdx.y * 32 + threadIdx.y; y < int(blockIdx.y) * 32 + 32; y += 8)
    out[size_t(x) * kSide + y] = in[size_t(y) * kSide + x];
}
__global__ void p03b(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = in[size_t(y + k) * kSide + x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8)
    out[size_t(blockIdx.x * 32 + k) * kSide + y + threadIdx.x] = tile[threadIdx.x][k];
}
PLANT(p03a, p03a<<<dim3(kSide / 32, kSide / 32), dim3(32, 8)>>>(m.a, m.c));
PLANT(p03b, p03b<<<dim3(kSide / 32, kSide / 32), dim3(32, 8)>>>(m.a, m.c));

// A copy with a change of 192 MiB: a byte for each thread at a time, or 16.
constexpr size_t kBytes = size_t{192} << 20;
__global__ void p04a(const unsigned char* in, unsigned char* out) {
#pragma unroll 1
  for (size_t i = Thread(); i < kBytes; i += Threads()) out[i] = in[i] ^ 0x5a;
}
__global__ void p04b(const uint4* in, uint4* out) {
#pragma unroll 1
  for (size_t i = Thread(); i < kBytes / 16; i += Threads()) {
    uint4 v = in[i];
    v.x ^= 0x5a5a5a5a, v.y ^= 0x5a5a5a5a, v.z ^= 0x5a5a5a5a, v.w ^= 0x5a5a5a5a;
    out[i] = v;
  }
}
PLANT(p04a, p04a<<<planted::kSms * 8, 256>>>(reinterpret_cast<unsigned char*>(m.a), reinterpret_cast<unsigned char*>(m.c)));
PLANT(p04b, p04b<<<planted::kSms * 8, 256>>>(reinterpret_cast<uint4*>(m.a), reinterpret_cast<uint4*>(m.c)));

// y += s * x in half precision over 64 Mi values: a value a thread, or eight.
constexpr int kHalves = 64 << 20;
__global__ void p05a(const __half* x, __half* y, __half s) {
#pragma unroll 1
  for (int i = Thread(); i < kHalves; i += Threads()) y[i] = __hfma(s, x[i], y[i]);
}
__global__ void p05b(const uint4* x, uint4* y, __half2 s) {
#pragma unroll 1
  for (int i = Thread(); i < kHalves / 8; i += Threads()) {
    uint4 u = x[i], v = y[i];
    auto* from = reinterpret_cast<__half2*>(&u);
    auto* to = reinterpret_cast<__half2*>(&v);
    for (int k = 0; k < 4; ++k) to[k] = __hfma2(s, from[k], to[k]);
    y[i] = v;
  }
}
PLANT(p05a, p05a<<<planted::kSms * 8, 256>>>(reinterpret_cast<__half*>(m.a), reinterpret_cast<__half*>(m.c), __float2half(0.0f)));
PLANT(p05b, p05b<<<planted::kSms * 8, 256>>>(reinterpret_cast<uint4*>(m.a), reinterpret_cast<uint4*>(m.c), __float2half2_rn(0.0f)));

// Eight passes over 240 MiB in tiles of 128 KiB, a tile and pass a block: all tiles in each pass, or all passes while
// the 15 MiB of a group of tiles are still in L2.
constexpr int kTileFloats = 32768, kTiles = 1920, kGroup = 120, kPasses = 8;
__device__ float TileSum(const float* x, int tile, int pass) {
  const auto* from = reinterpret_cast<const float4*>(x + size_t(tile) * kTileFloats);
  float sum = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < kTileFloats / 4; i += 256) {
    const float4 v = from[i];
    sum += (v.x + v.y + v.z + v.w) * pass;
  }
  return sum;
}
__global__ void p06a(const float* x, float* out) {
  out[Thread()] = TileSum(x, blockIdx.x % kTiles, blockIdx.x / kTiles);
}
__global__ void p06b(const float* x, float* out) {
  const int group = blockIdx.x / (kGroup * kPasses), in_group = blockIdx.x % (kGroup * kPasses);
  out[Thread()] = TileSum(x, group * kGroup + in_group % kGroup, in_group / kGroup);
}
PLANT(p06a, p06a<<<kTiles * kPasses, 256>>>(m.a, m.c));
PLANT(p06b, p06b<<<kTiles * kPasses, 256>>>(m.a, m.c));

// 256 Mi values in rows of 32 bytes from a table of 256 MiB: rows in any order, or sorted into windows of 8 MiB.
constexpr int kTableRows = 8 << 20, kWindowRows = 262144, kPicks = 8 << 20;
__global__ void p07a(const float* table, float* out) {
  const int i = Thread();
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < 32; ++k) {
    const unsigned row = Mix(i / 8 + k * (kPicks / 8)) % kTableRows;
    sum += table[size_t(row) * 8 + i % 8];
  }
  out[i] = sum;
}
__global__ void p07b(const float* table, float* out) {
  const int i = Thread();
  const unsigned window = blockIdx.x / (kPicks / 256 / (kTableRows / kWindowRows));
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < 32; ++k) {
    const unsigned row = window * kWindowRows + Mix(i / 8 + k * (kPicks / 8)) % kWindowRows;
    sum += table[size_t(row) * 8 + i % 8];
  }
  out[i] = sum;
}
PLANT(p07a, p07a<<<kPicks / 256, 256>>>(m.a, m.c));
PLANT(p07b, p07b<<<kPicks / 256, 256>>>(m.a, m.c));
