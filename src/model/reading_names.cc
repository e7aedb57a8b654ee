#include "model/reading_names.h"

#include <algorithm>
#include <array>

namespace warpscope::model {
namespace {

constexpr std::array kReadings = {
#define WS_READING(id, name, unit, kind, meaning) ReadingInfo{name, unit, ReadingKind::kind, meaning},
#include "model/reading_names.def"
#undef WS_READING
};

static_assert(std::is_sorted(kReadings.begin(), kReadings.end(),
                             [](const ReadingInfo& a, const ReadingInfo& b) { return a.name < b.name; }));

}  // namespace

const ReadingInfo& InfoOf(ReadingName name) { return kReadings[static_cast<size_t>(name)]; }

const ReadingInfo* FindReadingInfo(std::string_view name) {
  const auto* const found =
      std::lower_bound(kReadings.begin(), kReadings.end(), name,
                       [](const ReadingInfo& info, std::string_view wanted) { return info.name < wanted; });
  return found != kReadings.end() && found->name == name ? &*found : nullptr;
}

}  // namespace warpscope::model
