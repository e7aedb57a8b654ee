// Pages: rows of one CSV page turned into profiles.
// [one thread]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/appender.h"
#include "import/csv/csv_reader.h"

namespace warpscope::import::ncu_csv {

// The mark before decimals in the tool's numbers ('.' or ','), told from a piece of the file; '.' if nothing tells.
char DecimalMarkOf(std::string_view text);

class Pages {
 public:
  Pages(Appender* out, char decimal);

  // REQUIRES: the reader's current row is a header. Fails if it lacks what every page has.
  Status TakeHeader(CsvReader& csv);
  void AddRow(const CsvReader& csv);
  // After the last row.
  void Finish();

  size_t profile_count() const { return out_.trace().kernel_profiles.size() - first_profile_; }
  uint64_t odd_rows() const { return odd_rows_; }  // rows that belong to no kernel: other programs' output

 private:
  struct Columns {
    std::optional<size_t> id, process, process_name, host, kernel, context, stream, block, grid, device, cc;
    std::optional<size_t> section, metric, unit, value, rule, rule_type, rule_text, speedup_kind, speedup;
  };
  struct MetricColumn {
    size_t column;
    model::StringId name, unit = model::kNoString;
    double factor = 1;
    bool is_attribute = false;
  };

  bool IsSameKernel(const CsvReader& csv) const;
  void BeginKernel(const CsvReader& csv);
  void CloseKernel();
  void AddDetail(const CsvReader& csv);
  void AddRule(const CsvReader& csv);
  void AddRawRow(const CsvReader& csv);
  void TakeUnits(const CsvReader& csv);
  uint32_t DeviceOf(const CsvReader& csv);
  model::MetricValue ValueOf(std::string_view text, double factor);

  Appender& out_;
  char decimal_;
  size_t first_profile_;
  Columns columns_;
  std::vector<MetricColumn> metric_columns_;  // of the raw page
  bool raw_page_ = false, units_taken_ = false, open_ = false;
  std::string kernel_key_;  // id and process of the open kernel
  std::vector<model::LaunchConfig> configs_;
  uint64_t odd_rows_ = 0;
};

}  // namespace warpscope::import::ncu_csv
