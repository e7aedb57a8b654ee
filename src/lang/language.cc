#include "lang/language.h"

namespace warpscope::lang {

std::optional<Language> ParseLanguage(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of("_-."));
  if (word == "en") return Language::kEnglish;
  if (word == "zh") return Language::kChinese;
  return std::nullopt;
}

std::string_view LanguageName(Language language) {
  switch (language) {
    case Language::kEnglish: return "en";
    case Language::kChinese: return "zh";
  }
  return "";
}

}  // namespace warpscope::lang
