// OneLine: what a single line of the kernel's log says, for readers of other texts in which such lines stand.
// [one thread]
#pragma once

#include <optional>
#include <string_view>

#include "faults/event.h"
#include "faults/scanner.h"

namespace warpscope::faults {

class OneLine {
 public:
  OneLine();
  // The fault that the line tells by itself, of severity kWarning or worse.
  std::optional<Event> Read(std::string_view line);

 private:
  MachineFacts facts_;
  std::optional<Event> found_;
  Scanner scanner_;
};

}  // namespace warpscope::faults
