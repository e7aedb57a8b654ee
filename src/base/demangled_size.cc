// One pass from left to right, as demanglers do it; of each part that can be referred to, only its size is kept.
#include "base/demangled_size.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpscope::base {
namespace {

constexpr uint64_t kHuge = uint64_t{1} << 31U;  // saturated: products of two still fit

uint64_t Add(uint64_t a, uint64_t b) { return std::min(a + b, kHuge); }
uint64_t Times(uint64_t a, uint64_t b) { return std::min(a * b, kHuge); }

struct Size {
  uint64_t full = 0;    // bytes where the part stands
  uint64_t text = 0;    // bytes with 1 for each template parameter in it ("T_")
  uint64_t params = 0;  // template parameters in it, those of the parts it refers to included
  uint64_t open = 0;    // of them those whose arguments are not known yet

  void operator+=(const Size& other) {
    full = Add(full, other.full);
    text = Add(text, other.text);
    params = Add(params, other.params);
    open = Add(open, other.open);
  }
  void operator+=(uint64_t bytes) {
    full = Add(full, bytes);
    text = Add(text, bytes);
  }
};

Size Text(uint64_t bytes) { return {.full = bytes, .text = bytes}; }

// A part that can be referred to ("S0_"), and whose template arguments its parameters meant.
struct Candidate {
  Size size;
  uint64_t scope = 0;
  uint64_t pack = 0;  // the longest pack so far
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

uint64_t BuiltinSize(char c) {
  switch (c) {
    case 'a': case 'e': return 11;  // clang-format off
    case 'h': case 'm': return 13;
    case 't': return 14;
    case 'o': case 'y': return 18;
    case 'j': return 12;
    case 'g': case 'x': return 10;
    default: return 8;  // clang-format on
  }
}

class Parser {
 public:
  Parser(std::string_view name, size_t most) : in_(name), most_(most) {}

  std::optional<size_t> Run() {
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

 private:
  // Counts how deep the grammar is nested: the stack is bounded.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMostDepth) parser_.Fail();
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    static constexpr int kMostDepth = 400;
    Parser& parser_;
  };
  struct Scope {
    uint64_t id = 0;
    const std::vector<Size>* arguments = nullptr;
    bool lambda = false;      // its parameters print as "auto:1"
    bool conversion = false;  // the arguments follow behind
  };

  char Peek(size_t ahead = 0) const { return ok_ && at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }
  bool Is(std::string_view word) const { return ok_ && in_.substr(at_).starts_with(word); }
  bool Take(std::string_view word) {
    if (!Is(word)) return false;
    at_ += word.size();
    return true;
  }
  void Expect(std::string_view word) {
    if (!Take(word)) Fail();
  }
  Size Fail() {
    ok_ = false;
    return {};
  }
  // Nothing that grew too large can be in a name that is small enough.
  Size Checked(const Size& size) { return size.full > most_ ? Fail() : size; }

  uint64_t Number() {
    uint64_t value = 0;
    while (IsDigit(Peek())) value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(in_[at_++] - '0'), kHuge);
    return value;
  }
  void SignedNumber() {
    Take("n");
    Number();
  }
  // The number of "S1_", "T1_": 0 for "_".
  uint64_t Sequence(uint64_t base) {
    if (Take("_")) return 0;
    uint64_t value = 0;
    for (char c = Peek(); IsDigit(c) || (base == 36 && IsUpper(c)); c = Peek()) {
      value = Add(Times(value, base), static_cast<uint64_t>(IsDigit(c) ? c - '0' : c - 'A' + 10));
      ++at_;
    }
    Expect("_");
    return value + 1;
  }

  void Remember(const Size& size) { candidates_.push_back({size, scope_.id, longest_pack_}); }

  Size Reference() {  // behind the "S"
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

  Size Parameter() {  // behind the "T"
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

  // "St", "Ss" ...: absent for a numbered reference.
  std::optional<Size> Standard() {
    switch (Peek(1)) {
      case 't': at_ += 2; return Text(3);  // clang-format off
      case 'a': at_ += 2; last_name_ = 9; return Text(14);
      case 'b': at_ += 2; last_name_ = 12; return Text(17);
      case 's': case 'i': case 'o': case 'd': {
        at_ += 2;
        last_name_ = 14;
        const bool whole = Peek() == 'C' || Peek() == 'D';  // "std::basic_string<char, ...>::basic_string"
        return Text(whole ? 72 : 13);
      }
      default: return std::nullopt;  // clang-format on
    }
  }
  Size Substitution() {
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

  Size SourceName() {
    if (!IsDigit(Peek())) return Fail();
    const uint64_t bytes = Number();
    if (!ok_ || bytes == 0 || bytes > in_.size() - at_) return Fail();
    at_ += bytes;
    last_name_ = bytes;
    // "_GLOBAL__N_1" prints as "(anonymous namespace)".
    return Text(in_.substr(at_ - bytes, bytes).starts_with("_GLOBAL_") ? std::max<uint64_t>(bytes, 21) : bytes);
  }
  Size Tags() {
    Size size;
    while (Take("B")) {
      const uint64_t last = last_name_;
      size += SourceName();
      size += 6;
      last_name_ = last;
    }
    return size;
  }

  Size UnqualifiedName() {
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
  Size Lambda() {
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
  void Discriminator() {
    if (Peek() != '_') return;
    ++at_;
    if (Take("_")) {
      Number();
      Expect("_");
    } else if (IsDigit(Peek())) {
      ++at_;
    }
  }

  Size OperatorName() {
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

  // What follows a name: its template arguments, those that a conversion ("operator T") waits for among them.
  void Arguments(Size& name) {
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

  Size NestedName() {  // behind the "N"
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

  Size LocalName() {  // behind the "Z"
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

  Size Name() {
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

  // The sum of the list; its arguments lie in arguments_ then.
  Size TemplateArguments() {
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
  Size TemplateArgument() {
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

  Size Literal() {
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

  Size Encoding();
  Size SpecialName();
  Size Types();
  Size Type();
  Size FunctionType();
  Size Expression();
  Size Expressions(char end);
  Size SimpleName();

  std::string_view in_;
  uint64_t most_;
  size_t at_ = 0;
  bool ok_ = true;
  int depth_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<Size> arguments_;  // of the name read last; empty: no template
  Scope scope_;
  uint64_t scopes_ = 0, last_name_ = 0, longest_pack_ = 1, most_argument_ = 8;
  bool open_arguments_ = false;  // arguments of a function refer to those of another, not known here
};

Size Parser::Encoding() {
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

Size Parser::SpecialName() {
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

Size Parser::Types() {
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

Size Parser::FunctionType() {
  Expect("F");
  Take("Y");
  Size size = Types();
  if (Peek() == 'R' || Peek() == 'O') ++at_;
  Expect("E");
  size += 12;
  return size;
}

Size Parser::Type() {
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

Size Parser::SimpleName() {
  Size size = UnqualifiedName();
  if (Peek() == 'I') size += TemplateArguments();
  return size;
}

Size Parser::Expressions(char end) {
  Size size = Text(4);
  while (ok_ && Peek() != end) {
    size += Expression();
    size += 2;
  }
  Expect(std::string_view(&end, 1));
  return Checked(size);
}

Size Parser::Expression() {
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

}  // namespace

std::optional<size_t> DemangledSize(std::string_view mangled, size_t most) {
  if (!mangled.starts_with("_Z")) return std::nullopt;
  return Parser(mangled, most).Run();
}

}  // namespace warpscope::base
