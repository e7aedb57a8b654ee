#include "view/turns_view.h"

#include <fmt/format.h>

#include "view/format.h"

namespace warpscope::view {

std::string_view ChangeWordName(analysis::ChangeWord word) {
  switch (word) {
    case analysis::ChangeWord::kFaster: return "faster";
    case analysis::ChangeWord::kSlower: return "slower";
    case analysis::ChangeWord::kNoDifference: return "no_difference";
  }
  return "";
}

std::string TurnsChange(const analysis::Turns& turns, std::string_view arrow) {
  const analysis::RunShift& shift = turns.shift;
  return fmt::format("{} {} {} ({:+.1f} %, between {:+.1f} and {:+.1f} %)", FormatMs(shift.base), arrow,
                     FormatMs(shift.next), shift.diff_pct, shift.low_pct, shift.high_pct);
}

}  // namespace warpscope::view
