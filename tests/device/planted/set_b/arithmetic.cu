// Which instructions a kernel spends: divergent ones, wider types, divisions, special functions, constants, code size.
#include "../planted.h"

using planted::kSms;
using planted::Mix;
using planted::Thread;
using planted::Threads;

// Steps until a point of the plane escapes, at most 512: points in a scattered order, or neighbours side by side.
constexpr int kSide = 1024;
__device__ int Escape(int pixel) {
  const float cx = pixel % kSide * (3.0f / kSide) - 2.25f, cy = pixel / kSide * (2.6f / kSide) - 1.3f;
  float x = 0, y = 0;
  int steps = 0;
#pragma unroll 1
  while (steps < 512 && x * x + y * y < 4) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy, x = t;
    ++steps;
  }
  return steps;
}
__global__ void p130a(int* image) {
  const int pixel = int(unsigned(Thread()) * 2654435761u % (kSide * kSide));
  image[Thread()] = Escape(pixel);
}
__global__ void p130b(int* image) { image[Thread()] = Escape(Thread()); }
PLANT(p130a, p130a<<<kSide * kSide / 128, 128>>>(reinterpret_cast<int*>(m.c)));
PLANT(p130b, p130b<<<kSide * kSide / 128, 128>>>(reinterpret_cast<int*>(m.c)));

// 44 oscillators a thread in double, each coupled to the next: 80 registers a thread, or as many as it takes.
__device__ void Oscillate(const double* x, double* out) {
  double s[44];
#pragma unroll
  for (int k = 0; k < 44; ++k) s[k] = x[k * 128 + threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < 32; ++i) {
#pragma unroll
    for (int k = 0; k < 44; ++k) s[k] = s[k] * 0.99 + s[(k + 7) % 44] * 0.01;
  }
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 44; ++k) sum += s[k];
  out[Thread()] = sum;
}
__global__ void __launch_bounds__(128, 6) p131a(const double* x, double* out) { Oscillate(x, out); }
__global__ void __launch_bounds__(128, 4) p131b(const double* x, double* out) { Oscillate(x, out); }
PLANT(p131a, p131a<<<kSms * 32, 128>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));
PLANT(p131b, p131b<<<kSms * 32, 128>>>(reinterpret_cast<double*>(m.a), reinterpret_cast<double*>(m.c)));

// A relaxation of floats with a quotient in each step: constants of type double, or float.
__global__ void p132a(const float* x, float* y) {
  float v = x[Thread()];
#pragma unroll 2
  for (int k = 0; k < 48; ++k) v = 0.5 * (v + 2.0 / (1.0 + v * v));
  y[Thread()] = v;
}
__global__ void p132b(const float* x, float* y) {
  float v = x[Thread()];
#pragma unroll 2
  for (int k = 0; k < 48; ++k) v = 0.5f * (v + 2.0f / (1.0f + v * v));
  y[Thread()] = v;
}
PLANT(p132a, p132a<<<(4 << 20) / 128, 128>>>(m.a, m.c));
PLANT(p132b, p132b<<<(4 << 20) / 128, 128>>>(m.a, m.c));

// Adds to each value of [n][c][height][width] a number made of its place: the place from divisions by lengths known at
// run time, or from the grid.
__global__ void p133a(const short* x, short* y, unsigned c, unsigned height, unsigned width) {
  const unsigned i = Thread();
  const unsigned column = i % width, row = i / width % height, channel = i / (width * height) % c;
  const unsigned n = i / (width * height * c), strip = column / (c + 1) + row % (c + 3) + channel / (c + 5);
  y[((n * c + channel) * height + row) * width + column] = short(x[i] + strip);
}
__global__ void p133b(const short* x, short* y, unsigned c, unsigned height, unsigned width) {
  const unsigned column = threadIdx.x, row = blockIdx.x, channel = blockIdx.y, n = blockIdx.z;
  const unsigned i = ((n * c + channel) * height + row) * width + column;
  y[i] = short(x[i] + row);
}
PLANT(p133a, p133a<<<16 * 64 * 256, 256>>>(reinterpret_cast<short*>(m.a), reinterpret_cast<short*>(m.c), 64, 256, 256));
PLANT(p133b, p133b<<<dim3(256, 64, 16), 256>>>(reinterpret_cast<short*>(m.a), reinterpret_cast<short*>(m.c), 64, 256, 256));

// The logarithm of products of eight: the sum of eight logarithms, or one of the product.
__global__ void p134a(const float* x, float* y) {
  const float v = x[Thread()];
  float sum = 0;
#pragma unroll 2
  for (int k = 0; k < 48; ++k)
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += __logf(v + (k * 0.01f + j * 0.1f));
  y[Thread()] = sum;
}
__global__ void p134b(const float* x, float* y) {
  const float v = x[Thread()];
  float sum = 0;
#pragma unroll 2
  for (int k = 0; k < 48; ++k) {
    float product = 1;
#pragma unroll
    for (int j = 0; j < 8; ++j) product *= v + (k * 0.01f + j * 0.1f);
    sum += __logf(product);
  }
  y[Thread()] = sum;
}
PLANT(p134a, p134a<<<(6 << 20) / 512, 512>>>(m.a, m.c));
PLANT(p134b, p134b<<<(6 << 20) / 512, 512>>>(m.a, m.c));

