// Report: what the logs tell, as faults with their consequences under them, worst first: what happened, to which
// device, when, who must act, what to do. Plain values; printing is src/report's. [MT] Values.
#pragma once

#include <string>
#include <vector>

#include "faults/burst.h"
#include "faults/scanner.h"

namespace warpscope::faults {

struct Incident {
  // Indexes of Report::bursts, in order. Several roots: the same fault on several devices at once, or again later.
  std::vector<size_t> roots;
  std::vector<size_t> followers;
  std::vector<PciAddress> devices;  // that the roots concern, sorted; ports are replaced by the GPUs below them
  std::vector<PciAddress> ports;    // that reported, where they are not the device itself
  uint64_t occurrences = 1;         // how often the fault came, apart from repeats within a burst
  uint64_t count = 0;               // lines of the roots
  Severity severity = Severity::kInfo;
  std::vector<Action> actions;     // in order; never empty
  std::vector<std::string> notes;  // what the lines around it add

  Action action() const { return actions.front(); }
};

struct Report {
  std::string answer;                   // one or two sentences
  Severity severity = Severity::kInfo;  // the worst; kInfo also if there is nothing
  std::vector<Incident> incidents;      // worst first, then in order of time
  std::vector<Burst> bursts;
  std::vector<LogFacts> logs;
  MachineFacts machine;
  std::vector<std::string> notes;  // what was left out, cut, or not understood
};

// `repeated` and `folded_late`: the folder's counts.
Report MakeReport(std::vector<Burst> bursts, std::vector<LogFacts> logs, MachineFacts machine, uint64_t repeated,
                  uint64_t folded_late);

// "Xid 79", "SXid 20034", "PCIe errors that the link corrected": how people call it.
std::string NameOf(const Burst& burst);
// "GPU 0000:3b:00.0", "nvidia-nvswitch3 (0000:05:00.0)", "port 0000:00:02.0", "the machine".
std::string PlaceOf(const Burst& burst, const MachineFacts& machine);
// The steps of an incident with the address and the names filled in; commands may be "".
struct NamedStep {
  std::string text;
  std::string command;
};
std::vector<NamedStep> StepsOf(const Incident& incident, const Report& report);
std::vector<NamedStep> ChecksOf(const Incident& incident, const Report& report);
// "the application", "the machine", "the machine, then the application", "nobody".
std::string ActorOf(const Incident& incident);
// Whose faults `entry` are on this incident's device: AER errors are of no vendor, the device is.
Vendor VendorOf(const Incident& incident, const Report& report);

}  // namespace warpscope::faults
