// Settings: findings whose fix is a variable of the environment, so that it can be tried without changing the program.
// [MT] Pure function of its inputs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "rules/finding.h"

namespace warpscope::rules {

// What the program's environment holds; absent: not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

struct Setting {
  std::string name;
  std::optional<std::string> value;  // absent: taken out of the environment
  std::string meaning;               // what it does, one sentence
  std::string caution;               // what else it changes; ""
};

struct SettingFor {
  std::optional<Setting> setting;
  std::string reason;  // why there is none: the fix is a change of the program, or the setting is as it should be
};

// Only what a variable really does by itself counts. `cores`: that the program may use.
SettingFor SettingOf(const Finding& finding, const Environment& environment, unsigned cores);

}  // namespace warpscope::rules
