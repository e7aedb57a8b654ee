// Scanner: bytes of logs in, events out. Text is read as it comes, line by line, in bounded memory: a line longer than
// kMostLine is cut there, what the lines around an event told (devices, driver) is kept with limits. [one thread]
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_decoder.h"
#include "faults/event.h"
#include "faults/pci_tree.h"

namespace warpscope::faults {

struct LogFacts {
  std::string name;
  uint64_t lines = 0;
  uint64_t cut_lines = 0;      // longer than kMostLine
  uint64_t unknown_lines = 0;  // of GPU drivers, with words of failure, that no parser knows
  std::string first_unknown;   // the first of them
  uint64_t first_unknown_line = 0;
  uint32_t boots = 1;
  LogTime first, last;  // of lines with a time
};

struct MachineFacts {
  PciTree pci;
  std::string nvidia_version;          // of the kernel module, the last one loaded; "" if the logs do not tell
  std::optional<bool> nvidia_is_open;  // the open kernel modules
  std::vector<std::pair<PciAddress, std::string>> uuids;  // of NVIDIA GPUs, sorted by address
};

class Scanner {
 public:
  using Sink = std::function<void(Event)>;
  // `facts` and what `sink` refers to must outlive the scanner.
  Scanner(MachineFacts* facts, Sink sink);
  ~Scanner();

  void BeginLog(std::string name);
  // Forgets the logs before it.
  void BeginOnlyLog() {
    logs_.clear();
    BeginLog("");
  }
  void Feed(std::string_view bytes);
  void EndLog();
  const std::vector<LogFacts>& logs() const { return logs_; }

  static constexpr size_t kMostLine = 16384;
  // False: no parser knows such a line, but for those that go on with a record that an earlier line began.
  static bool MayConcern(std::string_view line);

 private:
  void Line(std::string_view line);
  void Append(std::string_view bytes);

  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::vector<LogFacts> logs_;
  std::string pending_;
  bool is_cut_ = false;
  TextDecoder decoder_;
};

}  // namespace warpscope::faults
