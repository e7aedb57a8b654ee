#include "cli/kernel_regex.h"

#include <regex>

namespace warpscope::cli {
namespace {

// Matching a regular expression takes stack in proportion to the text; names beyond this are compared by their
// beginning.
constexpr size_t kMatchedBytes = 2000;

bool Found(const std::regex& regex, std::string_view name) {
  name = name.substr(0, kMatchedBytes);
  try {
    return std::regex_search(name.begin(), name.end(), regex);
  } catch (const std::regex_error&) {
    return false;  // too complex for this name
  }
}

}  // namespace

Result<std::function<bool(std::string_view)>> KernelMatcher(const std::string& expression) {
  try {
    const std::regex regex(expression, std::regex::ECMAScript | std::regex::icase);
    return std::function<bool(std::string_view)>([regex](std::string_view name) { return Found(regex, name); });
  } catch (const std::regex_error&) {
    return Status(StatusCode::kInvalidArgument, "--kernel " + expression + ": not a regular expression");
  }
}

}  // namespace warpscope::cli
