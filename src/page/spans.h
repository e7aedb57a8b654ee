// The spans of a timeline as columns: docs/formats/report.md, "Binary columns". [MT] Pure.
#pragma once

#include <string>

#include "page/timeline.h"

namespace warpscope::page {

// Times relative to `origin_ns`. REQUIRES: names are finished.
std::string SpanColumns(const Timeline& timeline, const Names& names, int64_t origin_ns);
// The points of all series.
std::string SeriesColumns(const Timeline& timeline, int64_t origin_ns);

}  // namespace warpscope::page
