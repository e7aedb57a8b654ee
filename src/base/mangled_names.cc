// Names: plain, nested, local, of operators and lambdas.
#include "base/mangled_parser.h"

namespace warpscope::base {

Size MangledParser::SourceName() {
  if (!IsDigit(Peek())) return Fail();
  const uint64_t bytes = Number();
  if (!ok_ || bytes == 0 || bytes > in_.size() - at_) return Fail();
  at_ += bytes;
  last_name_ = bytes;
  // "_GLOBAL__N_1" prints as "(anonymous namespace)".
  return Text(in_.substr(at_ - bytes, bytes).starts_with("_GLOBAL_") ? std::max<uint64_t>(bytes, 21) : bytes);
}

Size MangledParser::Tags() {
  Size size;
  while (Take("B")) {
    const uint64_t last = last_name_;
    size += SourceName();
    size += 6;
    last_name_ = last;
  }
  return size;
}

Size MangledParser::UnqualifiedName() {
  Size size;
  const char c = Peek();
  if (IsDigit(c)) {
    size = SourceName();
  } else if (c == 'L') {
    ++at_;
    size = SourceName();
    Discriminator();
  } else if (IsLower(c)) {
    Take("on");
    size = OperatorName();
  } else if (Take("CI1") || Take("CI2")) {  // inherited: what it inherits from
    size = Text(last_name_ + 1);
    size += Type();
  } else if (Take("DC")) {  // structured binding
    while (ok_ && Peek() != 'E') {
      size += SourceName();
      size += 4;
    }
    Expect("E");
  } else if ((c == 'C' || c == 'D') && IsDigit(Peek(1))) {
    at_ += 2;
    size = Text(last_name_ + 2);
  } else if (Take("Ul")) {
    size = Lambda();
  } else if (Take("Ut")) {
    Sequence(10);
    size = Text(26);
    Remember(size);
  } else {
    return Fail();
  }
  size += Tags();
  return size;
}

Size MangledParser::Lambda() {
  const Scope outer = scope_;
  scope_ = {.id = ++scopes_, .lambda = true};
  while (ok_ && Peek() == 'T' && IsLower(Peek(1))) Fail();  // "[]<typename T>": no demangler agrees with another
  Size size = Types();
  scope_ = outer;
  Expect("E");
  Sequence(10);
  size += 24;
  size.open = 0;
  return size;
}

Size MangledParser::OperatorName() {
  if (Take("cv")) {
    const Scope outer = scope_;
    scope_ = {.id = ++scopes_, .conversion = true};
    Size size = Type();
    scope_ = outer;
    size += 10;
    return size;
  }
  if (Take("li")) {
    Size size = SourceName();
    size += 12;
    return size;
  }
  if (Peek() == 'v' && IsDigit(Peek(1))) {
    at_ += 2;
    Size size = SourceName();
    size += 9;
    return size;
  }
  if (!IsLower(Peek()) || Peek(1) == '\0') return Fail();
  at_ += 2;
  return Text(16);
}

void MangledParser::Arguments(Size& name) {
  const Size arguments = TemplateArguments();
  if (name.open > 0) {
    if (arguments.open > 0) Fail();
    uint64_t most = 8;
    for (const Size& argument : arguments_) most = std::max(most, argument.full);
    name.full = Add(name.full, Times(name.open, most));
    name.open = 0;
  }
  name += arguments;
  name = Checked(name);
}

Size MangledParser::NestedName() {  // behind the "N"
  Size name;
  while (Peek() == 'r' || Peek() == 'V' || Peek() == 'K') {
    ++at_;
    name += 9;
  }
  while (Peek() == 'R' || Peek() == 'O') {
    ++at_;
    name += 3;
  }
  bool any = false, is_template = false;
  while (ok_ && Peek() != 'E') {
    const char c = Peek();
    if (c == 'M' && any) {
      ++at_;
      continue;
    }
    is_template = c == 'I';
    if (c == 'I') {
      if (!any) return Fail();
      Arguments(name);
    } else {
      if (any && (c == 'T' || (c == 'S' && !Is("St")))) return Fail();
      const bool decltype_first = c == 'D' && (Peek(1) == 't' || Peek(1) == 'T');
      if (c == 'S') name += Substitution();
      else if (c == 'T') ++at_, name += Parameter();
      else if (decltype_first) name += Type();
      else name += UnqualifiedName();
      name += 2;
    }
    any = true;
    if (c != 'S' && Peek() != 'E') Remember(name);
  }
  Expect("E");
  if (!any) return Fail();
  if (!is_template) arguments_.clear();
  return name;
}

Size MangledParser::LocalName() {  // behind the "Z"
  Size name = Encoding();
  Expect("E");
  name += 2;
  arguments_.clear();
  if (Take("s")) {
    name += 14;
    Discriminator();
    return name;
  }
  if (Take("d")) {
    Take("n");
    Number();
    Expect("_");
    name += 24;
  }
  const bool nameless = Peek() == 'U';
  name += Name();
  if (!nameless) Discriminator();
  return name;
}

Size MangledParser::Name() {
  const Level level(*this);
  if (Take("N")) return NestedName();
  if (Take("Z")) return LocalName();
  Size name;
  bool known = false;
  if (Peek() == 'S' && Peek(1) != 't') {
    name = Substitution();
    known = true;
  } else {
    if (Take("St")) name = Text(5);
    name += UnqualifiedName();
  }
  if (Peek() == 'I') {
    if (!known) Remember(name);
    Arguments(name);
  } else {
    arguments_.clear();
  }
  return name;
}

}  // namespace warpscope::base
