// Expressions and literals in template arguments and types.
#include <string>

#include "base/mangled_parser.h"

namespace warpscope::base {

Size MangledParser::Literal() {
  Expect("L");
  Size size;
  if (Take("_Z") || Take("Z")) {
    size = Encoding();
  } else {
    size = Type();
    const size_t end = in_.find('E', at_);
    if (!ok_ || end == std::string_view::npos) return Fail();
    size += end - at_ + 4;
    at_ = end;
  }
  Expect("E");
  return size;
}

Size MangledParser::SimpleName() {
  Size size = UnqualifiedName();
  if (Peek() == 'I') size += TemplateArguments();
  return size;
}

Size MangledParser::Expressions(char end) {
  Size size = Text(4);
  while (ok_ && Peek() != end) {
    size += Expression();
    size += 2;
  }
  Expect(std::string_view(&end, 1));
  return Checked(size);
}

Size MangledParser::Expression() {
  const Level level(*this);
  if (!ok_) return {};
  const char c = Peek();
  if (c == 'L') return Literal();
  if (c == 'T') {
    ++at_;
    return Parameter();
  }
  if (IsDigit(c) || Is("on")) return SimpleName();
  Size size = Text(24);  // the sign, brackets and blanks
  if (Take("sr")) {
    size += Type();
    size += SimpleName();
  } else if (Take("fpT")) {
    return size;
  } else if (Take("fp")) {
    while (Peek() == 'r' || Peek() == 'V' || Peek() == 'K') ++at_;
    Sequence(10);
  } else if (Take("tl")) {
    size += Type();
    size += Expressions('E');
  } else if (Take("il")) {
    size += Expressions('E');
  } else if (Take("cl")) {
    size += Expression();
    size += Expressions('E');
  } else if (Take("cv")) {
    size += Type();
    size += Take("_") ? Expressions('E') : Expression();
  } else if (Take("st") || Take("at") || Take("ti")) {
    size += Type();
  } else if (Take("dc") || Take("sc") || Take("cc") || Take("rc")) {
    size += Type();
    size += Expression();
  } else if (Take("dt") || Take("pt")) {
    size += Expression();
    size += SimpleName();
  } else if (Take("qu")) {
    for (int i = 0; i < 3; ++i) size += Expression();
  } else if (Take("pp") || Take("mm")) {
    Take("_");
    size += Expression();
  } else {
    constexpr std::string_view kOne = " sp ad az co de dl da gs ng nt nx ps sz sZ te aw tw ";
    constexpr std::string_view kTwo =
        " aN aS aa an cm dV ds dv eO eo eq ge gt ix lS le ls lt mI mL mi ml ne oR oo or pL pl pm rM rS rm rs ss ";
    const std::string sign = ' ' + std::string(in_.substr(at_, 2)) + ' ';
    const bool one = kOne.find(sign) != std::string_view::npos;
    if (!one && kTwo.find(sign) == std::string_view::npos) return Fail();
    const bool pack = sign == " sp ";
    at_ += 2;
    size += Expression();
    if (!one) size += Expression();
    if (pack) {
      if (size.open > 0) return Fail();
      const uint64_t full = size.full;
      size.text = Times(size.text, longest_pack_);
      size.full = Add(full, size.text);
      size.params = Times(size.params, longest_pack_);
    }
  }
  return Checked(size);
}

}  // namespace warpscope::base
