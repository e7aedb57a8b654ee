// What spans carry beside name and time, as the section `details` (docs/formats/report.md). [MT] Pure.
#pragma once

#include <cstdint>
#include <string>

#include "page/timeline.h"

namespace warpscope::page {

// Rows of one kind beyond this are left out (their spans then point behind the end); texts are cut to kDetailTextBytes.
inline constexpr size_t kMaxDetails = 200'000;
inline constexpr size_t kDetailTextBytes = 1024;

struct DetailsLimits {
  uint64_t rows_left_out = 0, texts_cut = 0;
};

// REQUIRES: names are finished.
std::string DetailsJson(const Timeline& timeline, const Names& names, DetailsLimits* limits);

}  // namespace warpscope::page
