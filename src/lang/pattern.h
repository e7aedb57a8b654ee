// Pattern: a template of an English text, literals with holes between them.
// [MT] Values; matching is pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::lang {

enum class Hole : uint8_t {
  kAny,       // {}: anything, also nothing
  kQuantity,  // {n}: a number with or without a unit
};

// "3.84 ms", "91 %", "1,800", "2.3x", "<0.1 %", "2 min 05 s": what rules/text.h and view/format.h write.
bool IsQuantity(std::string_view text);

class Pattern {
 public:
  // "busy {n} of the step"; "{{" and "}}" are braces. Absent: a brace that closes or opens nothing, or an unknown hole.
  static std::optional<Pattern> Parse(std::string_view text);

  // literals()[0] hole literals()[1] hole ... : one literal more than holes; any may be empty.
  const std::vector<std::string>& literals() const { return literals_; }
  const std::vector<Hole>& holes() const { return holes_; }
  size_t literal_bytes() const { return literal_bytes_; }

  using Values = std::vector<std::string_view>;

  // Fills the holes so that the whole of `text` fits, each hole taking as little as it can, from the left, until
  // `accept` takes what fills them. True if it did. Tries a bounded number of places: a text made to fit in many ways
  // does not match rather than take long.
  bool Match(std::string_view text, const std::function<bool(const Values&)>& accept) const;

 private:
  struct Search;

  std::vector<std::string> literals_;
  std::vector<Hole> holes_;
  size_t literal_bytes_ = 0;
};

}  // namespace warpscope::lang
