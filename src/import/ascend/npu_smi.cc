// `npu-smi info`: a framed table with two lines a chip,
//   | 0     910B3               | OK            | 93.4        44                0    / 0             |
//   | 0                         | 0000:C1:00.0  | 0           0    / 0          57784/ 65536         |
// whose column widths differ by version; numbers may touch the slash. On A3 the second chip of a card has power "-".
#include <algorithm>
#include <vector>

#include "import/ascend/documents.h"
#include "import/csv/csv_reader.h"
#include "model/reading_names.h"

namespace warpscope::import::ascend {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> Split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of(at);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const size_t end = text.find_first_of(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end);
  }
  return parts;
}

// The cells of "| a | b | c |"; empty if the line is a frame.
std::vector<std::string_view> Cells(std::string_view line) {
  line = Trim(line);
  if (line.size() < 2 || line.front() != '|') return {};
  std::vector<std::string_view> cells;
  for (const std::string_view cell : Split(line, "|")) cells.push_back(Trim(cell));
  return cells;
}

class Reader {
 public:
  explicit Reader(Appender* out) : out_(out) {}

  void Line(std::string_view line) {
    const std::vector<std::string_view> cells = Cells(line);
    if (line.find("Version:") != std::string_view::npos) return Version(line);
    if (line.find("Process id") != std::string_view::npos) in_processes_ = true;
    if (in_processes_ || cells.size() < 3) return;
    const std::vector<std::string_view> words = Split(cells[0], " ");
    if (words.empty() || !ParseCount(words[0])) return;  // a heading
    if (words.size() >= 2 && cells[1].find(':') == std::string_view::npos) First(words, cells);
    else Second(words, cells);
  }
  uint64_t rows() const { return rows_; }

 private:
  void Version(std::string_view line) {
    const size_t at = line.find("Version:");
    const std::vector<std::string_view> words = Split(line.substr(at + 8), " |");
    if (!words.empty() && out_->source().version.empty()) out_->source().version = words[0];
  }

  // NPU number, name | health | power, temperature, huge pages
  void First(const std::vector<std::string_view>& words, const std::vector<std::string_view>& cells) {
    npu_ = static_cast<int64_t>(ParseCount(words[0]).value_or(0) & 0xFFFF);
    name_ = words[1];
    health_ = cells[1];
    values_.clear();
    for (const std::string_view word : Split(cells[2], " /")) values_.emplace_back(word);
  }

  // chip number | bus id | AI core use, memory use / total, HBM use / total. The device is known only now.
  void Second(const std::vector<std::string_view>& words, const std::vector<std::string_view>& cells) {
    if (npu_ < 0) return;
    const int64_t chip = static_cast<int64_t>(ParseCount(words[0]).value_or(0) & 0xFFFF);
    // "0     1" on newer tools: chip and physical number, which is the device's.
    const auto physical = words.size() > 1 ? ParseCount(words[1]) : std::nullopt;
    const uint32_t device =
        out_->Device(physical ? static_cast<int64_t>(*physical & 0xFFFF) : npu_ + (chip == 0 ? 0 : 1000 * chip));
    if (out_->DeviceAt(device).name.empty() && !name_.empty()) out_->DeviceAt(device).name = "Ascend " + name_;
    Text(device, "health", health_);
    const auto value = [&](size_t at) { return at < values_.size() ? ParseNumber(values_[at], '.') : std::nullopt; };
    Number(device, model::ReadingName::kPowerDraw, value(0), 1);
    Number(device, model::ReadingName::kTemperatureGpu, value(1), 1);
    const std::vector<std::string_view> numbers = Split(cells[2], " /");
    const auto number = [&](size_t at) { return at < numbers.size() ? ParseNumber(numbers[at], '.') : std::nullopt; };
    constexpr double kMebibyte = 1048576;
    Number(device, model::ReadingName::kUtilizationGpu, number(0), 1);
    // The last pair is the HBM; chips without it have only the first, and print 0 / 0 for the other.
    const bool hbm = number(4).value_or(0) > 0;
    Number(device, model::ReadingName::kMemoryUsed, number(hbm ? 3 : 1), kMebibyte);
    Number(device, model::ReadingName::kMemoryTotal, number(hbm ? 4 : 2), kMebibyte);
    if (const auto total = number(hbm ? 4 : 2); total && *total > 0 && *total < 1e9)
      out_->DeviceAt(device).memory_bytes = static_cast<uint64_t>(*total * kMebibyte);
    health_.clear();
    values_.clear();
  }

  void Text(uint32_t device, std::string_view name, std::string_view text) {
    if (text.empty()) return;
    model::Reading row;
    row.source = out_->source_row();
    row.device = device;
    row.name = out_->Text(name);
    row.text = out_->Text(text);
    out_->trace().readings.push_back(row);
    ++rows_;
  }

  void Number(uint32_t device, model::ReadingName name, std::optional<double> value, double factor) {
    if (!value) return;
    const model::ReadingInfo& info = model::InfoOf(name);
    model::Reading row;
    row.source = out_->source_row();
    row.device = device;
    row.name = out_->Text(info.name);
    if (!info.unit.empty()) row.unit = out_->Text(info.unit);
    row.value = *value * factor;
    out_->trace().readings.push_back(row);
    ++rows_;
  }

  Appender* out_;
  int64_t npu_ = -1;
  std::string name_, health_;
  std::vector<std::string> values_;
  bool in_processes_ = false;
  uint64_t rows_ = 0;
};

}  // namespace

Status ReadNpuSmi(std::string_view text, const std::string& path, Appender* out) {
  out->source().producer = "npu-smi";
  Reader reader(out);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    reader.Line(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  if (reader.rows() > 0) return Status::Ok();
  return Status(StatusCode::kUnsupported,
                path + ": byte 0: this text of npu-smi shows no device. Give the output of `npu-smi info`.");
}

}  // namespace warpscope::import::ascend
