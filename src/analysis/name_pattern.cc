#include "analysis/name_pattern.h"

#include <re2/re2.h>

#include <algorithm>

namespace warpscope::analysis {
namespace {

constexpr int64_t kMostMemoryBytes = 1 << 20;  // of a compiled expression with its states
constexpr size_t kShownBytes = 60;

std::string Shown(std::string_view expression) {
  const bool is_short = expression.size() <= kShownBytes;
  return "\"" + std::string(expression.substr(0, kShownBytes)) + (is_short ? "\"" : "...\"");
}

}  // namespace

Result<NamePattern> NamePattern::Compile(std::string_view expression) {
  const auto wrong = [](std::string why) { return Status(StatusCode::kInvalidArgument, std::move(why)); };
  if (expression.size() > kMostBytes)
    return wrong("a regular expression may have " + std::to_string(kMostBytes) + " bytes; this one has " +
                 std::to_string(expression.size()));
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  options.set_dot_nl(true);                                 // a name is one text, whatever it holds
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // names may be no UTF-8: bytes are compared
  options.set_max_mem(kMostMemoryBytes);
  options.set_never_capture(true);
  options.set_log_errors(false);
  auto compiled = std::make_shared<const re2::RE2>(re2::StringPiece(expression.data(), expression.size()), options);
  switch (compiled->error_code()) {
    case re2::RE2::NoError: break;
    case re2::RE2::ErrorRepeatSize: return wrong(Shown(expression) + " repeats a part more than 1000 times");
    case re2::RE2::ErrorPatternTooLarge: return wrong(Shown(expression) + " is too large a regular expression");
    case re2::RE2::ErrorBadEscape:
      return wrong(Shown(expression) + " has an escape that is not known, or a back reference, which is not supported");
    default: return wrong(Shown(expression) + " is no regular expression");
  }
  NamePattern pattern;
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

bool NamePattern::Find(std::string_view name) const {
  name = name.substr(0, kMostNameBytes);
  return re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *compiled_);
}

}  // namespace warpscope::analysis
