// Loaded: the recording that a command was given, with its index, steps and the part of it that was asked for.
// [one thread]; the members are [MT] for reads once loaded.
#pragma once

#include <memory>
#include <optional>

#include "analysis/index.h"
#include "analysis/steps.h"
#include "analysis/window.h"
#include "base/status.h"
#include "cli/args.h"
#include "cli/io.h"
#include "model/trace.h"

namespace warpscope::cli {

struct Loaded {
  std::unique_ptr<model::Trace> trace;  // at a fixed address: the index refers to it
  std::unique_ptr<analysis::Index> index;
  analysis::Steps steps;     // of `rank_domain`
  uint32_t rank_domain = 0;  // --rank, else the first
  // What was asked for. A step is cut by the host's clock for host rows and by the device's (which lags) for device
  // rows; without --step both are the same.
  analysis::Scope host_scope, device_scope;
  int64_t origin_ns = 0;  // first moment of the trace: times are shown relative to it
  bool whole = true;      // no --device, --step, --from, --to
};

// Reads args.operands() and resolves the selection. kInvalidArgument if there is no operand or the selection names
// nothing that is in the file (the message lists what is).
Result<Loaded> LoadInputs(const Args& args, Io& io);
// Whole, whatever args select.
Result<Loaded> LoadWhole(const std::vector<std::string>& paths, const Args& args, Io& io);
// The reading alone.
Result<std::unique_ptr<model::Trace>> LoadTrace(const Args& args, Io& io);
Result<std::unique_ptr<model::Trace>> LoadTrace(const std::vector<std::string>& paths, const Args& args, Io& io);

}  // namespace warpscope::cli
