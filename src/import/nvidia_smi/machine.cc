// The outputs that describe the machine: `topo -m`, `-L`, `nvlink -s`, `--version`.
#include "import/nvidia_smi/section.h"

namespace warpscope::import::nvidia_smi {
namespace {

using model::ReadingName;
using monitor::ParseValue;
using monitor::Trimmed;

// Terminal escapes stand in the header even when the output goes to a file (ESC[4m ... ESC[0m).
std::string WithoutEscapes(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain.push_back(text[i]);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') {
      for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~');) ++i;
    }
  }
  return plain;
}

std::vector<std::string> SplitTabs(std::string_view line) {
  std::vector<std::string> cells;
  for (size_t begin = 0; begin <= line.size() && cells.size() < 1000;) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    cells.emplace_back(Trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

// "GPU12" -> 12.
std::optional<int64_t> GpuNumber(std::string_view text) {
  if (text.substr(0, 3) != "GPU" || text.size() > 7) return std::nullopt;
  const Value value = ParseValue(text.substr(3));
  if (!value.number || !value.unit.empty() || *value.number < 0) return std::nullopt;
  return static_cast<int64_t>(*value.number);
}

class Topology final : public Section {
 public:
  Topology(Shared& shared, std::vector<std::string> columns) : shared_(shared), columns_(std::move(columns)) {}

  bool Take(const Line& line) override {
    const std::vector<std::string> cells = SplitTabs(WithoutEscapes(line.text));
    if (const auto row = GpuNumber(cells[0]); row && cells.size() > 1) {
      Row(*row, cells);
      return true;
    }
    const std::string_view text = Trimmed(line.text);
    const bool is_nic = text.substr(0, 3) == "NIC" || text.substr(0, 5) == "mlx5_";
    const bool is_legend = text.find("egend:") != std::string_view::npos ||
                           text.find("  = ") != std::string_view::npos ||
                           text.find(" = Connection") != std::string_view::npos;
    return text.empty() || is_nic || is_legend;
  }
  void End() override {}

 private:
  void Row(int64_t index, const std::vector<std::string>& cells) {
    std::string links;
    for (size_t i = 1; i < cells.size() && i < columns_.size(); ++i) {
      const bool is_place = columns_[i] == "CPU Affinity" || columns_[i] == "NUMA Affinity";
      if ((!GpuNumber(columns_[i]) && !is_place) || cells[i] == "X" || monitor::IsNoValue(cells[i])) continue;
      links += (links.empty() ? "" : ", ") + columns_[i] + " " + cells[i];
    }
    if (links.empty()) return;
    Sample sample;
    sample.Set(ReadingName::kTopology, ParseValue(links));
    DeviceNames names;
    names.index = index;
    shared_.recorder->Write(shared_.recorder->Device(names), std::nullopt, sample);
  }

  Shared& shared_;
  std::vector<std::string> columns_;
};

// "GPU 0: NVIDIA H200 (UUID: GPU-...)"; false if the line is something else.
bool ParseListed(std::string_view text, DeviceNames& names) {
  if (text.substr(0, 4) != "GPU " || text.size() > 400) return false;
  const size_t colon = text.find(": "), uuid = text.find(" (UUID: ");
  if (colon == std::string_view::npos || uuid == std::string_view::npos || uuid < colon) return false;
  const Value index = ParseValue(text.substr(4, colon - 4));
  if (!index.number || !index.unit.empty() || *index.number < 0 || *index.number >= 4096) return false;
  names.index = static_cast<int64_t>(*index.number);
  names.name = Trimmed(text.substr(colon + 2, uuid - colon - 2));
  names.uuid = text.substr(uuid + 8, text.find(')', uuid) - uuid - 8);
  return true;
}

class List final : public Section {
 public:
  explicit List(Shared& shared) : shared_(shared) {}

  bool Take(const Line& line) override {
    const std::string_view text = Trimmed(line.text);
    if (text.empty()) return true;
    DeviceNames names;
    if (ParseListed(text, names)) {
      Flush();
      device_ = shared_.recorder->Device(names);
      return true;
    }
    if (text.substr(0, 4) == "MIG ") return true;  // an instance of the device above
    if (text.substr(0, 5) != "Link " || text.find(": ") == std::string_view::npos) return false;
    // nvlink -e: "Link 0: Replay Errors: 0"; -c: "Link 0, P2P is supported: true", which is no state of a link.
    constexpr std::string_view kErrors = "Errors: ";
    if (const size_t at = text.find(kErrors); at != std::string_view::npos) {
      if (const Value count = ParseValue(text.substr(at + kErrors.size())); count.number)
        errors_ = errors_.value_or(0) + *count.number;
      return true;
    }
    const Value speed = ParseValue(text.substr(text.find(": ") + 2));
    const auto bytes = speed.number ? monitor::ConvertUnit(*speed.number, speed.unit, "bytes_per_s") : std::nullopt;
    if (bytes) ++up_;
    else if (text.find("inactive") != std::string_view::npos) ++down_;
    speed_ += bytes.value_or(0);
    return true;
  }

  void End() override { Flush(); }

 private:
  void Flush() {
    if (device_ && (up_ + down_ > 0 || errors_)) {
      Sample sample;
      if (up_ + down_ > 0) {
        sample.SetNumber(ReadingName::kNvlinkLinks, up_);
        sample.SetNumber(ReadingName::kNvlinkLinksDown, down_);
        sample.SetNumber(ReadingName::kNvlinkSpeed, speed_);
      }
      if (errors_) sample.SetNumber(ReadingName::kNvlinkErrors, *errors_);
      shared_.recorder->Write(*device_, std::nullopt, sample);
    }
    device_.reset();
    errors_.reset();
    up_ = down_ = speed_ = 0;
  }

  Shared& shared_;
  std::optional<uint32_t> device_;
  double up_ = 0, down_ = 0, speed_ = 0;
  std::optional<double> errors_;
};

class Version final : public Section {
 public:
  explicit Version(Shared& shared) : shared_(shared) {}

  bool Take(const Line& line) override {
    const size_t colon = line.text.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string key = monitor::Lower(Trimmed(line.text.substr(0, colon)).substr(0, 40));
    const Value value = ParseValue(line.text.substr(colon + 1));
    if (key.find("version") == std::string::npos) return false;
    // Windows from driver 610 on: "DRIVER version : Deprecated, see KMD version".
    const bool is_version = !value.text.empty() && value.text.front() >= '0' && value.text.front() <= '9';
    if (!is_version) return true;
    if (key == "nvidia-smi version" && shared_.tool_version.empty()) shared_.tool_version = value.text;
    if (key == "driver version" || key == "kmd version") host_.Set(ReadingName::kDriverVersion, value);
    if (key == "cuda version") {
      // The readings want the version as a text.
      host_.Set(ReadingName::kCudaVersion, value);
    }
    return true;
  }

  void End() override { shared_.recorder->Write(model::kNone, std::nullopt, host_); }

 private:
  Shared& shared_;
  Sample host_;
};

}  // namespace

std::unique_ptr<Section> sections::BeginTopology(const Line& line, Shared& shared) {
  const std::string text = WithoutEscapes(line.text.substr(0, 4096));
  const std::vector<std::string> cells = SplitTabs(text);
  if (cells.size() < 3 || text.find("Affinity") == std::string::npos || !GpuNumber(cells[1])) return nullptr;
  return std::make_unique<Topology>(shared, cells);
}

std::unique_ptr<Section> sections::BeginList(const Line& line, Shared& shared) {
  DeviceNames names;
  if (!ParseListed(Trimmed(line.text), names)) return nullptr;
  auto section = std::make_unique<List>(shared);
  section->Take(line);
  return section;
}

std::unique_ptr<Section> sections::BeginVersion(const Line& line, Shared& shared) {
  const std::string_view text = Trimmed(line.text);
  if (text.substr(0, 18) != "NVIDIA-SMI version" || text.find(':') == std::string_view::npos) return nullptr;
  auto section = std::make_unique<Version>(shared);
  section->Take(line);
  return section;
}

}  // namespace warpscope::import::nvidia_smi
