// Which instructions a kernel spends: divergent ones, wider types, divisions, special functions, constants, code size.
#include "../planted.h"

using planted::kSms;
using planted::Mix;
using planted::Thread;
using planted::Threads;

// Eight formulas by the kind of an element: kinds side by side, or sorted.
template <int kKind>
__device__ float Formula(float v) {
#pragma unroll 8
  for (int k = 0; k < 384; ++k) v = v * (0.9f + 0.01f * kKind) + 0.01f * (kKind + 1) * ((k & 1) ? 1.0f : 1.5f);
  return v;
}
__device__ float ByKind(float v, int kind) {
  switch (kind) {
    case 0: return Formula<0>(v);
    case 1: return Formula<1>(v);
    case 2: return Formula<2>(v);
    case 3: return Formula<3>(v);
    case 4: return Formula<4>(v);
    case 5: return Formula<5>(v);
    case 6: return Formula<6>(v);
    default: return Formula<7>(v);
  }
}
constexpr int kElements = 4 << 20;
__global__ void p30a(const float* x, float* y) {
  const int i = Thread();
  y[i] = ByKind(x[i], i % 8);
}
__global__ void p30b(const float* x, float* y) {
  const int i = Thread();
  y[i] = ByKind(x[i], i / 32 % 8);
}
PLANT(p30a, p30a<<<kElements / 256, 256>>>(m.a, m.c));
PLANT(p30b, p30b<<<kElements / 256, 256>>>(m.a, m.c));

// Steps until a value settles, a geometric count: neighbours differ, or 32 neighbours alike.
__device__ int Count(unsigned h) { return 32 + 32 * __clz(int(Mix(h) | 1)) * __clz(int(Mix(h) | 1)); }
__device__ float Settle(float v, int count) {
#pragma unroll 8
  for (int k = 0; k < count; ++k) v = v * 0.99f + 0.01f;
  return v;
}
__global__ void p31a(const float* x, float* y) {
  const int i = Thread();
  y[i] = Settle(x[i], Count(i));
}
__global__ void p31b(const float* x, float* y) {
  const int i = Thread();
  y[i] = Settle(x[i], Count(i / 32));
}
PLANT(p31a, p31a<<<kElements * 2 / 256, 256>>>(m.a, m.c));
PLANT(p31b, p31b<<<kElements * 2 / 256, 256>>>(m.a, m.c));

// 72 filters a thread: registers for 64 words, or for all.
__device__ void Filters(const float* x, float* out) {
  float s[72];
#pragma unroll
  for (int k = 0; k < 72; ++k) s[k] = x[k * 256 + threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < 64; ++i) {
    const float v = x[i * 64 + threadIdx.x % 64];
#pragma unroll
    for (int k = 0; k < 72; ++k) s[k] = s[k] * v + 0.5f;
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 72; ++k) sum += s[k];
  out[Thread()] = sum;
}
__global__ void __launch_bounds__(256, 4) p32a(const float* x, float* out) { Filters(x, out); }
__global__ void __launch_bounds__(256, 2) p32b(const float* x, float* out) { Filters(x, out); }
PLANT(p32a, p32a<<<kSms * 32, 256>>>(m.a, m.c));
PLANT(p32b, p32b<<<kSms * 32, 256>>>(m.a, m.c));

// Mixes a state of 48 words: 40 registers a thread so that two blocks fit, or enough.
__device__ void Scramble(const unsigned* x, unsigned* out) {
  unsigned s[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) s[k] = x[k * 768 + threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < 48; ++i) {
#pragma unroll
    for (int k = 0; k < 48; ++k) s[k] = (s[k] ^ s[(k + 17) % 48]) + (s[(k + 1) % 48] << 3);
  }
  unsigned all = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) all ^= s[k];
  out[Thread()] = all;
}
__global__ void __launch_bounds__(768, 2) p33a(const unsigned* x, unsigned* out) { Scramble(x, out); }
__global__ void __launch_bounds__(768, 1) p33b(const unsigned* x, unsigned* out) { Scramble(x, out); }
PLANT(p33a, p33a<<<kSms * 8, 768>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c)));
PLANT(p33b, p33b<<<kSms * 8, 768>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c)));