// Substitutes bytes 32 times through a box of 256 words, eight threads a word: in constant memory, or in shared memory.
__constant__ unsigned kBox[256];
__global__ void p135a(const unsigned* x, unsigned* y) {
  unsigned h = x[Thread() / 8];
#pragma unroll 4
  for (int k = 0; k < 32; ++k) h = (h * 0x9e3779b1u) ^ kBox[h >> 24] ^ kBox[h >> 16 & 255];
  y[Thread()] = h;
}
__global__ void p135b(const unsigned* x, unsigned* y) {
  __shared__ unsigned box[256];
  if (threadIdx.x < 256) box[threadIdx.x] = kBox[threadIdx.x];
  __syncthreads();
  unsigned h = x[Thread() / 8];
#pragma unroll 4
  for (int k = 0; k < 32; ++k) h = (h * 0x9e3779b1u) ^ box[h >> 24] ^ box[h >> 16 & 255];
  y[Thread()] = h;
}
PLANT(p135a, p135a<<<(2 << 20) / 256, 256>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c)));
PLANT(p135b, p135b<<<(2 << 20) / 256, 256>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c)));

// One of 32 filters, by warp and turn: a routine written out for each, or one routine with its numbers as arguments.
template <int kFilter>
__device__ __noinline__ float Filter(float v) {
  float w = v + kFilter;
#pragma unroll
  for (int k = 0; k < 144; ++k) {
    v = v * (0.5f + (kFilter * 160 + k) % 977 * 0.0005f) + (0.25f + (kFilter * 160 + k) % 677 * 0.0005f);
    w = w * (0.5f + (kFilter * 160 + k) % 577 * 0.0005f) + 0.125f;
  }
  return v + w;
}
template <int kFirst, int kCount>
__device__ float Choose(float v, int which) {
  if constexpr (kCount == 1) {
    return Filter<kFirst>(v);
  } else {
    return which < kFirst + kCount / 2 ? Choose<kFirst, kCount / 2>(v, which)
                                       : Choose<kFirst + kCount / 2, kCount - kCount / 2>(v, which);
  }
}
__global__ void __launch_bounds__(128) p136a(const float* x, float* y) {
  float v = x[Thread()];
  const int warp = Thread() / 32;
#pragma unroll 1
  for (int turn = 0; turn < 40; ++turn) v = Choose<0, 32>(v, int(Mix(warp * 131 + turn) % 32)) * 1e-3f;
  y[Thread()] = v;
}
__global__ void __launch_bounds__(128) p136b(const float* x, float* y) {
  float v = x[Thread()];
  const int warp = Thread() / 32;
#pragma unroll 1
  for (int turn = 0; turn < 40; ++turn) {
    const float f = 0.5f + int(Mix(warp * 131 + turn) % 32) * 0.0005f;
    float w = v + f;
#pragma unroll 16
    for (int k = 0; k < 144; ++k) v = v * f + 0.25f, w = w * f + 0.125f;
    v = (v + w) * 1e-3f;
  }
  y[Thread()] = v;
}
PLANT(p136a, p136a<<<kSms * 32, 128>>>(m.a, m.c));
PLANT(p136b, p136b<<<kSms * 32, 128>>>(m.a, m.c));

// Controls. Pairs of halves multiplied and added, six chains a thread.
__global__ void p155a(__half2* out, __half2 f, __half2 g) {
  __half2 x[6];
  for (int k = 0; k < 6; ++k) x[k] = __float2half2_rn(0.001f * threadIdx.x + k);
#pragma unroll 8
  for (int k = 0; k < 1024; ++k)
    for (__half2& v : x) v = __hfma2(v, f, g);
  for (int k = 1; k < 6; ++k) x[0] = __hadd2(x[0], x[k]);
  out[Thread()] = x[0];
}
PLANT(p155a, p155a<<<kSms * 48, 256>>>(reinterpret_cast<__half2*>(m.c), __float2half2_rn(0.9f), __float2half2_rn(0.1f)));

// A polynomial in float, four values a thread.
__global__ void p156a(const float4* x, float4* y) {
  const float4 v = x[Thread()];
  float4 sum = make_float4(0, 0, 0, 0);
  float f = 0.001f * threadIdx.x;
#pragma unroll 8
  for (int k = 0; k < 512; ++k) {
    sum.x = sum.x * v.x + f, sum.y = sum.y * v.y + f, sum.z = sum.z * v.z + f, sum.w = sum.w * v.w + f;
    f += 0.001f;
  }
  y[Thread()] = sum;
}
PLANT(p156a, p156a<<<kSms * 48, 256>>>(reinterpret_cast<float4*>(m.a), reinterpret_cast<float4*>(m.c)));
