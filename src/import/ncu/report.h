// Report: the messages of one .ncu-rep file turned into rows. The container's framing is in ncu_importer.cc.
// [one thread]. Metric names are indices into string tables that may follow later in the file, so rows carry the index
// until Finish() puts names and units in.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/appender.h"

namespace warpscope::import::ncu {

class Report {
 public:
  explicit Report(Appender* out);

  // The next block's header; what the block holds follows as AddSource() and AddResult().
  struct Block {
    uint64_t source_count = 0, result_count = 0, payload_bytes = 0;
  };
  // False if it is damaged.
  bool AddBlock(std::string_view header, Block* block);
  bool AddSource(std::string_view message);
  // Appends one profile; false if the message is damaged (then nothing was appended).
  bool AddResult(std::string_view message);
  // After the last message: names, units, devices.
  void Finish();

  size_t result_count() const { return out_.trace().kernel_profiles.size() - first_profile_; }

 private:
  struct PendingMetric {
    uint32_t name_index;
    uint32_t row;
  };

  bool AddStrings(std::string_view table);
  bool AddProcess(std::string_view message);
  bool ReadMetric(std::string_view message, model::Metric* metric);
  bool ReadRule(std::string_view message);
  bool ReadRuleItem(std::string_view message, model::Advice base);
  void AddMetric(const model::Metric& metric, uint32_t profile_begin);
  void NameMetrics();
  void ReadSession();
  void ReadDevice(std::string_view message);

  Appender& out_;
  size_t first_profile_, first_metric_, first_device_;
  uint32_t process_ = model::kNone;
  std::vector<model::StringId> names_;
  std::vector<uint32_t> last_row_of_name_;  // by name index: the last metric row, to tell repeated metrics
  std::vector<model::LaunchConfig> configs_;
  std::string session_;
  std::unordered_map<uint64_t, uint32_t> codes_;  // source reference -> row of kernel_codes
};

}  // namespace warpscope::import::ncu
