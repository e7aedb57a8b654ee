// The tables of an Ascend database, one function a kind. Missing tables and columns are no error: they differ by
// version and level. [one thread]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/status.h"
#include "import/appender.h"
#include "import/sqlite/database.h"

namespace warpscope::import::ascend {

class DatabaseReader {
 public:
  DatabaseReader(Database* database, Appender* out) : database_(*database), out_(out) {}

  Status ReadNames();  // STRING_IDS and ENUM_*
  Status ReadRun();    // RANK_DEVICE_MAP, NPU_INFO, HOST_INFO, META_DATA
  Status ReadLinks();  // CONNECTION_IDS
  Status ReadTasks();  // TASK with COMPUTE_TASK_INFO
  Status ReadCollectives();
  Status ReadCalls();      // CANN_API
  Status ReadFramework();  // PYTORCH_API, MSTX_EVENTS
  Status ReadSteps();      // STEP_TIME
  Status ReadMemory();     // OP_MEMORY, MEMORY_RECORD
  Status ReadCounters();   // AICORE_FREQ, HBM, NPU_MEM
  Status ReadTotals();     // analysis.db: StepTraceTime, CommAnalyzer*
  uint64_t rows() const { return rows_; }

 private:
  using Visit = void (DatabaseReader::*)(const Query& row);
  // Rows of a SELECT; nothing if the database lacks the table.
  template <typename F>
  Status ForEach(const std::string& table, const std::string& sql, const F& visit);
  std::string Column(const std::string& table, std::string_view names) { return database_.AnyColumn(table, names); }
  model::StringId Name(std::optional<int64_t> id) const;  // of STRING_IDS; kNoString if there is none
  uint32_t ThreadOf(int64_t global_tid);
  void AddFramework(const Query& row);
  void AddMemoryEvent(const Query& row);
  void AddCounter(model::StringId name, std::string_view unit, std::optional<int64_t> time_ns,
                  std::optional<double> value, std::optional<int64_t> device);

  Database& database_;
  Appender* out_;
  std::unordered_map<int64_t, model::StringId> strings_;
  std::unordered_map<int64_t, std::string> api_types_;
  std::unordered_map<int64_t, int64_t> operator_of_;  // connection id -> number of the operator that caused it
  std::unordered_map<uint64_t, uint32_t> details_;    // hash of an operator's texts -> row of op_details
  int64_t only_device_ = 0;
  int64_t pid_ = -1;
  uint64_t rows_ = 0, bad_ = 0, passed_over_ = 0;

 public:
  void Finish();
};

}  // namespace warpscope::import::ascend
