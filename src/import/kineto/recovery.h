// Finding the way on in damaged JSON.
// [MT] pure functions. Texts are padded as scan.h demands where pointers are passed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpscope::import::kineto {

inline constexpr size_t kMaxRepairBytes = size_t{1} << 20;  // how far the end of a damaged event is looked for
inline constexpr size_t kBoundaryBytes = 4096;              // an event's beginning is recognised within so many bytes

struct NextEvent {
  bool found = false;
  const char* at = nullptr;          // the next '{' of an event, or the ']' that ends the array
  const char* record_end = nullptr;  // behind the '}' before it
};

// The first place behind `p` where one event ends and another begins or the array ends. Events are known by their
// first key. `all_there`: no text follows `end`.
NextEvent FindNextEvent(const char* p, const char* end, bool all_there);

// Where the last event in `text` seems to begin (a '{' behind "}," and before a key of an event); npos if nowhere near
// the end. A guess, cheap to make.
size_t FindLastEventStart(std::string_view text);

// Where in `text` a member of a trace's outermost object begins (its opening quote), known by name; npos if nowhere.
// `only_events`: only "traceEvents" with its array.
size_t FindTopLevelKey(std::string_view text, bool only_events);

// `record` with a backslash before each quote that cannot end its string. False if that makes no sense of it.
bool EscapeBareQuotes(std::string_view record, std::string* repaired);

// Strict grammar but for raw control bytes in strings.
bool IsValidJson(std::string_view text);

}  // namespace warpscope::import::kineto
