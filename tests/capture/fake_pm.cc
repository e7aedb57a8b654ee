// The fake CUPTI's PM sampling and host: a chip FAKE100 whose metrics are those of the TriageCompute families and
// fake__*, where sets that mix SM_A and SM_B take two passes. A window has a sample every interval, all values of a
// metric are FakeValue(its name). It can refuse, overflow and never end. [MT] as CUPTI is.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "cupti/profiler_abi.h"
#include "fake_cupti.h"

using namespace warpscope::cupti;

namespace {

constexpr uint64_t kCounterTag = 0x706d7331;
struct Image {
  uint64_t tag, first, count, most;
};
struct Config {
  uint64_t passes;
};

bool g_enabled = false, g_configured = false, g_running = false;
bool g_twice = false;  // the object was given a second configuration
bool g_stuck = false;
int g_overflown = 0;
uint64_t g_interval = 0, g_begin = 0, g_end = 0, g_next = 0, g_host_passes = 0;

int Mode(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? 0 : atoi(value);
}

bool IsKnown(const char* name) {
  for (const char* start : {"TPC.TriageCompute.", "FBSP.TriageCompute.", "LTS.TriageCompute.", "SM_A.TriageCompute.",
                            "SM_B.TriageCompute.", "sm__cycles_active.", "sm__warps_active.", "fake__"}) {
    if (strncmp(name, start, strlen(start)) == 0) return true;
  }
  return false;
}

double FakeValue(const char* name) {
  unsigned sum = 0;
  for (; *name != '\0'; ++name) sum += static_cast<unsigned char>(*name);
  return sum % 1000 / 10.0;
}

template <typename T>
T& As(void* params) {
  return *static_cast<T*>(params);
}

uint64_t SamplesOfWindow() { return g_end > g_begin ? (g_end - g_begin) / g_interval : 0; }

}  // namespace

EXPORT int cuptiProfilerInitialize(void*) { return Mode("FAKE_PM_INITIALIZE"); }
EXPORT int cuptiDeviceGetChipName(void* params) {
  As<DeviceChipName>(params).chip = "FAKE100";
  return kOk;
}
EXPORT int cuptiProfilerHostInitialize(void* params) {
  static int host;
  As<HostInitialize>(params).host = &host;
  g_host_passes = 0;
  return kOk;
}
EXPORT int cuptiProfilerHostDeinitialize(void*) { return kOk; }
EXPORT int cuptiProfilerHostConfigAddMetrics(void* params) {
  const auto& add = As<HostAddMetrics>(params);
  bool a = false, b = false, plain = false;
  for (size_t i = 0; i < add.count; ++i) {
    if (!IsKnown(add.names[i])) return 1;
    a = a || strncmp(add.names[i], "SM_A", 4) == 0;
    b = b || strncmp(add.names[i], "SM_B", 4) == 0;
    plain = plain || strncmp(add.names[i], "sm__warps", 9) == 0;
  }
  g_host_passes = (a && b) || (plain && add.count > 2 && Mode("FAKE_PM_WARPS_APART") != 0) ? 2 : 1;
  return kOk;
}
EXPORT int cuptiProfilerHostGetConfigImageSize(void* params) {
  As<HostConfigSize>(params).bytes = sizeof(Config);
  return kOk;
}
EXPORT int cuptiProfilerHostGetConfigImage(void* params) {
  const Config config = {g_host_passes};
  memcpy(As<HostConfig>(params).config, &config, sizeof(config));
  return kOk;
}
EXPORT int cuptiProfilerHostGetNumOfPasses(void* params) {
  Config config{};
  memcpy(&config, As<HostPasses>(params).config, sizeof(config));
  As<HostPasses>(params).passes = config.passes;
  return kOk;
}
EXPORT int cuptiProfilerHostGetMetricProperties(void* params) {
  auto& properties = As<HostMetricProperties>(params);
  if (!IsKnown(properties.name)) return 1;
  properties.description = "a fake metric";
  properties.hardware_unit = "fake";
  properties.unit = "%";
  return kOk;
}
EXPORT int cuptiProfilerHostEvaluateToGpuValues(void* params) {
  const auto& evaluate = As<HostEvaluate>(params);
  for (size_t i = 0; i < evaluate.count; ++i) evaluate.values[i] = FakeValue(evaluate.names[i]);
  return kOk;
}

