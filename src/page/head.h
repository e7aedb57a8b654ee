// The section `head`: what the page shows before anything is decoded. [MT] Pure.
#pragma once

#include <string>
#include <vector>

#include "page/pack.h"

namespace warpscope::page {

// Steps that the head names; the table of steps has them all.
inline constexpr size_t kMaxSteps = 2000;

// JSON. `limits`: sentences on what was left out; `sections`: names of all sections but this.
std::string HeadJson(const Content& content, const Timeline& timeline, const std::vector<std::string>& limits,
                     const std::vector<std::string>& sections);
// Of the display order: JSON of the section `tracks`.
std::string TracksJson(const Timeline& timeline);

}  // namespace warpscope::page
