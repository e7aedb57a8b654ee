#include "faults/month_names.h"

#include <array>
#include <string>

#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

constexpr std::array<std::string_view, 12> kEnglish = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Source: the locales of the GNU C library (abmon), German, Dutch, French, Spanish, Portuguese, Italian, Danish,
// Swedish, Norwegian, Finnish, Polish, Czech, Hungarian, Turkish, Russian, Ukrainian; in small letters where those are
// of ASCII, a blank before and behind each.
constexpr std::array<std::string_view, 12> kOthers = {
    " jan januar janv janvier ene gen tammi sty led ledna oca ocak янв января січ ",
    " feb februar fév févr février fev febr helmi lut úno şub фев февраля лют ",
    " mär märz mrz mrt mars mar maalis bře már márc мар марта бер ",
    " apr april avr avril abr huhti kwi dub ápr nis апр апреля кві ",
    " mai maj mei may mag touko kvě máj май мая тра ",
    " jun juni juin giu kesä cze čer čvn jún haz июн июня чер ",
    " jul juli juil juillet lug heinä lip čec čvc júl tem июл июля лип ",
    " aug august août ago elo sie srp ağu авг августа сер ",
    " sep september sept set syys wrz zář szept eyl сен сентября вер ",
    " okt oktober oct octobre out ott loka paź říj eki окт октября жов ",
    " nov november novembre marras lis kas ноя ноября лис ",
    " dez dezember dec déc décembre dic joulu gru pro ara дек декабря гру ",
};

// The word at the start with small letters, without a full stop; "" where no day (a digit) follows it.
std::string WordBeforeADay(std::string_view text, size_t* end) {
  constexpr size_t kMost = 24;
  const size_t space = text.substr(0, kMost).find(' ');
  if (space == std::string_view::npos || space < 2) return "";
  const size_t day = text.find_first_not_of(' ', space);
  if (day == std::string_view::npos || !IsDigit(text[day])) return "";
  *end = space;
  std::string word;
  for (const char byte : text.substr(0, space)) word += Lower(byte);
  if (word.ends_with('.')) word.pop_back();
  return word;
}

}  // namespace

std::optional<int64_t> TakeMonthName(std::string_view& text) {
  for (size_t month = 0; month < kEnglish.size(); ++month) {
    std::string_view rest = text;
    if (Skip(rest, kEnglish[month]) && (rest.empty() || !IsWordByte(rest[0]))) {
      text = rest;
      return static_cast<int64_t>(month) + 1;
    }
  }
  size_t end = 0;
  const std::string word = WordBeforeADay(text, &end);
  if (word.empty()) return {};
  // "7月" (Chinese, Japanese), "7월" (Korean).
  std::string_view rest = word;
  if (const auto number = TakeNumber(rest); number && *number >= 1 && *number <= 12 && (rest == "月" || rest == "월")) {
    text.remove_prefix(end);
    return static_cast<int64_t>(*number);
  }
  const std::string whole = " " + word + " ";
  for (size_t month = 0; month < kOthers.size(); ++month) {
    if (!Has(kOthers[month], whole)) continue;
    text.remove_prefix(end);
    return static_cast<int64_t>(month) + 1;
  }
  return {};
}

}  // namespace warpscope::faults
