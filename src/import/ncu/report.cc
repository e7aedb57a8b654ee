#include "import/ncu/report.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "import/ncu/message_text.h"
#include "import/ncu/profile_fields.h"
#include "import/protobuf/wire.h"

namespace warpscope::import::ncu {
namespace {

using model::kNone;
using model::StringId;
using protobuf::Fields;
using protobuf::WireType;

// More names than any version of the tool knows metrics: a table beyond is damage.
constexpr size_t kMaxNames = size_t{1} << 20;
constexpr size_t kMaxSessionBytes = size_t{64} << 20;

// MetricValue{1 string, 2 float, 3 double, 4 uint32, 5 uint64}
bool ReadValue(std::string_view message, Appender& out, model::MetricValue* value) {
  Fields wire(message);
  while (wire.Next()) {
    if (wire->number == 1 && wire->is_bytes()) *value = out.Text(wire->bytes);
    else if (wire->number == 2 && wire->type == WireType::kFixed32)
      *value = static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(wire->value)));
    else if (wire->number == 3 && wire->type == WireType::kFixed64) *value = wire->Double();
    else if ((wire->number == 4 || wire->number == 5) && wire->type == WireType::kVarint) *value = wire->value;
  }
  if (const auto* number = std::get_if<double>(value); number != nullptr && !std::isfinite(*number)) {
    *value = std::monostate();
    out.Note(model::LedgerCode::kBadNumber);
  }
  return !wire.damaged();
}

// Uint64x3{1 x, 2 y, 3 z}
bool ReadExtent(std::string_view message, uint32_t (&extent)[3]) {
  Fields wire(message);
  while (wire.Next()) {
    if (wire->number >= 1 && wire->number <= 3 && wire->type == WireType::kVarint)
      extent[wire->number - 1] = static_cast<uint32_t>(std::min<uint64_t>(wire->value, UINT32_MAX));
  }
  return !wire.damaged();
}

model::AdviceKind KindOf(uint64_t type) {
  switch (type) {
    case 1: return model::AdviceKind::kOk;
    case 2: return model::AdviceKind::kWarning;
    case 3: return model::AdviceKind::kError;
    case 4: return model::AdviceKind::kOptimization;
    default: return model::AdviceKind::kNote;
  }
}

}  // namespace

Report::Report(Appender* out)
    : out_(*out),
      first_profile_(out_.trace().kernel_profiles.size()),
      first_metric_(out_.trace().metrics.size()),
      first_device_(out_.trace().devices.size()) {}

// BlockHeader{1 NumSources, 2 NumResults, 3 SessionDetails, 4 StringTable, 5 PayloadSize, 6 Process}
bool Report::AddBlock(std::string_view header, Block* block) {
  Fields wire(header);
  while (wire.Next()) {
    if (wire->type == WireType::kVarint) {
      if (wire->number == 1) block->source_count = wire->value;
      if (wire->number == 2) block->result_count = wire->value;
      if (wire->number == 5) block->payload_bytes = wire->value;
    } else if (wire->is_bytes()) {
      bool good = true;
      // The session comes in pieces; the bytes of a message and those of its continuation are one message.
      if (wire->number == 3 && session_.size() + wire->bytes.size() <= kMaxSessionBytes) session_ += wire->bytes;
      if (wire->number == 4) good = AddStrings(wire->bytes);
      if (wire->number == 6) good = AddProcess(wire->bytes);
      if (!good) return false;
    }
  }
  return !wire.damaged();
}

bool Report::AddStrings(std::string_view table) {
  Fields wire(table);
  while (wire.Next()) {
    if (wire->number != 1 || !wire->is_bytes()) continue;
    if (names_.size() == kMaxNames) return false;
    names_.push_back(out_.Text(wire->bytes));
  }
  return !wire.damaged();
}

