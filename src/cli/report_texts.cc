#include "cli/report_texts.h"

#include <map>

#include "lang/translate.h"
#include "report/json_writer.h"
#include "view/diff_view.h"

namespace warpscope::cli {
namespace {

// Longer texts are cut where the report shows them, so the page could not look them up.
constexpr size_t kMaxBytes = 4096;

}  // namespace

void CollectTexts(const rules::Verdict& verdict, std::vector<std::string>* english) {
  const auto take = [&](const std::string& text) { english->push_back(text); };
  take(verdict.answer);
  for (const rules::TimePart& part : verdict.breakdown) take(part.label);
  for (const rules::Finding& finding : verdict.findings) {
    take(finding.title);
    for (const rules::Evidence& evidence : finding.evidence) take(evidence.text);
    for (const rules::Action& action : finding.actions) take(action.text);
    take(finding.verify);
    take(finding.concept_text);
  }
  for (const rules::Abstention& abstention : verdict.abstained)
    take(abstention.reason), take(abstention.record_instead);
  for (const model::LedgerEntry& entry : verdict.ledger) take(entry.message);
  for (const std::string& note : verdict.notes) take(note);
}

void CollectTexts(const view::Table& table, std::vector<std::string>* english) {
  english->push_back(table.title);
  english->insert(english->end(), table.summary.begin(), table.summary.end());
  english->insert(english->end(), table.notes.begin(), table.notes.end());
}

void CollectTexts(const analysis::Diff& diff, std::vector<std::string>* english) {
  constexpr std::string_view kArrow = "->";  // as DiffJson writes it
  english->push_back(view::DiffAnswer(diff, kArrow));
  for (const analysis::Objection& objection : diff.objections) english->push_back(objection.text);
  for (const analysis::Cause& cause : diff.causes) english->push_back(view::CauseTitle(cause, diff, kArrow));
  for (const analysis::PartChange& part : diff.parts) english->push_back(view::PartLabel(part.name));
  for (std::string& note : view::DiffNotes(diff)) english->push_back(std::move(note));
}

std::string TextsJson(lang::Language own, const std::vector<std::string>& english) {
  std::map<std::string, std::string> pairs;
  for (const std::string& text : english) {
    if (text.empty() || text.size() > kMaxBytes || pairs.contains(text)) continue;
    std::string chinese = lang::Translate(lang::Language::kChinese, text);
    if (chinese == text || chinese.size() > kMaxBytes) continue;
    if (own == lang::Language::kEnglish) pairs.emplace(text, std::move(chinese));
    else pairs.emplace(std::move(chinese), text);
  }
  if (pairs.empty()) return {};
  const auto other = own == lang::Language::kEnglish ? lang::Language::kChinese : lang::Language::kEnglish;
  report::JsonWriter json;
  json.BeginObject(report::JsonWriter::Layout::kCompact);
  json.Key("lang");
  json.String(lang::LanguageName(other));
  json.Key("texts");
  json.BeginObject();
  for (const auto& [mine, theirs] : pairs) {
    json.Key(mine);
    json.String(theirs);
  }
  json.EndObject();
  json.EndObject();
  return json.Take();
}

}  // namespace warpscope::cli
