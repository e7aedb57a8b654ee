// Breaks: stretches of time in which nothing was recorded although the program ran (a recorder that was stopped and
// started again, or that keeps to a budget). They are neither idle time nor part of a step, so they are cut out of the
// timeline in one place, here, before Trace::Finish(): what comes behind moves up, and every analysis sees recorded
// time only. Trace::breaks keeps where and how long, for whoever needs the clock on the wall.
// [one thread]
#pragma once

#include <cstdint>

namespace warpscope::model {

struct Trace;

// A process was not recorded from begin to end, and was before and after. What importers tell.
struct Pause {
  uint32_t process = UINT32_MAX;  // row of processes
  int64_t begin_ns = 0, end_ns = 0;
};

// Time that was cut out: `length_ns` of the recorder's clock lie between what is before and what is behind `at_ns`.
struct Break {
  int64_t at_ns = 0, length_ns = 0;
};

// Trace::pauses -> Trace::breaks. A moment is cut where some process pauses, none is recorded (one that uses a device
// and has no pause is, from its first to its last device row) and no device row runs. Rows of the host that lie in a
// break are dropped, those that span one are shortened by it. Counted in the ledger (unrecorded_break).
// To be called once, after clocks were aligned.
void CutBreaks(Trace* trace);

// A time of the trace on the recorder's own clock. `after`: of a moment where a break lies, its end instead of its
// begin. O(breaks)
int64_t RecorderTime(const Trace& trace, int64_t time_ns, bool after = false);
// Whether a break lies inside, ends left out.
bool HasBreak(const Trace& trace, int64_t begin_ns, int64_t end_ns);

}  // namespace warpscope::model
