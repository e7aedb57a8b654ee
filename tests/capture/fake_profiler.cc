// The fake CUPTI's range profiler and metric host. It knows a chip of few metrics; values follow from the launch:
//   gpu__time_duration.sum = 1000 x blocks, smsp__inst_executed.sum = 32 x blocks, fake__runs.sum = how often the
//   kernel ran, fake__threads.sum = blocks x threads; fake__alone.sum goes with no other; fake__absent.sum has no
//   value; smsp__sass_fake.sum is refused by the device. FAKE_COUNTERS: "refused" (no permission), "held" (at Start).
// [MT] as CUPTI is.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/profiler_abi.h"
#include "fake_cupti.h"

using namespace warpscope::cupti;
namespace abi = warpscope::agent::cupti;

namespace {

constexpr int kInvalid = 1;
constexpr uint32_t kMost = 16;

const char* const kNames[] = {"gpu__time_duration.sum", "smsp__inst_executed.sum", "fake__runs.sum",
                              "fake__threads.sum",      "fake__alone.sum",         "fake__absent.sum",
                              "smsp__sass_fake.sum"};
constexpr int kAlone = 4, kAbsent = 5, kPatched = 6;

struct Config {
  uint32_t count;
  uint8_t metrics[kMost];
};
struct Image {
  uint32_t ranges, passes;  // passes that an application replay has collected
  double blocks, threads, runs;
};
struct Profiler {
  void* context;
  bool configured, by_application, user_range, in_range;
  size_t pass;
  Config config;
  Image* image;
  Image current;
};

int IndexOf(const char* name) {
  for (int i = 0; i < static_cast<int>(sizeof(kNames) / sizeof(*kNames)); ++i) {
    if (strcmp(kNames[i], name) == 0) return i;
  }
  return -1;
}
bool Mode(const char* mode) {
  const char* value = getenv("FAKE_COUNTERS");
  return value != nullptr && strcmp(value, mode) == 0;
}

Profiler* g_started = nullptr;
bool g_initialized = false;

}  // namespace

EXPORT int cuptiProfilerInitialize(void*) {
  g_initialized = true;
  return kOk;
}
EXPORT int cuptiDeviceGetChipName(DeviceChipName* params) {
  params->chip = params->device == 0 ? "FK100" : "FK200";
  return kOk;
}
EXPORT int cuptiProfilerHostInitialize(HostInitialize* params) {
  if (strncmp(params->chip, "FK", 2) != 0) return kInvalid;
  params->host = calloc(1, sizeof(Config));
  return kOk;
}
EXPORT int cuptiProfilerHostDeinitialize(HostObject* params) {
  free(params->host);
  return kOk;
}
EXPORT int cuptiProfilerHostGetSupportedChips(HostChips* params) {
  static const char* const chips[] = {"FK100", "FK200"};
  params->count = 2;
  params->chips = chips;
  return kOk;
}
EXPORT int cuptiProfilerHostGetBaseMetrics(HostBaseMetrics* params) {
  static const char* names[] = {"fake__alone", "fake__runs", "fake__threads", "gpu__time_duration"};
  params->names = names;
  params->count = params->type == kCounterMetric ? 4 : 0;
  return kOk;
}
EXPORT int cuptiProfilerHostGetSubMetrics(HostSubMetrics* params) {
  static const char* names[] = {".sum"};
  params->submetrics = names;
  params->count = 1;
  return kOk;
}
EXPORT int cuptiProfilerHostGetMetricProperties(HostMetricProperties* params) {
  for (const char* name : kNames) {
    const size_t base = strcspn(name, ".");
    if (strcmp(name, params->name) != 0 && (strlen(params->name) != base || strncmp(name, params->name, base) != 0))
      continue;
    params->description = "what the fake counts";
    params->hardware_unit = "fake";
    params->unit = "";
    params->type = kCounterMetric;
    return kOk;
  }
  return kInvalid;
}
EXPORT int cuptiProfilerHostConfigAddMetrics(HostAddMetrics* params) {
  auto* const config = static_cast<Config*>(params->host);
  for (size_t i = 0; i < params->count; ++i) {
    const int index = IndexOf(params->names[i]);
    if (index < 0 || config->count == kMost) return kInvalid;
    if (index == kAlone && params->count > 1) return kNotSupported;
    config->metrics[config->count++] = static_cast<uint8_t>(index);
  }
  return kOk;
}
EXPORT int cuptiProfilerHostGetConfigImageSize(HostConfigSize* params) {
  params->bytes = sizeof(Config);
  return kOk;
}
EXPORT int cuptiProfilerHostGetConfigImage(HostConfig* params) {
  memcpy(params->config, params->host, sizeof(Config));
  return kOk;
}
// One pass for two metrics.
EXPORT int cuptiProfilerHostGetNumOfPasses(HostPasses* params) {
  params->passes = (reinterpret_cast<Config*>(params->config)->count + 1) / 2;
  return kOk;
}
EXPORT int cuptiProfilerHostEvaluateToGpuValues(HostEvaluate* params) {
  const auto& image = *reinterpret_cast<const Image*>(params->image);
  if (image.ranges <= params->range) return kInvalid;
  const auto& config = *static_cast<const Config*>(params->host);
  if (image.passes != 0 && image.passes < (config.count + 1) / 2) return kInvalid;
  for (size_t i = 0; i < params->count; ++i) {
    switch (IndexOf(params->names[i])) {
      case 0: params->values[i] = 1000 * image.blocks; break;
      case 1: params->values[i] = 32 * image.blocks; break;
      case 2: params->values[i] = image.runs; break;
      case 3: params->values[i] = image.threads; break;
      case kAlone: params->values[i] = 7; break;
      case kAbsent: params->values[i] = NAN; break;
      default: return kInvalid;
    }
  }
  return kOk;
}

