#include "cli/kernel_regex.h"

#include "analysis/name_pattern.h"

namespace warpscope::cli {

Result<std::function<bool(std::string_view)>> KernelMatcher(const std::string& expression) {
  auto pattern = analysis::NamePattern::Compile(expression);
  if (!pattern.ok()) return Status(StatusCode::kInvalidArgument, "--kernel: " + pattern.status().message());
  return std::function<bool(std::string_view)>(
      [pattern = std::move(pattern).value()](std::string_view name) { return pattern.Find(name); });
}

}  // namespace warpscope::cli
