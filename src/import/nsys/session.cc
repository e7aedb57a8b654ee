// The clock, the versions, and of an own export which sources and processes it was made from.
#include <algorithm>

#include "import/nsys/reader.h"

namespace warpscope::import::nsys {
namespace {

// The few facts that are told; the others (environment, command line, paths, user) are the user's own business.
struct Facts {
  std::string product, version, schema, host;
  bool graph_mode = false;  // kernels inside CUDA graphs were not recorded one by one
};

Facts ReadFacts(Reader& reader) {
  Facts facts;
  for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    Columns columns(table);
    const int name = columns.Add("name"), value = columns.Add("value");
    reader.Rows(columns, [&](const Query& row) {
      const std::string_view key = row.Bytes(name), text = row.Bytes(value);
      if (key == "EXPORT_PRODUCT_NAME") facts.product = text;
      if (key == "EXPORT_PRODUCT_VERSION") facts.version = text;
      if (key == "EXPORT_SCHEMA_VERSION") facts.schema = text;
    });
  }
  Columns system("TARGET_INFO_SYSTEM_ENV");
  const int name = system.Add("name"), value = system.Add("value");
  reader.Rows(system, [&](const Query& row) {
    if (row.Bytes(name) == "Hostname") facts.host = row.Bytes(value);
  });
  return facts;
}

std::optional<bool> Flag(std::optional<int64_t> value) {
  return value ? std::optional<bool>(*value != 0) : std::nullopt;
}

std::optional<int64_t> NotNegative(std::optional<int64_t> value) { return value && *value >= 0 ? value : std::nullopt; }

}  // namespace

void Reader::ReadSession() {
  Columns start("TARGET_INFO_SESSION_START_TIME");
  const int epoch = start.Add("utcEpochNs");
  constexpr int64_t kLatestNs = int64_t{1} << 61;  // the year 2043
  Rows(start, [&](const Query& row) {
    const int64_t value = row.Int(epoch).value_or(0);
    if (value > 0 && value < kLatestNs) base_ns_ = value;
  });
  const Facts facts = ReadFacts(*this);
  model::Source& source = add_.source();
  source.producer = facts.product.empty() ? "Nsight Systems" : facts.product;
  if (source.producer == "NVIDIA Nsight Systems") source.producer = "Nsight Systems";
  source.version = facts.version;
  if (!facts.version.empty()) source.producer += " " + facts.version;
  if (!facts.schema.empty()) source.producer += " (export schema " + facts.schema + ")";
  source.host_name = facts.host;
  source.vendor = model::Vendor::kNvidia;
  if (base_ns_ != 0) source.base_time_ns = base_ns_;
  // Synchronisations are part of every CUDA recording of nsys; their table is made with the first one.
  source.has_sync_rows =
      db_.HasTable("CUPTI_ACTIVITY_KIND_RUNTIME") || db_.HasTable("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  if (!db_.HasTable("WARPSCOPE_SOURCES")) return;

  is_own_ = true;
  Columns sources("WARPSCOPE_SOURCES");
  const int path = sources.Add("path"), format = sources.Add("format"), producer = sources.Add("producer");
  const int version = sources.Add("version"), rank = sources.Add("rank"), world = sources.Add("worldSize");
  const int base = sources.Add("baseTimeNs"), host = sources.Add("hostName"), shapes = sources.Add("recordShapes");
  const int stack = sources.Add("withStack"), memory = sources.Add("profileMemory"), vendor = sources.Add("vendor");
  const int syncs = sources.Add("hasSyncRows");
  const int period = sources.Add("samplePeriodNs"), launch_cost = sources.Add("launchCostNs");
  const std::string file = add_.source().path;
  uint32_t count = 0;
  constexpr uint32_t kMostSources = 100000;
  Rows(sources, [&](const Query& row) {
    if (count >= kMostSources) return;
    if (count++ > 0) trace().sources.emplace_back();
    model::Source& to = trace().sources.back();
    to.path = file + ":" + std::string(row.Bytes(path));
    to.format = row.Bytes(format);
    to.producer = row.Bytes(producer);
    to.version = row.Bytes(version);
    to.rank = row.Int(rank), to.world_size = row.Int(world), to.base_time_ns = row.Int(base);
    to.host_name = row.Bytes(host);
    to.record_shapes = Flag(row.Int(shapes)), to.with_stack = Flag(row.Int(stack));
    to.profile_memory = Flag(row.Int(memory));
    const int64_t code = row.Int(vendor).value_or(0);
    to.vendor = code >= 0 && code <= static_cast<int64_t>(model::Vendor::kHuawei) ? static_cast<model::Vendor>(code)
                                                                                  : model::Vendor::kUnknown;
    to.has_sync_rows = row.Int(syncs).value_or(0) != 0;
    to.sample_period_ns = NotNegative(row.Int(period)), to.launch_cost_ns = NotNegative(row.Int(launch_cost));
  });
  Columns processes("WARPSCOPE_PROCESSES");
  const int global = processes.Add("globalPid"), pid = processes.Add("pid"), of = processes.Add("sourceId");
  const int process_rank = processes.Add("rank");
  Rows(processes, [&](const Query& row) {
    const int64_t number = std::clamp<int64_t>(row.Int(of).value_or(0), 0, std::max<int64_t>(count, 1) - 1);
    own_processes_[row.Int(global).value_or(-1) & ~kNumberMask] = {
        row.Int(pid).value_or(-1), add_.source_row() + static_cast<uint32_t>(number), row.Int(process_rank)};
  });
  Columns threads("WARPSCOPE_THREADS");
  const int thread = threads.Add("globalTid"), tid = threads.Add("tid");
  Rows(threads, [&](const Query& row) { own_threads_[row.Int(thread).value_or(-1)] = row.Int(tid).value_or(0); });
}

}  // namespace warpscope::import::nsys
