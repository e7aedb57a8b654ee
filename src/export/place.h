// Where an exporter's output goes: its default name, and a write that is all or nothing.
// [one thread]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "export/export.h"

namespace warpscope::exporting {

// "rank0.pt.trace.json.gz" and ".sqlite" -> "rank0.sqlite", in the current folder. Several inputs: "run" + suffix.
std::string DefaultOutput(const std::vector<std::string>& inputs, std::string_view suffix);

struct Place {
  std::string path;                 // of the file or folder
  bool replace = false;             // what stands there may be replaced
  std::vector<std::string> inputs;  // never replaced
};

// kInvalidArgument if something stands at `place` that may not be replaced. To be asked before reading an input.
Status CheckPlace(const Exporter& exporter, const Place& place);

// Writes beside the place under a temporary name and moves it there once whole; a failure leaves nothing behind.
Result<Written> WriteTo(const Exporter& exporter, const model::Trace& trace, const Place& place,
                        const Options& options);

}  // namespace warpscope::exporting
