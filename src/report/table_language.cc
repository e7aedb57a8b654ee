#include "report/table_language.h"

#include <string>
#include <unordered_map>

#include "lang/translate.h"

namespace warpscope::report {

void Translate(lang::Language language, Words words, view::Table& table) {
  if (language == lang::Language::kEnglish) return;
  const auto turn = [&](std::string& text) { text = lang::Translate(language, text); };
  turn(table.title);
  turn(table.empty_text);
  for (std::string& sentence : table.summary) turn(sentence);
  for (std::string& note : table.notes) turn(note);
  for (view::Column& column : table.columns) turn(column.heading);
  std::unordered_map<std::string, std::string> known;  // cells repeat
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const view::Kind kind = table.columns[i].kind;
    if (kind != view::Kind::kSentence && (kind != view::Kind::kText || words == Words::kKeep)) continue;
    for (std::vector<view::Cell>& row : table.rows) {
      auto* text = std::get_if<std::string>(&row[i]);
      if (text == nullptr) continue;
      const auto [it, fresh] = known.try_emplace(*text);
      if (fresh) it->second = lang::Translate(language, *text);
      *text = it->second;
    }
  }
  for (model::LedgerEntry& entry : table.ledger) turn(entry.message);
}

}  // namespace warpscope::report
