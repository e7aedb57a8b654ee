#include "import/ncu_csv/pages.h"

#include <algorithm>
#include <charconv>

#include "import/ncu/profile_fields.h"
#include "import/ncu/units.h"
#include "import/ncu_csv/labels.h"

namespace warpscope::import::ncu_csv {
namespace {

using model::kNone;

constexpr std::string_view kAttribute = "device__attribute_";

std::string_view FieldOf(const CsvReader& csv, const std::optional<size_t>& column) {
  return column ? csv.field(*column) : std::string_view();
}

// "(32, 4, 1)" -> x, y, z; a launch of fewer dimensions has 1 in the others.
void ParseExtent(std::string_view text, uint32_t (&extent)[3]) {
  size_t axis = 0;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end && axis < 3) {
    uint32_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc()) {
      extent[axis++] = number;
      at = stop;
    } else {
      ++at;
    }
  }
  if (axis > 0) std::fill(extent + axis, extent + 3, 1);
}

model::AdviceKind KindOf(std::string_view type) {
  if (type == "OPT") return model::AdviceKind::kOptimization;
  if (type == "WRN") return model::AdviceKind::kWarning;
  if (type == "ERR") return model::AdviceKind::kError;
  if (type == "INF" || type == "OK") return model::AdviceKind::kOk;
  return model::AdviceKind::kNote;
}

// Words for "no value" of this tool; others are texts ("PolicySpread").
bool IsNoValue(std::string_view text) {
  return text.empty() || text == "n/a" || text == "N/A" || text == "no data" || text == "nan" || text == "-nan" ||
         text == "inf" || text == "-inf" || text.starts_with("(!)");
}

}  // namespace

Pages::Pages(Appender* out, char decimal)
    : out_(*out), decimal_(decimal), first_profile_(out_.trace().kernel_profiles.size()) {}

Status Pages::TakeHeader(CsvReader& csv) {
  CloseKernel();
  csv.TakeHeader();
  Columns& c = columns_;
  c = {};
  c.id = csv.Column("ID"), c.process = csv.Column("Process ID"), c.process_name = csv.Column("Process Name");
  c.host = csv.Column("Host Name"), c.kernel = csv.Column("Kernel Name"), c.context = csv.Column("Context");
  c.stream = csv.Column("Stream"), c.block = csv.Column("Block Size"), c.grid = csv.Column("Grid Size");
  c.device = csv.Column("Device"), c.cc = csv.Column("CC"), c.section = csv.Column("Section Name");
  c.metric = csv.Column("Metric Name"), c.unit = csv.Column("Metric Unit"), c.value = csv.Column("Metric Value");
  c.rule = csv.Column("Rule Name"), c.rule_type = csv.Column("Rule Type"), c.rule_text = csv.Column("Rule Description");
  c.speedup_kind = csv.Column("Estimated Speedup Type"), c.speedup = csv.Column("Estimated Speedup");
  if (!c.id || !c.kernel || (c.metric && !c.value)) return {StatusCode::kCorrupt, "the header lacks a column"};
  raw_page_ = !c.metric;
  units_taken_ = false;
  metric_columns_.clear();
  for (size_t column = 0; raw_page_ && column < csv.header().size(); ++column) {
    const std::string& name = csv.header()[column];
    // Metric names have no spaces; the tool's own columns ("Grid Size", ranges of NVTX) do or are known.
    const bool is_own = name.find(' ') != std::string::npos || column == *c.id || column == c.context ||
                        column == c.stream || column == c.device || column == c.cc || name.empty();
    if (is_own || name.starts_with("breakdown:") || name.starts_with("group:")) continue;
    metric_columns_.push_back(
        {.column = column, .name = out_.Text(name), .is_attribute = name.starts_with(kAttribute)});
  }
  return Status::Ok();
}

// The row below the raw page's header: a unit a column, and no kernel.
void Pages::TakeUnits(const CsvReader& csv) {
  for (MetricColumn& column : metric_columns_) {
    const std::string_view printed = csv.field(column.column);
    if (printed.empty()) continue;
    const ncu::ScaledUnit unit = ncu::BaseUnit(printed);
    column.unit = out_.Text(unit.unit);
    column.factor = unit.factor;
  }
  units_taken_ = true;
}

model::MetricValue Pages::ValueOf(std::string_view text, double factor) {
  if (IsNoValue(text)) return {};
  if (factor == 1) {
    if (const auto count = ParseCount(text); count && (decimal_ == '.' || text.find(',') == std::string_view::npos))
      return *count;
  }
  if (const auto number = ParseNumber(text, decimal_)) return *number * factor;
  return out_.Text(text);
}

bool Pages::IsSameKernel(const CsvReader& csv) const {
  std::string key(FieldOf(csv, columns_.id));
  key += '\n';
  key += FieldOf(csv, columns_.process);
  return open_ && key == kernel_key_;
}

uint32_t Pages::DeviceOf(const CsvReader& csv) {
  const auto id = ParseSigned(FieldOf(csv, columns_.device));
  if (!id) return kNone;
  const uint32_t row = out_.Device(*id);
  model::Device& device = out_.DeviceAt(row);
  const std::string_view cc = FieldOf(csv, columns_.cc);
  const size_t dot = cc.find('.');
  if (!device.cc_major && dot != std::string_view::npos) {
    const auto major = ParseCount(cc.substr(0, dot)), minor = ParseCount(cc.substr(dot + 1));
    if (major && minor && *major < 1000 && *minor < 1000) {
      device.cc_major = static_cast<uint32_t>(*major);
      device.cc_minor = static_cast<uint32_t>(*minor);
    }
  }
  return row;
}

