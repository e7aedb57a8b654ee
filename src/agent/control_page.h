// ControlPage: the run's page of settings and commands (src/wire/control.h), as a recorded process sees it, and the
// process's own row in it.
// [one thread] the writer's. A page that is missing, of another size or version, or that cannot be
// mapped gives the defaults; one that cannot be written gives no row.
#pragma once

#include <cstdint>

#include "wire/control.h"

namespace warpscope::agent {

class ControlPage {
 public:
  void Open(const char* run_folder);
  // As of now: a copy, so that nothing that the page's file suffers later changes it.
  void ReadSettings(wire::Control* settings) const;
  uint64_t command();  // the last one where the page is gone
  void Report(uint32_t state, uint64_t rows, uint64_t lost, uint64_t bytes);
  // In a forked child: the row is the parent's.
  void LeaveRow() { row_ = nullptr; }

 private:
  void TakeRow();
  bool IsWhole();

  wire::Control* page_ = nullptr;
  wire::ProcessStatus* row_ = nullptr;
  uint64_t last_command_ = 0;
  char path_[4200] = {};
};

}  // namespace warpscope::agent
