// Reader: one nsys database being read - its names, ids and clock - and the parts that read its tables.
// [one thread]. No table and no column is taken for granted: each part asks what is there.
// A damaged table costs its rows behind the damage (ledger: damaged_table), not the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "import/appender.h"
#include "import/import.h"
#include "import/sqlite/database.h"
#include "model/trace.h"

namespace warpscope::import::nsys {

// nsys packs hardware (8 bits), machine (8), process (24) and thread (24) into one number.
inline constexpr int64_t kNumberBits = 24, kNumberMask = (int64_t{1} << kNumberBits) - 1;

// SELECT of some columns of a table, whether it has them or not, with one visit a row.
class Columns {
 public:
  explicit Columns(std::string table) : table_(std::move(table)) {}
  // Adds a column - the first of the names separated by '|' that the table has, else NULL - and answers its number.
  int Add(std::string_view names) {
    names_.emplace_back(names);
    return static_cast<int>(names_.size()) - 1;
  }
  const std::string& table() const { return table_; }
  std::string Select(Database& database) const;

 private:
  std::string table_;
  std::vector<std::string> names_;
};

class Reader {
 public:
  Reader(Database& database, Appender& appender, const Options& options)
      : db_(database), add_(appender), options_(options) {}

  Database& db() { return db_; }
  Appender& add() { return add_; }
  model::Trace& trace() { return add_.trace(); }

  // Visits every row of the table that it has; what is damaged is counted.
  template <typename F>
  void Rows(const Columns& columns, const F& visit, const std::string& tail = {}) {
    if (!db_.HasTable(columns.table())) return;
    auto query = db_.Run(columns.Select(db_) + tail);
    if (!query.ok()) return Damaged(columns.table(), query.status());
    for (;;) {
      const auto more = query->Step();
      if (!more.ok()) return Damaged(columns.table(), more.status());
      if (!more.value()) return;
      visit(query.value());
      if (++rows_done_ % 65536 == 0) Progress();
    }
  }

  // StringIds: read where first used, so that what no event names (the program's own output) is never looked at.
  model::StringId Name(std::optional<int64_t> id);
  // "cudaLaunchKernel_v7000" -> "cudaLaunchKernel".
  model::StringId ApiName(std::optional<int64_t> id);

  // On the trace's clock; absent (and counted) for NULL, and for what lies beyond every clock.
  std::optional<int64_t> At(std::optional<int64_t> time_ns);
  struct Span {
    int64_t start_ns = 0, dur_ns = 0;
  };
  // The same for a row's start and end. The end of the recording is noted.
  std::optional<Span> Times(std::optional<int64_t> start, std::optional<int64_t> end);
  uint64_t Id(std::optional<int64_t> value) const {
    return !value || (*value == 0 && !is_own_) ? model::kNoId : static_cast<uint64_t>(*value);
  }

  uint32_t Process(std::optional<int64_t> global_id);
  uint32_t Thread(std::optional<int64_t> global_tid);
  uint32_t Device(std::optional<int64_t> global_id, int64_t device_id);
  uint32_t OwnDevice(int64_t row) const {
    return row >= 0 && static_cast<size_t>(row) < own_devices_.size() ? own_devices_[static_cast<size_t>(row)]
                                                                      : model::kNone;
  }
  int64_t CudaId(int64_t gpu_id) const;  // of the device that nsys numbers so
  uint32_t Stream(std::optional<int64_t> global_pid, std::optional<int64_t> device, std::optional<int64_t> context,
                  std::optional<int64_t> stream);

  void Damaged(const std::string& table, const Status& status);
  int64_t last_end_ns() const { return last_end_ns_; }
  bool is_own() const { return is_own_; }
  const std::string& source_path() { return add_.source().path; }

  // The parts, in this order.
  void ReadSession();     // clock, versions, host, sources and processes of an own export
  void ReadCalls();       // CUDA API, operating system, overhead
  void ReadDeviceWork();  // kernels, copies, memsets, graphs
  void ReadSyncs();
  void ReadNvtx();
  void ReadSamples();  // counters, memory
  void ReadDevices();
  void ReadLibraries();           // cuBLAS, cuDNN, MPI
  void ReadLabels();              // of processes and threads that occur
  void ReadOwnDetails();          // of operators, before them
  void ReadOwnTables();           // WARPSCOPE_*
  std::string ReadDiagnostics();  // what the recorder itself complained about; the worst of it, "" if nothing
  void CountUnread();

 private:
  void Progress();
  std::string LookUp(int64_t id);

  Database& db_;
  Appender& add_;
  const Options& options_;
  int64_t base_ns_ = 0;
  int64_t last_end_ns_ = INT64_MIN;
  bool is_own_ = false;  // written by `warpscope convert`: no value is a stand-in for "none"
  uint64_t rows_done_ = 0, rows_all_ = 0;

  bool names_loaded_ = false;
  std::unordered_map<int64_t, model::StringId> names_, api_names_;
  std::unordered_map<int64_t, std::string> name_texts_;  // only where StringIds has no key to look up by

  struct OwnProcess {
    int64_t pid = 0;
    uint32_t source = 0;
    std::optional<int64_t> rank;
  };
  std::unordered_map<int64_t, OwnProcess> own_processes_;  // by globalPid
  std::unordered_map<int64_t, int64_t> own_threads_;       // globalTid -> tid
  std::unordered_map<int64_t, uint32_t> processes_, threads_;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> devices_;  // by source and id
  struct StreamKey {
    int64_t process, device, context, stream;
    bool operator==(const StreamKey&) const = default;
  };
  struct StreamHash {
    size_t operator()(const StreamKey& key) const;
  };
  std::unordered_map<StreamKey, uint32_t, StreamHash> streams_;
  std::optional<int64_t> only_process_;  // of a file whose device rows do not tell theirs
  bool only_process_known_ = false;

  friend class NvtxReader;
  std::vector<uint32_t> nvtx_rows_;                       // by rowid, of an own export: its host row
  std::map<uint8_t, std::vector<uint32_t>> device_rows_;  // by kind, then rowid
  std::vector<uint32_t> own_op_details_, own_devices_;
  std::map<int64_t, int64_t> cuda_ids_;  // gpuId -> cudaId
};

}  // namespace warpscope::import::nsys
