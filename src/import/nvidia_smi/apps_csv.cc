// `--query-compute-apps`, `--query-accounted-apps`, `--query-retired-pages`: tables about processes and pages. Only how
// many processes hold a device is kept; their names and numbers are nobody's business here.
#include <algorithm>
#include <set>

#include "import/nvidia_smi/section.h"

namespace warpscope::import::nvidia_smi {
namespace {

constexpr size_t kMaxProcesses = 100000;

std::string FieldName(std::string_view heading) {
  return monitor::Lower(monitor::Trimmed(heading.substr(0, heading.find(" ["))).substr(0, 60));
}

size_t Find(const std::vector<std::string>& columns, std::string_view name) {
  return static_cast<size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
}

std::vector<std::string> Header(std::string_view line) {
  std::vector<std::string> columns;
  if (line.size() > 4096 || line.find(',') == std::string_view::npos) return columns;
  for (const std::string_view field : SplitCommas(line)) columns.push_back(FieldName(field));
  const auto has = [&](std::string_view name) { return Find(columns, name) < columns.size(); };
  const bool apps = has("pid") && (has("process_name") || has("used_gpu_memory") || has("used_memory") ||
                                   has("gpu_utilization") || has("max_memory_usage"));
  if (!apps && !has("retired_pages.address")) columns.clear();
  return columns;
}

class Apps final : public Section {
 public:
  Apps(Shared& shared, std::vector<std::string> columns) : shared_(shared), columns_(std::move(columns)) {}

  bool Take(const Line& line) override {
    const std::string_view text = monitor::Trimmed(line.text);
    if (text.empty()) return true;
    const std::vector<std::string_view> row = SplitCommas(text);
    if (row.size() < columns_.size() || text.front() == '#') return false;
    if (Find(columns_, "used_gpu_memory") == columns_.size() && Find(columns_, "used_memory") == columns_.size())
      return true;
    DeviceNames names;
    if (const size_t at = Find(columns_, "gpu_bus_id"); at < columns_.size()) names.pci = monitor::PciBusId(row[at]);
    if (const size_t at = Find(columns_, "gpu_uuid"); at < columns_.size()) names.uuid = row[at];
    if (const size_t at = Find(columns_, "gpu_name"); at < columns_.size()) names.name = row[at];
    const size_t pid = Find(columns_, "pid");
    if (pid < columns_.size() && monitor::ParseValue(row[pid]).number && count_++ < kMaxProcesses)
      processes_[shared_.recorder->Device(names)].insert(*monitor::ParseValue(row[pid]).number);
    return true;
  }

  void End() override {
    for (const auto& [device, pids] : processes_) {
      Sample sample;
      sample.SetNumber(model::ReadingName::kComputeProcesses, static_cast<double>(pids.size()));
      shared_.recorder->Write(device, std::nullopt, sample);
    }
  }

 private:
  Shared& shared_;
  std::vector<std::string> columns_;
  std::map<uint32_t, std::set<double>> processes_;
  size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Section> sections::BeginApps(const Line& line, Shared& shared) {
  std::vector<std::string> columns = Header(monitor::Trimmed(line.text));
  if (columns.empty()) return nullptr;
  return std::make_unique<Apps>(shared, std::move(columns));
}

}  // namespace warpscope::import::nvidia_smi
