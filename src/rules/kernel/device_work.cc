#include "rules/kernel/device_work.h"

#include "rules/text.h"

namespace warpscope::rules {

using model::kNone;

bool Contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return Contains(text, word); });
}

int64_t TotalNs(const std::vector<KernelGroup>& groups) {
  int64_t total = 0;
  for (const KernelGroup& group : groups) total += group.total_ns;
  return total;
}

int64_t TotalNs(const Context& c, const std::vector<uint32_t>& gpu_rows) {
  int64_t total = 0;
  for (const uint32_t row : gpu_rows) total += c.trace.gpu.dur_ns[row];
  return total;
}

std::string ListKernels(const Context& c, const std::vector<KernelGroup>& groups, size_t max) {
  std::string text;
  for (size_t i = 0; i < groups.size() && i < max; ++i) {
    if (i > 0) text += ", ";
    text += analysis::ShortKernelName(c.trace.Text(groups[i].name)) + " (" + Pct(c.SharePct(groups[i].total_ns)) +
            " of the step)";
  }
  if (groups.size() > max) text += " and " + Plural(static_cast<double>(groups.size() - max), "more kernel");
  return text;
}

std::string ShortName(const Context& c, uint32_t gpu_row) {
  return analysis::ShortKernelName(c.trace.GpuName(gpu_row));
}

std::vector<std::vector<uint32_t>> RowsByStream(const Context& c) {
  std::vector<std::vector<uint32_t>> by_stream(c.trace.streams.size());
  for (const uint32_t row : c.gpu_rows) by_stream[c.trace.gpu.stream[row]].push_back(row);
  std::erase_if(by_stream, [](const std::vector<uint32_t>& rows) { return rows.empty(); });
  return by_stream;
}

size_t StepOf(const Context& c, uint32_t gpu_row) {
  const uint32_t call = c.trace.gpu.call[gpu_row];
  const int64_t at = call == kNone ? c.trace.gpu.start_ns[gpu_row] : c.trace.host.start_ns[call];
  const auto& steps = c.steps.steps;
  const auto after = std::upper_bound(steps.begin(), steps.end(), at,
                                      [](int64_t time, const analysis::Step& step) { return time < step.begin_ns; });
  return static_cast<size_t>(after - steps.begin());
}

const model::Device* MainDevice(const Context& c) { return c.device == kNone ? nullptr : &c.trace.devices[c.device]; }

std::optional<GpuPeaks> MainPeaks(const Context& c) {
  const model::Device* device = MainDevice(c);
  return device == nullptr ? std::nullopt : PeaksOf(*device);
}

std::string_view OperatorName(const Context& c, uint32_t gpu_row) {
  const uint32_t op = c.OperatorOf(gpu_row);
  return op == kNone ? std::string_view() : c.trace.HostName(op);
}

bool OptimizerTest::IsName(std::string_view name) {
  return name.starts_with("Optimizer.step") || name.starts_with("aten::_fused_adam") ||
         name.starts_with("aten::_fused_sgd") || name == "optimizer" || name == "optimizer_step" ||
         Contains(name, "torch/optim/");
}

bool OptimizerTest::operator()(uint32_t gpu_row) {
  if (c_.trace.gpu.kind[gpu_row] == model::GpuKind::kKernel &&
      c_.index.kernel_class(gpu_row).category == analysis::KernelCategory::kOptimizer) {
    return true;
  }
  for (uint32_t row = c_.trace.gpu.call[gpu_row]; row != kNone; row = c_.trace.host.parent[row]) {
    if (name_(c_.trace.host.name[row])) return true;
  }
  return false;
}

const ShapeCache::Entry* ShapeCache::Find(uint32_t gpu_row) {
  const uint32_t op = c_.OperatorOf(gpu_row);
  if (op == kNone || c_.trace.host.detail[op] == kNone) return nullptr;
  const auto [it, fresh] = entries_.try_emplace({c_.trace.host.name[op], c_.trace.host.detail[op]});
  if (fresh) {
    it->second.shapes = ShapesOf(c_.trace, op);
    if (it->second.shapes) it->second.gemm = GemmShapeOf(c_.trace.HostName(op), *it->second.shapes);
  }
  return &it->second;
}

const OpShapes* ShapeCache::Shapes(uint32_t gpu_row) {
  const Entry* entry = Find(gpu_row);
  return entry != nullptr && entry->shapes ? &*entry->shapes : nullptr;
}

const GemmShape* ShapeCache::Gemm(uint32_t gpu_row) {
  const Entry* entry = Find(gpu_row);
  return entry != nullptr && entry->gemm ? &*entry->gemm : nullptr;
}

analysis::Side DeviceSide(const Context& c) {
  return c.busy_pct() >= 80 ? analysis::Side::kGpu : analysis::Side::kHost;
}

}  // namespace warpscope::rules
