// Values over time: metrics of GPUs and network cards, and allocations of device memory.
#include "import/nsys/reader.h"

namespace warpscope::import::nsys {
namespace {

using model::LedgerCode;

struct Metric {
  model::StringId name = model::kNoString, unit = model::kNoString;
};

// "DRAM Read Bandwidth [Throughput %]" -> name and unit.
Metric SplitUnit(Reader& reader, std::string_view text) {
  Metric metric;
  const size_t open = text.rfind(" [");
  if (open != std::string_view::npos && text.ends_with("]")) {
    metric.unit = reader.add().Text(text.substr(open + 2, text.size() - open - 3));
    text = text.substr(0, open);
  }
  metric.name = reader.add().Text(text);
  return metric;
}

void ReadMetrics(Reader& reader, const char* values, const char* names, std::string_view type_names, bool of_gpu) {
  if (!reader.db().HasTable(values)) return;
  std::map<std::pair<int64_t, int64_t>, Metric> metrics;
  Columns catalogue(names);
  const int type = catalogue.Add(type_names), id = catalogue.Add("metricId|id"),
            name = catalogue.Add("metricName|name");
  reader.Rows(catalogue, [&](const Query& row) {
    metrics[{row.Int(type).value_or(0), row.Int(id).value_or(0)}] = SplitUnit(reader, row.Bytes(name));
  });
  Columns columns(values);
  const int time = columns.Add("timestamp|start"), of = columns.Add(type_names);
  const int metric_id = columns.Add("metricId"), value = columns.Add("value");
  reader.Rows(columns, [&](const Query& row) {
    const auto number = row.Number(value);
    if (!number) return reader.add().Note(LedgerCode::kBadNumber);
    const auto at_ns = reader.At(row.Int(time));
    if (!at_ns) return;
    const int64_t kind = row.Int(of).value_or(0);
    auto known = metrics.find({kind, row.Int(metric_id).value_or(0)});
    if (known == metrics.end()) {
      // A catalogue without types, or none: the number is all that is known.
      const auto untyped = metrics.find({0, row.Int(metric_id).value_or(0)});
      const Metric metric =
          untyped != metrics.end()
              ? untyped->second
              : Metric{reader.add().Text("metric " + std::to_string(row.Int(metric_id).value_or(0))), 0};
      known = metrics.emplace(std::pair(kind, row.Int(metric_id).value_or(0)), metric).first;
    }
    model::CounterSample sample;
    sample.time_ns = *at_ns;
    sample.name = known->second.name;
    sample.unit = known->second.unit;
    sample.value = *number;
    // The low byte of a GPU's type is its number; 255 stands for none.
    constexpr int64_t kDeviceMask = 0xff;
    if (of_gpu && (kind & kDeviceMask) != kDeviceMask)
      sample.device =
          reader.is_own() ? reader.OwnDevice(kind) : reader.Device(std::nullopt, reader.CudaId(kind & kDeviceMask));
    reader.trace().counters.push_back(sample);
  });
}

void ReadMemory(Reader& reader) {
  Columns columns("CUDA_GPU_MEMORY_USAGE_EVENTS");
  const int start = columns.Add("start"), process = columns.Add("globalPid"), device = columns.Add("deviceId");
  const int address = columns.Add("address"), bytes = columns.Add("bytes"), kind = columns.Add("memKind");
  const int operation = columns.Add("memoryOperationType"), thread = columns.Add("warpscopeGlobalTid");
  const int allocated = columns.Add("warpscopeAllocatedBytes"), reserved = columns.Add("warpscopeReservedBytes");
  reader.Rows(columns, [&](const Query& row) {
    const auto size = row.Int(bytes);
    if (!size || *size < 0) return reader.add().Note(LedgerCode::kMissingField);
    const auto at_ns = reader.At(row.Int(start));
    if (!at_ns) return;
    model::MemoryEvent event;
    event.time_ns = *at_ns;
    event.bytes = row.Int(operation).value_or(0) == 1 ? -*size : *size;
    event.address = static_cast<uint64_t>(row.Int(address).value_or(0));
    const bool host = row.Int(kind).value_or(2) <= 1 || row.is_null(device);
    if (!host) event.device = reader.Device(row.Int(process), *row.Int(device));
    if (!row.is_null(thread)) event.thread = reader.Thread(row.Int(thread));
    event.total_allocated_bytes = row.Int(allocated);
    event.total_reserved_bytes = row.Int(reserved);
    reader.trace().memory.push_back(event);
  });
}

}  // namespace

void Reader::ReadSamples() {
  ReadMetrics(*this, "GPU_METRICS", "TARGET_INFO_GPU_METRICS", "typeId", true);
  for (const char* nic : {"NIC_METRIC", "NET_NIC_METRIC", "NET_IB_DEVICE_METRIC"}) {
    const std::string names = db_.HasTable(std::string("TARGET_INFO_") + nic) ? std::string("TARGET_INFO_") + nic
                              : db_.HasTable("TARGET_INFO_NETWORK_METRICS")   ? "TARGET_INFO_NETWORK_METRICS"
                                                                              : "TARGET_INFO_NIC_METRICS";
    ReadMetrics(*this, nic, names.c_str(), "typeId|deviceId|nicId|globalId", false);
  }
  ReadMemory(*this);
}

}  // namespace warpscope::import::nsys
