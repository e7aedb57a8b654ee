// The catalogue of readings: one name and one unit for the same thing from every tool and vendor, so that rules and
// tables need to know no tool. A reading that is not in it keeps the name and unit of its file. [MT] Constants.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpscope::model {

enum class ReadingKind : uint8_t {
  kGauge,    // a level: minimum, mean and maximum mean something
  kCounter,  // only grows (until a reset): its growth means something
  kState,    // 1 or 0: its share of the samples means something
  kText,     // a word or version
};

// In the order of their names.
enum class ReadingName : uint8_t {
#define WS_READING(id, name, unit, kind, meaning) id,
#include "model/reading_names.def"
#undef WS_READING
  kCount,
};

struct ReadingInfo {
  std::string_view name, unit;
  ReadingKind kind;
  std::string_view meaning;  // for people, no full stop
};

const ReadingInfo& InfoOf(ReadingName name);
// Null if the catalogue has no such name.
const ReadingInfo* FindReadingInfo(std::string_view name);
inline std::string_view NameOf(ReadingName name) { return InfoOf(name).name; }

}  // namespace warpscope::model
