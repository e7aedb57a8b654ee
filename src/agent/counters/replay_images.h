// ReplayImages: the counter images of an application replay, in which the program runs once for each pass and CUPTI
// adds each run's pass to the image of the same launch. They lie in the run folder between the runs; a launch that is
// not the one of the run before is found out. [one thread] at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/counters/launch_call.h"

namespace warpscope::agent {

class ReplayImages {
 public:
  // False: the folder cannot be made, or too many processes are alike.
  bool Init(const char* run_folder, uint32_t turn, uint32_t pass);
  // The image of launch `ordinal` as the run before left it. False: there is none, or it is of another launch; `reason`
  // says so.
  bool Load(uint64_t ordinal, const char* name, const LaunchCall& call, uint8_t* image, size_t bytes, char* reason,
            size_t reason_size) const;
  bool Save(uint64_t ordinal, const char* name, const LaunchCall& call, const uint8_t* image, size_t bytes) const;
  // For the launcher: how many runs a launch takes, how many launches this process was asked for.
  void TellPasses(uint32_t passes) const;
  void TellLaunches(uint64_t launches) const;
  // That this run brought a launch forward.
  void TellKept() const;

 private:
  void TellNumber(const char* name, uint64_t number) const;
  void PathOf(uint64_t ordinal, char* path, size_t size) const;

  char run_folder_[4096] = {};
  uint64_t process_ = 0;  // what the same process of the next run will be known by
  uint32_t number_ = 0;   // among processes that are alike
};

}  // namespace warpscope::agent
