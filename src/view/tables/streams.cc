// Streams and devices: who was busy, who overlapped whom.
#include <fmt/format.h>

#include "analysis/device_time.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

constexpr std::string_view kNoWork = "No device work was recorded. For PyTorch: record with ProfilerActivity.CUDA.";

void BusySentences(Table& table, const model::Trace& trace, const std::vector<analysis::DeviceTime>& devices) {
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < devices.size() && i < kMost; ++i) {
    const auto& device = devices[i];
    const auto window_ns = static_cast<double>(device.end_ns - device.begin_ns);
    if (window_ns <= 0) continue;
    table.summary.push_back(fmt::format("Device {}: busy {} of {} ({}).", DeviceLabel(trace, device.device),
                                        FormatDurationNs(static_cast<double>(device.busy_ns)),
                                        FormatDurationNs(window_ns),
                                        FormatPct(100 * static_cast<double>(device.busy_ns) / window_ns)));
  }
}

}  // namespace

Table StreamTable(const Subject& subject) {
  const model::Trace& trace = subject.trace();
  Table table;
  table.name = "streams";
  table.title = "Streams, busiest first";
  table.columns = {{"device", "device", Kind::kId},
                   {"rank", "rank", Kind::kText, 3},
                   {"stream", "stream", Kind::kId},
                   {"count", "items", Kind::kCount},
                   {"busy_ns", "busy", Kind::kDurationNs},
                   {"share_of_window_pct", "of time", Kind::kPct},
                   {"kernels", "kernels", Kind::kCount},
                   {"copies", "copies", Kind::kCount},
                   {"memsets", "fills", Kind::kCount, 2},
                   {"first_start_ns", "first at", Kind::kTimeNs, 4},
                   {"last_end_ns", "last until", Kind::kTimeNs, 4},
                   {"sum_ns", "sum", Kind::kDurationNs, kDataOnly},
                   {"context", "context", Kind::kId, kDataOnly},
                   {"name", "name", Kind::kName, 6}};
  const auto devices = analysis::DeviceTimes(subject.index, subject.device_scope);
  for (const auto& device : devices) {
    for (const auto& time : device.streams) {
      const model::Stream& stream = trace.streams[time.stream];
      table.rows.push_back(
          {Int(trace.devices[device.device].id), Text(RankLabel(subject, stream.link_domain)), Int(stream.id),
           Int(time.rows), Int(time.busy_ns),
           PctOf(static_cast<double>(time.busy_ns), static_cast<double>(device.end_ns - device.begin_ns)),
           Int(time.kernels), Int(time.copies), Int(time.memsets), TimeCell(subject, time.first_start_ns),
           TimeCell(subject, time.last_end_ns), Int(time.sum_ns), stream.context < 0 ? Cell{} : Int(stream.context),
           NameCell(subject, stream.name)});
    }
  }
  BusySentences(table, trace, devices);
  table.empty_text = kNoWork;
  return table;
}

Table DeviceTable(const Subject& subject) {
  const model::Trace& trace = subject.trace();
  Table table;
  table.name = "devices";
  table.title = "Devices";
  table.columns = {{"device", "device", Kind::kId},
                   {"name", "name", Kind::kName, 5},
                   {"window_ns", "window", Kind::kDurationNs},
                   {"busy_ns", "busy", Kind::kDurationNs},
                   {"busy_pct", "busy %", Kind::kPct},
                   {"idle_ns", "idle", Kind::kDurationNs, 1},
                   {"compute_ns", "compute", Kind::kDurationNs, 1},
                   {"copy_ns", "copies", Kind::kDurationNs, 1},
                   {"communication_ns", "communication", Kind::kDurationNs, 2},
                   {"memset_ns", "fills", Kind::kDurationNs, 6},
                   {"kernel_ns", "all kernels", Kind::kDurationNs, 7},
                   {"kernel_copy_overlap_ns", "copies beside kernels", Kind::kDurationNs, 4},
                   {"compute_copy_overlap_ns", "copies beside compute", Kind::kDurationNs, kDataOnly},
                   {"compute_communication_overlap_ns", "communication beside compute", Kind::kDurationNs, 8},
                   {"exposed_copy_ns", "copies alone", Kind::kDurationNs, 5},
                   {"exposed_communication_ns", "communication alone", Kind::kDurationNs, 7},
                   {"two_or_more_ns", "two or more at once", Kind::kDurationNs, 8},
                   {"kernels", "kernels", Kind::kCount, 6},
                   {"copies", "copy count", Kind::kCount, kDataOnly},
                   {"memsets", "fill count", Kind::kCount, kDataOnly}};
  const auto devices = analysis::DeviceTimes(subject.index, subject.device_scope);
  for (const auto& time : devices) {
    int64_t two_or_more_ns = 0;
    for (size_t running = 2; running < time.concurrency_ns.size(); ++running)
      two_or_more_ns += time.concurrency_ns[running];
    const int64_t window_ns = time.end_ns - time.begin_ns;
    table.rows.push_back({Int(trace.devices[time.device].id),
                          Text(trace.devices[time.device].name),
                          Int(window_ns),
                          Int(time.busy_ns),
                          PctOf(static_cast<double>(time.busy_ns), static_cast<double>(window_ns)),
                          Int(time.idle_ns),
                          Int(time.compute_ns),
                          Int(time.copy_ns),
                          Int(time.communication_ns),
                          Int(time.memset_ns),
                          Int(time.kernel_ns),
                          Int(time.kernel_copy_overlap_ns),
                          Int(time.compute_copy_overlap_ns),
                          Int(time.compute_communication_overlap_ns),
                          Int(time.exposed_copy_ns),
                          Int(time.exposed_communication_ns),
                          Int(two_or_more_ns),
                          Int(time.kernels),
                          Int(time.copies),
                          Int(time.memsets)});
  }
  BusySentences(table, trace, devices);
  table.notes = {"busy: anything runs (overlaps count once). alone: while no compute kernel runs."};
  table.empty_text = kNoWork;
  return table;
}

}  // namespace warpscope::view
