// Covering: one text covered by entries of a Translator (translator.h says how). [one thread] Made for one text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/translator.h"

namespace warpscope::lang {

class Covering {
 public:
  explicit Covering(const Translator& translator) : translator_(translator) {}

  // Absent: no sentence of `text` is known.
  std::optional<std::string> Translate(std::string_view text);

 private:
  // The best cover of a beginning of the text.
  struct State {
    bool reached = false;
    size_t unknown_bytes = 0, pieces = 0, literal_bytes = 0;
    std::string out;
  };
  static bool IsBetter(const State& a, const State& b);

  // `whole`: no sentence may stay English.
  std::optional<State> Cover(std::string_view text, bool whole, int depth);
  // The same of a phrase in a hole, found once for each place.
  const std::optional<State>& Phrase(std::string_view text, int depth);
  std::vector<size_t> Cuts(std::string_view text, const std::vector<uint32_t>& candidates) const;
  struct Rendered {
    std::string out;
    size_t literal_bytes = 0;  // of the English: the entry's and those of the phrases in its holes
  };
  std::optional<Rendered> Render(const Entry& entry, const Pattern::Values& values, int depth);

  const Translator& translator_;
  size_t work_bytes_ = 0;
  std::map<std::pair<const char*, size_t>, std::optional<State>> phrases_;
};

}  // namespace warpscope::lang
