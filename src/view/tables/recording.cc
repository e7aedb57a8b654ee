// Ledger and environment: what the recording is and how far it can be trusted.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/reading_names.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

class Facts {
 public:
  explicit Facts(Table& table) : table_(table) {}
  void Add(std::string_view subject, std::string_view fact, std::string_view value) {
    if (!value.empty()) table_.rows.push_back({Text(subject), Text(fact), Text(value)});
  }
  template <typename T>
  void AddNumber(std::string_view subject, std::string_view fact, const std::optional<T>& value) {
    if (value) Add(subject, fact, fmt::format("{}", *value));
  }
  // What is recorded of a machine has its unit at the end of its name.
  void AddRecorded(std::string_view subject, std::string_view fact, std::string_view value) {
    constexpr std::string_view kBytes = "_bytes";
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    const model::ReadingInfo* info = model::FindReadingInfo(fact);
    std::string_view unit = info != nullptr ? info->unit : std::string_view();
    if (whole && fact.ends_with(kBytes)) {
      fact.remove_suffix(kBytes.size());
      unit = "bytes";
    }
    if (!whole) return Add(subject, fact, value);
    if (unit == "bytes") return Add(subject, fact, FormatBytes(number));
    const std::string_view words = unit == "mhz" ? " MHz" : unit == "watts" ? " W" : "";
    Add(subject, fact, std::string(value) + std::string(words));
  }
  void AddBytes(std::string_view subject, std::string_view fact, const std::optional<uint64_t>& value) {
    if (value) Add(subject, fact, FormatBytes(static_cast<double>(*value)));
  }
  void AddYesNo(std::string_view subject, std::string_view fact, const std::optional<bool>& value) {
    if (value) Add(subject, fact, *value ? "yes" : "no");
  }

 private:
  Table& table_;
};

std::string_view PlatformOf(model::Vendor vendor) {
  switch (vendor) {
    case model::Vendor::kUnknown: return "";
    case model::Vendor::kNvidia: return "CUDA";
    case model::Vendor::kAmd: return "ROCm";
    case model::Vendor::kIntel: return "Level Zero";
    case model::Vendor::kHuawei: return "CANN";
  }
  return "";
}

void SourceFacts(Facts& facts, const model::Source& source) {
  const std::string& path = source.path;
  facts.Add(path, "format", source.format);
  facts.Add(path, "producer", source.producer);
  facts.Add(path, "version", source.version);
  facts.Add(path, "host", source.host_name);
  facts.AddNumber(path, "rank", source.rank);
  facts.AddNumber(path, "world size", source.world_size);
  facts.AddYesNo(path, "shapes recorded", source.record_shapes);
  facts.AddYesNo(path, "stacks recorded", source.with_stack);
  facts.AddYesNo(path, "memory recorded", source.profile_memory);
  facts.Add(path, "platform", PlatformOf(source.vendor));
  facts.Add(path, "text", FormatBytes(static_cast<double>(source.text_bytes)));
}

void DeviceFacts(Facts& facts, const model::Device& device, bool rocm) {
  const std::string who = fmt::format("device {}", device.id);
  facts.Add(who, "name", device.name);
  if (device.cc_major)
    facts.Add(who, "compute capability", fmt::format("{}.{}", *device.cc_major, device.cc_minor.value_or(0)));
  facts.AddNumber(who, rocm ? "compute units" : "SMs", device.sm_count);
  facts.AddBytes(who, "memory", device.memory_bytes);
  facts.AddNumber(who, rocm ? "wave size" : "warp size", device.warp_size);
  facts.AddNumber(who, rocm ? "threads per compute unit" : "threads per SM", device.max_threads_per_sm);
  facts.AddNumber(who, "registers per SM", device.registers_per_sm);
  if (device.shared_bytes_per_sm)
    facts.AddBytes(who, rocm ? "LDS per compute unit" : "shared memory per SM",
                   std::optional<uint64_t>(*device.shared_bytes_per_sm));
}

}  // namespace

