#include "lang/translate.h"

#include "lang/embedded.h"
#include "lang/translator.h"
#include "model/ledger_words.h"

namespace warpscope::lang {
namespace {

constexpr std::string_view kWordSetsName = "vendors";
constexpr std::string_view kLedgerName = "ledger";

std::vector<Entry> ChineseEntries() {
  std::vector<WordSet> sets;
  for (const EmbeddedCatalogue& catalogue : ChineseCatalogues()) {
    if (catalogue.name == kWordSetsName) sets = ParseWordSets(catalogue.text);
  }
  std::vector<Entry> entries;
  for (const EmbeddedCatalogue& catalogue : ChineseCatalogues()) {
    if (catalogue.name == kWordSetsName) continue;
    auto more = ParseCatalogueWith(catalogue.text, sets, catalogue.name == kLedgerName ? model::InSingular : nullptr);
    entries.insert(entries.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return entries;
}

const Translator& Chinese() {
  static const Translator translator(ChineseEntries());
  return translator;
}

}  // namespace

std::string Translate(Language language, std::string_view text) {
  if (language == Language::kEnglish) return std::string(text);
  return Chinese().Translate(text).value_or(std::string(text));
}

void Translate(Language language, rules::Verdict& verdict) {
  if (language == Language::kEnglish) return;
  const auto turn = [&](std::string& text) { text = Translate(language, text); };
  turn(verdict.answer);
  for (rules::TimePart& part : verdict.breakdown) turn(part.label);
  for (rules::Finding& finding : verdict.findings) {
    turn(finding.title);
    for (rules::Evidence& evidence : finding.evidence) turn(evidence.text);
    for (rules::Action& action : finding.actions) turn(action.text);
    turn(finding.verify);
    turn(finding.concept_text);
  }
  for (rules::Abstention& abstention : verdict.abstained) turn(abstention.reason), turn(abstention.record_instead);
  for (model::LedgerEntry& entry : verdict.ledger) turn(entry.message);
  for (std::string& note : verdict.notes) turn(note);
}

}  // namespace warpscope::lang
