// kernel_profiles, metrics, advice, kernel_codes, summaries, readings: measurements without a timeline.
#include <variant>

#include "query/catalog.h"
#include "query/tables/common.h"

namespace warpscope::query {
namespace {

using model::kNone;
using model::kNoString;

constexpr std::string_view kRecordProfiles =
    "No kernel was measured with counters: warpscope counters -- PROGRAM, or ncu --set full -o report PROGRAM; give "
    "the report beside or instead of this "
    "file.";

std::optional<int64_t> DeviceId(const model::Trace& t, uint32_t device) {
  return device == kNone ? std::nullopt : std::optional<int64_t>(t.devices[device].id);
}
std::optional<int64_t> Known(int64_t id) { return id < 0 ? std::nullopt : std::optional<int64_t>(id); }

Table Profiles(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::KernelProfile& { return t.kernel_profiles[row]; };
  const auto axis = [&t, at](bool grid, size_t which) {
    return [&t, at, grid, which](uint32_t row) -> std::optional<int64_t> {
      if (at(row).config == kNone) return std::nullopt;
      const model::LaunchConfig& config = t.launch_configs[at(row).config];
      const auto& sizes = grid ? config.grid : config.block;
      return sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0 ? std::nullopt : std::optional<int64_t>(sizes[which]);
    };
  };
  return {"kernel_profiles",
          "one row a kernel launch that a counter tool measured",
          kRecordProfiles,
          {Int("profile", "", "number: joins with metrics and advice", [](uint32_t row) { return row; }),
           UInt("id", "number that the tool gave the launch", [at](uint32_t row) { return at(row).id; }),
           Name("name", "kernel name, demangled", [at](uint32_t row) { return at(row).name; }),
           Text("mangled_name", "as the compiler wrote it", [at](uint32_t row) { return at(row).mangled_name; }),
           Int("dur_ns", "ns", "duration by the tool's clock (replayed, often at fixed clocks)",
               [at](uint32_t row) { return at(row).dur_ns; }),
           Int("device", "", "device", [&t, at](uint32_t row) { return DeviceId(t, at(row).device); }),
           Int("context", "", "context", [at](uint32_t row) { return Known(at(row).context); }),
           Int("stream", "", "stream", [at](uint32_t row) { return Known(at(row).stream); }),
           Int("grid_x", "", "blocks in x", axis(true, 0)), Int("grid_y", "", "blocks in y", axis(true, 1)),
           Int("grid_z", "", "blocks in z", axis(true, 2)), Int("block_x", "", "threads a block in x", axis(false, 0)),
           Int("block_y", "", "threads a block in y", axis(false, 1)),
           Int("block_z", "", "threads a block in z", axis(false, 2)),
           Int("source", "", "row number in sources", [at](uint32_t row) { return at(row).source; })},
          AllRows(t.kernel_profiles.size()),
          t.kernel_profiles.size()};
}

// Which profile a row of a flat list belongs to.
template <typename Begin, typename End>
std::vector<uint32_t> Owners(const model::Trace& t, size_t count, Begin begin, End end) {
  std::vector<uint32_t> owners(count, kNone);
  for (uint32_t profile = 0; profile < t.kernel_profiles.size(); ++profile) {
    for (uint32_t row = t.kernel_profiles[profile].*begin; row < t.kernel_profiles[profile].*end && row < count;
         ++row) {
      owners[row] = profile;
    }
  }
  return owners;
}

Table Metrics(const Recording& r) {
  const model::Trace& t = r.trace();
  const Computed<uint32_t> owners([&t] {
    return Owners(t, t.metrics.size(), &model::KernelProfile::metric_begin, &model::KernelProfile::metric_end);
  });
  const auto at = [&t](uint32_t row) -> const model::Metric& { return t.metrics[row]; };
  return {
      "metrics",
      "one row a counter of a profiled launch",
      kRecordProfiles,
      {Int("profile", "", "number of the profile", [owners](uint32_t row) { return RowOrAbsent(owners[row]); }),
       Name("name", "as the tool writes it: \"gpu__time_duration.sum\"", [at](uint32_t row) { return at(row).name; }),
       Name("unit", "its unit", [at](uint32_t row) { return at(row).unit; }),
       Double("value", "", "the number, in `unit`; absent for texts",
              [at](uint32_t row) -> std::optional<double> {
                if (const auto* number = std::get_if<double>(&at(row).value)) return *number;
                if (const auto* whole = std::get_if<uint64_t>(&at(row).value)) return static_cast<double>(*whole);
                return std::nullopt;
              }),
       UInt("value_int", "the exact value of whole numbers",
            [at](uint32_t row) -> std::optional<uint64_t> {
              const auto* whole = std::get_if<uint64_t>(&at(row).value);
              return whole ? std::optional<uint64_t>(*whole) : std::nullopt;
            }),
       Text("text", "value of metrics that are no number",
            [at](uint32_t row) {
              const auto* text = std::get_if<model::StringId>(&at(row).value);
              return text ? *text : kNoString;
            })},
      AllRows(t.metrics.size()),
      t.metrics.size()};
}

Table AdviceTable(Recording& r) {
  const model::Trace& t = r.trace();
  constexpr std::string_view kKinds[] = {"ok", "note", "warning", "error", "optimization"};
  const Words<5, model::AdviceKind> kinds(r, kKinds);
  const Computed<uint32_t> owners([&t] {
    return Owners(t, t.advice.size(), &model::KernelProfile::advice_begin, &model::KernelProfile::advice_end);
  });
  const auto at = [&t](uint32_t row) -> const model::Advice& { return t.advice[row]; };
  return {
      "advice",
      "one row a conclusion of the recording tool on a profiled launch, in its own words",
      kRecordProfiles,
      {Int("profile", "", "number of the profile", [owners](uint32_t row) { return RowOrAbsent(owners[row]); }),
       Name("section", "section of the report", [at](uint32_t row) { return at(row).section; }),
       Name("rule", "rule that said it", [at](uint32_t row) { return at(row).rule; }),
       Name("kind", "\"ok\", \"note\", \"warning\", \"error\", \"optimization\"",
            [at, kinds](uint32_t row) { return kinds[at(row).kind]; }),
       Text("title", "heading", [at](uint32_t row) { return at(row).title; }),
       Text("text", "message", [at](uint32_t row) { return at(row).text; }),
       Double("speedup_pct", "%", "gain that the tool estimates", [at](uint32_t row) { return at(row).speedup_pct; }),
       Bool("speedup_is_global", "of the kernel's time; else of the part that the rule looks at",
            [at](uint32_t row) { return at(row).speedup_is_global; })},
      AllRows(t.advice.size()),
      t.advice.size()};
}

Table Summaries(Recording& r) {
  const model::Trace& t = r.trace();
  constexpr std::string_view kKinds[] = {"kernel",     "copy",       "operator", "api call",
                                         "collective", "annotation", "os call",  "step part"};
  const Words<8, model::SummaryKind> kinds(r, kKinds);
  const auto at = [&t](uint32_t row) -> const model::SummaryRow& { return t.summaries[row]; };
  return {"summaries",
          "one row a line of a table of totals that another tool wrote; its single events are gone",
          "No table of totals was read.",
          {Name("kind", "\"kernel\", \"copy\", \"operator\", \"api call\" ...",
                [at, kinds](uint32_t row) { return kinds[at(row).kind]; }),
           Name("name", "what was summed", [at](uint32_t row) { return at(row).name; }),
           Name("group_name", "the table's further key: core type, step, domain",
                [at](uint32_t row) { return at(row).group; }),
           Int("count", "count", "times", [at](uint32_t row) { return at(row).count; }),
           Int("total_ns", "ns", "sum", [at](uint32_t row) { return at(row).total_ns; }),
           Int("min_ns", "ns", "shortest", [at](uint32_t row) { return at(row).min_ns; }),
           Int("max_ns", "ns", "longest", [at](uint32_t row) { return at(row).max_ns; }),
           Int("rank", "", "rank, if the file tells", [at](uint32_t row) { return at(row).rank; }),
           Int("source", "", "row number in sources", [at](uint32_t row) { return at(row).source; })},
          AllRows(t.summaries.size()),
          t.summaries.size()};
}

Table Readings(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::Reading& { return t.readings[row]; };
  return {"readings",
          "one row a value that a monitor read from a device or the machine",
          "No reading was made: nvidia-smi -q, nvidia-smi dmon, rocm-smi --json; give the file beside or instead of "
          "this one.",
          {Int("time_ns", "ns", "when, as the monitor tells it (epoch if known); absent for a single look",
               [at](uint32_t row) { return at(row).time_ns; }),
           Int("device", "", "device; absent for the machine",
               [&t, at](uint32_t row) { return DeviceId(t, at(row).device); }),
           Name("name", "what was read: \"temperature_gpu\"", [at](uint32_t row) { return at(row).name; }),
           Double("value", "", "in `unit`; absent for texts and for what the tool had no value of",
                  [at](uint32_t row) { return at(row).value; }),
           Name("unit", "\"celsius\", \"watts\", \"pct\" ...", [at](uint32_t row) { return at(row).unit; }),
           Text("text", "value of readings that are no number", [at](uint32_t row) { return at(row).text; }),
           Int("source", "", "row number in sources", [at](uint32_t row) { return at(row).source; })},
          AllRows(t.readings.size()),
          t.readings.size()};
}

}  // namespace

void AddMeasurementTables(Recording& r, std::vector<Table>& tables) {
  tables.push_back(Profiles(r));
  tables.push_back(Metrics(r));
  tables.push_back(AdviceTable(r));
  tables.push_back(Summaries(r));
  tables.push_back(Readings(r));
}

}  // namespace warpscope::query
