// `nvidia-smi` without options: a box with two or three lines a device. The order of its cells has been the same since
// 2015.
#include "import/nvidia_smi/section.h"

namespace warpscope::import::nvidia_smi {
namespace {

using model::ReadingName;
using monitor::ParseValue;
using monitor::Trimmed;

// The text between bars: "| a | b | c |" -> a, b, c.
std::vector<std::string_view> Cells(std::string_view line) {
  std::vector<std::string_view> cells;
  size_t begin = line.find('|');
  while (begin != std::string_view::npos && cells.size() < 8) {
    const size_t end = line.find('|', begin + 1);
    if (end == std::string_view::npos) break;
    cells.push_back(Trimmed(line.substr(begin + 1, end - begin - 1)));
    begin = end;
  }
  return cells;
}

bool IsUnit(std::string_view word) {
  word = monitor::WithoutDegrees(word);
  return word == "C" || word == "F" || word == "W" || word == "%";
}

// What stands behind a word: "Driver Version: 550.90.07   CUDA" -> "550.90.07".
std::string_view Behind(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) return {};
  const std::vector<std::string_view> words = SplitBlanks(text.substr(at + word.size()).substr(0, 100));
  if (words.empty()) return {};
  std::string_view found = words.front();
  if (!found.empty() && found.back() == '|') found.remove_suffix(1);
  return found;
}

class SummaryTable final : public Section {
 public:
  explicit SummaryTable(Shared& shared) : shared_(shared), time_ns_(shared.seen_time_ns) {}

  bool Take(const Line& line) override {
    const std::string_view text = Trimmed(line.text);
    if (text.empty()) return !in_processes_ || blanks_++ == 0;
    if (text.front() == '+') return true;
    if (text.front() != '|') return false;
    if (text.find("Processes:") != std::string_view::npos) in_processes_ = true;
    if (text.find("NVIDIA-SMI") != std::string_view::npos) return Title(text);
    const std::vector<std::string_view> cells = Cells(text);
    if (in_processes_) return Process(cells);
    if (cells.size() < 3) return true;
    const std::vector<std::string_view> left = SplitBlanks(cells[0]), middle = SplitBlanks(cells[1]);
    if (!middle.empty() && !monitor::PciBusId(middle[0]).empty() && left.size() >= 2) First(left, middle, cells[2]);
    else if (cells[1].find('/') != std::string_view::npos && cells[1].find("iB") != std::string_view::npos && device_)
      Second(left, cells);
    else if (cells[0].empty() && cells[1].empty() && device_) sample_.Set(ReadingName::kMigMode, ParseValue(cells[2]));
    return true;
  }

  void End() override {
    Flush();
    for (const auto& [index, count] : processes_) {
      Sample sample;
      sample.SetNumber(ReadingName::kProcesses, count);
      DeviceNames names;
      names.index = index;
      shared_.recorder->Write(shared_.recorder->Device(names), time_ns_, sample);
    }
  }

 private:
  bool Title(std::string_view text) {
    if (shared_.tool_version.empty()) shared_.tool_version = Behind(text, "NVIDIA-SMI");
    Sample host;
    const std::string_view driver = Behind(text, "Driver Version:"), cuda = Behind(text, "CUDA Version:");
    shared_.recorder->SetDriver(driver);
    if (!driver.empty()) host.Set(ReadingName::kDriverVersion, ParseValue(driver));
    if (!cuda.empty()) host.Set(ReadingName::kCudaVersion, ParseValue(cuda));
    shared_.recorder->Write(model::kNone, time_ns_, host);
    return true;
  }

