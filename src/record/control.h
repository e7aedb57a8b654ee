// ControlFile: the page of settings and commands of a run (src/wire/control.h), from the launcher's and the user's
// side. [one thread] an object; [signal-safe] Send() and Toggle(), once it is open.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "wire/control.h"

namespace warpscope::record {

// How a run is recorded. The defaults are those of `record` without options.
struct Settings {
  uint32_t collect = wire::kCollectDefault;
  wire::Trigger trigger = wire::kTriggerStart;
  int64_t delay_ns = 0, duration_ns = 0;
  std::string range;
  uint32_t range_skip = 0, range_count = 0;
  uint32_t ring_ms = 0, max_overhead_permille = 0;
  uint32_t memory_limit_bytes = 0;  // of the agent's buffers; 0: its default
};

// One recorded process, as `warpscope ctl RUN status` shows it.
struct RecordedProcess {
  uint32_t pid = 0;
  bool alive = false;
  uint32_t state = 0;  // wire::ProcessState
  uint64_t rows = 0, lost = 0, bytes = 0;
};

class ControlFile {
 public:
  ControlFile() = default;
  ~ControlFile();
  ControlFile(ControlFile&& other) noexcept;
  ControlFile& operator=(ControlFile&& other) noexcept;

  // Creates RUN/control. kIo if it cannot be written.
  static Result<ControlFile> Create(const std::string& run_folder, const Settings& settings);
  // That of an existing run. kNotFound if RUN is no run folder, kUnsupported if another version wrote it.
  static Result<ControlFile> Open(const std::string& run_folder);

  bool is_open() const { return page_ != nullptr; }
  // Asks all processes of the run; they see it within one tick of the agent (20 ms).
  void Send(wire::Command command);
  // Stop if some process records or, before there is one, would record; else start.
  void Toggle();
  // In the order in which they began; a process that ended may have given its row to a later one.
  std::vector<RecordedProcess> Processes() const;
  // Whether the launcher or one of the processes still runs.
  bool is_running() const;
  void LauncherEnded();
  // What a process that begins now would do, in words.
  std::string Awaits() const;
  bool is_ring() const { return page_ != nullptr && page_->ring_ms > 0; }

 private:
  bool IsWhole() const;  // else nothing is read or written: the file was cut, and the page would raise SIGBUS

  wire::Control* page_ = nullptr;
  std::string path_;
};

}  // namespace warpscope::record