EXPORT int cuptiRangeProfilerEnable(RangeEnable* params) {
  if (Mode("refused")) return kInsufficientPrivileges;
  if (!g_initialized) return kInvalid;
  auto* const profiler = static_cast<Profiler*>(calloc(1, sizeof(Profiler)));
  profiler->context = params->context;
  params->profiler = profiler;
  return kOk;
}
EXPORT int cuptiRangeProfilerDisable(RangeObject* params) {
  free(params->profiler);
  return kOk;
}
EXPORT int cuptiRangeProfilerGetCounterDataSize(RangeImageSize* params) {
  params->bytes = sizeof(Image);
  return kOk;
}
EXPORT int cuptiRangeProfilerCounterDataImageInitialize(ImageInitialize* params) {
  memset(params->image, 0, params->bytes);
  return kOk;
}
EXPORT int cuptiRangeProfilerSetConfig(RangeSetConfig* params) {
  auto* const profiler = static_cast<Profiler*>(params->profiler);
  memcpy(&profiler->config, params->config, sizeof(Config));
  for (uint32_t i = 0; i < profiler->config.count; ++i) {
    if (profiler->config.metrics[i] == kPatched) return kNotSupported;
  }
  profiler->image = reinterpret_cast<Image*>(params->image);
  profiler->configured = true;
  profiler->by_application = params->replay == kApplicationReplay;
  profiler->user_range = params->range == kUserRange;
  profiler->pass = params->pass;
  if (profiler->by_application && profiler->image->passes != params->pass) return kInvalid;
  return kOk;
}
EXPORT int cuptiRangeProfilerStart(RangeObject* params) {
  auto* const profiler = static_cast<Profiler*>(params->profiler);
  if (Mode("held") || !profiler->configured || g_started != nullptr) return kInvalid;
  profiler->current = profiler->by_application ? *profiler->image : Image();
  g_started = profiler;
  return kOk;
}
EXPORT int cuptiRangeProfilerStop(RangeStop* params) {
  auto* const profiler = static_cast<Profiler*>(params->profiler);
  if (g_started != profiler) return kInvalid;
  g_started = nullptr;
  params->all_passes_submitted = 1;
  return kOk;
}
EXPORT int cuptiRangeProfilerDecodeData(RangeDecode* params) {
  auto* const profiler = static_cast<Profiler*>(params->profiler);
  *profiler->image = profiler->current;
  return kOk;
}
EXPORT int cuptiRangeProfilerGetCounterDataInfo(RangeImageInfo* params) {
  params->ranges = reinterpret_cast<const Image*>(params->image)->ranges;
  return kOk;
}
EXPORT int cuptiRangeProfilerCounterDataGetRangeInfo(RangeInfo* params) {
  params->name = "0";
  return kOk;
}
EXPORT int cuptiRangeProfilerPushRange(RangePush* params) {
  auto* const profiler = static_cast<Profiler*>(params->profiler);
  if (!profiler->user_range || profiler->in_range || g_started != profiler) return kInvalid;
  profiler->in_range = true;
  return kOk;
}
EXPORT int cuptiRangeProfilerPopRange(RangeObject* params) {
  auto* const profiler = static_cast<Profiler*>(params->profiler);
  if (!profiler->in_range) return kInvalid;
  profiler->in_range = false;
  return kOk;
}
EXPORT int cuptiGetDeviceId(void* context, uint32_t* device) {
  *device = reinterpret_cast<uintptr_t>(context) == 0x2000 ? 1 : 0;
  return kOk;
}
EXPORT int cuptiGetStreamIdEx(void*, void* stream, uint8_t, uint32_t* id) {
  *id = stream == nullptr ? 7 : static_cast<uint32_t>(reinterpret_cast<uintptr_t>(stream));
  return kOk;
}

