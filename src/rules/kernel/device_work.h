// Device work as kernel rules look at it: grouped by kernel name, in stream order, with the shapes of the operators
// that launched it. Owns these small helpers; draws no conclusions.
// [MT] Pure functions; ShapeCache and PerName are [one thread], one a rule evaluation.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/gpu_peaks.h"
#include "analysis/op_shapes.h"
#include "rules/context.h"
#include "rules/finding.h"

namespace warpscope::rules {

using analysis::GemmShape;
using analysis::GemmShapeOf;
using analysis::GpuPeaks;
using analysis::Operand;
using analysis::OpShapes;
using analysis::PeakFlops;
using analysis::PeaksOf;
using analysis::ShapesOf;
using analysis::UsableBandwidth;

// Remembers the answer of a test on a name's text: names repeat millions of times.
template <typename F>
class PerName {
 public:
  PerName(const model::Trace& trace, F test)
      : trace_(trace), test_(std::move(test)), known_(trace.strings.size(), -1) {}
  bool operator()(model::StringId name) {
    if (known_[name] < 0) known_[name] = test_(trace_.Text(name)) ? 1 : 0;
    return known_[name] == 1;
  }

 private:
  const model::Trace& trace_;
  F test_;
  std::vector<int8_t> known_;
};

bool Contains(std::string_view text, std::string_view word);
bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> words);

struct KernelGroup {
  model::StringId name = model::kNoString;
  std::vector<uint32_t> rows;  // of gpu, by start
  int64_t total_ns = 0;
};

// Kernel rows of the window for which `take(row)` holds, by name; most time first, then by name text.
template <typename F>
std::vector<KernelGroup> GroupKernels(const Context& c, F&& take) {
  std::map<model::StringId, KernelGroup> by_name;
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel || !take(row)) continue;
    KernelGroup& group = by_name[c.trace.gpu.name[row]];
    group.name = c.trace.gpu.name[row];
    group.rows.push_back(row);
    group.total_ns += c.trace.gpu.dur_ns[row];
  }
  std::vector<KernelGroup> groups;
  for (auto& [name, group] : by_name) groups.push_back(std::move(group));
  std::sort(groups.begin(), groups.end(), [&](const KernelGroup& a, const KernelGroup& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return c.trace.Text(a.name) < c.trace.Text(b.name);
  });
  return groups;
}

int64_t TotalNs(const std::vector<KernelGroup>& groups);
int64_t TotalNs(const Context& c, const std::vector<uint32_t>& gpu_rows);

// "a (31 % of the step), b (12 %)": the first `max` groups.
std::string ListKernels(const Context& c, const std::vector<KernelGroup>& groups, size_t max = 3);
std::string ShortName(const Context& c, uint32_t gpu_row);

// Rows of the window by stream, each in start order; streams in row order.
std::vector<std::vector<uint32_t>> RowsByStream(const Context& c);

// Number of the step that a device row was issued in (by its call, else by its own start): rows of one step share it.
size_t StepOf(const Context& c, uint32_t gpu_row);

// The device most work of this rank ran on; null if there is none.
const model::Device* MainDevice(const Context& c);
std::optional<GpuPeaks> MainPeaks(const Context& c);

// Name of the innermost operator behind a device row; "" without host rows.
std::string_view OperatorName(const Context& c, uint32_t gpu_row);
// Whether some operator around the device row has a name for which `test` holds.
template <typename F>
bool UnderOperator(const Context& c, uint32_t gpu_row, F& test) {
  for (uint32_t row = c.trace.gpu.call[gpu_row]; row != model::kNone; row = c.trace.host.parent[row]) {
    if (c.trace.host.kind[row] == model::HostKind::kOperator && test(c.trace.host.name[row])) return true;
  }
  return false;
}
// Launched by an optimizer's step: a range, frame or operator of that name is around it, or the kernel is one's own.
class OptimizerTest {
 public:
  explicit OptimizerTest(const Context& c) : c_(c), name_(c.trace, IsName) {}
  bool operator()(uint32_t gpu_row);

 private:
  static bool IsName(std::string_view name);

  const Context& c_;
  PerName<bool (*)(std::string_view)> name_;
};

// Parsed shapes by (operator name, recorded detail).
class ShapeCache {
 public:
  explicit ShapeCache(const Context& c) : c_(c) {}
  const OpShapes* Shapes(uint32_t gpu_row);  // of the innermost operator; null if not recorded
  const GemmShape* Gemm(uint32_t gpu_row);   // null if it is no matrix product with recorded shapes

 private:
  struct Entry {
    std::optional<OpShapes> shapes;
    std::optional<GemmShape> gemm;
  };
  const Entry* Find(uint32_t gpu_row);

  const Context& c_;
  std::map<std::pair<model::StringId, uint32_t>, Entry> entries_;
};

// Where the action of a device-only change lies: host intervals matter only if the host is the limit.
analysis::Side DeviceSide(const Context& c);

inline constexpr int64_t kShortestKernelNs = 1'000;  // nothing gets shorter by a change of arithmetic

}  // namespace warpscope::rules
