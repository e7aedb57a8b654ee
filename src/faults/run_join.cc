#include "faults/run_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace warpscope::faults {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// A time without a year is a date of some leap year: the year that puts it nearest to the run.
int64_t WithYear(int64_t date_ns, int64_t near_ns) {
  const auto date = static_cast<std::time_t>(date_ns / kSecond), near = static_cast<std::time_t>(near_ns / kSecond);
  std::tm parts{}, of_run{};
  ::gmtime_r(&date, &parts);
  ::gmtime_r(&near, &of_run);
  std::optional<int64_t> best;
  for (int year = of_run.tm_year - 1; year <= of_run.tm_year + 1; ++year) {
    std::tm one = parts;
    one.tm_year = year;
    const int64_t time = static_cast<int64_t>(::timegm(&one)) * kSecond + date_ns % kSecond;
    if (!best || std::llabs(time - near_ns) < std::llabs(*best - near_ns)) best = time;
  }
  return *best;
}

std::optional<int64_t> EpochOf(const LogTime& time, const Run& run, const ClockShift& shift) {
  switch (time.clock) {
    case Clock::kUtc: return time.ns;
    case Clock::kLocal: return time.ns - shift.zone_ns;
    case Clock::kNoYear: return WithYear(time.ns, run.begin_ns + shift.zone_ns) - shift.zone_ns;
    case Clock::kBoot: return shift.boot_epoch_ns ? std::optional(*shift.boot_epoch_ns + time.ns) : std::nullopt;
    case Clock::kNone: break;
  }
  return std::nullopt;
}

// Lines without a fraction of a second may have come any time within it.
bool IsWholeSecond(const LogTime& time) { return time.ns % kSecond == 0; }

std::optional<size_t> StepAt(const Run& run, int64_t time_ns) {
  const auto after = std::upper_bound(run.steps.begin(), run.steps.end(), time_ns,
                                      [](int64_t time, const RunStep& step) { return time < step.begin_ns; });
  if (after == run.steps.begin()) return std::nullopt;
  const auto step = after - 1;
  return time_ns < step->end_ns ? std::optional(static_cast<size_t>(step - run.steps.begin())) : std::nullopt;
}

std::string Duration(int64_t ns) {
  const double value = static_cast<double>(ns);
  if (ns < 1'000'000) return fmt::format("{:.0f} us", value * 1e-3);
  if (ns < kSecond) return fmt::format("{:.1f} ms", value * 1e-6);
  return ns < 120 * kSecond ? fmt::format("{:.1f} s", value * 1e-9) : fmt::format("{:.0f} min", value / 60e9);
}

}  // namespace

RunJoin JoinRun(const Report& report, Run run, const ClockShift& shift) {
  RunJoin join;
  constexpr int64_t kNear = 3600 * kSecond;
  size_t no_clock = 0, far = 0, coarse = 0, assumed = 0;
  std::vector<std::pair<int64_t, RunHit>> hits;
  for (size_t at = 0; at < report.bursts.size(); ++at) {
    const Burst& burst = report.bursts[at];
    if (burst.first.severity == Severity::kInfo && burst.first.entry->action == Action::kNothing) continue;
    const auto time = EpochOf(burst.first.time, run, shift);
    if (!time) {
      ++no_clock;
      continue;
    }
    if (*time < run.begin_ns - kNear || *time > run.end_ns + kNear) {
      ++far;
      continue;
    }
    RunHit hit;
    hit.burst = at;
    for (const Program& program : burst.programs)
      hit.is_own_process = hit.is_own_process || run.pids.contains(program.pid);
    if (*time < run.begin_ns) hit.relation = RunHit::Relation::kBefore, hit.offset_ns = run.begin_ns - *time;
    else if (*time > run.end_ns) hit.relation = RunHit::Relation::kAfter, hit.offset_ns = *time - run.end_ns;
    else {
      hit.step = StepAt(run, *time);
      hit.offset_ns = *time - (hit.step ? run.steps[*hit.step].begin_ns : run.begin_ns);
      coarse += IsWholeSecond(burst.first.time) ? 1 : 0;
    }
    assumed += burst.first.time.clock == Clock::kLocal || burst.first.time.clock == Clock::kNoYear ? 1 : 0;
    hits.emplace_back(*time, hit);
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  for (auto& [time, hit] : hits) join.hits.push_back(hit);
  if (no_clock > 0)
    join.notes.push_back(
        fmt::format("{} faults could not be placed: their lines count from the start of the machine, or tell no time. "
                    "Give a log with dates: dmesg --time-format iso, or journalctl -k -o short-iso-precise",
                    no_clock));
  if (far > 0) join.notes.push_back(fmt::format("{} faults came more than an hour before or after the run", far));
  if (assumed > 0)
    join.notes.push_back(fmt::format("lines without a zone are taken as UTC{}{:02}:{:02}; --zone changes that",
                                     shift.zone_ns < 0 ? '-' : '+', std::llabs(shift.zone_ns) / (3600 * kSecond),
                                     std::llabs(shift.zone_ns) / (60 * kSecond) % 60));
  if (coarse > 0) join.notes.push_back("lines without a fraction of a second may belong to any step of that second");
  join.run = std::move(run);
  return join;
}

std::string PlaceOf(const RunHit& hit, const Run& run) {
  switch (hit.relation) {
    case RunHit::Relation::kBefore: return Duration(hit.offset_ns) + " before the run";
    case RunHit::Relation::kAfter: return Duration(hit.offset_ns) + " after the end of the run";
    case RunHit::Relation::kDuring: break;
  }
  if (!hit.step) return Duration(hit.offset_ns) + " into the run, outside of its steps";
  return fmt::format("step {} of {}{}, {} into it", *hit.step + 1, run.steps.size(),
                     run.steps[*hit.step].label.empty() ? "" : " (" + run.steps[*hit.step].label + ")",
                     Duration(hit.offset_ns));
}

}  // namespace warpscope::faults
