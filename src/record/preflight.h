// Preflight: what will keep a recording from working here, found before it starts, and what to do about it. `warpscope
// doctor capture` shows all of it, `warpscope record` what matters to the run. Without a GPU the first broken layer is
// told, and what breaks because of it refers to it. [one thread] Reads files and variables through System, starts
// nothing, changes nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "device/nvml.h"
#include "record/system.h"

namespace warpscope::record {

enum class CheckState : uint8_t { kFailure, kWarning, kUnknown, kOk };
std::string_view NameOf(CheckState state);  // "failure", "warning", "unknown", "ok"

struct Check {
  std::string id;  // stable: "device_nodes"
  CheckState state = CheckState::kOk;
  std::string evidence;           // what was seen
  std::string next;               // the one next step; "" where there is none to take
  std::string because_of;         // id of the failure that this one follows from
  bool concerns_timeline = true;  // a recording as it is now; else only what is taken on request (counters) or speed
};

// What the driver's management library says.
struct DeviceState {
  Status status;  // of opening it
  std::string driver_version, cuda_version;
  std::vector<device::GpuFacts> gpus;
};
DeviceState DeviceStateOf(const device::Nvml* nvml, const Status& status);

struct PreflightRequest {
  std::vector<std::string> program;           // words; empty: none is named
  std::string output;                         // of the run, "" for the working folder
  Result<std::string> agent = std::string();  // where the library that is loaded into programs was found
  bool before_run = false;                    // leave out what takes long to look at and does not concern the timeline
};

// In a fixed order, from the device up to the program. Every check that applies is there once, whatever its state.
std::vector<Check> RunPreflight(const System& system, const DeviceState& devices, const PreflightRequest& request);

// From the text of a /proc/PID/maps: libraries of stubs, and more than one libcupti.
Check CheckMaps(const std::string& maps);
// From what nvidia-smi printed on any machine (plain, -q or -q -x): a driver that is known to break recordings.
Check CheckSmi(const std::string& text);

// How many have that state.
size_t CountOf(const std::vector<Check>& checks, CheckState state);
// Failures and warnings that concern the timeline and do not follow from others, as one line each with its next step.
std::vector<std::string> LinesBeforeRun(const std::vector<Check>& checks);

}  // namespace warpscope::record
