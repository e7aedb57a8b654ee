// Outputs of device monitors, by the importers that read them for timelines as well: readings of devices as looks.
// [one thread]
#pragma once

#include <string>
#include <string_view>

#include "doctor/machine.h"

namespace warpscope::doctor::read {

struct MonitorResult {
  std::string told;           // what it was taken for; "" if it is none
  bool is_whole = false;      // the whole text is such an output
  bool is_recording = false;  // a recording of a program instead
  // What contradicts the devices and the driver of `machine`: then nothing of it was taken (of a text with several
  // outputs: nothing of those that contradict). "" if all agrees.
  std::string differs_by;
};

MonitorResult ReadMonitor(std::string_view text, const std::string& name, Machine& machine);

}  // namespace warpscope::doctor::read
