// throttling: what holds the clocks down, since when, and what it costs.
#include <fmt/format.h>

#include <ctime>

#include "doctor/checks.h"
#include "doctor/health/looks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::string TimeOf(int64_t ns) {
  constexpr int64_t kSecond = 1'000'000'000;
  const std::time_t seconds = ns / kSecond;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  // Monitors tell the machine's own time without a zone.
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string Next(Reason::Kind kind) {
  switch (kind) {
    case Reason::Kind::kHardwareHeat:
    case Reason::Kind::kHeat:
      return "cool it: fans, dust, air flow, distance to the next card, temperature of the room; until then lower the "
             "power "
             "limit: sudo nvidia-smi -pl WATTS";
    case Reason::Kind::kBrake: return "check the machine's power supplies and their cables: one may have failed";
    case Reason::Kind::kHardware: return "check the card's power cables, then its temperature and the power supply";
    case Reason::Kind::kPowerCap: return "";
    case Reason::Kind::kGroup: return "look at the slowest device of the group, or take this one out of it";
  }
  return {};
}

std::string Describe(const Throttle& one) {
  std::string text(one.reason->words);
  if (one.looks > 1) text += fmt::format(", in {} of {} looks", one.active, one.looks);
  constexpr int64_t kYear2000 = 946'684'800'000'000'000;  // earlier times count from the first look
  if (one.since_ns && *one.since_ns > kYear2000 && one.looks > 1) text += ", first at " + TimeOf(*one.since_ns);
  if (one.time_ns && *one.time_ns > 0) text += fmt::format(", {} since the driver was loaded", Duration(*one.time_ns));
  if (const auto cost = one.cost_pct())
    text +=
        fmt::format("; the clock is {:.0f} of {:.0f} MHz ({:.0f} % lost)", *one.clock_mhz, *one.clock_max_mhz, *cost);
  return text;
}

}  // namespace

void CheckThrottling(const Machine& machine, const Gpu& gpu, Steps& steps) {
  static_cast<void>(machine);
  if (gpu.is_part) return;
  const std::vector<Throttle> all = ThrottlesOf(gpu);
  // At its power limit a device runs as it should unless that costs much: a limit is there to be used. How much is much
  // is a choice, no document gives it: the highest clock is one that only light work reaches, so that some percent are
  // lost under any full load; from 15 % on it is worth to look at the limit and the cooling.
  constexpr double kMuchPct = 15;
  bool told = false;
  for (const Throttle& one : all) {
    const double cost = one.cost_pct().value_or(0);
    switch (one.reason->kind) {
      case Reason::Kind::kHardwareHeat:
      case Reason::Kind::kBrake: steps.Fail("throttling", Describe(one), Next(one.reason->kind)); break;
      case Reason::Kind::kHardware:
      case Reason::Kind::kHeat:
      case Reason::Kind::kGroup: steps.Warn("throttling", Describe(one), Next(one.reason->kind)); break;
      case Reason::Kind::kPowerCap:
        if (cost >= kMuchPct) {
          const auto limit = gpu.Number(ReadingName::kPowerLimit), most = gpu.Number(ReadingName::kPowerLimitMax);
          steps.Warn(
              "throttling", Describe(one),
              limit && most && *most > *limit
                  ? fmt::format("raise the limit if cooling allows: sudo nvidia-smi -pl {:.0f}", *most)
                  : "expected under heavy load at the highest limit; less work a step or lower precision draws less");
        } else {
          steps.Ok("throttling", Describe(one));
        }
        break;
    }
    told = true;
    break;  // the worst kind; the others follow from it or matter less
  }
  if (told) return;
  bool known = false;
  double counted = 0;
  for (const Reason& reason : Reasons()) {
    known = known || gpu.Number(reason.state).has_value();
    if (reason.time && reason.kind != Reason::Kind::kPowerCap) counted += gpu.Number(*reason.time).value_or(0);
  }
  if (!known) return;
  steps.Ok("throttling", counted > 0 ? fmt::format("nothing holds the clocks down now; {} since the driver was loaded",
                                                   Duration(counted))
                                     : "nothing holds the clocks down");
}

}  // namespace warpscope::doctor