EXPORT int cuptiPmSamplingGetCounterAvailability(void* params) {
  auto& availability = As<PmAvailability>(params);
  if (const int refusal = Mode("FAKE_PM_REFUSES"); refusal != 0) return refusal;
  availability.bytes = 16;
  return kOk;
}
EXPORT int cuptiPmSamplingEnable(void* params) {
  if (g_enabled) return 2;
  static int sampler;
  As<PmEnable>(params).sampler = &sampler;
  g_enabled = true;
  g_configured = g_twice = false;
  return kOk;
}
EXPORT int cuptiPmSamplingDisable(void*) {
  g_enabled = g_running = g_stuck = false;
  return kOk;
}
EXPORT int cuptiPmSamplingSetConfig(void* params) {
  const auto& config = As<PmSetConfig>(params);
  if (!g_enabled || g_running) return 2;
  // One configuration an object, as an older CUPTI might have it.
  if (Mode("FAKE_PM_ONE_CONFIG") != 0 && g_configured) return 2;
  if (config.config_bytes != sizeof(Config)) return 1;
  Config image{};
  memcpy(&image, config.config, sizeof(image));
  if (image.passes != 1) return kNotSupported;
  if (Mode("FAKE_PM_NO_TIME_INTERVAL") != 0 && config.trigger == kTimeInterval) return 1;
  g_twice = g_configured;
  g_configured = true;
  g_interval = config.interval;
  return kOk;
}
EXPORT int cuptiPmSamplingStart(void*) {
  if (!g_configured || g_running) return 2;
  if (g_stuck) return 999;
  g_running = true;
  g_begin = fake::Now();
  g_next = 0;
  return kOk;
}
EXPORT int cuptiPmSamplingStop(void*) {
  if (!g_running) return 2;
  g_running = false;
  g_end = fake::Now();
  return kOk;
}
EXPORT int cuptiPmSamplingGetCounterDataSize(void* params) {
  auto& size = As<PmImageSize>(params);
  const int wide = Mode("FAKE_PM_BYTES_OF_SAMPLE");
  usleep(static_cast<useconds_t>(Mode("FAKE_PM_SLOW_SIZE_US")));
  size.bytes = sizeof(Image) + size.most_samples * (wide != 0 ? wide : 1);
  return kOk;
}
EXPORT int cuptiPmSamplingCounterDataImageInitialize(void* params) {
  auto& initialize = As<ImageInitialize>(params);
  const int wide = Mode("FAKE_PM_BYTES_OF_SAMPLE");
  const Image image = {kCounterTag, 0, 0, (initialize.bytes - sizeof(Image)) / (wide != 0 ? wide : 1)};
  memcpy(initialize.image, &image, sizeof(image));
  return kOk;
}
EXPORT int cuptiPmSamplingDecodeData(void* params) {
  auto& decode = As<PmDecode>(params);
  Image image{};
  memcpy(&image, decode.image, sizeof(image));
  if (image.tag != kCounterTag) return 1;
  const bool endless = Mode("FAKE_PM_ENDLESS") != 0;
  const uint64_t total = endless ? UINT64_MAX : SamplesOfWindow();
  // All that the hardware wrote is gone after the call, also what the image has no room for.
  image.first = 0;
  image.count = g_next == 0 ? (total < image.most ? total : image.most) : 0;
  // As on an H200 (CUPTI 13.0.1).
  if (g_twice) {
    image.count = 0;
    memcpy(decode.image, &image, sizeof(image));
    decode.stop = kStoppedImageFull;
    return kOk;
  }
  g_next = total;
  memcpy(decode.image, &image, sizeof(image));
  decode.stop = total > image.most || Mode("FAKE_PM_SAYS_FULL") != 0 ? kStoppedImageFull : kStoppedEndOfRecords;
  const bool first_window = g_overflown++ == 0;
  g_stuck = Mode("FAKE_PM_STUCK") != 0 && first_window;
  decode.overflow = g_stuck || Mode("FAKE_PM_OVERFLOWS") != 0 ? 1 : 0;
  return decode.overflow != 0 ? kOutOfMemory : kOk;
}
EXPORT int cuptiPmSamplingGetCounterDataInfo(void* params) {
  auto& info = As<PmImageInfo>(params);
  Image image{};
  memcpy(&image, info.image, sizeof(image));
  info.total = info.populated = info.completed = image.count;
  return kOk;
}
EXPORT int cuptiPmSamplingCounterDataGetSampleInfo(void* params) {
  auto& sample = As<PmSampleInfo>(params);
  Image image{};
  memcpy(&image, sample.image, sizeof(image));
  const uint64_t number = image.first + sample.sample;
  const uint64_t shift = Mode("FAKE_PM_OTHER_CLOCK") != 0 ? uint64_t{3'600'000'000'000} : 0;
  sample.start = g_begin + number * g_interval - shift;
  sample.end = sample.start + g_interval;
  return kOk;
}
