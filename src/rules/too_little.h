// TooLittle: whether a recording holds too few device rows, and nothing that repeats, for a verdict about a program.
// [MT] Pure functions.
#pragma once

#include <string>

#include "rules/context.h"

namespace warpscope::rules {

bool TooLittle(const Context& context);

// "1 kernel or copy, and nothing that repeats"
std::string WhatThereIs(const Context& context);

}  // namespace warpscope::rules
