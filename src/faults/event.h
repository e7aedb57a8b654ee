// Event: one line of a log (or one record of several lines) that tells a fault. [MT] Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faults/catalogue.h"
#include "faults/log_time.h"
#include "faults/pci_address.h"

namespace warpscope::faults {

struct Event {
  const Entry* entry = nullptr;
  int code = 0;  // as printed; differs from the entry's for numbers that the catalogue does not know
  Severity severity = Severity::kInfo;  // the entry's, unless the line says otherwise
  Action action = Action::kNothing;     // likewise
  std::optional<PciAddress> device;
  std::string place;  // what the log calls it where that helps: "nvidia-nvswitch3"
  LogTime time;
  uint64_t line = 0;  // of the log, from 1
  uint32_t log = 0;
  uint32_t boot = 0;  // of the log, from 0
  std::optional<uint64_t> pid;
  std::string process;
  std::optional<int64_t> link;
  std::string kind;  // tells lines of one number apart that say different things: "RLW_REMAP"; "" mostly
  std::string unit;  // of the GPU that the line names: "GPC 0, TPC 1, SM 2"
  std::vector<std::string> details;  // what the numbers in the line say, in sentences
  std::optional<int> caused_by;      // "caused by previous Xid N"
  bool is_header = false;            // announces others that are counted: the first line of a PCIe error
  std::string text;                  // the line without what stands above, at most kMostText bytes

  static constexpr size_t kMostText = 240;
  static constexpr size_t kMostDetails = 6;
};

}  // namespace warpscope::faults