void Pages::BeginKernel(const CsvReader& csv) {
  CloseKernel();
  model::Trace& trace = out_.trace();
  model::KernelProfile profile;
  profile.source = out_.source_row();
  profile.id = ParseCount(FieldOf(csv, columns_.id)).value_or(0);
  profile.process = out_.Process(ParseSigned(FieldOf(csv, columns_.process)).value_or(-1));
  if (const auto name = FieldOf(csv, columns_.process_name); !name.empty())
    trace.processes[profile.process].name = out_.Text(name);
  profile.name = out_.Text(FieldOf(csv, columns_.kernel));
  profile.context = ParseSigned(FieldOf(csv, columns_.context)).value_or(-1);
  profile.stream = ParseSigned(FieldOf(csv, columns_.stream)).value_or(-1);
  profile.device = DeviceOf(csv);
  profile.metric_begin = profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
  profile.advice_begin = profile.advice_end = static_cast<uint32_t>(trace.advice.size());
  model::LaunchConfig config;
  ParseExtent(FieldOf(csv, columns_.block), config.block);
  ParseExtent(FieldOf(csv, columns_.grid), config.grid);
  trace.kernel_profiles.push_back(profile);
  configs_.push_back(config);
  kernel_key_ = std::string(FieldOf(csv, columns_.id)) + "\n" + std::string(FieldOf(csv, columns_.process));
  open_ = true;
}

void Pages::CloseKernel() {
  if (!open_) return;
  model::Trace& trace = out_.trace();
  trace.kernel_profiles.back().metric_end = static_cast<uint32_t>(trace.metrics.size());
  trace.kernel_profiles.back().advice_end = static_cast<uint32_t>(trace.advice.size());
  open_ = false;
}

void Pages::AddDetail(const CsvReader& csv) {
  const std::string_view label = FieldOf(csv, columns_.metric);
  if (label.empty()) return AddRule(csv);
  const ncu::ScaledUnit unit = ncu::BaseUnit(FieldOf(csv, columns_.unit));
  const std::string_view name = MetricOfLabel(label, unit.unit == "%");
  model::Trace& trace = out_.trace();
  const model::StringId id = out_.Text(name);
  // Several sections show the same metric.
  for (size_t row = trace.kernel_profiles.back().metric_begin; row < trace.metrics.size(); ++row) {
    if (trace.metrics[row].name == id) return;
  }
  trace.metrics.push_back({id, unit.unit.empty() ? model::kNoString : out_.Text(unit.unit),
                           ValueOf(FieldOf(csv, columns_.value), unit.factor)});
}

void Pages::AddRule(const CsvReader& csv) {
  const std::string_view text = FieldOf(csv, columns_.rule_text);
  if (text.empty()) return;
  model::Advice advice;
  const std::string_view section = FieldOf(csv, columns_.section), rule = FieldOf(csv, columns_.rule);
  if (!section.empty()) advice.section = out_.Text(section);
  if (!rule.empty()) advice.rule = out_.Text(rule);
  advice.text = out_.Text(text);
  advice.kind = KindOf(FieldOf(csv, columns_.rule_type));
  advice.speedup_pct = ParseNumber(FieldOf(csv, columns_.speedup), decimal_);
  advice.speedup_is_global = FieldOf(csv, columns_.speedup_kind) == "global";
  out_.trace().advice.push_back(advice);
}

void Pages::AddRawRow(const CsvReader& csv) {
  model::Trace& trace = out_.trace();
  const uint32_t device = trace.kernel_profiles.back().device;
  const bool wants_attributes = device != kNone && trace.devices[device].attribute_end == 0;
  std::vector<model::Metric> attributes;
  for (const MetricColumn& column : metric_columns_) {
    const model::Metric metric{column.name, column.unit, ValueOf(csv.field(column.column), column.factor)};
    if (!column.is_attribute) trace.metrics.push_back(metric);
    else if (wants_attributes) attributes.push_back(metric);
  }
  CloseKernel();
  if (attributes.empty()) return;
  trace.devices[device].attribute_begin = static_cast<uint32_t>(trace.metrics.size());
  trace.metrics.insert(trace.metrics.end(), attributes.begin(), attributes.end());
  trace.devices[device].attribute_end = static_cast<uint32_t>(trace.metrics.size());
  ncu::FillFromAttributes(out_, device);
}

void Pages::AddRow(const CsvReader& csv) {
  const std::string_view id = FieldOf(csv, columns_.id);
  if (raw_page_ && !units_taken_ && id.empty()) return TakeUnits(csv);
  if (!ParseCount(id) || csv.fields().size() <= *columns_.kernel) {
    ++odd_rows_;
    return;
  }
  if (raw_page_) {
    BeginKernel(csv);
    AddRawRow(csv);
    return;
  }
  if (!IsSameKernel(csv)) BeginKernel(csv);
  AddDetail(csv);
}

void Pages::Finish() {
  CloseKernel();
  out_.source().producer = "Nsight Compute";
  out_.source().vendor = model::Vendor::kNvidia;
  ncu::FillFromMetrics(out_, first_profile_, std::move(configs_));
}

}  // namespace warpscope::import::ncu_csv
