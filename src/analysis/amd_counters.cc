#include "analysis/amd_counters.h"

#include <algorithm>
#include <array>

#include "analysis/gpu_peaks.h"

namespace warpscope::analysis {
namespace {

// Names of one counter in versions of the tools; the first that is there counts.
// clang-format off
#define WS_ROCM_COUNTERS(X) \
  X(kActiveCycles, "GRBM_GUI_ACTIVE") \
  X(kBusyCu, "SQ_BUSY_CU_CYCLES") X(kBusySe, "SQ_BUSY_CYCLES") \
  X(kWaveCycles, "SQ_WAVE_CYCLES") \
  X(kInsts, "SQ_INSTS") X(kInstsLds, "SQ_INSTS_LDS") \
  X(kFma16, "SQ_INSTS_VALU_FMA_F16") \
  X(kActiveValu, "SQ_ACTIVE_INST_VALU") X(kThreadCycles, "SQ_THREAD_CYCLES_VALU") \
  X(kMfmaCycles, "SQ_VALU_MFMA_BUSY_CYCLES") \
  X(kValuBusyPct, "VALUBusy") X(kMfmaPct, "MfmaUtil") X(kLanesPct, "VALUUtilization") \
  X(kLdsActive, "SQ_LDS_IDX_ACTIVE") X(kLdsConflicts, "SQ_LDS_BANK_CONFLICT") \
  X(kL1Accesses, "TCP_TOTAL_CACHE_ACCESSES_sum|TCP_TOTAL_CACHE_ACCESSES") \
  X(kTaWavefronts, "TA_TOTAL_WAVEFRONTS_sum|TA_TOTAL_WAVEFRONTS") \
  X(kTaBufferReads, "TA_BUFFER_READ_WAVEFRONTS_sum|TA_BUFFER_READ_WAVEFRONTS") \
  X(kTaBufferWrites, "TA_BUFFER_WRITE_WAVEFRONTS_sum|TA_BUFFER_WRITE_WAVEFRONTS") \
  X(kTaBufferAtomics, "TA_BUFFER_ATOMIC_WAVEFRONTS_sum|TA_BUFFER_ATOMIC_WAVEFRONTS") \
  X(kTaFlatReads, "TA_FLAT_READ_WAVEFRONTS_sum|TA_FLAT_READ_WAVEFRONTS") \
  X(kTaFlatAtomics, "TA_FLAT_ATOMIC_WAVEFRONTS_sum|TA_FLAT_ATOMIC_WAVEFRONTS") \
  X(kL2Reads, "TCP_TCC_READ_REQ_sum|TCP_TCC_READ_REQ") X(kL2Writes, "TCP_TCC_WRITE_REQ_sum|TCP_TCC_WRITE_REQ") \
  X(kEaReads, "TCC_EA_RDREQ_sum|TCC_EA0_RDREQ_sum") X(kEaWrites, "TCC_EA_WRREQ_sum|TCC_EA0_WRREQ_sum") \
  X(kEaDramReads, "TCC_EA_RDREQ_DRAM_sum|TCC_EA0_RDREQ_DRAM_sum") \
  X(kEaDramWrites, "TCC_EA_WRREQ_DRAM_sum|TCC_EA0_WRREQ_DRAM_sum") \
  X(kIsMi300, "TCC_EA0_RDREQ_sum|TCC_EA0_WRREQ_sum") \
  X(kVgprFull, "SPI_RA_VGPR_SIMD_FULL_CSN") X(kLdsFull, "SPI_RA_LDS_CU_FULL_CSN") \
  X(kReadBytes, "memory_read_bytes") X(kWriteBytes, "memory_write_bytes") X(kL2Hit, "l2_hit_pct|L2CacheHit") \
  X(kWait, "wave_wait_pct") X(kScratch, "scratch_bytes") X(kOccupancy, "OccupancyPercent")
// clang-format on

enum Rocm : uint8_t {
#define WS_ROW(enumerator, names) enumerator,
  WS_ROCM_COUNTERS(WS_ROW)
#undef WS_ROW
      kRocmCount
};
constexpr std::array<std::string_view, kRocmCount> kCounters = {
#define WS_ROW(enumerator, names) names,
    WS_ROCM_COUNTERS(WS_ROW)
#undef WS_ROW
};

constexpr std::string_view kFactNames[] = {"measured peak HBMBw", "measured peak L2Bw", "memory bandwidth, data sheet",
                                           "accelerator dies", "shader engines"};

struct Name {
  Counter counter;
  std::string_view rocm;
};
constexpr Name kNames[] = {
    {Counter::kAtomics, "TA_FLAT_ATOMIC_WAVEFRONTS"},
    {Counter::kBankConflicts, "SQ_LDS_BANK_CONFLICT"},
    {Counter::kComputePct, "VALU utilization (SQ_ACTIVE_INST_VALU / GRBM_GUI_ACTIVE)"},
    {Counter::kCyclesActiveAvg, "SQ_BUSY_CU_CYCLES a CU"},
    {Counter::kCyclesElapsed, "SQ_BUSY_CYCLES a shader engine"},
    {Counter::kDramBytesPerS, "memory_bandwidth (TCC_EA_RDREQ, TCC_EA_WRREQ)"},
    {Counter::kDramPct, "L2-fabric bandwidth (TCC_EA_RDREQ, TCC_EA_WRREQ)"},
    {Counter::kDramReadBytes, "memory_read_bytes (TCC_EA_RDREQ)"},
    {Counter::kDramWriteBytes, "memory_write_bytes (TCC_EA_WRREQ)"},
    {Counter::kGridSize, "Grid_Size"},
    {Counter::kInstExecuted, "SQ_INSTS"},
    {Counter::kL1DataPct, "LDS utilization (SQ_LDS_IDX_ACTIVE / GRBM_GUI_ACTIVE)"},
    {Counter::kL1Pct, "vL1D bandwidth (TCP_TOTAL_CACHE_ACCESSES / GRBM_GUI_ACTIVE)"},
    {Counter::kL2HitPct, "l2_hit_pct (TCC_HIT, TCC_MISS)"},
    {Counter::kL2Pct, "L2 bandwidth (TCP_TCC_READ_REQ, TCP_TCC_WRITE_REQ)"},
    {Counter::kLdsFullPct, "SPI_RA_LDS_CU_FULL_CSN"},
    {Counter::kLimitRegisters, "arch_vgpr and accum_vgpr"},
    {Counter::kLimitShared, "LDS_Per_Workgroup"},
    {Counter::kLinesPerAccess, "TCP_TOTAL_CACHE_ACCESSES / TA_TOTAL_WAVEFRONTS"},
    {Counter::kLocalLoads, "TA_BUFFER_READ_WAVEFRONTS"},
    {Counter::kMemoryPct, "L2-fabric, L2 and vL1D bandwidth"},
    {Counter::kOccupancyPct, "wavefront occupancy (SQ_WAVE_CYCLES / GRBM_GUI_ACTIVE)"},
    {Counter::kProducts, "SQ_INSTS_VALU_FMA_F16"},
    {Counter::kRegisters, "VGPRs"},
    {Counter::kSharedInst, "SQ_INSTS_LDS"},
    {Counter::kSharedWavefronts, "SQ_LDS_IDX_ACTIVE"},
    {Counter::kSmCount, "cu_per_gpu"},
    {Counter::kSpillRequests, "scratch_bytes (Scratch_Per_Workitem)"},
    {Counter::kTensorPct, "MFMA utilization (SQ_VALU_MFMA_BUSY_CYCLES / GRBM_GUI_ACTIVE)"},
    {Counter::kTheoreticalOccupancyPct, "the waves that fit (told for CDNA 2 and later, from sysinfo.csv)"},
    {Counter::kThreadsPerInst, "VALU active threads (SQ_THREAD_CYCLES_VALU / SQ_ACTIVE_INST_VALU)"},
    {Counter::kVgprFullPct, "SPI_RA_VGPR_SIMD_FULL_CSN"},
    {Counter::kWaveWaitPct, "wave_wait_pct (SQ_WAIT_ANY / SQ_WAVE_CYCLES)"},
    {Counter::kWaves, "waves of workgroups (from the waves that fit)"},
};

constexpr double kSimds = 4;      // of a compute unit
constexpr double kQuadCycle = 4;  // SQ_WAVE_CYCLES counts every fourth cycle
constexpr double kMaxGhz = 2.6;   // no device's clock is higher: above, several dies are added up
// rocprof-compute's own micro benchmark on an MI200 die: 1,389 GB/s of the data sheet's 1,638.
constexpr double kReachedOfDataSheet = 0.85;
constexpr double kBeyondPct = 105;     // of a peak: what is counted does not all pass the unit
constexpr double kDualIssuePct = 200;  // two vector instructions a cycle (rocprof-compute, FAQ)

class Values {
 public:
  std::array<std::optional<double>, kRocmCount> at;
  std::optional<double> operator[](Rocm counter) const { return at[counter]; }
  double Or0(Rocm counter) const { return at[counter].value_or(0); }
};

}  // namespace

std::string_view RocmName(Counter counter) {
  for (const Name& name : kNames) {
    if (name.counter == counter) return name.rocm;
  }
  return {};
}

std::string_view RocmNameOfMissing(std::string_view nvidia_name) {
  for (const Name& name : kNames) {
    if (name.rocm == nvidia_name || CounterName(name.counter) == nvidia_name) return name.rocm;
  }
  return {};
}

bool HasRocm(const KernelCounters& counters, std::string_view nvidia_name) {
  return std::any_of(std::begin(kNames), std::end(kNames), [&](const Name& name) {
    return (name.rocm == nvidia_name || CounterName(name.counter) == nvidia_name) && counters[name.counter];
  });
}

AmdCounters::AmdCounters(const model::Trace& trace) : trace_(trace) {
  for (size_t i = 0; i < kCounters.size(); ++i) {
    for (std::string_view rest = kCounters[i]; !rest.empty();) {
      const size_t bar = rest.find('|');
      const model::StringId id = trace.strings.Find(rest.substr(0, bar));
      if (id != model::kNoString) wanted_[id].push_back(i);
      rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
    }
  }
  std::unordered_map<model::StringId, std::string_view> names;
  for (const std::string_view name : kFactNames) {
    const model::StringId id = trace.strings.Find(name);
    if (id != model::kNoString) names.emplace(id, name);
  }
  if (names.empty()) return;
  for (const model::Reading& reading : trace.readings) {
    const auto it = names.find(reading.name);
    if (it != names.end() && reading.value && *reading.value > 0)
      facts_[it->second].push_back({reading.device, *reading.value});
  }
}

std::optional<double> AmdCounters::DeviceFact(std::string_view name, uint32_t device) const {
  const auto it = facts_.find(name);
  if (it == facts_.end()) return std::nullopt;
  for (const Fact& fact : it->second) {
    if (fact.device == device) return fact.value;
  }
  const double first = it->second.front().value;
  const bool is_one =
      std::all_of(it->second.begin(), it->second.end(), [&](const Fact& f) { return f.value == first; });
  return is_one ? std::optional(first) : std::nullopt;
}

// sysinfo.csv does not number the device that it describes, and roofline.csv may number another one.
const model::Device* AmdCounters::DeviceOf(const model::KernelProfile& profile) const {
  const model::Device* own = profile.device == model::kNone ? nullptr : &trace_.devices[profile.device];
  if (own != nullptr && own->sm_count) return own;
  const model::Device* described = nullptr;
  for (const model::Device& device : trace_.devices) {
    if (!device.sm_count) continue;
    if (described != nullptr) return own;
    described = &device;
  }
  return described != nullptr ? described : own;
}

void AmdCounters::Fill(const model::KernelProfile& profile, KernelCounters* counters) const {
  counters->is_amd = true;
  counters->lanes = 64;
  Values v;
  for (uint32_t row = profile.metric_begin; row < profile.metric_end; ++row) {
    const auto it = wanted_.find(trace_.metrics[row].name);
    if (it == wanted_.end()) continue;
    const double* value = std::get_if<double>(&trace_.metrics[row].value);
    if (value == nullptr || !(*value >= 0)) continue;
    for (const size_t index : it->second) {
      if (!v.at[index]) v.at[index] = *value;
    }
  }
  const model::Device* device = DeviceOf(profile);
  if (device != nullptr && device->warp_size) counters->lanes = *device->warp_size;
  const double cus = device != nullptr ? device->sm_count.value_or(0) : 0;
  const double seconds = static_cast<double>(profile.dur_ns.value_or(0)) * 1e-9;
  const auto fact = [&](std::string_view name) { return DeviceFact(name, profile.device); };
  const auto set = [&](Counter counter, std::optional<double> value) {
    auto& slot = counters->values[static_cast<size_t>(counter)];
    if (value && !slot) slot = *value;
  };
  const auto get = [&](Counter counter) { return (*counters)[counter]; };

  // Cycles of the kernel. Dies are added up: without their number a plausible clock says that there is one.
  std::optional<double> cycles;
  if (const auto active = v[kActiveCycles]; active && *active > 0) {
    if (const auto dies = fact("accelerator dies")) cycles = *active / *dies;
    else if (seconds > 0 && *active <= kMaxGhz * 1e9 * seconds && !v[kIsMi300]) cycles = *active;
  }
  const auto of_cu_cycles = [&](std::optional<double> value, double units) -> std::optional<double> {
    if (!value || !cycles || !(cus > 0)) return std::nullopt;
    return 100 * *value / (*cycles * cus * units);
  };
  if (cus > 0) set(Counter::kSmCount, cus);
  if (seconds > 0) set(Counter::kDurationNs, seconds * 1e9);

  // Vector and matrix units. "VALU Utilization", "MFMA Utilization".
  const auto valu = v[kValuBusyPct] ? v[kValuBusyPct] : of_cu_cycles(v[kActiveValu], 1);
  const auto mfma = v[kMfmaPct] ? v[kMfmaPct] : of_cu_cycles(v[kMfmaCycles], kSimds);
  set(Counter::kTensorPct, mfma);
  if (valu) {
    const double busy = *valu <= kDualIssuePct ? std::min(*valu, 100.0) : *valu;
    counters->computes_by_matrix = mfma && *mfma > busy;
    set(Counter::kComputePct, std::max(busy, mfma.value_or(0)));
  }
  if (v[kThreadCycles] && v.Or0(kActiveValu) > 0) set(Counter::kThreadsPerInst, *v[kThreadCycles] / *v[kActiveValu]);
  else if (v[kLanesPct]) set(Counter::kThreadsPerInst, *v[kLanesPct] / 100 * counters->lanes);
  set(Counter::kInstExecuted, v[kInsts]);
  set(Counter::kProducts, v[kFma16]);

  // LDS: cycles, and those that repeat for conflicts.
  set(Counter::kSharedWavefronts, v[kLdsActive]);
  set(Counter::kBankConflicts, v[kLdsConflicts]);
  set(Counter::kSharedInst, v[kInstsLds]);
  set(Counter::kL1DataPct, of_cu_cycles(v[kLdsActive], 1));

  // vL1D: a line is looked up each cycle ("Bandwidth" of gfx90a and gfx942 alike: both have that peak).
  const auto lookups = of_cu_cycles(v[kL1Accesses], 1);
  if (lookups) set(Counter::kL1Pct, std::max(*lookups, get(Counter::kL1DataPct).value_or(0)));
  // Atomics have lines of their own: with them the number is not that of loads and stores.
  if (v[kL1Accesses] && v.Or0(kTaWavefronts) > 0 && v.Or0(kTaFlatAtomics) + v.Or0(kTaBufferAtomics) == 0)
    set(Counter::kLinesPerAccess, *v[kL1Accesses] / *v[kTaWavefronts]);

  // L2 and memory. The L2's requests are of 64 bytes up to MI200 (roofline_calc.py); no such peak later.
  set(Counter::kL2HitPct, v[kL2Hit]);
  const auto l2_peak = fact("measured peak L2Bw");
  if (v[kL2Reads] && v[kL2Writes] && l2_peak && seconds > 0 && !v[kIsMi300])
    set(Counter::kL2Pct, 100 * 64 * (*v[kL2Reads] + *v[kL2Writes]) / seconds / (*l2_peak * 1e9));
  set(Counter::kDramReadBytes, v[kReadBytes]);
  set(Counter::kDramWriteBytes, v[kWriteBytes]);
  if (v[kReadBytes] && v[kWriteBytes] && seconds > 0) {
    // Requests also go to the host's memory and to other devices.
    const auto local = [&](Rocm dram, Rocm all) {
      return v[dram] && v.Or0(all) > 0 ? std::clamp(*v[dram] / *v[all], 0.0, 1.0) : 1;
    };
    const double bytes =
        *v[kReadBytes] * local(kEaDramReads, kEaReads) + *v[kWriteBytes] * local(kEaDramWrites, kEaWrites);
    const double rate = bytes / seconds;
    set(Counter::kDramBytesPerS, rate);
    std::optional<double> data_sheet;
    if (const auto gb = fact("memory bandwidth, data sheet")) data_sheet = *gb * 1e9;
    else if (const auto peaks = device != nullptr ? PeaksOf(*device) : std::nullopt)
      data_sheet = peaks->dram_bytes_per_s;
    std::optional<double> pct;
    if (const auto measured = fact("measured peak HBMBw")) pct = 100 * rate / (*measured * 1e9);
    if ((!pct || *pct > kBeyondPct) && data_sheet) {
      pct = 100 * rate / *data_sheet;
      counters->dram_reach_ratio = kReachedOfDataSheet;
    }
    // More than memory can: a cache behind the L2 (MI300) serves part of it.
    if (pct && *pct <= kBeyondPct) set(Counter::kDramPct, pct);
  }
  std::optional<double> memory;
  for (const Counter unit : {Counter::kDramPct, Counter::kL2Pct, Counter::kL1Pct}) {
    if (const auto pct = get(unit)) memory = std::max(memory.value_or(0), *pct);
  }
  set(Counter::kMemoryPct, memory);

  // Waves.
  set(Counter::kWaveWaitPct, v[kWait]);
  set(Counter::kOccupancyPct, v[kOccupancy]);
  if (v[kWaveCycles] && cycles && cus > 0 && device->max_threads_per_sm)
    set(Counter::kOccupancyPct,
        100 * kQuadCycle * *v[kWaveCycles] / (*cycles * cus) / (*device->max_threads_per_sm / counters->lanes));
  if (v[kBusyCu] && cus > 0) set(Counter::kCyclesActiveAvg, *v[kBusyCu] / cus);
  if (const auto engines = fact("shader engines"); engines && v[kBusySe])
    set(Counter::kCyclesElapsed, *v[kBusySe] / *engines);
  set(Counter::kVgprFullPct, of_cu_cycles(v[kVgprFull], 1));
  set(Counter::kLdsFullPct, of_cu_cycles(v[kLdsFull], 1 / kSimds));
  if (v[kTaFlatAtomics] && v[kTaBufferAtomics]) set(Counter::kAtomics, *v[kTaFlatAtomics] + *v[kTaBufferAtomics]);

  // Scratch. Buffer instructions also serve global memory where a library uses them for all accesses; beside flat
  // (global) ones, in a kernel with scratch, they are those of the stack ("Spill/Stack" of panel 15).
  if (v[kScratch] && *v[kScratch] == 0) {
    set(Counter::kSpillRequests, 0);
  } else if (v[kScratch] && v[kTaBufferReads] && v[kTaBufferWrites] && v.Or0(kTaFlatReads) > 0 &&
             *v[kTaBufferReads] + *v[kTaBufferWrites] > 0) {
    set(Counter::kLocalLoads, v[kTaBufferReads]);
    set(Counter::kLocalStores, v[kTaBufferWrites]);
  }
  if (device != nullptr && profile.config != model::kNone)
    FillAmdOccupancy(*device, trace_.launch_configs[profile.config], counters);
}

}  // namespace warpscope::analysis
