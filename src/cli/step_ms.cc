#include "cli/step_ms.h"

#include <string>

namespace warpscope::cli {
namespace {

constexpr double kLeastStepMs = 1e-4, kMostStepMs = 1e7;

}  // namespace

Result<std::optional<double>> StepMs(const Args& args, std::string_view flag) {
  const std::optional<double> ms = args.Number(flag);
  if (ms && !(*ms >= kLeastStepMs && *ms <= kMostStepMs))
    return Status(StatusCode::kInvalidArgument, std::string(flag) + " takes milliseconds from 0.0001 to 10000000");
  return ms;
}

}  // namespace warpscope::cli
