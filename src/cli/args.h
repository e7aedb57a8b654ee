// Args: a parsed command line, every value checked against its flag's type. [MT] Values after Parse().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/command.h"
#include "lang/language.h"

namespace warpscope::cli {

class Args {
 public:
  // `words`: what follows the command's name. kInvalidArgument with a message that says what was expected.
  static Result<Args> Parse(const Command& command, const std::vector<std::string>& words);

  const std::vector<std::string>& operands() const { return operands_; }
  bool Has(std::string_view flag) const { return values_.contains(flag); }
  std::optional<std::string> Text(std::string_view flag) const;
  std::vector<std::string> Texts(std::string_view flag) const;  // of kTexts, in order
  std::optional<uint64_t> Count(std::string_view flag) const;
  std::optional<double> Number(std::string_view flag) const;
  std::optional<int64_t> TimeNs(std::string_view flag) const;
  std::optional<int64_t> DurationNs(std::string_view flag) const;
  // Of JSON: a program gets English unless --lang says otherwise, whatever the environment asks for.
  lang::Language JsonLanguage() const;

 private:
  std::vector<std::string> operands_;
  std::map<std::string, std::string, std::less<>> values_;  // by flag name; "" for switches
};

// "2", "2s", "500ms", "1m" -> ns; without a unit: seconds.
std::optional<int64_t> ParseDurationNs(std::string_view text);

// "12.5ms" -> 12'500'000; absent if it is no time. Decimal digits only, no double on the way.
std::optional<int64_t> ParseTimeNs(std::string_view text);

}  // namespace warpscope::cli
