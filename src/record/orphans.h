// Orphans: what a program that we run leaves behind comes to us in place of init, however deep it lies and though it
// made a session of its own, so that it can be ended with the run. [one thread]
#pragma once

#include <sys/types.h>

#include <vector>

namespace warpscope::record {

// While it lives, this process is the reaper of its descendants (prctl PR_SET_CHILD_SUBREAPER). Children that it had
// before are never touched.
class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  // Kills and reaps all children that came since, and theirs, until none is left; `except` (the program, which somebody
  // waits for) is killed but not reaped. What the kernel cannot end (a call that does not return) is given up
  // after a second. Returns how many were still running.
  int EndAll(pid_t except) const;

 private:
  int before_ = 0;  // the flag's value
  std::vector<pid_t> own_;
};

}  // namespace warpscope::record