// Process{1 pid, 2 host, 3 name}; on Windows the name is a path with a NUL at its end.
bool Report::AddProcess(std::string_view message) {
  Fields wire(message);
  int64_t pid = -1;
  std::string_view name;
  while (wire.Next()) {
    if (wire->number == 1 && wire->type == WireType::kVarint) pid = static_cast<int64_t>(wire->value & 0xFFFFFFFF);
    if (wire->number == 3 && wire->is_bytes()) name = wire->bytes;
  }
  while (!name.empty() && name.back() == '\0') name.remove_suffix(1);
  process_ = out_.Process(pid);
  if (!name.empty()) out_.trace().processes[process_].name = out_.Text(name);
  return !wire.damaged();
}

// SourceData{1 Reference, 2 Code, 3 PTX, 4 cubin, 9 files{1*{...}}}; a reference that comes twice adds to the first.
bool Report::AddSource(std::string_view message) {
  Fields wire(message);
  uint64_t reference = 0;
  model::KernelCode code;
  while (wire.Next()) {
    if (wire->number == 1 && wire->type == WireType::kVarint) reference = wire->value;
    if (!wire->is_bytes() || wire->bytes.empty()) continue;
    if (wire->number == 2) code.sass = out_.Text(wire->bytes);
    if (wire->number == 3) code.ptx = out_.Text(wire->bytes);
    if (wire->number == 4) code.cubin_bytes = wire->bytes.size();
  }
  if (wire.damaged()) return false;
  auto& codes = out_.trace().kernel_codes;
  const auto [it, fresh] = codes_.try_emplace(reference, static_cast<uint32_t>(codes.size()));
  if (fresh) {
    codes.push_back(code);
    return true;
  }
  model::KernelCode& known = codes[it->second];
  if (known.sass == model::kNoString) known.sass = code.sass;
  if (known.ptx == model::kNoString) known.ptx = code.ptx;
  if (known.cubin_bytes == 0) known.cubin_bytes = code.cubin_bytes;
  return true;
}

// MetricResult{1 NameId, 2 MetricValue, 3 instances*}; the instances (one a program counter, say) are passed over.
bool Report::ReadMetric(std::string_view message, model::Metric* metric) {
  Fields wire(message);
  metric->name = 0;  // index 0 is not written
  while (wire.Next()) {
    if (wire->number == 1 && wire->type == WireType::kVarint)
      metric->name = static_cast<uint32_t>(std::min<uint64_t>(wire->value, UINT32_MAX));
    if (wire->number == 2 && wire->is_bytes() && !ReadValue(wire->bytes, out_, &metric->value)) return false;
  }
  return !wire.damaged();
}

// Some metrics are collected by several sections; the last value is the one that the tool shows.
void Report::AddMetric(const model::Metric& metric, uint32_t profile_begin) {
  auto& metrics = out_.trace().metrics;
  if (metric.name >= kMaxNames) return;
  if (metric.name >= last_row_of_name_.size()) last_row_of_name_.resize(metric.name + 1, kNone);
  uint32_t& last = last_row_of_name_[metric.name];
  if (last != kNone && last >= profile_begin && last < metrics.size() && metrics[last].name == metric.name) {
    if (metric.value.index() != 0) metrics[last].value = metric.value;
    return;
  }
  last = static_cast<uint32_t>(metrics.size());
  metrics.push_back(metric);
}

// Rule{1 Identifier, 2 DisplayName, 3 Body{1 Items*{1 Message{1 text, 2 type, 4 title}, 10 Speedup{1 kind, 2 pct}}},
// 4 SectionIdentifier}
bool Report::ReadRule(std::string_view message) {
  Fields wire(message);
  model::Advice base;
  std::string_view title;
  std::vector<std::string_view> bodies;
  while (wire.Next()) {
    if (!wire->is_bytes()) continue;
    if (wire->number == 1) base.rule = out_.Text(wire->bytes);
    if (wire->number == 2) title = wire->bytes;
    if (wire->number == 3) bodies.push_back(wire->bytes);
    if (wire->number == 4) base.section = out_.Text(wire->bytes);
  }
  if (wire.damaged()) return false;
  if (!title.empty()) base.title = out_.Text(title);
  for (const std::string_view body : bodies) {
    Fields items(body);
    while (items.Next()) {
      if (items->number == 1 && items->is_bytes() && !ReadRuleItem(items->bytes, base)) return false;
    }
    if (items.damaged()) return false;
  }
  return true;
}

