// PC sampling of the fake CUPTI: contexts and modules that the host program makes and ends, and samples that it orders.
// FAKE_PC_REFUSES: what cuptiPCSamplingEnable answers.
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "agent/counters/perf.h"
#include "fake_cupti.h"

using namespace warpscope::agent::cupti;
namespace perf = warpscope::cupti;

namespace {

constexpr uint32_t kReasons = 3;
const char* const kReasonNames[kReasons] = {"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                                            "smsp__pcsamp_warps_issue_stalled_barrier",
                                            "smsp__pcsamp_warps_issue_stalled_selected"};
// Numbers of stall reasons are CUPTI's own, not places in a list.
constexpr uint32_t kNumbers[kReasons] = {7, 3, 19};

struct Waiting {
  uint64_t code, offset;
  uint32_t function, reason, samples;
  char* name;
};
constexpr size_t kMostWaiting = 100000;
Waiting g_waiting[kMostWaiting];
size_t g_waiting_count = 0;
uint64_t g_dropped = 0, g_other = 0;
perf::PcData* g_rest = nullptr;
bool g_on = false;
uint32_t g_period = 0;

// Moves what waits into `data`, one reason a row.
void Fill(perf::PcData* data) {
  data->rows = std::min<size_t>(g_waiting_count, data->most_rows);
  data->samples = 0;
  for (size_t i = 0; i < data->rows; ++i) {
    const Waiting& from = g_waiting[i];
    perf::PcRow& row = data->data[i];
    row.cubin_crc = from.code;
    row.offset = from.offset;
    row.function_index = from.function;
    row.function = from.name;
    row.stall_count = kReasons;
    for (uint32_t k = 0; k < kReasons; ++k) row.stalls[k] = {kNumbers[k], k == from.reason ? from.samples : 0};
    data->samples += from.samples;
  }
  memmove(static_cast<void*>(g_waiting), g_waiting + data->rows, (g_waiting_count - data->rows) * sizeof(Waiting));
  g_waiting_count -= data->rows;
  data->remaining_rows = g_waiting_count;
  data->samples += g_dropped + g_other;
  data->dropped = g_dropped;
  data->other_samples = g_other;
  g_dropped = g_other = 0;
}

void Tell(uint32_t id, const void* descriptor) {
  if (fake::g_callback == nullptr || !fake::g_callback_on[3][id]) return;
  const ResourceData data = {&g_on, nullptr, descriptor};
  fake::Call(3, id, &data);
}

}  // namespace

EXPORT int cuptiPCSamplingEnable(perf::PcContext*) {
  const char* answer = getenv("FAKE_PC_REFUSES");
  if (answer != nullptr && atoi(answer) != 0) return atoi(answer);
  g_on = true;
  return 0;
}
EXPORT int cuptiPCSamplingGetNumStallReasons(perf::PcStallCount* asked) {
  *asked->count = kReasons;
  return 0;
}
EXPORT int cuptiPCSamplingGetStallReasons(perf::PcStallNames* asked) {
  for (uint32_t i = 0; i < asked->count && i < kReasons; ++i) {
    asked->indexes[i] = kNumbers[i];
    strcpy(asked->names[i], kReasonNames[i]);
  }
  return 0;
}
EXPORT int cuptiPCSamplingSetConfigurationAttribute(perf::PcConfigure* configure) {
  for (size_t i = 0; i < configure->count; ++i) {
    const perf::PcConfiguration& one = configure->attributes[i];
    if (one.attribute == perf::kPcDataBuffer) g_rest = static_cast<perf::PcData*>(one.buffer.data);
    if (one.attribute == perf::kPcPeriod) g_period = one.number;
    if (one.attribute == perf::kPcStallReasons && one.stalls.count != kReasons) return 1;
  }
  return g_rest != nullptr && g_period >= 5 ? 0 : 1;
}
EXPORT int cuptiPCSamplingGetData(perf::PcGetData* read) {
  const fake::Locked hold;
  if (!g_on) return 24;
  Fill(static_cast<perf::PcData*>(read->data));
  return 0;
}
EXPORT int cuptiPCSamplingDisable(perf::PcContext*) {
  const fake::Locked hold;
  if (g_on && g_rest != nullptr) Fill(g_rest);
  g_on = false;
  return 0;
}
// No CRC: what tests need is that equal bytes have one sum and others another.
EXPORT int cuptiGetCubinCrc(perf::CubinCrc* asked) {
  uint64_t sum = 1469598103934665603u;
  for (size_t i = 0; i < asked->cubin_bytes; ++i)
    sum = (sum ^ static_cast<const uint8_t*>(asked->cubin)[i]) * 1099511628211u;
  asked->crc = sum & 0xffffffff;
  return 0;
}

// ---- What the host program orders.

EXPORT void fakeContext(int created) { Tell(created != 0 ? kContextCreated : kContextDestroyStarting, nullptr); }
EXPORT void fakeModuleCode(uint32_t id, const void* cubin, size_t bytes, int loaded) {
  const ModuleResource module = {id, bytes, cubin};
  Tell(loaded != 0 ? kModuleLoaded : kModuleUnloadStarting, &module);
}
// `reason`: 0 long scoreboard, 1 barrier, 2 selected. `name` must stay.
EXPORT void fakePcSample(uint64_t code, uint32_t function, char* name, uint64_t offset, uint32_t reason,
                         uint32_t samples) {
  const fake::Locked hold;
  if (g_on && g_waiting_count < kMostWaiting)
    g_waiting[g_waiting_count++] = {code, offset, function, reason, samples, name};
}
EXPORT void fakePcLoss(uint64_t dropped, uint64_t other) {
  const fake::Locked hold;
  g_dropped += dropped;
  g_other += other;
}
