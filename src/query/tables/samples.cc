// pc_samples, pc_windows: samples of stall reasons.
#include <algorithm>

#include "query/catalog.h"
#include "query/tables/common.h"

namespace warpscope::query {
namespace {

constexpr std::string_view kRecordStalls = "No stall reasons were sampled: warpscope record --stalls -- PROGRAM";

Table PcSamples(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::PcSample& { return t.pc_samples[row]; };
  return {"pc_samples",
          "one row an instruction and reason: how often warps were seen there, for that reason",
          kRecordStalls,
          {Name("function", "kernel or device function", [at](uint32_t row) { return at(row).function; }),
           UInt("code", "checksum of its machine code", [at](uint32_t row) { return at(row).code; }),
           Int("offset_bytes", "bytes", "of the instruction in the function",
               [at](uint32_t row) { return static_cast<int64_t>(at(row).offset_bytes); }),
           Name("file", "source file", [at](uint32_t row) { return at(row).file; }),
           Int("line", "", "source line",
               [at](uint32_t row) { return at(row).line == 0 ? std::nullopt : std::optional<int64_t>(at(row).line); }),
           Text("sass", "the instruction", [at](uint32_t row) { return at(row).sass; }),
           Name("reason", "as the recorder names it", [at](uint32_t row) { return at(row).reason; }),
           UInt("samples", "samples", [at](uint32_t row) { return at(row).samples; }),
           Int("process", "", "row number in processes", [at](uint32_t row) { return RowOrAbsent(at(row).process); })},
          AllRows(t.pc_samples.size()),
          t.pc_samples.size()};
}

Table PcWindows(const Recording& r) {
  const model::Trace& t = r.trace();
  const auto at = [&t](uint32_t row) -> const model::PcWindow& { return t.pc_windows[row]; };
  return {
      "pc_windows",
      "one row a stretch of time in which a device was sampled for stall reasons",
      kRecordStalls,
      {Int("device", "", "device",
           [&t, at](uint32_t row) {
             const uint32_t device = at(row).device;
             return device == model::kNone ? std::nullopt : std::optional<int64_t>(t.devices[device].id);
           }),
       Int("start_ns", "ns", "begin", [&r, at](uint32_t row) { return at(row).start_ns - r.origin_ns(); }),
       Int("dur_ns", "ns", "length", [at](uint32_t row) { return at(row).dur_ns; }),
       Int("period_cycles", "", "cycles between two samples of an SM",
           [at](uint32_t row) { return int64_t{1} << std::min<uint32_t>(at(row).period_log2, 62); }),
       UInt("samples", "all samples", [at](uint32_t row) { return at(row).samples; }),
       UInt("dropped", "that the hardware could not keep", [at](uint32_t row) { return at(row).dropped; }),
       UInt("foreign_samples", "of kernels that are not the program's", [at](uint32_t row) { return at(row).foreign; }),
       Bool("buffer_full", "a buffer of the hardware was full", [at](uint32_t row) { return at(row).buffer_full; })},
      AllRows(t.pc_windows.size()),
      t.pc_windows.size()};
}

}  // namespace

void AddSampleTables(Recording& recording, std::vector<Table>& tables) {
  tables.push_back(PcSamples(recording));
  tables.push_back(PcWindows(recording));
}

}  // namespace warpscope::query
