// Clean: a raw line of a log as plain text, without what loggers and terminals put around it. [MT] Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope::explain {

struct CleanLine {
  std::string text;
  int64_t rank = -1;  // -1 where the line does not say
  // Bytes of the line as it stood, without colours; 0 if it ended with a blank. One that is broken in two by the edge
  // of a terminal is long and ends within a word or right behind one.
  size_t unbroken_bytes = 0;
  bool has_prefix = false;  // a rank, time or logger stood before the text: no line goes on so
};

// Leaves out ANSI escapes (colours, cursor, titles), control bytes and repeated blanks, "\n" written as two letters,
// and at the beginning: ranks ("[rank3]:", "[1,3]<stderr>:", "(Worker pid=7)"), times, and glog's "[E file.cpp:12]".
CleanLine Clean(std::string_view line);

}  // namespace warpscope::explain
