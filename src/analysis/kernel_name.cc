// The short form of kernel names. The classes are in kernel_class.cc.
#include "analysis/kernel_name.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/demangle.h"

namespace warpscope::analysis {
namespace {

bool StartsWith(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }

// "foo(int, float)" -> "foo", "foo<a(b)>(int)" -> "foo<a(b)>": cuts the parameter list, which is the last top-level
// parenthesis group, and what follows it.
std::string_view CutParameters(std::string_view name) {
  int angle = 0, paren = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') ++angle;
    if (c == '>' && angle > 0 && (i == 0 || name[i - 1] != '-')) --angle;
    if (angle != 0) continue;
    if (c == '(') {
      const bool anonymous = StartsWith(name.substr(i), "(anonymous");
      const bool call_operator = i >= 8 && name.substr(i - 8, 8) == "operator" && StartsWith(name.substr(i), "()");
      if (paren == 0 && !anonymous && !call_operator && i > 0) return name.substr(0, i);
      ++paren;
    }
    if (c == ')' && paren > 0) --paren;
  }
  return name;
}

// Cuts a balanced group that ends `out` ("<...>" or "(...)"), so that "foo<int>::bar" leaves "bar" alone.
void PopGroup(std::string& out) {
  const char close = out.back();
  const char open = close == '>' ? '<' : '(';
  int depth = 0;
  while (!out.empty()) {
    depth += out.back() == close ? 1 : out.back() == open ? -1 : 0;
    out.pop_back();
    if (depth == 0) break;
  }
}

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '~' ||
         c == '#' || c == '$';
}

// Removes every "a::b<c>::" in front of an identifier and "(anonymous namespace)". O(n): what is appended is popped
// once.
std::string StripScopes(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (size_t i = 0; i < name.size();) {
    if (StartsWith(name.substr(i), "::")) {
      if (!out.empty() && (out.back() == '>' || out.back() == ')')) PopGroup(out);
      while (!out.empty() && IsWord(out.back())) out.pop_back();
      i += 2;
    } else if (StartsWith(name.substr(i), "(anonymous namespace)")) {
      i += 21;
    } else {
      out += name[i++];
    }
  }
  return out;
}

// One template argument that says nothing to a reader: array types, offset calculators, loaders, booleans and sizes
// after the first are kept; these are not.
bool IsNoise(std::string_view argument) {
  for (const std::string_view word :
       {"array<", "Array<", "OffsetCalculator", "LoadWithoutCast", "StoreWithoutCast", "LoadWithCast", "StoreWithCast",
        "Memory::", "TrivialOffset", "GenericPackedTensor", "TensorInfo<", "PhiloxCudaState", "std::"}) {
    if (StartsWith(argument, word)) return true;
  }
  return argument.empty();
}

// Splits "head<a, b<c>, d>tail" at the top level. False if there are no (balanced) angle brackets.
bool SplitTemplate(std::string_view text, std::string_view* head, std::string_view* inner, std::string_view* tail) {
  const size_t open = text.find('<');
  if (open == std::string_view::npos || open == 0) return false;
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && text[i - 1] != '-' && --depth == 0) {
      *head = text.substr(0, open);
      *inner = text.substr(open + 1, i - open - 1);
      *tail = text.substr(i + 1);
      return true;
    }
  }
  return false;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string Compact(std::string_view text, int depth);

// A functor such as "launch_clamp_scalar(TensorIteratorBase&, ...)::{lambda()#1}::operator()() const::..." is known
// by the function that made it; the recorder's name keeps that function's name first.
std::string CompactArgument(std::string_view argument, int depth) {
  argument = Trim(argument);
  const size_t lambda = argument.find("{lambda");
  if (lambda != std::string_view::npos) {
    argument = CutParameters(argument);
    if (argument.empty() || argument.front() == '{') return "lambda";
  }
  return Compact(CutParameters(argument), depth + 1);
}