bool Report::ReadRuleItem(std::string_view message, model::Advice advice) {
  Fields wire(message);
  while (wire.Next()) {
    if (!wire->is_bytes()) continue;
    Fields part(wire->bytes);
    if (wire->number == 1) {
      while (part.Next()) {
        if (part->number == 1 && part->is_bytes()) advice.text = out_.Text(PlainMessage(part->bytes));
        if (part->number == 2 && part->type == WireType::kVarint) advice.kind = KindOf(part->value);
        if (part->number == 4 && part->is_bytes() && !part->bytes.empty()) advice.title = out_.Text(part->bytes);
      }
    } else if (wire->number == 10) {
      while (part.Next()) {
        if (part->number == 1 && part->type == WireType::kVarint) advice.speedup_is_global = part->value == 2;
        if (part->number == 2 && part->type == WireType::kFixed64 && std::isfinite(part->Double()))
          advice.speedup_pct = part->Double();
      }
    }
    if (part.damaged()) return false;
  }
  if (!wire.damaged() && advice.text != model::kNoString) out_.trace().advice.push_back(advice);
  return !wire.damaged();
}

// ProfileResult: see docs/formats/ncu.md. Unknown fields are passed over.
bool Report::AddResult(std::string_view message) {
  model::Trace& trace = out_.trace();
  const size_t metric_rows = trace.metrics.size(), advice_rows = trace.advice.size();
  model::KernelProfile profile;
  profile.source = out_.source_row();
  profile.process = process_;
  profile.id = result_count();
  profile.metric_begin = static_cast<uint32_t>(metric_rows);
  profile.advice_begin = static_cast<uint32_t>(advice_rows);
  model::LaunchConfig config;
  std::string_view function, demangled;
  Fields wire(message);
  bool good = true;
  while (good && wire.Next()) {
    if (wire->type == WireType::kVarint) {
      if (wire->number == 22) profile.context = static_cast<int64_t>(wire->value);
      if (wire->number == 23) profile.stream = static_cast<int64_t>(wire->value);
      continue;
    }
    if (!wire->is_bytes()) continue;
    const std::string_view bytes = wire->bytes;
    switch (wire->number) {
      case 5: profile.mangled_name = bytes.empty() ? model::kNoString : out_.Text(bytes); break;
      case 6: function = bytes; break;
      case 7: demangled = bytes; break;
      case 10: good = ReadExtent(bytes, config.grid); break;
      case 11: good = ReadExtent(bytes, config.block); break;
      case 13: {
        model::Metric metric;
        good = ReadMetric(bytes, &metric);
        if (good) AddMetric(metric, profile.metric_begin);
        break;
      }
      case 15: {
        Fields source(bytes);
        while (source.Next()) {
          if (source->number != 1 || source->type != WireType::kVarint) continue;
          if (const auto it = codes_.find(source->value); it != codes_.end()) profile.code = it->second;
        }
        break;
      }
      case 19: good = ReadRule(bytes); break;
      default: break;
    }
  }
  if (!good || wire.damaged()) {
    trace.metrics.resize(metric_rows);
    trace.advice.resize(advice_rows);
    return false;
  }
  profile.name = out_.Text(demangled.empty() ? function : demangled);
  profile.metric_end = static_cast<uint32_t>(trace.metrics.size());
  profile.advice_end = static_cast<uint32_t>(trace.advice.size());
  trace.kernel_profiles.push_back(profile);
  configs_.push_back(config);
  return true;
}

}  // namespace warpscope::import::ncu
