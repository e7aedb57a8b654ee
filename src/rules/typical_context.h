// The context of a typical step: where the start of the input pipeline holds up one step of a loop, the steps behind or
// before it are judged, and what it cost is told apart. A mean over such a loop is a step that nobody sees.
// [MT] Pure function.
#pragma once

#include <memory>
#include <optional>

#include "rules/context.h"
#include "rules/finding.h"

namespace warpscope::rules {

struct TypicalContext {
  std::unique_ptr<Context> context;
  std::optional<Finding> once;  // what held the loop up; without a prediction
  uint32_t found_steps = 0;     // counted before one was told apart
};

TypicalContext BuildTypicalContext(const analysis::Index& index, const analysis::Rank& rank, Context::Options options);

}  // namespace warpscope::rules