Table LedgerTable(const model::Trace& trace) {
  Table table;
  table.name = "ledger";
  table.title = "What is wrong, missing or repaired in the recording";
  table.columns = {{"severity", "severity", Kind::kText},    {"name", "name", Kind::kText},
                   {"count", "count", Kind::kCount},         {"first_offset", "first at byte", Kind::kId, 2},
                   {"file", "file", Kind::kName, kDataOnly}, {"message", "meaning", Kind::kSentence}};
  for (const model::LedgerEntry& entry : trace.ledger.Entries()) {
    table.rows.push_back({Text(model::SeverityName(entry.severity)), Text(entry.name), Int(entry.count),
                          entry.first_offset_bytes ? IdOf(*entry.first_offset_bytes) : Cell{}, Text(entry.file),
                          Text(entry.message)});
  }
  table.empty_text = "Nothing: every record was read as it stands.";
  return table;
}

Table EmptyEnvironmentTable(std::string title) {
  Table table;
  table.name = "env";
  table.title = std::move(title);
  table.columns = {{"subject", "of", Kind::kName}, {"fact", "what", Kind::kText}, {"value", "value", Kind::kSentence}};
  return table;
}

// "variable NCCL_DEBUG", "package torch", "tag batch" are facts of their own subjects.
void AddRecordedFact(Table& table, int device, std::string_view name, std::string_view value) {
  Facts facts(table);
  if (device >= 0) return facts.AddRecorded(fmt::format("device {}", device), name, value);
  for (const std::string_view subject : {"variable", "package", "tag", "cuda_toolkit"}) {
    if (name.size() > subject.size() && name.starts_with(subject) && name[subject.size()] == ' ')
      return facts.Add(subject, name.substr(subject.size() + 1), value);
  }
  facts.AddRecorded("machine", name, value);
}

namespace {

// What was run comes first, then on which device, with which software and machine, then how it was recorded; the files
// last.
int Place(std::string_view subject, std::string_view fact) {
  if (subject == "tag") return 1;
  if (subject == "machine") {
    for (const std::string_view run : {"command", "program", "git_revision", "git_branch", "git_changes"}) {
      if (fact == run) return 0;
    }
    return fact.starts_with("git") ? 0 : fact == "processes" || fact.starts_with("host_sampl") ? 5 : 3;
  }
  if (subject.starts_with("device ")) return 2;
  if (subject == "package" || subject == "cuda_toolkit") return 4;
  return subject == "variable" ? 6 : 7;
}

void SortFacts(Table& table) {
  const auto place = [](const std::vector<Cell>& row) {
    const auto text = [](const Cell& cell) {
      const std::string* value = std::get_if<std::string>(&cell);
      return value != nullptr ? std::string_view(*value) : std::string_view();
    };
    return Place(text(row[0]), text(row[1]));
  };
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

}  // namespace

Table EnvironmentTable(const Subject& subject) {
  const model::Trace& trace = subject.trace();
  Table table = EmptyEnvironmentTable("What the recording says about itself");
  Facts facts(table);
  for (const model::Source& source : trace.sources) SourceFacts(facts, source);
  for (const model::Device& device : trace.devices) {
    const bool rocm =
        device.source < trace.sources.size() && trace.sources[device.source].vendor == model::Vendor::kAmd;
    if (device.used || trace.devices.size() == 1) DeviceFacts(facts, device, rocm);
  }
  for (const analysis::Rank& rank : subject.index.ranks()) {
    facts.Add(rank.label, "host spans", FormatCount(static_cast<int64_t>(rank.host_rows)));
    facts.Add(rank.label, "device items", FormatCount(static_cast<int64_t>(rank.gpu_rows)));
    facts.Add(rank.label, "threads", FormatCount(static_cast<int64_t>(rank.threads.size())));
  }
  for (const model::Reading& reading : trace.readings) {  // of warpscope record: facts, in the order they were written
    if (reading.time_ns || trace.sources[reading.source].format != "capture") continue;
    const int device = reading.device == model::kNone ? -1 : static_cast<int>(trace.devices[reading.device].id);
    const std::string value = reading.text != model::kNoString ? std::string(trace.Text(reading.text))
                              : reading.value                  ? fmt::format("{:.10g}", *reading.value)
                                                               : std::string();
    AddRecordedFact(table, device, trace.Text(reading.name), value);
  }
  SortFacts(table);
  return table;
}

}  // namespace warpscope::view
