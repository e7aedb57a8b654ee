// The links of the chain and the health checks; each adds its steps. Pure: they read a Machine and nothing else.
// [MT] chain.def and health.def name them in order.
#pragma once

#include <string_view>

#include "doctor/machine.h"
#include "doctor/step.h"

namespace warpscope::doctor {

// A link: every step of it that can be told from the facts. A link of which nothing is known adds an unknown one.
using Link = void (*)(const Machine& machine, Steps& steps);
// A health check of one device.
using HealthCheck = void (*)(const Machine& machine, const Gpu& gpu, Steps& steps);

#define WS_LINK(file, function, part) void function(const Machine& machine, Steps& steps);
#include "doctor/chain.def"
#undef WS_LINK
#define WS_HEALTH(file, function) void function(const Machine& machine, const Gpu& gpu, Steps& steps);
#include "doctor/health.def"
#undef WS_HEALTH

}  // namespace warpscope::doctor