  // "0  NVIDIA H200   On" | "00000000:83:00.0 Off" | "0"
  void First(const std::vector<std::string_view>& left, const std::vector<std::string_view>& middle,
             std::string_view ecc) {
    Flush();
    const Value index = ParseValue(left[0]);
    DeviceNames names;
    if (index.number && *index.number >= 0 && *index.number < 4096) names.index = static_cast<int64_t>(*index.number);
    names.pci = monitor::PciBusId(middle[0]);
    size_t end = left.size();
    const std::string_view mode = left.back();
    if (mode == "On" || mode == "Off" || mode == "WDDM" || mode == "TCC" || mode == "MCDM" || mode == "N/A") --end;
    if (monitor::StateOf(mode)) sample_.Set(ReadingName::kPersistenceMode, ParseValue(mode));
    for (size_t i = 1; i < end; ++i) names.name += (i > 1 ? " " : "") + std::string(left[i]);
    sample_.Set(ReadingName::kEccUncorrected, ParseValue(ecc == "Off" ? "N/A" : ecc));
    device_ = shared_.recorder->Device(names);
    if (names.index) processes_.try_emplace(*names.index, 0);
  }

  // "N/A   28C    P0    77W /  700W" | "0MiB / 143771MiB" | "0%      Default"
  void Second(const std::vector<std::string_view>& left, const std::vector<std::string_view>& cells) {
    bool after_slash = false, fan_seen = false;
    for (size_t i = 0; i < left.size(); ++i) {
      const std::string_view word = left[i];
      Value value = ParseValue(word);
      // "104 F", "60 W": the unit stands apart.
      if (value.number && value.unit.empty() && i + 1 < left.size() && IsUnit(left[i + 1])) value.unit = left[++i];
      value.unit = monitor::WithoutDegrees(value.unit);
      if (word == "/") after_slash = true;
      else if (value.number && value.unit == "W")
        sample_.Set(after_slash ? ReadingName::kPowerLimit : ReadingName::kPowerDraw, value);
      else if (value.number && (value.unit == "C" || value.unit == "F"))
        sample_.Set(ReadingName::kTemperatureGpu, value);
      else if (value.number && value.unit == "%" && !fan_seen)
        sample_.Set(ReadingName::kFanSpeed, value), fan_seen = true;
      else if (word.size() <= 3 && word.front() == 'P') sample_.Set(ReadingName::kPstate, value);
    }
    const size_t slash = cells[1].find('/');
    sample_.Set(ReadingName::kMemoryUsed, ParseValue(cells[1].substr(0, slash)));
    sample_.Set(ReadingName::kMemoryTotal, ParseValue(cells[1].substr(slash + 1)));
    const std::vector<std::string_view> right = SplitBlanks(cells[2]);
    if (!right.empty()) sample_.Set(ReadingName::kUtilizationGpu, ParseValue(right[0]));
  }

  // "0   N/A  N/A   10291   C   /opt/tools/memhog   2566MiB": only that there is one.
  bool Process(const std::vector<std::string_view>& cells) {
    if (cells.size() != 1) return true;
    const std::vector<std::string_view> words = SplitBlanks(cells[0]);
    if (words.size() < 4) return true;
    const Value index = ParseValue(words[0]);
    if (!index.number || *index.number < 0 || *index.number >= 4096) return true;
    const auto found = processes_.find(static_cast<int64_t>(*index.number));
    if (found != processes_.end()) ++found->second;
    return true;
  }

  void Flush() {
    if (device_) shared_.recorder->Write(*device_, time_ns_, sample_);
    device_.reset();
    sample_.Clear();
  }

  Shared& shared_;
  std::optional<int64_t> time_ns_;
  std::optional<uint32_t> device_;
  Sample sample_;
  std::map<int64_t, double> processes_;
  bool in_processes_ = false;
  int blanks_ = 0;
};

}  // namespace

std::unique_ptr<Section> sections::BeginTable(const Line& line, Shared& shared) {
  const std::string_view text = Trimmed(line.text);
  if (text.empty() || text.front() != '|' || text.find("NVIDIA-SMI") == std::string_view::npos) return nullptr;
  auto section = std::make_unique<SummaryTable>(shared);
  section->Take(line);
  return section;
}

}  // namespace warpscope::import::nvidia_smi
