#include "import/xpu_smi/xpu_smi_importer.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/appender.h"
#include "import/csv/csv_reader.h"
#include "model/reading_names.h"

namespace warpscope::import::xpu_smi {
namespace {

using model::LedgerCode;
using model::ReadingName;

// Titles of columns as the tool writes them, without "(unit)"; factor: from the file's unit to the catalogue's.
struct Known {
  std::string_view title;
  ReadingName name;
  double factor;
};
constexpr double kMib = 1048576, kKilobyte = 1000;
constexpr Known kKnown[] = {
    {"GPU Utilization", ReadingName::kUtilizationGpu, 1},
    {"GPU Power", ReadingName::kPowerDraw, 1},
    {"GPU Frequency", ReadingName::kClockGraphics, 1},
    {"GPU Core Temperature", ReadingName::kTemperatureGpu, 1},
    {"GPU Memory Temperature", ReadingName::kTemperatureMemory, 1},
    {"GPU Memory Used", ReadingName::kMemoryUsed, kMib},
    {"GPU Energy Consumed", ReadingName::kEnergy, 1},
    {"PCIe Read", ReadingName::kPcieRx, kKilobyte},
    {"PCIe Write", ReadingName::kPcieTx, kKilobyte},
};

struct Column {
  size_t index = 0;
  std::string name, unit;  // of the reading
  double factor = 1;
};

// "GPU Power (W)" -> title and unit.
Column Describe(size_t index, std::string_view header) {
  Column column;
  column.index = index;
  const size_t open = header.rfind('(');
  std::string_view title = header, unit;
  if (open != std::string_view::npos && header.back() == ')') {
    title = header.substr(0, open);
    unit = header.substr(open + 1, header.size() - open - 2);
  }
  while (!title.empty() && title.back() == ' ') title.remove_suffix(1);
  for (const Known& known : kKnown) {
    if (known.title != title) continue;
    column.name = model::NameOf(known.name);
    column.unit = model::InfoOf(known.name).unit;
    column.factor = known.factor;
    if (unit == "kJ") column.factor *= 1000;
    return column;
  }
  column.name = title;
  column.unit = unit == "%" ? "pct" : unit == "W" ? "watts" : unit == "MHz" ? "mhz" : std::string(unit);
  return column;
}

// "21:54:35.123", perhaps behind a date ("2024-01-15T21:54:35.123"): ns since midnight.
std::optional<int64_t> TimeOfDayNs(std::string_view text) {
  const size_t date_end = text.find_first_of("T ");
  if (date_end != std::string_view::npos) text.remove_prefix(date_end + 1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (!text.empty() && text.back() == 'Z') text.remove_suffix(1);
  if (text.size() < 8 || text.size() > 18 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto two = [&](size_t at) -> int64_t {
    if (text[at] < '0' || text[at] > '9' || text[at + 1] < '0' || text[at + 1] > '9') return -1;
    return (text[at] - '0') * 10 + (text[at + 1] - '0');
  };
  const int64_t hour = two(0), minute = two(3);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
  constexpr int64_t kSecondNs = 1000000000;
  const auto seconds = ParseTimeNs(text.substr(6), kSecondNs);
  if (!seconds || *seconds < 0 || *seconds >= 61 * kSecondNs) return std::nullopt;
  return (hour * 60 + minute) * 60 * kSecondNs + *seconds;
}

// Times without a date: since the first sample; a step back by more than half a day is midnight.
class Clock {
 public:
  int64_t At(int64_t time_of_day_ns) {
    constexpr int64_t kDayNs = int64_t{86400} * 1000000000;
    if (!first_) first_ = last_ = time_of_day_ns;
    if (time_of_day_ns < *last_ - kDayNs / 2) days_ns_ += kDayNs;
    last_ = time_of_day_ns;
    return days_ns_ + time_of_day_ns - *first_;
  }

 private:
  std::optional<int64_t> first_, last_;
  int64_t days_ns_ = 0;
};

Confidence Sniff(const Head& head) {
  std::string_view text = head.bytes.substr(0, size_t{16} << 10);
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Confidence::kNo;
  text.remove_prefix(start);
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool begins = line.substr(0, 10) == "Timestamp," && line.find("DeviceId") != std::string_view::npos;
  return begins ? Confidence::kYes : Confidence::kNo;
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  CsvReader csv(&bytes);
  WS_ASSIGN_OR_RETURN(bool more, csv.Next());
  if (!more) return {StatusCode::kCorrupt, path + ": line 1: no header. Record again with xpu-smi dump."};
  csv.TakeHeader();
  const auto time_column = csv.Column("Timestamp"), device_column = csv.Column("DeviceId");
  const auto tile_column = csv.Column("TileId");
  if (!time_column || !device_column)
    return {StatusCode::kCorrupt, path + ": line 1: no Timestamp and DeviceId. Record again with xpu-smi dump."};
  Appender out(trace, path, "xpu_smi");
  out.source().producer = "xpu-smi dump";
  out.source().vendor = model::Vendor::kIntel;
  std::vector<Column> columns;
  for (size_t i = 0; i < csv.header().size(); ++i) {
    if (i != *time_column && i != *device_column && (!tile_column || i != *tile_column) && !csv.header()[i].empty())
      columns.push_back(Describe(i, csv.header()[i]));
  }
  Clock clock;
  uint64_t rows = 0;
  for (;;) {
    WS_ASSIGN_OR_RETURN(more, csv.Next());
    if (!more) break;
    if (csv.field(*time_column) == "Timestamp") continue;  // several recordings behind each other
    const auto device = ParseSigned(csv.field(*device_column));
    const auto time = TimeOfDayNs(csv.field(*time_column));
    if (!device || !time) {
      out.Note(LedgerCode::kMissingField, 1, csv.offset_bytes(), "no time or device");
      continue;
    }
    const int64_t time_ns = clock.At(*time);
    std::string tile;
    if (tile_column && ParseSigned(csv.field(*tile_column))) tile = " tile " + std::string(csv.field(*tile_column));
    for (const Column& column : columns) {
      model::Reading reading;
      reading.source = out.source_row();
      reading.device = out.Device(*device);
      reading.time_ns = time_ns;
      reading.name = out.Text(column.name + tile);
      if (!column.unit.empty()) reading.unit = out.Text(column.unit);
      const std::string_view field = csv.field(column.index);
      if (const auto value = ParseNumber(field, '.')) reading.value = *value * column.factor;
      else if (!field.empty() && field != "N/A") reading.text = out.Text(field);
      trace->readings.push_back(reading);
    }
    ++rows;
  }
  if (csv.broken_records() > 0) out.Note(LedgerCode::kBrokenRecord, csv.broken_records());
  if (csv.cut_short() || bytes.cut_short()) out.Note(LedgerCode::kTruncatedFile, 1, csv.offset_bytes());
  if (options.progress) options.progress(1.0);
  if (rows > 0) return Status::Ok();
  return {StatusCode::kCorrupt,
          path + ": line 2: no sample follows the header. Let xpu-smi dump run for some seconds."};
}

}  // namespace

const Importer kImporter = {"xpu_smi", "xpu-smi dump (CSV)", &Sniff, &Read};

}  // namespace warpscope::import::xpu_smi
