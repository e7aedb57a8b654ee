// The browser part of reports, built from web/ and put into the program by CMake. [MT] Constant.
#pragma once

#include <string_view>

namespace warpscope::page {

// HTML with kDataMark (page/document.h) in it; "" if the program was built without it.
std::string_view WebPage();

}  // namespace warpscope::page