// A recurrence in float, its constants written without or with an f.
__global__ void p34a(const float* x, float* y) {
  float v = x[Thread()];
#pragma unroll 4
  for (int k = 0; k < 128; ++k) v = v * 0.999 + 0.001;
  y[Thread()] = v;
}
__global__ void p34b(const float* x, float* y) {
  float v = x[Thread()];
#pragma unroll 4
  for (int k = 0; k < 128; ++k) v = v * 0.999f + 0.001f;
  y[Thread()] = v;
}
PLANT(p34a, p34a<<<kElements * 2 / 256, 256>>>(m.a, m.c));
PLANT(p34b, p34b<<<kElements * 2 / 256, 256>>>(m.a, m.c));

// A cubic of a float, evaluated in double, or in float.
template <class T>
__device__ float Cubic(float v) {
  const T t = v;
  return float(T(0.1) + t * (T(0.2) + t * (T(0.3) + t * T(0.05))));
}
__global__ void p35a(const float* x, float* y) {
  float v = x[Thread()];
#pragma unroll 4
  for (int k = 0; k < 64; ++k) v = Cubic<double>(v) + 0.01f;
  y[Thread()] = v;
}
__global__ void p35b(const float* x, float* y) {
  float v = x[Thread()];
#pragma unroll 4
  for (int k = 0; k < 64; ++k) v = Cubic<float>(v) + 0.01f;
  y[Thread()] = v;
}
PLANT(p35a, p35a<<<kElements * 2 / 256, 256>>>(m.a, m.c));
PLANT(p35b, p35b<<<kElements * 2 / 256, 256>>>(m.a, m.c));

// Mirrors images of [n][d][h][w] along w: the place of each from five divisions of 64-bit numbers, or from the grid.
__global__ void p36a(const float* x, float* y, long long d, long long h, long long w) {
  const long long i = Thread();
  const long long at_w = i % w, at_h = i / w % h, at_d = i / (w * h) % d, at_n = i / (w * h * d);
  y[((at_n * d + at_d) * h + at_h) * w + (w - 1 - at_w)] = x[i];
}
__global__ void p36b(const float* x, float* y, int h, int w) {
  const size_t row = (size_t(blockIdx.y) * h + blockIdx.x) * w;
  y[row + (w - 1 - threadIdx.x)] = x[row + threadIdx.x];
}
PLANT(p36a, p36a<<<64 * 64 * 64, 256>>>(m.a, m.c, 64, 64, 256));
PLANT(p36b, p36b<<<dim3(64, 64 * 64), 256>>>(m.a, m.c, 64, 256));

// Slots of keys in tables of a length known at run time: remainders, or masks (the length is a power of two).
__global__ void p37a(const unsigned* keys, unsigned* slots, unsigned length) {
  unsigned key = keys[Thread()], sum = 0;
#pragma unroll 4
  for (int k = 0; k < 32; ++k) {
    key = key * 1664525u + 1013904223u;
    sum += key % (length + k);
  }
  slots[Thread()] = sum;
}
__global__ void p37b(const unsigned* keys, unsigned* slots, unsigned length) {
  unsigned key = keys[Thread()], sum = 0;
#pragma unroll 4
  for (int k = 0; k < 32; ++k) {
    key = key * 1664525u + 1013904223u;
    sum += key & (length - 1 + k);
  }
  slots[Thread()] = sum;
}
PLANT(p37a, p37a<<<kElements * 4 / 256, 256>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c), 4096));
PLANT(p37b, p37b<<<kElements * 4 / 256, 256>>>(reinterpret_cast<unsigned*>(m.a), reinterpret_cast<unsigned*>(m.c), 4096));

