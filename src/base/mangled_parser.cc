// What the rules share, and the function or data that a name is of.
#include "base/mangled_parser.h"

#include <utility>

namespace warpscope::base {

uint64_t MangledParser::Number() {
  uint64_t value = 0;
  while (IsDigit(Peek())) value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(in_[at_++] - '0'), kSaturated);
  return value;
}

void MangledParser::SignedNumber() {
  Take("n");
  Number();
}

uint64_t MangledParser::Sequence(uint64_t base) {
  if (Take("_")) return 0;
  uint64_t value = 0;
  for (char c = Peek(); IsDigit(c) || (base == 36 && IsUpper(c)); c = Peek()) {
    value = Add(Times(value, base), static_cast<uint64_t>(IsDigit(c) ? c - '0' : c - 'A' + 10));
    ++at_;
  }
  Expect("_");
  return value + 1;
}

Size MangledParser::Reference() {  // behind the "S"
  const uint64_t index = Sequence(36);
  if (!ok_ || index >= candidates_.size()) return Fail();
  const Candidate& found = candidates_[index];
  Size size = found.size;
  if (found.scope == scope_.id || size.params == 0) return size;
  // Its parameters mean other arguments here.
  if (longest_pack_ > found.pack || open_arguments_) return Fail();
  size.full = std::max(size.full, Add(size.text, Times(size.params, std::max<uint64_t>(most_argument_, 8))));
  size.open = 0;
  return Checked(size);
}

Size MangledParser::Parameter() {  // behind the "T"
  const uint64_t index = Sequence(10);
  if (!ok_) return {};
  Size size{.full = 8, .text = 1, .params = 1};
  if (scope_.lambda) return size;
  if (scope_.arguments == nullptr || scope_.conversion) {
    size.open = 1;
    return size;
  }
  if (index >= scope_.arguments->size()) return Fail();
  const Size& argument = (*scope_.arguments)[index];
  if (argument.open > 0) return Fail();
  size.full = std::max<uint64_t>(size.full, argument.full);
  return size;
}

std::optional<Size> MangledParser::Standard() {
  struct Known {
    char letter;
    uint64_t name, bytes;  // of the class's own name, of the whole
  };
  constexpr Known kKnown[] = {{'t', 0, 3},   {'a', 9, 14},  {'b', 12, 17}, {'s', 14, 13},
                              {'i', 14, 13}, {'o', 14, 13}, {'d', 14, 13}};
  for (const Known& known : kKnown) {
    if (Peek(1) != known.letter) continue;
    at_ += 2;
    if (known.name > 0) last_name_ = known.name;
    const bool whole = known.name == 14 && (Peek() == 'C' || Peek() == 'D');  // "std::basic_string<char, ...>::"
    return Text(whole ? 72 : known.bytes);
  }
  return std::nullopt;
}

Size MangledParser::Substitution() {
  if (std::optional<Size> known = Standard()) {
    if (Peek() == 'B') {
      *known += Tags();
      Remember(*known);
    }
    return *known;
  }
  Expect("S");
  return Reference();
}

void MangledParser::Discriminator() {
  if (Peek() != '_') return;
  ++at_;
  if (Take("_")) {
    Number();
    Expect("_");
  } else if (IsDigit(Peek())) {
    ++at_;
  }
}

Size MangledParser::Encoding() {
  const Level level(*this);
  if (!ok_) return {};
  if (Peek() == 'G' || Peek() == 'T') return SpecialName();
  arguments_.clear();
  Size size = Name();
  const std::vector<Size> arguments = std::move(arguments_);
  arguments_.clear();
  if (Peek() == '\0' || Peek() == 'E' || Peek() == '.') return size;
  const Scope outer = scope_;
  if (!arguments.empty()) {
    scope_ = {.id = ++scopes_, .arguments = &arguments};
    for (const Size& argument : arguments) open_arguments_ = open_arguments_ || argument.open > 0;
  }
  Take("J");
  size += Types();
  scope_ = outer;
  size += 3;
  return Checked(size);
}

Size MangledParser::SpecialName() {
  Size size = Text(32);
  const auto offset = [&] {
    const bool is_virtual = Take("v");
    if (!is_virtual) Expect("h");
    SignedNumber();
    Expect("_");
    if (!is_virtual) return;
    SignedNumber();
    Expect("_");
  };
  if (Take("TV") || Take("TT") || Take("TI") || Take("TS") || Take("TF")) {
    size += Type();
  } else if (Take("TC")) {
    size += Type();
    Number();
    Expect("_");
    size += Type();
  } else if (Take("Tc")) {
    offset();
    offset();
    size += Encoding();
  } else if (Is("Th") || Is("Tv")) {
    ++at_;
    offset();
    size += Encoding();
  } else if (Take("TH") || Take("TW") || Take("GV")) {
    size += Name();
  } else if (Take("GR")) {
    size += Name();
    Sequence(36);
  } else if (Take("GTt") || Take("GTn") || Take("GA")) {
    size += Encoding();
  } else {
    return Fail();
  }
  return size;
}

std::optional<size_t> MangledParser::Run() {
  at_ = 2;
  Size size = Encoding();
  if (Peek() == '.') {  // what a compiler made of it: ".cold", ".part.0"
    size += Add(in_.size() - at_, 24);
    at_ = in_.size();
  }
  if (!ok_ || at_ != in_.size()) return std::nullopt;
  const uint64_t bytes = Add(size.full, Times(size.open, most_argument_));
  return bytes > most_ ? std::nullopt : std::optional<size_t>(bytes);
}

}  // namespace warpscope::base
