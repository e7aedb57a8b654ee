// The tables of what was measured without a timeline.
#include "store/rows_of.h"
#include "store/schema.h"

namespace warpscope::store {
namespace {

using model::Trace;

static_assert(sizeof(model::Metric) == 24, "new member of Metric: give it a column");
static_assert(sizeof(model::Advice) == 48, "new member of Advice: give it a column");
static_assert(sizeof(model::KernelProfile) == 96, "new member of KernelProfile: give it a column");
static_assert(sizeof(model::KernelCode) == 24, "new member of KernelCode: give it a column");
static_assert(sizeof(model::SummaryRow) == 96, "new member of SummaryRow: give it a column");
static_assert(sizeof(model::Reading) == 56, "new member of Reading: give it a column");

constexpr std::string_view kAdviceKinds[] = {"ok", "note", "warning", "error", "optimization"};
constexpr std::string_view kSummaryKinds[] = {"kernel",     "copy",       "operator", "api_call",
                                              "collective", "annotation", "os_call",  "step_part"};

// A metric's value stands in the column of its type; `value` is for readers who take any number.
template <typename T>
Field MetricAs(std::string name, std::string doc, duckdb::Type type) {
  Field field{std::move(name), type, std::move(doc), nullptr, nullptr, false};
  field.write = [](const Writing& from, uint64_t begin, size_t count, duckdb::ColumnWriter& to) {
    for (size_t i = 0; i < count; ++i) {
      const T* value = std::get_if<T>(&from.trace.metrics[begin + i].value);
      if (value == nullptr) {
        to.SetNull(i);
      } else if constexpr (std::is_same_v<T, model::StringId>) {
        to.SetLastingText(i, from.texts.Get(*value));
      } else if constexpr (std::is_same_v<T, uint64_t>) {
        to.Data<int64_t>()[i] = static_cast<int64_t>(*value);
      } else {
        to.Data<T>()[i] = *value;
      }
    }
  };
  field.read = [](const Cells& in, uint64_t row, Reading& reading) {
    for (size_t i = 0; i < in.count; ++i) {
      if (in.Null(i)) continue;
      model::MetricValue& value = reading.trace->metrics[row + i].value;
      if constexpr (std::is_same_v<T, model::StringId>) {
        const model::StringId id = reading.texts->IdOf(in.Text(i));
        if (id == model::kNoString) return i;
        value = id;
      } else if constexpr (std::is_same_v<T, uint64_t>) {
        value = static_cast<uint64_t>(in.Integer(i));
      } else {
        value = in.Real(i);
      }
    }
    return in.count;
  };
  return field;
}

std::optional<double> AnyNumber(const Trace& trace, uint64_t row) {
  const model::MetricValue& value = trace.metrics[row].value;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* integer = std::get_if<uint64_t>(&value)) return static_cast<double>(*integer);
  return std::nullopt;
}

TableSchema Metrics() {
  using M = model::Metric;
  constexpr auto kRows = &Trace::metrics;
  return RowsOf<kRows>(
      "metrics", "Counters of single kernel launches; kernel_profiles says which rows belong to which launch.",
      {
          Derived("row", "number of this row, to which kernel_profiles refers",
                  [](const Trace&, uint64_t row) { return std::optional<int64_t>(static_cast<int64_t>(row)); }),
          Text("name", "as the tool writes it", kCell<kRows, &M::name>),
          Text("unit", "as the tool writes it, base units", kCell<kRows, &M::unit>),
          Derived("value", "any number, as DOUBLE", AnyNumber),
          MetricAs<double>("value_double", "if it was recorded as a floating number", duckdb::Type::kDouble),
          MetricAs<uint64_t>("value_integer", "if it was recorded as an integer", duckdb::Type::kInt64),
          MetricAs<model::StringId>("value_text", "if it was recorded as text", duckdb::Type::kText),
      });
}

TableSchema AdviceRows() {
  using A = model::Advice;
  constexpr auto kRows = &Trace::advice;
  return RowsOf<kRows>("advice", "What the recording tool itself concluded about a launch.",
                       {
                           Text("section", "of the report", kCell<kRows, &A::section>),
                           Text("rule", "that speaks", kCell<kRows, &A::rule>),
                           Text("title", "heading", kCell<kRows, &A::title>),
                           Text("text", "its words", kCell<kRows, &A::text>),
                           Word("kind", "how grave", kAdviceKinds, kCell<kRows, &A::kind>),
                           Value("speedup_pct", "as the tool estimates it", kCell<kRows, &A::speedup_pct>),
                           Value("speedup_is_global", "of the kernel's time; else of the part that the rule looks at",
                                 kCell<kRows, &A::speedup_is_global>),
                       });
}

TableSchema KernelCodes() {
  using K = model::KernelCode;
  constexpr auto kRows = &Trace::kernel_codes;
  return RowsOf<kRows>("kernel_codes", "Code of profiled kernels.",
                       {
                           Text("sass", "disassembly", kCell<kRows, &K::sass>),
                           Text("ptx", "PTX", kCell<kRows, &K::ptx>),
                           Text("source_file", "path", kCell<kRows, &K::source_file>),
                           Value("cubin_bytes", "size", kCell<kRows, &K::cubin_bytes>),
                       });
}

TableSchema KernelProfiles() {
  using K = model::KernelProfile;
  constexpr auto kRows = &Trace::kernel_profiles;
  return RowsOf<kRows>(
      "kernel_profiles", "Kernel launches as a counter tool measured them.",
      {
          RowOf("source", "row of sources", Target::kSources, true, kCell<kRows, &K::source>),
          RowOf("process", "row of processes", Target::kProcesses, false, kCell<kRows, &K::process>),
          RowOf("device", "row of devices", Target::kDevices, false, kCell<kRows, &K::device>),
          Value("id", "as the tool numbers launches", kCell<kRows, &K::id>),
          Text("name", "demangled", kCell<kRows, &K::name>),
          Text("mangled_name", "mangled", kCell<kRows, &K::mangled_name>),
          RowOf("launch_config", "row of launch_configs", Target::kLaunchConfigs, false, kCell<kRows, &K::config>),
          OrNull("context", "as the tool numbers it", int64_t{-1}, kCell<kRows, &K::context>),
          OrNull("stream", "as the tool numbers it", int64_t{-1}, kCell<kRows, &K::stream>),
          Value("dur_ns", "length, by the tool's clock", kCell<kRows, &K::dur_ns>),
          EdgeOf("metric_begin", "first row of metrics", Target::kMetrics, kCell<kRows, &K::metric_begin>),
          EdgeOf("metric_end", "one behind the last row of metrics", Target::kMetrics, kCell<kRows, &K::metric_end>),
          EdgeOf("advice_begin", "first row of advice", Target::kAdvice, kCell<kRows, &K::advice_begin>),
          EdgeOf("advice_end", "one behind the last row of advice", Target::kAdvice, kCell<kRows, &K::advice_end>),
          RowOf("code", "row of kernel_codes", Target::kKernelCodes, false, kCell<kRows, &K::code>),
      });
}

TableSchema Summaries() {
  using S = model::SummaryRow;
  constexpr auto kRows = &Trace::summaries;
  return RowsOf<kRows>("summaries", "Lines of tables of totals.",
                       {
                           RowOf("source", "row of sources", Target::kSources, true, kCell<kRows, &S::source>),
                           Word("kind", "of what", kSummaryKinds, kCell<kRows, &S::kind>),
                           Text("name", "of what was summed", kCell<kRows, &S::name>),
                           Text("group", "the table's further key", kCell<kRows, &S::group>),
                           Value("count", "occurrences", kCell<kRows, &S::count>),
                           Value("total_ns", "sum", kCell<kRows, &S::total_ns>),
                           Value("min_ns", "least", kCell<kRows, &S::min_ns>),
                           Value("max_ns", "most", kCell<kRows, &S::max_ns>),
                           Value("rank_id", "rank_id", kCell<kRows, &S::rank>),
                       });
}

TableSchema Readings() {
  using R = model::Reading;
  constexpr auto kRows = &Trace::readings;
  return RowsOf<kRows>("readings", "Values that a monitor read from a device or the machine.",
                       {
                           RowOf("source", "row of sources", Target::kSources, true, kCell<kRows, &R::source>),
                           RowOf("device", "row of devices", Target::kDevices, false, kCell<kRows, &R::device>),
                           Value("time_ns", "when", kCell<kRows, &R::time_ns>),
                           Text("name", "of the reading", kCell<kRows, &R::name>),
                           Text("unit", "celsius, watts ...", kCell<kRows, &R::unit>),
                           Value("value", "number", kCell<kRows, &R::value>),
                           Text("text", "if it is no number", kCell<kRows, &R::text>),
                       });
}

}  // namespace

std::vector<TableSchema> MeasurementTables() {
  return {Metrics(), AdviceRows(), KernelCodes(), KernelProfiles(), Summaries(), Readings()};
}

}  // namespace warpscope::store
