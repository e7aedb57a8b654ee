// Hardware counters of single launches, and the kernels that have none: rows of kernel_profiles, as of a counter tool's
// report.
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "base/demangle.h"
#include "import/capture/record_group.h"
#include "import/ncu/units.h"

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;
using model::StringId;

// As reports of counter tools name kernels.
std::string Demangled(std::string_view name) { return base::Demangle(name).value_or(std::string(name)); }

class KernelCounters : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kMetric) ReadMetric(in);
    else if (tag == wire::kMetricSet) ReadSet(in);
    else if (tag == wire::kKernelCounters) ReadLaunch(in);
    else ReadUnmeasured(in);
  }

 private:
  void ReadMetric(wire::BlockReader& in) {
    const uint64_t ref = in.Get();
    CounterMetric metric;
    metric.name = state_.Text(in.Get());
    metric.unit = state_.Text(in.Get());
    if (!in.ok()) return;
    // Counter tools derive the unit from the name; CUPTI tells only the dimension.
    const std::string unit = ncu::MetricUnit(state_.to.trace().Text(metric.name));
    if (!unit.empty()) metric.unit = state_.to.Text(unit);
    state_.metrics.Set(ref, metric);
  }

  void ReadSet(wire::BlockReader& in) {
    const uint64_t ref = in.Get();
    CounterSet set;
    set.passes = Narrow(in.Get());
    const uint64_t count = in.Get();
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
      const CounterMetric* metric = state_.metrics.Find(in.Get());
      set.metrics.push_back(metric != nullptr ? *metric : CounterMetric());
    }
    if (in.ok()) state_.metric_sets.Set(ref, std::move(set));
  }

  void Add(StringId name, StringId unit, model::MetricValue value) {
    state_.to.trace().metrics.push_back({name, unit, value});
  }
  void AddCount(std::string_view name, std::string_view unit, uint64_t value) {
    Add(state_.to.Text(name), unit.empty() ? model::kNoString : state_.to.Text(unit), value);
  }

  // What a counter tool calls the launch's own numbers.
  void AddLaunch(const model::LaunchConfig& config, uint64_t passes) {
    constexpr const char* kAxes[] = {"x", "y", "z"};
    const auto add_dim = [&](std::string_view name, int axis, std::string_view unit, uint32_t dim) {
      if (dim != 0) AddCount(std::string(name) + kAxes[axis], unit, dim);  // 0: a graph, which has no geometry
    };
    for (int axis = 0; axis < 3; ++axis) {
      add_dim("launch__grid_dim_", axis, "block", config.grid[axis]);
      add_dim("launch__block_dim_", axis, "thread", config.block[axis]);
    }
    const uint64_t blocks = uint64_t{config.grid[0]} * config.grid[1] * config.grid[2];
    const uint64_t threads = uint64_t{config.block[0]} * config.block[1] * config.block[2];
    if (blocks != 0) AddCount("launch__grid_size", "", blocks);
    if (threads != 0) AddCount("launch__block_size", "", threads);
    if (config.registers_per_thread)
      AddCount("launch__registers_per_thread", "register/thread", *config.registers_per_thread);
    AddCount("profiler__replayer_passes", "pass", passes);
  }

  void ReadLaunch(wire::BlockReader& in) {
    const CounterSet* set = state_.metric_sets.Find(in.Get());
    model::KernelProfile profile;
    profile.mangled_name = state_.Text(in.Get());
    const uint64_t stream_ref = in.Get();
    const model::LaunchConfig* shape = state_.shapes.Find(in.Get());
    profile.id = in.Get();
    in.Get();  // how it was replayed
    if (!in.ok()) return;
    if (set == nullptr) {  // its definition was lost, and with it how many values follow
      in.GetRaw(UINT64_MAX);
      return;
    }
    const std::string_view values = in.GetRaw(set->metrics.size() * sizeof(double));
    if (!in.ok() || set->metrics.empty()) return;
    model::Trace& trace = state_.to.trace();
    profile.name = state_.to.Text(
        profile.mangled_name == model::kNoString ? "(name lost)" : Demangled(trace.Text(profile.mangled_name)));
    profile.source = state_.to.source_row();
    profile.process = state_.process;
    const model::Stream& stream = trace.streams[state_.StreamOf(stream_ref)];
    profile.device = stream.device;
    profile.context = stream.context;
    profile.stream = stream.id;
    model::LaunchConfig config = shape != nullptr ? *shape : model::LaunchConfig();
    if (config.registers_per_thread == 0u) config.registers_per_thread.reset();  // not known for this launch
    if (config != model::LaunchConfig()) profile.config = state_.to.Launch(config);
    profile.metric_begin = static_cast<uint32_t>(trace.metrics.size());
    AddLaunch(config, set->passes);
    for (size_t i = 0; i < set->metrics.size(); ++i) {
      double value = 0;
      std::memcpy(&value, values.data() + i * sizeof(value), sizeof(value));
      const CounterMetric& metric = set->metrics[i];
      if (!std::isfinite(value) || metric.name == model::kNoString) continue;
      Add(metric.name, metric.unit, value);
      if (trace.Text(metric.name) == "gpu__time_duration.sum" && value >= 0 && value < 9e18)
        profile.dur_ns = static_cast<int64_t>(std::llround(value));
    }
    profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
    trace.kernel_profiles.push_back(profile);
  }

  void ReadUnmeasured(wire::BlockReader& in) {
    const StringId name = state_.Text(in.Get());
    const uint64_t launches = in.Get();
    const StringId reason = state_.Text(in.Get());
    if (!in.ok()) return;
    const model::Trace& trace = state_.to.trace();
    std::string detail(name == model::kNoString ? "(name lost)" : trace.Text(name));
    if (reason != model::kNoString) detail += ": " + std::string(trace.Text(reason));
    state_.to.Note(LedgerCode::kRecorderMessage, launches, std::nullopt, detail);
  }
};

}  // namespace

std::unique_ptr<RecordGroup> MakeKernelCounters(State* state) { return std::make_unique<KernelCounters>(state); }

}  // namespace warpscope::import::capture
