// A management library without a driver: two devices with readings that a test can tell. FAKE_NVML_BUSY=1 makes the
// first one busy at a lowered clock because of its power limit; FAKE_NVML_INIT=N makes it refuse with N;
// FAKE_NVML_FAULT=crash, exit or hang makes it misbehave when it is loaded.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace {

struct Utilization {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};
struct Pci {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char bus_id[32];
};
struct Process {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
struct FieldValue {
  unsigned field, scope;
  long long time_us, latency_us;
  unsigned type;
  int result;
  unsigned long long value;
};

int g_devices[2] = {0, 1};
unsigned long long g_nvlink_kib = 1000;
bool IsBusy(void* device) { return device == &g_devices[0] && getenv("FAKE_NVML_BUSY") != nullptr; }
int Set(unsigned* value, unsigned to) {
  *value = to;
  return 0;
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) int

FAKE nvmlInit_v2() {
  const char* fault = getenv("FAKE_NVML_FAULT");
  if (fault != nullptr && strcmp(fault, "crash") == 0) abort();
  if (fault != nullptr && strcmp(fault, "exit") == 0) _exit(0);
  if (fault != nullptr && strcmp(fault, "hang") == 0) pause();
  const char* refused = getenv("FAKE_NVML_INIT");
  return refused == nullptr ? 0 : atoi(refused);
}
FAKE nvmlShutdown() { return 0; }
FAKE nvmlSystemGetDriverVersion(char* text, unsigned size) {
  snprintf(text, size, "580.1.2");
  return 0;
}
FAKE nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13000;
  return 0;
}
FAKE nvmlDeviceGetCount_v2(unsigned* count) { return Set(count, 2); }
FAKE nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index > 1) return 2;
  *device = &g_devices[index];
  return 0;
}
FAKE nvmlDeviceGetName(void*, char* text, unsigned size) {
  snprintf(text, size, "Fake GPU");
  return 0;
}
FAKE nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  snprintf(text, size, "GPU-%08x-1111-2222-3333-444455556666", device == &g_devices[0] ? 0xaau : 0xbbu);
  return 0;
}
FAKE nvmlDeviceGetPciInfo_v3(void* device, Pci* pci) {
  memset(pci, 0, sizeof(*pci));
  snprintf(pci->bus_id, sizeof(pci->bus_id), "00000000:0%d:00.0", device == &g_devices[0] ? 1 : 2);
  return 0;
}
FAKE nvmlDeviceGetUtilizationRates(void* device, Utilization* value) {
  value->gpu = IsBusy(device) ? 97 : 0;
  value->memory = IsBusy(device) ? 40 : 0;
  return 0;
}
FAKE nvmlDeviceGetMemoryInfo(void* device, Memory* value) {
  value->total = 8ull << 30;
  value->used = IsBusy(device) ? 3ull << 30 : 1ull << 20;
  value->free = value->total - value->used;
  return 0;
}
FAKE nvmlDeviceGetPowerUsage(void* device, unsigned* value) { return Set(value, IsBusy(device) ? 699500 : 60000); }
FAKE nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* value) { return Set(value, 700000); }
FAKE nvmlDeviceGetTemperature(void*, unsigned, unsigned* value) { return Set(value, 61); }
FAKE nvmlDeviceGetClockInfo(void* device, unsigned, unsigned* value) { return Set(value, IsBusy(device) ? 990 : 345); }
FAKE nvmlDeviceGetMaxClockInfo(void*, unsigned kind, unsigned* value) { return Set(value, kind == 1 ? 1980 : 3201); }
FAKE nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* value) {
  *value = IsBusy(device) ? 0x4 : 0x1;
  return 0;
}
FAKE nvmlDeviceGetPersistenceMode(void*, unsigned* value) { return Set(value, 1); }
FAKE nvmlDeviceGetMigMode(void*, unsigned* now, unsigned* pending) { return Set(now, 0) + Set(pending, 0); }
FAKE nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* value) { return Set(value, 5); }
FAKE nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* value) { return Set(value, 16); }
FAKE nvmlDeviceGetPcieThroughput(void*, unsigned counter, unsigned* value) {
  usleep(20000);
  return Set(value, counter == 0 ? 1500 : 2500);
}
FAKE nvmlDeviceGetFieldValues(void*, int count, FieldValue* values) {
  g_nvlink_kib += 1024;
  for (int i = 0; i < count; ++i) {
    values[i].result = values[i].field == 138 || values[i].field == 139 ? 0 : 3;
    values[i].value = g_nvlink_kib;
  }
  return 0;
}
// The launcher's child, as a driver on the same machine would list it, and a process of somebody else.
FAKE nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* processes) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
  unsigned child = 0;
  FILE* file = fopen(path, "r");
  if (file != nullptr) {
    if (fscanf(file, "%u", &child) != 1) child = 0;
    fclose(file);
  }
  unsigned filled = 0;
  if (child != 0 && device == &g_devices[0]) processes[filled++] = {child, 512ull << 20, 0, 0};
  processes[filled++] = {1, 77ull << 20, 0, 0};
  *count = filled;
  return 0;
}
