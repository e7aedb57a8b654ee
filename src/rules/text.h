// How numbers and names stand in the sentences of findings. Three significant digits, SI units, no locale.
// [MT] Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope::rules {

std::string Ms(double ms);                                // "3.84 ms", "412 us", "1.32 s": the unit that reads best
std::string Ns(int64_t ns);                               // the same from ns: "1.32 us"
std::string Pct(double pct);                              // "91 %", "3.4 %", "0.2 %"
std::string Count(double count);                          // "1,800", "2.5"
std::string Bytes(double bytes);                          // "1.5 GiB", "640 KiB", "12 B"
std::string Times(double ratio);                          // "2.3x"
std::string Plural(double count, std::string_view noun);  // "1 copy" / "3 copies", "2 kernels"
// A name cut to `max` characters with ".." in place of the end.
std::string Short(std::string_view name, size_t max = 60);

}  // namespace warpscope::rules
