// Host speed: how much slower than usual the host issues work in this recording. A loop that blocks or enters the
// driver often also slows the calls around it (wake-up, cold caches), which no replay of the recorded times can undo;
// the high end of a prediction assumes that it goes away.
// [MT] Pure functions. Constants: docs/whatif.md, "Wake-up and host speed".
#pragma once

#include "rules/context.h"

namespace warpscope::rules {

// Lower quartile of the kernel launch calls over the 5 us that one takes under a recorder on a quick host. 1 or more;
// 1 with fewer than 20 launches.
double HostSpeedUnit(const Context& context);

// Adds to `change` that all host work of the issuing threads goes faster by `factor` (>= 1); nothing below 1.2.
void SpeedUpHost(const Context& context, double factor, analysis::WhatIf& change);

}  // namespace warpscope::rules
