#include "import/nvidia_smi/fields.h"

#include <algorithm>
#include <array>

namespace warpscope::import::nvidia_smi {
namespace {

using model::ReadingName;
using monitor::Sample;
using monitor::Value;

#define WS_FIELD(path, reading, use, ...) Field{path, ReadingName::reading, Use::use, std::string_view{__VA_ARGS__}},
constexpr std::array kQueryPaths = {
#include "import/nvidia_smi/query_paths.def"
};
constexpr std::array kXmlPaths = {
#include "import/nvidia_smi/xml_paths.def"
};
constexpr std::array kCsvFields = {
#include "import/nvidia_smi/csv_fields.def"
};
constexpr std::array kDmonColumns = {
#include "import/nvidia_smi/dmon_columns.def"
};
#undef WS_FIELD

constexpr bool Less(const Field& a, const Field& b) { return a.path < b.path; }
static_assert(std::is_sorted(kQueryPaths.begin(), kQueryPaths.end(), Less));
static_assert(std::is_sorted(kXmlPaths.begin(), kXmlPaths.end(), Less));
static_assert(std::is_sorted(kCsvFields.begin(), kCsvFields.end(), Less));
static_assert(std::is_sorted(kDmonColumns.begin(), kDmonColumns.end(), Less));

void Replace(std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

template <size_t N>
bool Apply(const std::array<Field, N>& fields, std::string_view path, const Value& value, Sample& sample) {
  auto [at, end] =
      std::equal_range(fields.begin(), fields.end(), Field{path, ReadingName::kCount, Use::kSet, {}}, Less);
  if (at == end) return false;
  for (; at != end; ++at) {
    switch (at->use) {
      case Use::kSet: sample.Set(at->name, value); break;
      case Use::kFallback: sample.SetIfAbsent(at->name, value); break;
      case Use::kAdd: sample.Add(at->name, value); break;
    }
  }
  return true;
}

template <size_t N>
std::string_view DefaultUnit(const std::array<Field, N>& fields, std::string_view path) {
  const auto found =
      std::lower_bound(fields.begin(), fields.end(), Field{path, ReadingName::kCount, Use::kSet, {}}, Less);
  return found != fields.end() && found->path == path ? found->unit : std::string_view();
}

std::string CsvName(std::string_view field) {
  std::string name = monitor::Lower(field);
  Replace(name, "clocks_throttle_reasons", "clocks_event_reasons");
  return name;
}

}  // namespace

void ApplyQueryPath(std::string_view path, const Value& value, Sample& sample) {
  std::string name = monitor::Lower(path);
  Replace(name, "clocks throttle reasons", "clocks event reasons");
  if (name.rfind("power readings", 0) == 0) name.insert(0, "gpu ");
  if (!Apply(kQueryPaths, name, value, sample)) sample.SetOther(name, value);
}

void ApplyXmlPath(std::string_view path, const Value& value, Sample& sample) {
  std::string name(path);
  Replace(name, "clocks_throttle_reasons", "clocks_event_reasons");
  Replace(name, "clocks_throttle_reason", "clocks_event_reason");
  if (name.rfind("power_readings", 0) == 0) name.insert(0, "gpu_");
  if (!Apply(kXmlPaths, name, value, sample)) sample.SetOther(name, value);
}

bool IsCsvField(std::string_view field) {
  const std::string name = CsvName(field);
  return std::binary_search(kCsvFields.begin(), kCsvFields.end(), Field{name, ReadingName::kCount, Use::kSet, {}},
                            Less);
}

bool ApplyCsvField(std::string_view field, std::string_view text, std::string_view header_unit, Sample& sample) {
  const std::string name = CsvName(field);
  if (name == "clocks_event_reasons.active") {
    sample.SetThrottleBits(text);
    return true;
  }
  std::string_view unit = header_unit;
  if (unit.empty()) unit = DefaultUnit(kCsvFields, name);
  const Value value = monitor::ParseValue(text, unit);
  if (Apply(kCsvFields, name, value, sample)) return true;
  sample.SetOther(name, value);
  return false;
}

const Field* CsvFieldOfMetric(std::string_view metric) {
  for (const Field& field : kCsvFields) {
    const bool same =
        field.path.size() == metric.size() && std::equal(metric.begin(), metric.end(), field.path.begin(),
                                                         [](char m, char f) { return m == (f == '.' ? '_' : f); });
    if (same) return &field;
  }
  return nullptr;
}

bool ApplyDmonColumn(std::string_view column, std::string_view text, std::string_view unit, Sample& sample) {
  const std::string name = monitor::Lower(column);
  const std::string_view own = DefaultUnit(kDmonColumns, name);
  const bool unit_is_known = !monitor::UnitWordOf(unit).word.empty();
  const Value value = monitor::ParseValue(text, unit_is_known ? unit : own);
  if (Apply(kDmonColumns, name, value, sample)) return true;
  sample.SetOther(name, value);
  return false;
}

}  // namespace warpscope::import::nvidia_smi