// Products of exponentials: one for each factor, or one of the sum.
__global__ void p38a(const float* x, float* y) {
  const float v = x[Thread()];
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) sum += __expf(v * k) * __expf(v - k) * __expf(0.5f * v + k) * __expf(-v * k);
  y[Thread()] = sum;
}
__global__ void p38b(const float* x, float* y) {
  const float v = x[Thread()];
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) sum += __expf(v * k + (v - k) + (0.5f * v + k) + -v * k);
  y[Thread()] = sum;
}
PLANT(p38a, p38a<<<kElements * 2 / 256, 256>>>(m.a, m.c));
PLANT(p38b, p38b<<<kElements * 2 / 256, 256>>>(m.a, m.c));

// Looks up a table of 2,048 values, four threads at one place: in constant memory, or in shared memory.
__constant__ float kTable[2048];
__global__ void p39a(const float* x, float* y) {
  unsigned place = Thread() / 4;
  float sum = x[Thread()];
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    place = place * 5 + 7;
    sum = sum * 0.99f + 0.01f;
    sum += kTable[place % 2048];
  }
  y[Thread()] = sum;
}
__global__ void p39b(const float* x, float* y) {
  __shared__ float table[2048];
  for (int k = threadIdx.x; k < 2048; k += 256) table[k] = kTable[k];
  __syncthreads();
  unsigned place = Thread() / 4;
  float sum = x[Thread()];
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    place = place * 5 + 7;
    sum = sum * 0.99f + 0.01f;
    sum += table[place % 2048];
  }
  y[Thread()] = sum;
}
PLANT(p39a, p39a<<<kElements / 2 / 256, 256>>>(m.a, m.c));
PLANT(p39b, p39b<<<kElements / 2 / 256, 256>>>(m.a, m.c));

// A filter of 12,288 taps whose weights repeat, in four parts that the warps take in turn: every tap written out, or a loop.
constexpr int kPartTaps = 3072;
struct Taps {
  float t[32];
  __device__ explicit Taps(const float* x) {
#pragma unroll
    for (int k = 0; k < 32; ++k) t[k] = x[k];
  }
};
template <int kPart>
__device__ void Written(const Taps& taps, float& v, float& w) {
  constexpr float kAdd = 0.5f + 0.01f * kPart;
#pragma unroll
  for (int k = 0; k < kPartTaps / 2; ++k) v = v * taps.t[k % 32] + kAdd, w = w * taps.t[(k + 1) % 32] + kAdd;
}
__global__ void __launch_bounds__(128) p40a(const float* x, float* y, int turns) {
  float v = x[Thread()], w = v + 1;
  const Taps taps(x + blockIdx.x * 32);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    switch ((turn + Thread() / 32) % 4) {
      case 0: Written<0>(taps, v, w); break;
      case 1: Written<1>(taps, v, w); break;
      case 2: Written<2>(taps, v, w); break;
      default: Written<3>(taps, v, w); break;
    }
  }
  y[Thread()] = v + w;
}
__global__ void __launch_bounds__(128) p40b(const float* x, float* y, int turns) {
  float v = x[Thread()], w = v + 1;
  const Taps taps(x + blockIdx.x * 32);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    const float add = 0.5f + 0.01f * ((turn + Thread() / 32) % 4);
#pragma unroll 1
    for (int round = 0; round < kPartTaps / 64; ++round) {
#pragma unroll
      for (int k = 0; k < 32; ++k) v = v * taps.t[k] + add, w = w * taps.t[(k + 1) % 32] + add;
    }
  }
  y[Thread()] = v + w;
}
PLANT(p40a, p40a<<<kSms * 6, 128>>>(m.a, m.c, 40));
PLANT(p40b, p40b<<<kSms * 6, 128>>>(m.a, m.c, 40));
