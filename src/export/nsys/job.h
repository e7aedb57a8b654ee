// Job: what every part of the nsys export shares - the trace, the file, its clock, its ids and texts.
// [one thread]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/export.h"
#include "export/nsys/sqlite_file.h"
#include "model/trace.h"

namespace warpscope::exporting {

// The 64-bit ids of Nsight Systems: hardware (8 bits), machine (8), process (24), thread (24). Each source file is a
// machine of its own, so that processes of different files never meet; numbers that do not fit are replaced by free
// ones, and WARPSCOPE_THREADS tells the true ones.
class GlobalIds {
 public:
  explicit GlobalIds(const model::Trace& trace);
  int64_t Machine(uint32_t source) const;  // globalVid
  int64_t Process(uint32_t process) const { return processes_[process]; }
  int64_t Thread(uint32_t thread) const { return threads_[thread]; }
  // Of the process that owns a link domain; 0 if none does.
  int64_t Domain(uint32_t link_domain) const;
  bool IsReplaced(uint32_t thread) const { return replaced_[thread]; }

 private:
  std::vector<int64_t> processes_, threads_;
  std::vector<bool> replaced_;
  std::unordered_map<uint32_t, int64_t> domains_;
};

// StringIds: the pool's own numbers, and texts of the export's behind them.
class Texts {
 public:
  explicit Texts(const model::StringPool& pool) : pool_(pool), next_(pool.size()) {}
  int64_t Id(std::string_view text);
  void Write(SqliteFile& file) const;

 private:
  const model::StringPool& pool_;
  int64_t next_;
  std::unordered_map<std::string, int64_t> own_;
};

struct Job {
  const model::Trace& trace;
  SqliteFile& file;
  GlobalIds ids;
  Texts texts;
  int64_t base_ns = 0;  // what the file's 0 stands for: the epoch time of the first event; 0 if the clock has no epoch
  std::vector<int64_t> nvtx_row;    // of host rows that a collective names; 0 = none
  std::vector<int64_t> device_row;  // of gpu rows that a collective names
  Written written;
};

// Each writes its tables; those that would be empty are not made, as nsys does it.
void WriteHostRows(Job& job);
void WriteDeviceRows(Job& job);
void WriteSyncs(Job& job);
void WriteSamples(Job& job);  // counters and memory
void WriteTarget(Job& job);   // devices, streams, processes, threads, session
void WriteEnums(SqliteFile& file);
void WriteOwnTables(Job& job);  // WARPSCOPE_*: what nsys has no place for

}  // namespace warpscope::exporting