std::string Compact(std::string_view text, int depth) {
  std::string_view head, inner, tail;
  if (depth > 6 || !SplitTemplate(text, &head, &inner, &tail)) return std::string(Trim(text));
  std::string arguments;
  int nesting = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= inner.size(); ++i) {
    const char c = i < inner.size() ? inner[i] : ',';
    if (c == '<' || c == '(' || c == '{') ++nesting;
    if ((c == '>' && i > 0 && inner[i - 1] != '-') || c == ')' || c == '}') --nesting;
    if (c != ',' || (nesting > 0 && i < inner.size())) continue;
    const std::string argument = CompactArgument(inner.substr(begin, i - begin), depth);
    begin = i + 1;
    if (IsNoise(argument)) continue;
    if (!arguments.empty()) arguments += ", ";
    arguments += argument;
  }
  std::string out(Trim(head));
  if (StartsWith(out, "gpu_kernel_impl") || out == "gpu_index_kernel") return arguments;  // says nothing itself
  if (!arguments.empty()) out += '<' + arguments + '>';
  return out;
}

// The innermost made-by name in front of a lambda: scopes are cut before lambdas, else "foo(x)::{lambda}" loses foo.
std::string FoldLambdas(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (size_t i = 0; i < name.size();) {
    const std::string_view rest = name.substr(i);
    bool folded = false;
    for (const std::string_view word : {"::{lambda", "::operator()() const", "::'lambda", "::{unnamed"}) {
      if (!StartsWith(rest, word)) continue;
      size_t end = word.size();
      if (word.find('{') != std::string_view::npos || word.find('\'') != std::string_view::npos) {
        int depth = 1;
        while (end < rest.size() && depth > 0) {
          depth += rest[end] == '{' ? 1 : rest[end] == '}' ? -1 : 0;
          if (word.find('\'') != std::string_view::npos && rest[end] == '\'') depth = 0;
          ++end;
        }
      }
      i += end;
      folded = true;
      break;
    }
    if (!folded) out += name[i++];
  }
  return out;
}

// The function's own name of a mangled name that the demangler refuses (cut off, or a newer scheme): the last
// identifier before the template arguments; behind a wrapper, that of its first argument.
std::string LastIdentifier(std::string_view mangled) {
  std::string_view last;
  for (size_t i = 2; i < mangled.size();) {
    size_t length = 0, digits = i;
    while (digits < mangled.size() && mangled[digits] >= '0' && mangled[digits] <= '9' && length < 4096) {
      length = length * 10 + static_cast<size_t>(mangled[digits++] - '0');
    }
    if (digits > i && length > 0) {
      if (digits + length > mangled.size()) break;
      last = mangled.substr(digits, length);
      i = digits + length;
      continue;
    }
    const char c = mangled[i];
    const bool wrapper = last == "Kernel" || last == "Kernel2" || last == "kentry" || last == "device_kernel";
    if ((c == 'I' || c == 'E' || c == 'v') && !last.empty() && !wrapper) break;
    ++i;
  }
  return last.empty() ? std::string(mangled) : std::string(last);
}

std::string Shorten(std::string text, size_t max_chars) {
  if (text.size() <= max_chars) return text;
  size_t end = max_chars - 2;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a UTF-8 sequence
  text.resize(end);
  return text + "..";
}

}  // namespace

std::string DemangledKernelName(std::string_view name) {
  if (!StartsWith(name, "_Z") || name.size() > base::kMostMangledBytes) return std::string(name);
  if (std::optional<std::string> text = base::Demangle(name)) return *std::move(text);
  return LastIdentifier(name);
}

std::string ShortKernelName(std::string_view name, size_t max_chars) {
  max_chars = std::max<size_t>(max_chars, 16);
  const std::string full = DemangledKernelName(name);
  std::string_view text = Trim(full);
  if (StartsWith(text, "void ")) text.remove_prefix(5);
  if (StartsWith(text, "std::enable_if") || StartsWith(text, "enable_if<")) {  // a return type
    const size_t space = text.rfind("type ");
    if (space != std::string_view::npos && space < text.find('(', text.find("type ")))
      text.remove_prefix(text.find("type ") + 5);
  }
  const std::string folded = FoldLambdas(text);
  std::string out = Compact(StripScopes(CutParameters(folded)), 0);
  // cutlass::Kernel2<the_real_name>: the wrapper says nothing.
  for (const std::string_view wrapper :
       {"Kernel2<", "Kernel<", "device_kernel<", "multi_tensor_apply_kernel<", "kentry<"}) {
    if (StartsWith(out, wrapper) && out.back() == '>' && wrapper[0] != 'm') {
      out = out.substr(wrapper.size(), out.size() - wrapper.size() - 1);
      break;
    }
  }
  if (out.empty()) out = std::string(name);
  return Shorten(std::move(out), max_chars);
}

}  // namespace warpscope::analysis
