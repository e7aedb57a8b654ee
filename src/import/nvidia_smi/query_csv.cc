// `nvidia-smi --query-gpu=... --format=csv[,noheader][,nounits]`: one row a device and look. Without a header the names
// come from a command line above the table, or, if there is none, from what the values themselves tell.
#include <algorithm>

#include "import/nvidia_smi/fields.h"
#include "import/nvidia_smi/section.h"

namespace warpscope::import::nvidia_smi {
namespace {

// Fields that tell the device or the moment, or nothing about the device's state: known, and no readings.
constexpr std::string_view kIdentity[] = {"timestamp",  "index",    "name",       "gpu_name",   "count",
                                          "uuid",       "gpu_uuid", "serial",     "gpu_serial", "pci.bus_id",
                                          "gpu_bus_id", "pci.bus",  "pci.device", "pci.domain"};

struct Column {
  std::string name, unit;
};

// "utilization.gpu [%]" -> name and unit.
Column ColumnOf(std::string_view heading) {
  Column column;
  const size_t bracket = heading.find(" [");
  column.name = monitor::Lower(monitor::Trimmed(heading.substr(0, bracket)).substr(0, 100));
  if (bracket != std::string_view::npos && heading.back() == ']')
    column.unit = heading.substr(bracket + 2, heading.size() - bracket - 3);
  return column;
}

bool IsIdentity(std::string_view name) {
  return std::find(std::begin(kIdentity), std::end(kIdentity), name) != std::end(kIdentity);
}

bool LooksLikeName(std::string_view text) {
  for (const char* brand : {"NVIDIA ", "Tesla ", "GeForce ", "Quadro ", "TITAN ", "GRID "}) {
    if (text.substr(0, std::string_view(brand).size()) == brand) return true;
  }
  return false;
}

// Names for a table without any: what the shape of a value tells for sure, else the column's number.
std::vector<Column> GuessColumns(const std::vector<std::string_view>& row) {
  std::vector<Column> columns;
  for (size_t i = 0; i < row.size(); ++i) {
    std::string name = "column_" + std::to_string(i + 1);
    if (monitor::ParseDateNs(row[i])) name = "timestamp";
    else if (!monitor::PciBusId(row[i]).empty()) name = "pci.bus_id";
    else if (row[i].substr(0, 4) == "GPU-") name = "uuid";
    else if (LooksLikeName(row[i])) name = "name";
    columns.push_back({name, ""});
  }
  return columns;
}

bool HasUnit(std::string_view text) {
  const Value value = monitor::ParseValue(text);
  return value.number && text.find(' ') != std::string_view::npos && !monitor::UnitWordOf(value.unit).word.empty();
}

// A row of values with units ("17 %, 4321 MiB"), as no other comma separated text has them.
bool LooksLikeBareRow(const std::vector<std::string_view>& row) {
  if (row.size() < 2 || row.size() > 400) return false;
  size_t units = 0;
  for (const std::string_view field : row) {
    if (field.empty() || field.size() > 100) return false;
    units += HasUnit(field) ? 1 : 0;
  }
  return units >= 1 && (units >= 2 || monitor::ParseDateNs(row[0]));
}

class QueryCsv final : public Section {
 public:
  QueryCsv(Shared& shared, std::vector<Column> columns) : shared_(shared), columns_(std::move(columns)) {}

  bool Take(const Line& line) override {
    const std::string_view text = monitor::Trimmed(line.text);
    if (text.empty()) return true;
    if (text.front() == '#' || text.front() == '$' || text.front() == '+' || text.front() == '|' ||
        text.front() == '<' || text.front() == '=')
      return false;
    if (IsQueryHeader(text)) {
      const std::vector<std::string_view> heading = SplitCommas(text);
      columns_.clear();
      for (const std::string_view name : heading) columns_.push_back(ColumnOf(name));
      return true;
    }
    const std::vector<std::string_view> row = SplitCommas(text);
    if (row.size() != columns_.size()) {
      if (row.size() == 1) return false;
      shared_.recorder->appender().Note(
          line.has_end ? model::LedgerCode::kBrokenRecord : model::LedgerCode::kTruncatedFile, 1, line.offset_bytes,
          "a row with another number of fields than the header");
      return true;
    }
    if (row.size() == 1 && !monitor::IsNoValue(row[0]) && !monitor::ParseValue(row[0]).number) return false;
    Row(row);
    return true;
  }

