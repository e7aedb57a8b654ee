#include "rules/kernel/launch_shapes.h"

#include <array>
#include <map>

#include "rules/kernel/counter_join.h"
#include "rules/text.h"
#include "rules/vendor_words.h"

namespace warpscope::rules {

using analysis::KernelCategory;

namespace {

// For each row of launch_configs the first one that is equal but for its place in a graph.
std::vector<uint32_t> Geometries(const model::Trace& trace) {
  using Key = std::array<uint64_t, 8>;
  constexpr uint64_t kUnknown = UINT64_MAX;
  std::map<Key, uint32_t> first;
  std::vector<uint32_t> of;
  for (const model::LaunchConfig& config : trace.launch_configs) {
    const uint64_t registers = config.registers_per_thread ? *config.registers_per_thread : kUnknown;
    const uint64_t shared = config.shared_bytes ? *config.shared_bytes : kUnknown;
    const Key key = {config.grid[0],  config.grid[1],  config.grid[2], config.block[0],
                     config.block[1], config.block[2], registers,      shared};
    of.push_back(first.try_emplace(key, static_cast<uint32_t>(of.size())).first->second);
  }
  return of;
}

}  // namespace

std::vector<LaunchShape> NotableShapes(const Context& c, double min_share_pct, int64_t min_mean_ns,
                                       std::string_view id) {
  const model::Device* device = MainDevice(c);
  if (device == nullptr || !device->sm_count) return {};
  std::map<std::pair<model::StringId, uint32_t>, LaunchShape> shapes;
  const std::vector<uint32_t> geometry = Geometries(c.trace);
  for (const uint32_t row : c.gpu_rows) {
    if (c.trace.gpu.kind[row] != model::GpuKind::kKernel || c.trace.Launch(row) == nullptr ||
        c.index.is_communication(row) || CountersJudge(c, row, id))
      continue;
    if (c.trace.streams[c.trace.gpu.stream[row]].device != c.device) continue;
    LaunchShape& shape = shapes[{c.trace.gpu.name[row], geometry[c.trace.gpu.detail[row]]}];
    shape.rows.push_back(row);
    shape.total_ns += c.trace.gpu.dur_ns[row];
  }
  std::vector<LaunchShape> notable;
  for (auto& [key, shape] : shapes) {
    if (c.SharePct(shape.total_ns) < min_share_pct || shape.mean_ns() < min_mean_ns) continue;
    const auto waves = analysis::LaunchWaves(*device, c.trace.launch_configs[key.second]);
    if (!waves || waves->blocks == 0) continue;
    shape.name = key.first;
    shape.config = key.second;
    shape.waves = *waves;
    const analysis::KernelClass& kernel = c.index.kernel_class(shape.rows.front());
    shape.library = kernel.library_gemm || kernel.category == KernelCategory::kAttention ||
                    kernel.category == KernelCategory::kGemm || kernel.category == KernelCategory::kConvolution;
    notable.push_back(std::move(shape));
  }
  std::sort(notable.begin(), notable.end(), [&](const LaunchShape& a, const LaunchShape& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    if (a.name != b.name) return c.trace.Text(a.name) < c.trace.Text(b.name);
    return a.config < b.config;
  });
  return notable;
}

bool NearBandwidth(const Context& c, const LaunchShape& shape, double of_usable) {
  const auto bandwidth = UsableBandwidth(MainPeaks(c));
  if (!bandwidth || shape.mean_ns() <= 0) return false;
  ShapeCache shapes(c);
  const OpShapes* operands = shapes.Shapes(shape.rows.front());
  if (operands == nullptr) return false;
  return operands->input_bytes() / static_cast<double>(shape.mean_ns()) * 1e9 >= of_usable * *bandwidth;
}

std::string GeometryText(const model::LaunchConfig& config) {
  const auto size = [](const uint32_t(&n)[3]) { return Count(n[0]) + " x " + Count(n[1]) + " x " + Count(n[2]); };
  return "grid " + size(config.grid) + ", block " + size(config.block);
}

std::string CountersCommand(const Context& c, uint32_t gpu_row) {
  // The function's own name: up to the template arguments.
  std::string name = analysis::ShortKernelName(c.trace.GpuName(gpu_row), 200);
  name = name.substr(0, name.find_first_of("<( "));
  std::erase_if(name, [](char ch) { return ch == '\'' || ch == '"' || ch == '\\' || ch == '$' || ch == '`'; });
  return CountersCommandFor(c.source().vendor, name);
}

}  // namespace warpscope::rules
