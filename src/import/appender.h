// Appender: how an importer adds one source's rows to a Trace. Makes processes, threads, devices and streams on first
// use, interns details, and gives the source link domains of its own.
// [one thread]. Rows are final only after Trace::Finish(), so keep no row numbers of host or gpu beyond the import.
// On failure the importer just returns its Status: the caller takes back every row that was appended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "model/trace.h"

namespace warpscope::import {

class Appender {
 public:
  // Adds the source. `path` as the user named it; `format` is the importer's id.
  Appender(model::Trace* trace, const std::string& path, std::string_view format);
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  model::Trace& trace() { return *trace_; }
  model::Source& source() { return trace_->sources[source_]; }
  uint32_t source_row() const { return source_; }
  model::StringId Text(std::string_view text) { return trace_->strings.Intern(text); }

  // Every process is a link domain: correlation ids are matched within it. -1: the file does not tell the process.
  uint32_t Process(int64_t pid);
  uint32_t Thread(uint32_t process, int64_t tid);
  uint32_t Device(int64_t id);
  model::Device& DeviceAt(uint32_t row) { return trace_->devices[row]; }
  // A device that is kNone (the file names none, or one that cannot run work) becomes the unknown one, -1.
  uint32_t Stream(uint32_t process, uint32_t device, int64_t context, int64_t id);

  uint32_t Launch(const model::LaunchConfig& config);          // row of launch_configs
  uint32_t Copy(const model::CopyDetail& detail);              // row of copy_details
  uint32_t Annotation(const model::AnnotationDetail& detail);  // row of annotation_details

  struct Host {
    model::HostKind kind = model::HostKind::kAnnotation;
    model::StringId name = model::kNoString;
    uint32_t thread = model::kNone;
    int64_t start_ns = 0, dur_ns = 0;
    uint64_t correlation = model::kNoId, external_id = model::kNoId;
    uint32_t forward_thread = 0, detail = model::kNone;
  };
  // A row that ends before it starts is counted (negative_duration) and dropped, one beyond 146 years as well
  // (out_of_range).
  void Add(const Host& row, std::optional<uint64_t> offset_bytes = std::nullopt);

  struct Gpu {
    model::GpuKind kind = model::GpuKind::kKernel;
    model::StringId name = model::kNoString;
    uint32_t stream = model::kNone;
    int64_t start_ns = 0, dur_ns = 0;
    uint64_t correlation = model::kNoId, external_id = model::kNoId;
    uint32_t detail = model::kNone;
  };
  // The same; a row whose start and end are both 0 is counted as untimed_record.
  void Add(const Gpu& row, std::optional<uint64_t> offset_bytes = std::nullopt);

  void Note(model::LedgerCode code, uint64_t count = 1, std::optional<uint64_t> offset_bytes = std::nullopt,
            std::string_view detail = {}) {
    trace_->ledger.Add(code, count, offset_bytes, detail, trace_->sources[source_].path);
  }

 private:
  template <typename Value>
  struct DetailHash {
    size_t operator()(const Value& value) const;
  };

  model::Trace* trace_;
  uint32_t source_;
  uint32_t next_domain_;
  std::map<int64_t, uint32_t> processes_, devices_;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> threads_;
  std::map<std::tuple<uint32_t, uint32_t, int64_t, int64_t>, uint32_t> streams_;
  std::unordered_map<model::LaunchConfig, uint32_t, DetailHash<model::LaunchConfig>> launches_;
  std::unordered_map<model::CopyDetail, uint32_t, DetailHash<model::CopyDetail>> copies_;
  std::unordered_map<model::AnnotationDetail, uint32_t, DetailHash<model::AnnotationDetail>> annotations_;
};

}  // namespace warpscope::import
