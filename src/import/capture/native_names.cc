#include "import/capture/native_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "base/demangle.h"

namespace warpscope::import::capture {
namespace {

constexpr size_t kMostMangledBytes = 4096, kMostShownBytes = 300;

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsLibrary(std::string_view module) {
  if (module == "[vdso]") return true;
  const auto has = [&](std::string_view part) { return module.find(part) != std::string_view::npos; };
  if (FileName(module).find(".so") == std::string_view::npos) return false;
  return module.starts_with("/usr/") || module.starts_with("/lib") || module.starts_with("/opt/") ||
         has("/site-packages/") || has("/dist-packages/") || has("/lib-dynload/") || has("/libpython");
}

// "_ZN3foo3BarIiE3runEv" -> "foo::Bar": what can be read without the whole.
std::string FirstParts(std::string_view name) {
  std::string out;
  std::string_view rest = name.substr(2);
  while (!rest.empty() && (rest[0] == 'N' || rest[0] == 'K' || rest[0] == 'L')) rest.remove_prefix(1);
  if (rest.starts_with("St")) {
    out = "std";
    rest.remove_prefix(2);
  }
  for (size_t size = 0; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(size)) {
    for (size = 0; !rest.empty() && rest[0] >= '0' && rest[0] <= '9' && size < kMostMangledBytes; rest.remove_prefix(1))
      size = size * 10 + static_cast<size_t>(rest[0] - '0');
    size = std::min(size, rest.size());
    out += (out.empty() ? "" : "::") + std::string(rest.substr(0, size));
  }
  return out.empty() ? std::string(name) : out;
}

std::string Demangled(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  if (std::optional<std::string> text = base::Demangle(name)) return *std::move(text);
  return FirstParts(name);
}

// "operator" and its sign at `at`; 0: none is there.
size_t OperatorSize(std::string_view text, size_t at) {
  constexpr std::string_view kWord = "operator";
  if (text.substr(at, kWord.size()) != kWord) return 0;
  const auto is_word = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (at > 0 && is_word(text[at - 1])) return 0;
  const std::string_view rest = text.substr(at + kWord.size());
  for (const std::string_view sign : {"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (rest.starts_with(sign)) return kWord.size() + sign.size();
  }
  return 0;
}

// Without what stands in brackets; "(anonymous namespace)", operators and the number of a lambda stay.
std::string WithoutBrackets(std::string_view text) {
  constexpr std::string_view kNameless = "(anonymous namespace)";
  std::string out;
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (depth == 0) {
      if (text.substr(i, kNameless.size()) == kNameless) {
        out += kNameless;
        i += kNameless.size() - 1;
        continue;
      }
      if (const size_t size = OperatorSize(text, i); size > 0) {
        out += text.substr(i, size);
        i += size - 1;
        continue;
      }
    }
    const char c = text[i];
    if (c == '<' || c == '(') ++depth;
    else if ((c == '>' || c == ')') && depth > 0) --depth;
    else if (depth == 0) out += c;
  }
  return out;
}

}  // namespace

std::string PlainFunctionName(std::string_view name) {
  name = name.substr(0, name.find('@'));  // the version of a symbol
  const std::string whole = Demangled(name);
  if (whole == name) {
    // GCC appends what it made of a function: ".cold", ".part.0", ".constprop.0".
    const size_t dot = whole.find('.', 1);
    std::string out =
        dot == std::string::npos || whole.find_first_of("(<: ") != std::string::npos ? whole : whole.substr(0, dot);
    return out.substr(0, kMostShownBytes);
  }
  std::string text = WithoutBrackets(whole);
  text = text.substr(0, text.find(" [clone"));
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view tail : {" const", " volatile", " &", " &&", " "}) {
      if (!std::string_view(text).ends_with(tail)) continue;
      text.resize(text.size() - tail.size());
      again = true;
    }
  }
  // What stands before the last blank is the return type; "operator bool" and "{lambda}" hold blanks of their own.
  size_t end = text.find("operator ");
  if (end == std::string::npos) end = text.find("(anonymous");
  size_t from = end == std::string::npos || end == 0 ? text.rfind(' ') : text.rfind(' ', end - 1);
  if (end == 0) from = std::string::npos;
  if (from != std::string::npos) text.erase(0, from + 1);
  return text.empty() ? whole.substr(0, kMostShownBytes) : text.substr(0, kMostShownBytes);
}

std::string NativeFrameName(const NativeFunction& function) {
  const bool generated = function.module.starts_with("[anonymous");
  const std::string_view module = FileName(function.module);
  if (function.function.empty())
    return generated ? "[unknown in generated code]" : "[unknown in " + std::string(module) + "]";
  std::string name = PlainFunctionName(function.function);
  if (IsLibrary(function.module))
    return name + (module.front() == '[' ? " " + std::string(module) : " [" + std::string(module) + "]");
  // Lines of the standard library's templates tell nothing beyond their names.
  if (!function.file.empty() && function.line > 0 && !function.file.starts_with("/usr/"))
    name = std::string(function.file) + "(" + std::to_string(function.line) + "): " + name;
  return name;
}

bool IsInsideDriver(std::string_view module) {
  const std::string_view name = FileName(module);
  constexpr std::string_view kDrivers[] = {"libcuda.so", "libcudart.so", "libcudart-",  "libcupti.so",
                                           "libnvidia-", "libnvperf_",   "libwarpscope"};
  return std::any_of(std::begin(kDrivers), std::end(kDrivers),
                     [&](std::string_view driver) { return name.starts_with(driver); });
}

bool IsNotTold(std::string_view function) {
  constexpr std::string_view kStarts[] = {
      "_start",   "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "clone", "clone3", "__clone",
      "__clone3", "start_thread"};
  if (std::find(std::begin(kStarts), std::end(kStarts), function) != std::end(kStarts)) return true;
  // The runtime linked into the program.
  if (function.starts_with("libcudart_static") || function.starts_with("__cudart") ||
      function.starts_with("__device_stub"))
    return true;
  for (const std::string_view prefix : {"__cuda", "cuda", "cu"}) {
    const std::string_view rest = function.substr(std::min(function.size(), prefix.size()));
    if (function.starts_with(prefix) && rest.size() > 1 && rest[0] >= 'A' && rest[0] <= 'Z' &&
        std::all_of(rest.begin(), rest.end(),
                    [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }))
      return true;
  }
  return false;
}

}  // namespace warpscope::import::capture
