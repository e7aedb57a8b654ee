// Operator totals against torch's own key_averages() tables of the same recordings, within the tables' rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analysis/operators.h"
#include "import/import.h"
#include "text.h"

namespace warpscope::recorded {
namespace {

using analysis::HostTimeRow;
using analysis::Index;

struct Cell {
  double value = 0;     // ns, bytes, or a count
  double rounding = 0;  // half of the last digit shown
};

// "59.977ms", "-8.44 GB", "288".
std::optional<Cell> ParseCell(std::string text) {
  double unit = 1;
  const std::pair<const char*, double> kUnits[] = {
      {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {" KB", 1024}, {" MB", 1024.0 * 1024}, {" GB", 1024.0 * 1024 * 1024},
      {" B", 1}};
  for (const auto& [suffix, scale] : kUnits) {
    const std::string_view end(suffix);
    if (text.size() > end.size() && text.substr(text.size() - end.size()) == end) {
      unit = scale;
      text.resize(text.size() - end.size());
      break;
    }
  }
  const auto number = ToNumber(text);
  if (!number) return std::nullopt;
  const size_t dot = text.find('.');
  const double digits = dot == std::string::npos ? 0 : static_cast<double>(text.size() - dot - 1);
  return Cell{*number * unit, 0.5 * unit * std::pow(10.0, -digits) + 0.01};
}

// Cells are separated by two or more blanks.
std::vector<std::string> Split(const std::string& line) {
  std::vector<std::string> out;
  size_t at = line.find_first_not_of(' ');
  while (at != std::string::npos) {
    const size_t end = line.find("  ", at);
    out.push_back(line.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : line.find_first_not_of(' ', end);
  }
  return out;
}

class Checker {
 public:
  explicit Checker(const std::string& name)
      : name_(name), trace_(import::Load({WS_TEST_DATA "/kineto/" + name + ".pt.trace.json.gz"})) {}

  void Run() {
    ASSERT_TRUE(trace_.ok()) << trace_.status().message();
    const Index index(*trace_);
    const auto rows = analysis::SummarizeOperators(index);
    for (const HostTimeRow& row : rows) by_name_[std::string(trace_->Text(row.name))] = &row;
    const auto table = ReadFile(WS_TEST_DATA "/kineto/" + name_ + ".table.txt");
    ASSERT_TRUE(table);
    const auto lines = Lines(*table);
    header_ = Split(lines[1]);
    for (size_t i = 3; i < lines.size() && lines[i].substr(0, 3) != "---"; ++i) Compare(Split(lines[i]));
  }
  int compared() const { return compared_; }

 private:
  const HostTimeRow* Match(std::string name) const {
    const auto it = by_name_.find(name);
    if (it != by_name_.end()) return it->second;
    if (name.size() < 3 || name.substr(name.size() - 3) != "...") return nullptr;
    name.resize(name.size() - 3);
    const auto first = by_name_.lower_bound(name);  // long names are cut; take it only if one name begins so
    if (first == by_name_.end() || first->first.substr(0, name.size()) != name) return nullptr;
    const auto second = std::next(first);
    return second != by_name_.end() && second->first.substr(0, name.size()) == name ? nullptr : first->second;
  }

  void Compare(const std::vector<std::string>& cells) {
    const HostTimeRow* row = Match(cells[0]);
    if (row == nullptr) return;  // a kernel, a call or an annotation
    const auto expect = [&](const char* column, double ours) {
      const auto at = std::find(header_.begin(), header_.end(), column);
      if (at == header_.end()) return;
      const auto cell = ParseCell(cells[static_cast<size_t>(at - header_.begin())]);
      ASSERT_TRUE(cell);
      // torch books calls of the pinning thread on the operator that ran meanwhile on another thread.
      if (name_ == "fastloader" && cells[0] == "aten::cudnn_batch_norm" && std::string(column) == "Self CPU") return;
      EXPECT_NEAR(ours, cell->value, cell->rounding) << name_ << " " << cells[0] << " " << column;
      ++compared_;
    };
    expect("Self CPU", static_cast<double>(row->host_self_ns));
    expect("CPU total", static_cast<double>(row->host_total_ns));
    expect("Self CUDA", static_cast<double>(row->device_self_ns));
    expect("CUDA total", static_cast<double>(row->device_total_ns));
    expect("# of Calls", static_cast<double>(row->calls));
    if (!row->device_memory_total_bytes) return;
    expect("CPU Mem", static_cast<double>(*row->host_memory_total_bytes));
    expect("Self CPU Mem", static_cast<double>(*row->host_memory_self_bytes));
    expect("CUDA Mem", static_cast<double>(*row->device_memory_total_bytes));
    expect("Self CUDA Mem", static_cast<double>(*row->device_memory_self_bytes));
  }

  std::string name_;
  Result<model::Trace> trace_;
  std::map<std::string, const HostTimeRow*> by_name_;
  std::vector<std::string> header_;
  int compared_ = 0;
};

TEST(TorchTables, OperatorsAgreeWithinRounding) {
  int compared = 0;
  for (const char* name : {"tiny", "slowloader", "fastloader", "tf"}) {
    Checker checker(name);
    checker.Run();
    compared += checker.compared();
  }
  EXPECT_GT(compared, 450);
}

}  // namespace
}  // namespace warpscope::recorded
