// The languages that results are told in. English is the source: rules and tables write it, and another language is
// made of it when it is printed (docs/adding/language.md). [MT] Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::lang {

enum class Language : uint8_t { kEnglish, kChinese };

// "en", "zh", and what locales call them: "zh_CN.UTF-8", "en-GB". Absent: not one of ours.
std::optional<Language> ParseLanguage(std::string_view text);
std::string_view LanguageName(Language language);  // "en", "zh"

}  // namespace warpscope::lang
