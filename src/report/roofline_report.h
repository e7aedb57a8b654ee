// Draws view::RooflineChart: in a terminal and as an SVG document. [MT] Pure. Names are from files and are cleaned
// here.
#pragma once

#include <string>

#include "report/terminal.h"
#include "view/roofline.h"

namespace warpscope::report {

// At most terminal.columns wide; "" for a chart without points.
std::string RooflineText(const view::RooflineChart& chart, const Terminal& terminal);

// A whole document, readable at a width of 800 px, with a title and a description for screen readers and a tooltip a
// point. A chart without points says so.
std::string RooflineSvg(const view::RooflineChart& chart);

}  // namespace warpscope::report
