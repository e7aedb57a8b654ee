#include "rules/too_little.h"

#include "rules/text.h"

namespace warpscope::rules {

namespace {

constexpr size_t kFewestRows = 10;  // a step of fewer is told by its return. Own threshold.

}  // namespace

bool TooLittle(const Context& context) {
  return context.steps.source == analysis::StepSource::kWholeWindow && !context.gpu_rows.empty() &&
         context.gpu_rows.size() < kFewestRows;
}

std::string WhatThereIs(const Context& context) {
  return Plural(static_cast<double>(context.gpu_rows.size()), "piece") + " of device work, and nothing that repeats";
}

}  // namespace warpscope::rules
