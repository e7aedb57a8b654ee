// The parsers of one line each. A parser returns true if the line is one of its own, whether or not it was worth an
// event. [one thread] They keep what records of several lines need.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "faults/carrier.h"
#include "faults/event.h"
#include "faults/scanner.h"

namespace warpscope::faults {

// What parsers may touch. Emit() fills in time, line and log.
struct ParseContext {
  MachineFacts* facts;
  std::function<void(Event)> emit;
  uint64_t line = 0;

  // The event of a catalogue entry with its severity and action, the line's text cut to size.
  static Event Make(const Entry* entry, std::string_view text);
};

// NVRM lines: Xids of all years, faults without one, facts about driver and GPUs.
class NvidiaParser {
 public:
  bool Read(const LogLine& line, ParseContext& context);

 private:
  bool ReadXid(std::string_view rest, ParseContext& context, bool has_device);
  bool ReadPlain(std::string_view rest, ParseContext& context);

  std::optional<PciAddress> named_;  // "The NVIDIA GPU 0000:b3:00.0", whose sentence goes on in the next lines
  uint64_t named_line_ = 0;
  uint64_t init_failed_line_ = 0;
};

// "nvidia-nvswitch3: SXid (PCI:...): ..." and Fabric Manager's log.
bool ReadNvswitch(const LogLine& line, ParseContext& context);

// AER, DPC, hot-plug, IOMMU, and errors that firmware reports (APEI).
class PcieParser {
 public:
  bool Read(const LogLine& line, ParseContext& context);

 private:
  bool ReadFirmware(std::string_view message, ParseContext& context);

  uint64_t record_line_ = 0;  // where the firmware's record began
  std::string record_severity_;
  bool record_is_pcie_ = false;
  std::optional<PciAddress> record_port_;
};

// OOM kills, crashes in GPU libraries, hung tasks, machine checks.
class HostParser {
 public:
  bool Read(const LogLine& line, ParseContext& context);

 private:
  uint64_t last_oom_pid_ = 0;
};

// amdgpu, i915, xe and Ascend: patterns.def.
bool ReadPatterns(const LogLine& line, ParseContext& context);

// Event log text of Windows: wevtutil, Get-WinEvent, CSV and XML exports, reports that people paste.
class WindowsParser {
 public:
  // `line` as it stands in the file.
  bool Read(std::string_view line, ParseContext& context);
  void Flush(ParseContext& context);  // the record that was being read
  // Within a record: every line may belong to it.
  bool IsOpen() const { return record_.line != 0; }
  // "Id : 153" of Get-WinEvent, which no word tells.
  static bool Begins(std::string_view line) {
    const size_t at = line.find_first_not_of(" \t");
    return at != std::string_view::npos && line.substr(at).starts_with("Id");
  }

 private:
  struct Record {
    std::string provider;
    std::optional<uint64_t> id;
    LogTime time;
    uint64_t line = 0;
    std::string text;
  };
  Record record_;
};

// Words of the kinds above that end a process: "pid=1234, name=python, " -> pid, process; past them.
void TakeProcess(std::string_view& rest, Event* event);

}  // namespace warpscope::faults
