// Joining a counter report with a timeline of the same program: by kernel name and launch geometry.
// [MT] Pure functions, except NoteUnmatchedProfiles().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_profiles.h"
#include "model/trace.h"

namespace warpscope::analysis {

// A kernel name without what tools write differently: return type, argument list, blanks, "> >". "void f<int >(float
// *)" and "f<int>" are the same. Never empty for a name that is not blank.
std::string NormalKernelName(std::string_view name);
// The same without template arguments, for tools that record only the function's name.
std::string BaseKernelName(std::string_view name);

struct ProfileJoin {
  // By row of the groups that were given: distinct (name, launch_configs row) pairs of the timeline that it stands for.
  struct Target {
    model::StringId name;
    uint32_t config;
    auto operator<=>(const Target&) const = default;
  };
  std::vector<std::vector<Target>> targets;
  uint64_t unmatched_profiles = 0;  // launches whose group has no target
};

// Groups by name and geometry. A group and a kernel of the timeline belong together if their names agree and so do grid
// and block; where one of them does not know its geometry, the name suffices if only one group has it. Base names count
// where full names match nothing and the base name is that of one kernel on both sides.
ProfileJoin JoinProfiles(const model::Trace& trace, const std::vector<ProfileGroup>& groups);

// Counts profiles that the timeline does not know (ledger: unmatched_profile). [one thread]
void NoteUnmatchedProfiles(model::Trace* trace);

}  // namespace warpscope::analysis
