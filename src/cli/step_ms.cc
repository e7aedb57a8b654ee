#include "cli/step_ms.h"

#include <string>

#include "record/timed_run.h"

namespace warpscope::cli {
Result<std::optional<double>> StepMs(const Args& args, std::string_view flag) {
  const std::optional<double> ms = args.Number(flag);
  if (ms && !(*ms >= record::kLeastStepMs && *ms <= record::kMostStepMs))
    return Status(StatusCode::kInvalidArgument, std::string(flag) + " takes milliseconds from 0.0001 to 10000000");
  return ms;
}

}  // namespace warpscope::cli
