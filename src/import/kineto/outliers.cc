// SourceBuilder::DropOutliers(): records whose time cannot be (a recorder's clock fault, pytorch/pytorch#192021) would
// stretch the time axis over days and make every share meaningless.
#include <algorithm>

#include "import/kineto/source_builder.h"

namespace warpscope::import::kineto {
namespace {

constexpr size_t kSamples = 100000;
constexpr int64_t kNsPerHour = 3600LL * 1000 * 1000 * 1000;

struct Window {
  int64_t begin_ns, end_ns;
};

// Where the bulk of the rows lies (1st to 99th percentile), widened by twenty times its length and at least an hour.
Window PlausibleWindow(const std::vector<int64_t>& host, size_t host_begin, const std::vector<int64_t>& gpu,
                       size_t gpu_begin) {
  std::vector<int64_t> sample;
  const size_t count = host.size() - host_begin + gpu.size() - gpu_begin;
  const size_t stride = count / kSamples + 1;
  for (size_t i = host_begin; i < host.size(); i += stride) sample.push_back(host[i]);
  for (size_t i = gpu_begin; i < gpu.size(); i += stride) sample.push_back(gpu[i]);
  std::sort(sample.begin(), sample.end());
  const int64_t low = sample[sample.size() / 100];
  const int64_t high = sample[sample.size() - 1 - sample.size() / 100];
  const int64_t spread =
      high / 2 - low / 2 > kNsPerHour * 24 * 365 ? high - low : std::max(kNsPerHour, 20 * (high - low));
  Window window{};
  if (__builtin_sub_overflow(low, spread, &window.begin_ns)) window.begin_ns = INT64_MIN;
  if (__builtin_add_overflow(high, spread, &window.end_ns)) window.end_ns = INT64_MAX;
  return window;
}

// Removes the rows from `begin` on that start outside; fills `moved_to` (kNone = gone) for all rows from `begin` on.
template <typename Table>
uint64_t Compact(Table& table, size_t begin, Window window, std::vector<uint32_t>* moved_to) {
  const size_t count = table.start_ns.size();
  moved_to->assign(count - begin, model::kNone);
  auto kept = static_cast<uint32_t>(begin);
  for (size_t row = begin; row < count; ++row) {
    if (table.start_ns[row] >= window.begin_ns && table.start_ns[row] <= window.end_ns)
      (*moved_to)[row - begin] = kept++;
  }
  table.VisitColumns([&](auto& column) {
    if (column.size() != count) return;  // not filled before Trace::Finish()
    for (size_t row = begin; row < count; ++row) {
      if (const uint32_t to = (*moved_to)[row - begin]; to != model::kNone) column[to] = column[row];
    }
    column.resize(kept);
  });
  return count - kept;
}

}  // namespace

void SourceBuilder::DropOutliers() {
  model::Trace& trace = *trace_;
  if (trace.host.size() - begin_.host + trace.gpu.size() - begin_.gpu < 3) return;
  const Window window = PlausibleWindow(trace.host.start_ns, begin_.host, trace.gpu.start_ns, begin_.gpu);
  const auto inside = [&](const std::vector<int64_t>& times, size_t begin) {
    return std::all_of(times.begin() + static_cast<std::ptrdiff_t>(begin), times.end(),
                       [&](int64_t time) { return time >= window.begin_ns && time <= window.end_ns; });
  };
  if (inside(trace.host.start_ns, begin_.host) && inside(trace.gpu.start_ns, begin_.gpu)) return;
  std::vector<uint32_t> host_to, gpu_to;
  const uint64_t gone =
      Compact(trace.host, begin_.host, window, &host_to) + Compact(trace.gpu, begin_.gpu, window, &gpu_to);
  trace.ledger.Add(model::LedgerCode::kOutOfRange, gone, std::nullopt, {}, trace.sources[source_].path);
  auto collective = trace.collectives.begin() + static_cast<std::ptrdiff_t>(begin_.collectives);
  for (; collective != trace.collectives.end(); ++collective) {
    if (collective->host_row != model::kNone) collective->host_row = host_to[collective->host_row - begin_.host];
    if (collective->gpu_row != model::kNone) collective->gpu_row = gpu_to[collective->gpu_row - begin_.gpu];
  }
}

}  // namespace warpscope::import::kineto
