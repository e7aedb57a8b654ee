// A program that uses CUPTI itself: subscriber early|late|never COUNT. "early" subscribes and records kernels before its
// first CUDA call, "late" after COUNT kernels. Prints what CUPTI answered and the kernels that its own records told.
#include <cuda_runtime.h>
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void tiny(float* x) { x[threadIdx.x] = x[threadIdx.x] * 1.01f + 0.1f; }

static int g_kernels = 0;

static void CUPTIAPI Request(uint8_t** buffer, size_t* size, size_t* most) {
  *size = 1 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(64, *size));
  *most = 0;
}

static void CUPTIAPI Complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    g_kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  std::free(buffer);
}

static void CUPTIAPI OnCall(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

static void Subscribe() {
  CUpti_SubscriberHandle subscriber;
  const CUptiResult subscribed = cuptiSubscribe(&subscriber, OnCall, nullptr);
  const CUptiResult callbacks = cuptiActivityRegisterCallbacks(Request, Complete);
  const CUptiResult enabled = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  std::printf("subscribe %d callbacks %d enable %d\n", subscribed, callbacks, enabled);
}

int main(int argc, char** argv) {
  const char* when = argc > 1 ? argv[1] : "never";
  const int count = argc > 2 ? std::atoi(argv[2]) : 100;
  if (std::strcmp(when, "early") == 0) Subscribe();
  float* x = nullptr;
  if (cudaMalloc(&x, 4096) != cudaSuccess) return 99;
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < count; ++i) tiny<<<1, 32>>>(x);
    if (cudaDeviceSynchronize() != cudaSuccess) return 98;
    if (half == 0 && std::strcmp(when, "late") == 0) Subscribe();
  }
  if (std::strcmp(when, "never") != 0) cuptiActivityFlushAll(1);
  std::printf("launched %d, told %d\n", 2 * count, g_kernels);
  return 7;
}