  void End() override {}

 private:
  void Row(const std::vector<std::string_view>& row) {
    DeviceNames names;
    std::optional<int64_t> time_ns;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string& name = columns_[i].name;
      if (name == "timestamp") time_ns = monitor::ParseDateNs(row[i]);
      else if (name == "index") IndexOf(row[i], names);
      else if (name == "name" || name == "gpu_name") names.name = row[i];
      else if (name == "uuid" || name == "gpu_uuid") names.uuid = row[i];
      else if (name == "pci.bus_id" || name == "gpu_bus_id") names.pci = monitor::PciBusId(row[i]);
      else if (!IsIdentity(name)) ApplyCsvField(name, row[i], columns_[i].unit, sample_);
    }
    shared_.recorder->Write(shared_.recorder->Device(names), time_ns, sample_);
  }

  static void IndexOf(std::string_view text, DeviceNames& names) {
    const Value value = monitor::ParseValue(text);
    if (value.number && *value.number >= 0 && *value.number < 4096) names.index = static_cast<int64_t>(*value.number);
  }

  Shared& shared_;
  std::vector<Column> columns_;
  Sample sample_;
};

}  // namespace

std::vector<std::string_view> SplitCommas(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t begin = 0; begin <= line.size() && fields.size() < 1000;) {
    const size_t end = std::min(line.find(',', begin), line.size());
    std::string_view field = monitor::Trimmed(line.substr(begin, end - begin));
    if (field.size() > 1 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    begin = end + 1;
  }
  return fields;
}

bool IsQueryHeader(std::string_view line) {
  if (line.size() > 20000 || line.find("--") != std::string_view::npos) return false;
  const std::vector<std::string_view> fields = SplitCommas(line);
  // One word alone may stand in any text (the tool's own help lists the fields so); with its unit it is a header.
  if (fields.size() == 1 && line.find(" [") == std::string_view::npos) return false;
  size_t known = 0, telling = 0;
  for (const std::string_view field : fields) {
    const Column column = ColumnOf(field);
    const bool is_reading = IsCsvField(column.name) || column.name == "clocks_event_reasons.active" ||
                            column.name == "clocks_throttle_reasons.active";
    known += is_reading || IsIdentity(column.name) ? 1 : 0;
    telling += is_reading ? 1 : 0;
  }
  // New drivers add fields faster than this table: a third is enough where the names have the tool's shape.
  const bool has_shape = line.find('.') != std::string_view::npos || line.find(" [") != std::string_view::npos;
  return telling > 0 && known * (has_shape ? 3 : 2) >= fields.size();
}

std::unique_ptr<Section> sections::BeginCsv(const Line& line, Shared& shared) {
  const std::string_view text = monitor::Trimmed(line.text);
  if (text.empty() || text.find_first_of("#$|<{[") == 0) return nullptr;
  std::unique_ptr<QueryCsv> section;
  if (IsQueryHeader(text)) {
    section = std::make_unique<QueryCsv>(shared, std::vector<Column>{});
  } else {
    if (text.find(',') == std::string_view::npos) return nullptr;
    const std::vector<std::string_view> row = SplitCommas(text);
    std::vector<Column> columns;
    if (!shared.asked_fields.empty() && shared.asked_fields.size() == row.size()) {
      for (const std::string& field : shared.asked_fields) columns.push_back({field, ""});
    } else if (LooksLikeBareRow(row)) {
      columns = GuessColumns(row);
    } else {
      return nullptr;
    }
    section = std::make_unique<QueryCsv>(shared, std::move(columns));
  }
  section->Take(line);
  return section;
}

}  // namespace warpscope::import::nvidia_smi