// ---- What the host program orders.

// cudaLaunchKernel around cuLaunchKernel, as CUPTI up to 12 tells it. `answer`: of both calls. Answers how often the
// kernel ran.
EXPORT int fakeMeasuredLaunch(const char* name, uint32_t blocks, uint32_t threads, uintptr_t context, int answer) {
  struct Driver {  // cuLaunchKernel_params
    void* function;
    uint32_t grid[3], block[3], shared;
    void* stream;
    void **arguments, **extra;
  } driver = {nullptr, {blocks, 1, 1}, {threads, 1, 1}, 512, nullptr, nullptr, nullptr};
  struct Runtime {  // cudaLaunchKernel_v7000_params
    const void* symbol;
    uint32_t grid[3], block[3];
    void** arguments;
    size_t shared;
    void* stream;
  } runtime = {nullptr, {blocks, 1, 1}, {threads, 1, 1}, nullptr, 512, nullptr};
  abi::CallbackData data = {};
  data.symbol = name;
  data.context = reinterpret_cast<void*>(context);
  data.context_id = static_cast<uint32_t>(context >> 12);
  data.return_value = &answer;
  const auto call = [&](uint32_t domain, uint32_t site, const void* parameters, const char* function) {
    if (fake::g_callback == nullptr || !fake::g_callback_on[domain][1]) return;
    data.site = site, data.parameters = parameters, data.function = function;
    fake::Call(domain, 1, &data);
  };
  call(abi::kRuntimeDomain, 0, &runtime, "cudaLaunchKernel");
  call(abi::kDriverDomain, 0, &driver, "cuLaunchKernel");
  int runs = 1;
  if (g_started != nullptr && g_started->context == data.context && answer == 0) {
    Image& image = g_started->current;
    if (g_started->by_application) {
      image = {0, image.passes + 1, 0, 0, 0};
    } else {
      runs = static_cast<int>((g_started->config.count + 1) / 2);
    }
    ++image.ranges;
    image.blocks += blocks, image.threads += double{1} * blocks * threads, image.runs += runs;
  }
  call(abi::kDriverDomain, 1, &driver, "cuLaunchKernel");
  call(abi::kRuntimeDomain, 1, &runtime, "cudaLaunchKernel");
  return runs;
}
// cudaGraphLaunch of that many kernels of ten blocks. Answers how many ran: one that is launched while CUPTI replays
// launches of its own is left out (H200, CUPTI 13.0.1).
EXPORT int fakeMeasuredGraph(uint32_t kernels, uintptr_t context) {
  struct {  // cudaGraphLaunch_v10000_params
    void *exec, *stream;
  } parameters = {nullptr, nullptr};
  constexpr uint32_t kGraphLaunch = 4;
  int answer = 0;
  abi::CallbackData data = {};
  data.context = reinterpret_cast<void*>(context);
  data.context_id = static_cast<uint32_t>(context >> 12);
  data.return_value = &answer;
  data.parameters = &parameters;
  data.function = "cudaGraphLaunch";
  const auto call = [&](uint32_t site) {
    data.site = site;
    if (fake::g_callback != nullptr && fake::g_callback_on[abi::kRuntimeDomain][kGraphLaunch])
      fake::Call(abi::kRuntimeDomain, kGraphLaunch, &data);
  };
  call(0);
  const bool measured = g_started != nullptr && g_started->context == data.context;
  const bool left_out = measured && !g_started->in_range;
  if (measured && !left_out) {
    Image& image = g_started->current;
    image = {1, image.passes + 1, double{10} * kernels, double{1280} * kernels, 1};
  }
  call(1);
  return left_out ? 0 : static_cast<int>(kernels);
}
