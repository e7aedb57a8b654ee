// `nvidia-smi -q`: indented lines "Key   : value"; a line without a value opens a group; one block a look, devices
// within it. A key with a value may have children too ("HW Slowdown : Not Active" with "HW Thermal Slowdown" below it).
#include <charconv>
#include <set>

#include "import/nvidia_smi/fields.h"
#include "import/nvidia_smi/section.h"

namespace warpscope::import::nvidia_smi {
namespace {

using model::ReadingName;

constexpr size_t kMaxDepth = 16;

size_t IndentOf(std::string_view text) {
  size_t indent = 0;
  while (indent < text.size() && text[indent] == ' ') ++indent;
  return indent;
}

class QueryText final : public Section {
 public:
  explicit QueryText(Shared& shared) : shared_(shared) {}

  bool Take(const Line& line) override {
    const std::string_view text = monitor::Trimmed(line.text);
    if (text.empty()) return true;
    if (text.front() == '#' || text.front() == '=' || text.front() == '$' || text.front() == '+' || text.front() == '|')
      return false;
    const size_t indent = IndentOf(line.text);
    if (indent == 0 && (text.substr(0, 4) == "GPU " || text.substr(0, 5) == "Unit ")) {
      Flush();
      const std::string pci = monitor::PciBusId(text.substr(4));
      if (pci.empty() && text.find(" : ") == std::string_view::npos) return false;
      names_ = {};
      names_.pci = pci;
      in_device_ = !pci.empty();
      groups_.clear();
      return true;
    }
    const size_t colon = FindColon(text);
    const std::string_view key = monitor::Trimmed(text.substr(0, colon));
    const std::string_view value =
        colon == std::string_view::npos ? std::string_view() : monitor::Trimmed(text.substr(colon + 1));
    if (indent == 0 && colon == std::string_view::npos) return false;
    while (!groups_.empty() && groups_.back().indent >= indent) LeaveGroup();
    if (indent == 0) return Header(key, value);
    if (groups_.size() >= kMaxDepth) return true;
    if (!value.empty()) Field(key, value);
    groups_.push_back({indent, std::string(key.substr(0, 80))});
    return true;
  }

  void End() override {
    Flush();
    sample_.Clear();
    if (!host_.empty()) shared_.recorder->Write(model::kNone, time_ns_, host_);
  }

 private:
  struct Group {
    size_t indent;
    std::string name;
  };

  // The colon that ends the key: keys may hold one themselves ("T.Limit", "00000000:06:00.0"), the separator stands
  // apart.
  static size_t FindColon(std::string_view text) {
    const size_t apart = text.find(" : ");
    if (apart != std::string_view::npos) return apart + 1;
    return !text.empty() && text.back() == ':' ? text.size() - 1 : std::string_view::npos;
  }

  bool Header(std::string_view key, std::string_view value) {
    if (key == "Timestamp") time_ns_ = monitor::ParseDateNs(value);
    if (key == "Driver Version" || key == "KMD Version") {
      shared_.recorder->SetDriver(value);
      host_.Set(ReadingName::kDriverVersion, monitor::ParseValue(value));
    }
    if (key == "CUDA Version") host_.Set(ReadingName::kCudaVersion, monitor::ParseValue(value));
    return true;
  }

  bool InGroup(std::string_view name) const {
    for (const Group& group : groups_) {
      if (group.name == name) return true;
    }
    return false;
  }

  void Field(std::string_view key, std::string_view value) {
    if (!in_device_) return;
    if (InGroup("Processes")) {
      if (key == "Process ID") processes_.insert(std::string(value.substr(0, 20)));
      return;
    }
    if (InGroup("MIG Device")) return MigField(key, value);
    if (InGroup("Accounted Processes") || InGroup("Supported Clocks")) return;
    if (key == "Processes") has_processes_ = true;
    if (groups_.empty()) {
      if (key == "Product Name") names_.name = value;
      if (key == "GPU UUID") names_.uuid = value;
    }
    ApplyQueryPath(Path(key), monitor::ParseValue(value), sample_);
  }

  std::string Path(std::string_view key) const {
    std::string path;
    for (const Group& group : groups_) path += group.name + "/";
    return path += key;
  }

  void MigField(std::string_view key, std::string_view value) {
    if (key == "GPU Instance ID") mig_gpu_ = value;
    if (key == "Compute Instance ID") mig_compute_ = value;
    if (groups_.back().name == "FB Memory Usage" || groups_.back().name == "BAR1 Memory Usage")
      ApplyQueryPath(groups_.back().name + "/" + std::string(key), monitor::ParseValue(value), mig_sample_);
  }

  void LeaveGroup() {
    const std::string name = groups_.back().name;
    groups_.pop_back();
    if (name == "Processes") has_processes_ = true;
    if (name != "MIG Device" || mig_sample_.empty()) return;
    // The product's name stands above the instances.
    const uint32_t parent = shared_.recorder->Device(names_);
    const uint32_t part =
        shared_.recorder->Part(parent, mig_gpu_ + "/" + mig_compute_, "MIG " + mig_gpu_ + "/" + mig_compute_);
    shared_.recorder->Write(part, time_ns_, mig_sample_);
  }

  void Flush() {
    while (!groups_.empty()) LeaveGroup();
    if (!in_device_) return;
    if (has_processes_) sample_.SetNumber(ReadingName::kProcesses, static_cast<double>(processes_.size()));
    shared_.recorder->Write(shared_.recorder->Device(names_), time_ns_, sample_);
    processes_.clear();
    has_processes_ = in_device_ = false;
  }

  Shared& shared_;
  std::optional<int64_t> time_ns_;
  Sample host_, sample_, mig_sample_;
  DeviceNames names_;
  std::string mig_gpu_, mig_compute_;
  std::vector<Group> groups_;
  std::set<std::string> processes_;
  bool in_device_ = false, has_processes_ = false;
};

}  // namespace

std::unique_ptr<Section> sections::BeginQuery(const Line& line, Shared& shared) {
  const std::string_view text = monitor::Trimmed(line.text);
  if (text.size() > 200 || text.find("=NVSMI LOG=") == std::string_view::npos) return nullptr;
  return std::make_unique<QueryText>(shared);
}

}  // namespace warpscope::import::nvidia_smi
