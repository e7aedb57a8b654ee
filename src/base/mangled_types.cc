// Types and template arguments.
#include <utility>

#include "base/mangled_parser.h"

namespace warpscope::base {

namespace {

// "signed char", "unsigned long" ...; the names of most are shorter than 8.
uint64_t BuiltinSize(char c) {
  constexpr std::string_view kLong = "aehmtoyjgx";
  constexpr uint8_t kBytes[] = {11, 11, 13, 13, 14, 18, 18, 12, 10, 10};
  const size_t at = kLong.find(c);
  return at == std::string_view::npos ? 8 : kBytes[at];
}

}  // namespace

Size MangledParser::TemplateArguments() {
  const uint64_t last = last_name_;
  Expect("I");
  std::vector<Size> list;
  Size sum = Text(4);
  while (ok_ && Peek() != 'E') {
    list.push_back(Checked(TemplateArgument()));
    most_argument_ = std::max(most_argument_, list.back().full);
    sum += list.back();
    sum += 2;
  }
  Expect("E");
  last_name_ = last;
  arguments_ = std::move(list);
  return Checked(sum);
}

Size MangledParser::TemplateArgument() {
  const Level level(*this);
  if (!ok_) return {};
  if (Take("X")) {
    Size size = Expression();
    Expect("E");
    size += 2;
    return size;
  }
  if (Peek() == 'L') return Literal();
  if (Peek() != 'J' && Peek() != 'I') return Type();
  ++at_;
  Size sum = Text(1);
  uint64_t count = 0;
  for (; ok_ && Peek() != 'E'; ++count) {
    sum += TemplateArgument();
    sum += 2;
  }
  Expect("E");
  longest_pack_ = std::max(longest_pack_, count);
  return Checked(sum);
}

Size MangledParser::Types() {
  Size size;
  while (ok_) {
    const char c = Peek();
    if (c == '\0' || c == 'E' || c == '.') break;
    if ((c == 'R' || c == 'O') && Peek(1) == 'E') break;
    size += Type();
    size += 2;
  }
  return Checked(size);
}

Size MangledParser::FunctionType() {
  Expect("F");
  Take("Y");
  Size size = Types();
  if (Peek() == 'R' || Peek() == 'O') ++at_;
  Expect("E");
  size += 12;
  return size;
}

Size MangledParser::Type() {
  const Level level(*this);
  if (!ok_) return {};
  Size size;
  const char c = Peek(), next = Peek(1);
  const auto is_qualifier = [&] {
    return Peek() == 'r' || Peek() == 'V' || Peek() == 'K' ||
           (Peek() == 'D' && (Peek(1) == 'x' || Peek(1) == 'o' || Peek(1) == 'O' || Peek(1) == 'w'));
  };
  if (is_qualifier()) {
    uint64_t bytes = 0;
    for (; is_qualifier(); bytes += 20) {
      if (Take("DO")) {
        size += Expression();
        Expect("E");
      } else if (Take("Dw")) {
        size += Types();
        Expect("E");
      } else {
        at_ += Peek() == 'D' ? 2 : 1;
        bytes -= 10;
      }
    }
    size += Peek() == 'F' ? FunctionType() : Type();
    size += bytes;
  } else if (IsLower(c) && c != 'u') {
    ++at_;
    return Text(BuiltinSize(c));
  } else if (c == 'u') {
    ++at_;
    size = SourceName();
    if (Peek() == 'I') size += TemplateArguments();
  } else if (c == 'P' || c == 'R' || c == 'O' || c == 'C' || c == 'G') {
    ++at_;
    size = Type();
    size += c == 'C' || c == 'G' ? 11 : 3;
  } else if (c == 'F') {
    size = FunctionType();
  } else if (c == 'A') {
    ++at_;
    if (IsDigit(Peek())) {
      const size_t from = at_;
      Number();
      size = Text(at_ - from);
    } else if (Peek() != '_') {
      size = Expression();
    }
    Expect("_");
    size += Type();
    size += 5;
  } else if (c == 'M') {
    ++at_;
    size = Type();
    size += Type();
    size += 5;
  } else if (c == 'T') {
    ++at_;
    size = Parameter();
    if (Peek() == 'I' && !scope_.conversion) {
      Remember(size);
      size += TemplateArguments();
    }
  } else if (c == 'S' && (IsDigit(next) || IsUpper(next) || next == '_')) {
    size = Substitution();
    if (Peek() != 'I') return size;
    size += TemplateArguments();
  } else if (c == 'S' && next != 't') {
    size = Substitution();
    if (Peek() != 'I') return size;
    size += TemplateArguments();
  } else if (IsDigit(c) || c == 'N' || c == 'Z' || c == 'S') {
    size = Name();
  } else if (c == 'U') {
    ++at_;
    size = SourceName();
    if (Peek() == 'I') size += TemplateArguments();
    size += Type();
    size += 2;
  } else if (Take("Dt") || Take("DT")) {
    size = Expression();
    Expect("E");
    size += 12;
  } else if (Take("Dp")) {
    const Size one = Type();
    // Each element once; the elements themselves, which stand for the parameters in it, are as long as the pack.
    size.text = Times(Add(one.text, 3), longest_pack_);
    size.full = Add(Add(one.full, size.text), 3);
    size.params = Times(one.params, longest_pack_);
    size.open = one.open;
    if (one.open > 0) return Fail();
  } else if (Take("Dv")) {
    if (IsDigit(Peek())) Number();
    else if (Peek() != '_') size = Expression();
    Expect("_");
    size += Type();
    size += 22;
  } else if (Take("DF")) {
    Number();
    if (!Take("_") && !Take("b")) Take("x");
    return Text(17);
  } else if (c == 'D' && std::string_view("acfdehsuin").find(next) != std::string_view::npos) {
    at_ += 2;
    return Text(17);
  } else {
    return Fail();
  }
  size += 1;
  Remember(size);
  return Checked(size);
}

}  // namespace warpscope::base
