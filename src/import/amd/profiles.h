// ProfileTable: hardware counters of AMD's tools, which come one value a row and in any order, gathered into one kernel
// profile a dispatch, with the derived metrics that AMD documents.
// [one thread]. Rows appear in the trace by Finish(), in the order of their first value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "import/appender.h"
#include "model/trace.h"

namespace warpscope::import::amd {

class ProfileTable {
 public:
  explicit ProfileTable(Appender* to) : to_(to) {}

  // The profile of a dispatch; made on first use, when `fresh` becomes true.
  model::KernelProfile& Dispatch(uint32_t process, uint32_t device, uint64_t id, bool* fresh);
  // To the profile that Dispatch() gave last. Values of one counter add up (its instances).
  void AddCounter(std::string_view name, double value);
  void AddMetric(model::StringId name, model::StringId unit, model::MetricValue value);
  // Bytes of scratch (stack and spilled registers) of a work-item, as metric "scratch_bytes".
  void AddScratch(uint64_t bytes) {
    AddMetric(to_->Text("scratch_bytes"), to_->Text("bytes"), static_cast<double>(bytes));
  }
  size_t size() const { return rows_.size(); }

  // Appends the profiles.
  void Finish();

 private:
  struct Row {
    model::KernelProfile profile;
    std::vector<model::Metric> metrics;
  };
  void AddDerived(Row* row);

  Appender* to_;
  std::vector<Row> rows_;
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, size_t> by_dispatch_;
  size_t current_ = 0;
};

// A metric that follows from counters of one dispatch: name, unit and value; absent where a counter is missing or the
// share is one of nothing. Formulas: ROCm's derived counters (rocprofiler metrics.xml; "MI200/MI300 performance
// counters and metrics" in ROCm's documentation), in our units (bytes instead of KiB).
struct Derived {
  std::string_view name, unit;
  double value = 0;
};
// `counter`: value of a counter by name, absent if it was not collected.
template <typename CounterOf>
void DeriveMetrics(const CounterOf& counter, std::vector<Derived>* to) {
  const auto share_pct = [&](std::string_view name, std::optional<double> part, std::optional<double> whole) {
    if (part && whole && *whole > 0) to->push_back({name, "pct", 100 * *part / *whole});
  };
  const auto sum = [](std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
  };
  const auto times = [](std::optional<double> a, double factor) {
    return a ? std::optional(*a * factor) : std::nullopt;
  };
  const auto hits = counter("TCC_HIT_sum");
  share_pct("l2_hit_pct", hits, sum(hits, counter("TCC_MISS_sum")));
  // Lanes that worked in vector instructions, of 64.
  share_pct("valu_active_lanes_pct", counter("SQ_THREAD_CYCLES_VALU"), times(counter("SQ_ACTIVE_INST_VALU"), 64));
  share_pct("lds_bank_conflict_pct", counter("SQ_LDS_BANK_CONFLICT"), counter("SQ_LDS_IDX_ACTIVE"));
  share_pct("wave_wait_pct", counter("SQ_WAIT_ANY"), counter("SQ_WAVE_CYCLES"));
  // Requests from L2 to memory: 32, 64 or (MI300) 128 bytes when read; 32 or 64 when written. EA: MI100/MI200; EA0:
  // MI300.
  const bool mi300 = counter("TCC_EA0_RDREQ_sum").has_value() || counter("TCC_EA0_WRREQ_sum").has_value();
  const auto reads = counter(mi300 ? "TCC_EA0_RDREQ_sum" : "TCC_EA_RDREQ_sum");
  const auto reads_32 = counter(mi300 ? "TCC_EA0_RDREQ_32B_sum" : "TCC_EA_RDREQ_32B_sum");
  const auto reads_128 = mi300 ? counter("TCC_BUBBLE_sum") : std::optional(0.0);
  if (reads && reads_32 && reads_128 && *reads >= *reads_32 + *reads_128)
    to->push_back(
        {"memory_read_bytes", "bytes", *reads_32 * 32 + *reads_128 * 128 + (*reads - *reads_32 - *reads_128) * 64});
  const auto writes = counter(mi300 ? "TCC_EA0_WRREQ_sum" : "TCC_EA_WRREQ_sum");
  const auto writes_64 = counter(mi300 ? "TCC_EA0_WRREQ_64B_sum" : "TCC_EA_WRREQ_64B_sum");
  if (writes && writes_64 && *writes >= *writes_64)
    to->push_back({"memory_write_bytes", "bytes", *writes_64 * 64 + (*writes - *writes_64) * 32});
}

}  // namespace warpscope::import::amd
