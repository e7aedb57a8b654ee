// The parser behind DemangledSize: one pass from left to right, as demanglers do it; of each part that can be referred
// to, only its size is kept. Names in mangled_names.cc, types in mangled_types.cc, expressions in
// mangled_expressions.cc. Each function reads one rule of the grammar (Itanium C++ ABI, section 5.1) and moves behind
// it; after a fault every function returns at once.
// [one thread] A parser reads one name once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpscope::base {

inline constexpr uint64_t kSaturated = uint64_t{1} << 31U;  // saturated: products of two still fit

inline uint64_t Add(uint64_t a, uint64_t b) { return std::min(a + b, kSaturated); }
inline uint64_t Times(uint64_t a, uint64_t b) { return std::min(a * b, kSaturated); }

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

inline Size Text(uint64_t bytes) { return {.full = bytes, .text = bytes}; }

// A part that can be referred to ("S0_"), and whose template arguments its parameters meant.
struct Candidate {
  Size size;
  uint64_t scope = 0;
  uint64_t pack = 0;  // the longest pack so far
};

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
inline bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

class MangledParser {
 public:
  MangledParser(std::string_view name, size_t most) : in_(name), most_(most) {}

  std::optional<size_t> Run();

 private:
  // Counts how deep the grammar is nested: the stack is bounded.
  class Level {
   public:
    explicit Level(MangledParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMostDepth) parser_.Fail();
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    static constexpr int kMostDepth = 400;
    MangledParser& parser_;
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

  uint64_t Number();
  void SignedNumber();
  // The number of "S1_", "T1_": 0 for "_".
  uint64_t Sequence(uint64_t base);

  void Remember(const Size& size) { candidates_.push_back({size, scope_.id, longest_pack_}); }

  Size Reference();  // behind the "S"
  Size Parameter();  // behind the "T"

  // "St", "Ss" ...: absent for a numbered reference.
  std::optional<Size> Standard();
  Size Substitution();

  Size SourceName();
  Size Tags();
  Size UnqualifiedName();
  Size Lambda();
  void Discriminator();

  Size OperatorName();

  // What follows a name: its template arguments, those that a conversion ("operator T") waits for among them.
  void Arguments(Size& name);

  Size NestedName();  // behind the "N"
  Size LocalName();   // behind the "Z"
  Size Name();

  // The sum of the list; its arguments lie in arguments_ then.
  Size TemplateArguments();
  Size TemplateArgument();

  Size Literal();

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

}  // namespace warpscope::base
