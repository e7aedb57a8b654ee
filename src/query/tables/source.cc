// recording, sources, devices, processes, threads, streams, ledger: where the data comes from and how far to trust it.
#include "query/catalog.h"
#include "query/tables/common.h"

namespace warpscope::query {
namespace {

using model::kNone;

constexpr std::string_view kNothing = "The file tells of none.";

Table RecordingTable(const Recording& r) {
  const model::Trace& t = r.trace();
  return {
      "recording",
      "one row: the whole",
      kNothing,
      {Int("origin_ns", "ns", "first moment on the file's own clock (epoch if it tells one); other times count from it",
           [&r](uint32_t) { return r.origin_ns(); }),
       Int("host_count", "count", "rows of host", [&t](uint32_t) { return t.host.size(); }),
       Int("gpu_count", "count", "rows of gpu", [&t](uint32_t) { return t.gpu.size(); })},
      AllRows(1),
      1};
}

// Texts that the trace holds as std::string.
template <typename T>
std::vector<uint32_t> TextsOf(Recording& r, const std::vector<T>& list, std::string T::*member) {
  std::vector<uint32_t> ids;
  for (const T& item : list) ids.push_back(r.texts.Add(item.*member));
  return ids;
}
Column TextOf(std::string_view name, std::string_view meaning, std::vector<uint32_t> ids) {
  return Text(name, meaning, [ids = std::move(ids)](uint32_t row) { return ids[row]; });
}

Table Sources(Recording& r) {
  const model::Trace& t = r.trace();
  constexpr std::string_view kVendors[] = {"", "NVIDIA", "AMD", "Intel", "Huawei"};
  const Words<5, model::Vendor> vendors(r, kVendors);
  const auto at = [&t](uint32_t row) -> const model::Source& { return t.sources[row]; };
  return {"sources",
          "one row an input file",
          kNothing,
          {Int("source", "", "number", [](uint32_t row) { return row; }),
           TextOf("path", "as it was named", TextsOf(r, t.sources, &model::Source::path)),
           TextOf("format", "\"kineto\", \"nsys\" ...", TextsOf(r, t.sources, &model::Source::format)),
           TextOf("producer", "tool that wrote it", TextsOf(r, t.sources, &model::Source::producer)),
           TextOf("version", "its version", TextsOf(r, t.sources, &model::Source::version)),
           TextOf("host_name", "machine", TextsOf(r, t.sources, &model::Source::host_name)),
           Text("vendor", "of the devices", [at, vendors](uint32_t row) { return vendors[at(row).vendor]; }),
           Int("rank", "", "rank", [at](uint32_t row) { return at(row).rank; }),
           Int("world_size", "count", "ranks of the run", [at](uint32_t row) { return at(row).world_size; }),
           Int("base_time_ns", "ns", "start of its clock", [at](uint32_t row) { return at(row).base_time_ns; }),
           Int("text_bytes", "bytes", "size when unpacked", [at](uint32_t row) { return at(row).text_bytes; })},
          AllRows(t.sources.size()),
          t.sources.size()};
}

Table Devices(Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::Device& { return t.devices[row]; };
  const auto limit = [at](std::string_view name, std::string_view unit, std::string_view meaning, auto member) {
    return Int(name, unit, meaning, [at, member](uint32_t row) { return at(row).*member; });
  };
  using Device = model::Device;
  return {"devices",
          "one row a device that the file tells of",
          kNothing,
          {Int("device", "", "number, as the file numbers it", [at](uint32_t row) { return at(row).id; }),
           TextOf("name", "product name", TextsOf(r, t.devices, &Device::name)),
           Bool("is_used", "something ran on it", [at](uint32_t row) { return at(row).used; }),
           limit("memory_bytes", "bytes", "memory", &Device::memory_bytes),
           limit("cc_major", "", "compute capability, first number", &Device::cc_major),
           limit("cc_minor", "", "compute capability, second number", &Device::cc_minor),
           limit("sm_count", "count", "multiprocessors", &Device::sm_count),
           limit("warp_size", "count", "threads a warp", &Device::warp_size),
           limit("max_threads_per_block", "count", "limit", &Device::max_threads_per_block),
           limit("max_threads_per_sm", "count", "limit", &Device::max_threads_per_sm),
           limit("registers_per_block", "count", "limit", &Device::registers_per_block),
           limit("registers_per_sm", "count", "limit", &Device::registers_per_sm),
           limit("shared_bytes_per_block", "bytes", "limit", &Device::shared_bytes_per_block),
           limit("shared_bytes_per_sm", "bytes", "limit", &Device::shared_bytes_per_sm),
           Int("source", "", "row number in sources", [at](uint32_t row) { return at(row).source; })},
          AllRows(t.devices.size()),
          t.devices.size()};
}

Table Processes(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::Process& { return t.processes[row]; };
  return {"processes",
          "one row a process",
          kNothing,
          {Int("pid", "", "process id", [at](uint32_t row) { return at(row).pid; }),
           Text("name", "name", [at](uint32_t row) { return at(row).name; }),
           Int("rank", "", "rank", [at](uint32_t row) { return at(row).rank; }),
           Int("source", "", "row number in sources", [at](uint32_t row) { return at(row).source; })},
          AllRows(t.processes.size()),
          t.processes.size()};
}

Table Threads(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::Thread& { return t.threads[row]; };
  const auto process = [&t, at](uint32_t row) -> const model::Process* {
    return at(row).process == kNone ? nullptr : &t.processes[at(row).process];
  };
  return {
      "threads",
      "one row a thread",
      kNothing,
      {Int("tid", "", "thread id", [at](uint32_t row) { return at(row).tid; }),
       Text("name", "name", [at](uint32_t row) { return at(row).name; }),
       Int("pid", "", "process id",
           [process](uint32_t row) { return process(row) ? std::optional<int64_t>(process(row)->pid) : std::nullopt; }),
       Int("rank", "", "rank", [process](uint32_t row) { return process(row) ? process(row)->rank : std::nullopt; }),
       Int("row_count", "count", "rows of host",
           [&t](uint32_t row) -> std::optional<int64_t> {
             if (row >= t.thread_rows.size()) return std::nullopt;
             return t.thread_rows[row].end - t.thread_rows[row].begin;
           })},
      AllRows(t.threads.size()),
      t.threads.size()};
}

Table Streams(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::Stream& { return t.streams[row]; };
  return {
      "streams",
      "one row a stream",
      kNothing,
      {Int("stream", "", "number, as the file numbers it", [at](uint32_t row) { return at(row).id; }),
       Int("device", "", "device",
           [&t, at](uint32_t row) -> std::optional<int64_t> {
             return at(row).device == kNone ? std::nullopt : std::optional<int64_t>(t.devices[at(row).device].id);
           }),
       Int("context", "", "context",
           [at](uint32_t row) { return at(row).context < 0 ? std::nullopt : std::optional<int64_t>(at(row).context); }),
       Text("name", "name", [at](uint32_t row) { return at(row).name; }),
       Int("rank", "", "rank, if the file tells", [&r, at](uint32_t row) { return r.RankOf(at(row).link_domain); }),
       Int("gpu_count", "count", "rows of gpu on it",
           [&t](uint32_t row) -> std::optional<int64_t> {
             if (row >= t.stream_rows.size()) return std::nullopt;
             return t.stream_rows[row].size();
           })},
      AllRows(t.streams.size()),
      t.streams.size()};
}

Table LedgerTable(Recording& r) {
  struct Entry {
    uint32_t name, severity, message, file;
    uint64_t count;
    std::optional<uint64_t> first_offset_bytes;
  };
  auto entries = std::make_shared<std::vector<Entry>>();
  for (const model::LedgerEntry& entry : r.trace().ledger.Entries()) {
    entries->push_back({r.texts.Add(entry.name), r.texts.Add(model::SeverityName(entry.severity)),
                        r.texts.Add(entry.message), r.texts.Add(entry.file), entry.count, entry.first_offset_bytes});
  }
  return {"ledger",
          "one row a kind of loss, repair or oddity in the recorded data",
          "Nothing is wrong with the data.",
          {Text("name", "short name", [entries](uint32_t row) { return (*entries)[row].name; }),
           Text("severity", "\"loss\", \"warning\", \"info\"",
                [entries](uint32_t row) { return (*entries)[row].severity; }),
           Int("count", "count", "times", [entries](uint32_t row) { return (*entries)[row].count; }),
           Text("message", "what it means", [entries](uint32_t row) { return (*entries)[row].message; }),
           Text("file", "file of the first one", [entries](uint32_t row) { return (*entries)[row].file; }),
           Int("first_offset_bytes", "bytes", "where in it, unpacked",
               [entries](uint32_t row) { return (*entries)[row].first_offset_bytes; })},
          AllRows(entries->size()),
          entries->size()};
}

}  // namespace

void AddSourceTables(Recording& r, std::vector<Table>& tables) {
  tables.push_back(RecordingTable(r));
  tables.push_back(Sources(r));
  tables.push_back(Devices(r));
  tables.push_back(Processes(r));
  tables.push_back(Threads(r));
  tables.push_back(Streams(r));
  tables.push_back(LedgerTable(r));
}

}  // namespace warpscope::query
