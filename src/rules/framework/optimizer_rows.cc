#include "rules/framework/optimizer_rows.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpscope::rules {
namespace {

using model::HostKind;
using model::kNone;

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

bool IsOptimizerRange(const Context& c, uint32_t row) {
  const std::string_view name = c.trace.HostName(row);
  if (name.starts_with("Optimizer.step#")) return true;
  switch (c.trace.host.kind[row]) {
    case HostKind::kAnnotation:
      return name == "optimizer" || name == "Optimizer" || name == "optimizer_step" || name == "optimizer.step" ||
             name == "optim";
    case HostKind::kPython:
      return Has(name, "torch/optim/") &&
             (name.ends_with(": step") || name.ends_with(": profile_hook_step") || name.ends_with(": wrapper"));
    default: return false;
  }
}

bool IsFused(std::string_view kernel) {
  return Has(kernel, "FusedAdam") || Has(kernel, "FusedSgd") || Has(kernel, "FusedSGD") || Has(kernel, "fused_adam") ||
         Has(kernel, "FusedAdagrad") || Has(kernel, "FusedLamb") || Has(kernel, "fused_sgd");
}

// Outermost optimizer range around a row.
uint32_t RangeOf(const Context& c, uint32_t call) {
  uint32_t range = kNone;
  for (uint32_t row = call; row != kNone; row = c.trace.host.parent[row]) {
    if (IsOptimizerRange(c, row)) range = row;
  }
  return range;
}

void Add(const Context& c, uint32_t gpu_row, OptimizerRun& run) {
  const uint32_t call = c.trace.gpu.call[gpu_row];
  if (run.rows.empty()) run.start_ns = c.trace.host.start_ns[call];
  run.end_ns = std::max(run.end_ns, c.trace.host.end_ns(call));
  run.rows.push_back(gpu_row);
  run.fused |= IsFused(c.trace.GpuName(gpu_row));
}

// Device rows with a call, by call time.
std::vector<uint32_t> IssueOrder(const Context& c) {
  std::vector<uint32_t> rows;
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.call[row] != kNone && c.trace.gpu.kind[row] != model::GpuKind::kCopy) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return c.trace.host.start_ns[c.trace.gpu.call[a]] < c.trace.host.start_ns[c.trace.gpu.call[b]];
  });
  return rows;
}

bool OnAutogradThread(const Context& c, uint32_t call) {
  const auto& threads = c.rank.autograd_threads;
  return std::find(threads.begin(), threads.end(), c.trace.host.thread[call]) != threads.end();
}

// Operators that hand-written optimizers are made of. At least some are in place: parameters change where they are.
bool IsPointwise(std::string_view op, bool& in_place) {
  static constexpr std::string_view kNames[] = {
      "aten::mul",  "aten::add",    "aten::sub",     "aten::div",        "aten::addcmul", "aten::addcdiv",
      "aten::sqrt", "aten::lerp",   "aten::pow",     "aten::_foreach_",  "aten::zero",    "aten::fill",
      "aten::copy", "aten::rsub",   "aten::maximum", "aten::reciprocal", "aten::rsqrt",   "aten::sign",
      "aten::neg",  "aten::square", "aten::clamp"};
  in_place = op.ends_with("_");
  if (in_place) op.remove_suffix(1);
  for (const std::string_view name : kNames) {
    if (op == name || (name.ends_with("_") && op.starts_with(name))) return true;
  }
  return false;
}

// Runs on the forward thread that begin after autograd's last launch and hold only pointwise operators.
std::vector<OptimizerRun> ByOperators(const Context& c, const std::vector<uint32_t>& order) {
  std::vector<OptimizerRun> runs;
  OptimizerRun run{};
  size_t in_place_count = 0;
  bool after_backward = false;
  const auto close = [&] {
    if (2 * in_place_count >= run.rows.size() / 2 && run.rows.size() > 1) runs.push_back(run);
    run = {};
    in_place_count = 0;
  };
  for (const uint32_t row : order) {
    const uint32_t call = c.trace.gpu.call[row];
    if (OnAutogradThread(c, call)) {
      close();
      after_backward = true;
      continue;
    }
    const uint32_t op = c.OutermostOperatorOf(row);
    bool in_place = false;
    const bool fits = after_backward && op != kNone && IsPointwise(c.trace.HostName(op), in_place);
    if (!fits) {
      close();
      after_backward = false;
      continue;
    }
    in_place_count += in_place;
    Add(c, row, run);
  }
  close();
  return runs;
}

// PyTorch's and Apex's kernel over lists of tensors, which optimizers without a fused kernel run once an operation.
bool IsTensorList(std::string_view kernel) { return Has(kernel, "multi_tensor_apply_kernel"); }

// Without ranges and operators (a recorder of CUDA alone): stretches of launches over lists of tensors. Several
// operations (names) make an optimizer; one alone is a clipped norm or a single operator over all parameters.
std::vector<OptimizerRun> ByKernels(const Context& c, const std::vector<uint32_t>& order) {
  constexpr size_t kMinOperations = 3;
  constexpr size_t kMostBetween = 2;  // other kernels inside: counters of steps
  std::vector<OptimizerRun> runs;
  OptimizerRun run{};
  std::set<model::StringId> names;
  size_t between = 0;
  const auto close = [&] {
    run.by_kernels = true;
    if (names.size() >= kMinOperations) runs.push_back(run);
    run = {};
    names.clear();
    between = 0;
  };
  for (const uint32_t row : order) {
    if (IsTensorList(c.trace.GpuName(row))) {
      between = 0;
      names.insert(c.trace.gpu.name[row]);
      Add(c, row, run);
    } else if (++between > kMostBetween) {
      close();
    }
  }
  close();
  return runs;
}

}  // namespace

std::vector<OptimizerRun> FindOptimizerRuns(const Context& c) {
  const std::vector<uint32_t> order = IssueOrder(c);
  std::map<uint32_t, OptimizerRun> by_range;
  for (const uint32_t row : order) {
    const uint32_t range = RangeOf(c, c.trace.gpu.call[row]);
    if (range == kNone) continue;
    OptimizerRun& run = by_range[range];
    run.labelled = true;
    run.range = range;
    if (run.label.empty()) run.label = std::string(c.trace.HostName(range));
    Add(c, row, run);
  }
  if (by_range.empty()) {
    std::vector<OptimizerRun> runs = ByOperators(c, order);
    return runs.empty() ? ByKernels(c, order) : runs;
  }
  std::vector<OptimizerRun> runs;
  for (auto& [range, run] : by_range) runs.push_back(std::move(run));
  return runs;
}

}  // namespace warpscope::rules
