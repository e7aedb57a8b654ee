#include "model/ledger.h"

#include <algorithm>
#include <utility>

#include "model/ledger_words.h"

namespace warpscope::model {
namespace {

struct Kind {
  std::string_view name;
  Severity severity;
  std::string_view sentence;
};

constexpr Kind kKinds[] = {
#define WS_LEDGER(id, name, severity, sentence) {name, severity, sentence},
#include "model/ledger.def"
#undef WS_LEDGER
};

void ReplaceFirst(std::string& text, std::string_view from, std::string_view to, size_t begin) {
  const size_t at = text.find(from, begin);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

// "{} files end" -> "{} file ends": the catalogue is written for many.
void MakeSingular(std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kNouns[] = {
      {"launches", "launch"}, {"warnings", "warning"}, {"tables", "table"}, {"records", "record"},
      {"strings", "string"},  {"names", "name"},       {"values", "value"}, {"events", "event"},
      {"ranks", "rank"},      {"ids", "id"},           {"files", "file"},   {"spans", "span"}};
  constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {" were ", " was "},         {" have ", " has "}, {" hold ", " holds "}, {" occur ", " occurs "},
      {" lie ", " lies "},         {" end ", " ends "}, {" last ", " lasts "}, {" start ", " starts "},
      {" overlap ", " overlaps "}, {" are ", " is "}};
  size_t at = std::string::npos;
  for (const auto& [many, one] : kNouns) at = std::min(at, text.find(many));
  if (at == std::string::npos) return;
  for (const auto& [many, one] : kNouns) {
    if (text.compare(at, many.size(), many) == 0) text.replace(at, many.size(), one);
  }
  size_t verb = std::string::npos;
  for (const auto& [many, one] : kVerbs) verb = std::min(verb, text.find(many, at));
  for (const auto& [many, one] : kVerbs) {
    if (verb != std::string::npos && text.compare(verb, many.size(), many) == 0) text.replace(verb, many.size(), one);
  }
  ReplaceFirst(text, "; they were ", "; it was ", at);
  ReplaceFirst(text, " and were ", " and was ", at);
  ReplaceFirst(text, "; they are ", "; it is ", at);
  ReplaceFirst(text, "; they count ", "; it counts ", at);
  ReplaceFirst(text, "start before their own", "starts before its own", at);
  ReplaceFirst(text, "starts before their own", "starts before its own", at);
  ReplaceFirst(text, "; their times ", "; its times ", at);
  ReplaceFirst(text, "overlaps their ", "overlaps its ", at);
}

std::string FillIn(std::string_view sentence, uint64_t count) {
  std::string text(sentence);
  if (count == 1) MakeSingular(text);
  const size_t at = text.find("{}");
  if (at != std::string::npos) text.replace(at, 2, std::to_string(count));
  return text;
}

}  // namespace

std::string InSingular(std::string_view sentence) {
  std::string text(sentence);
  MakeSingular(text);
  return text;
}

std::string_view Ledger::Name(LedgerCode code) { return kKinds[static_cast<size_t>(code)].name; }
Severity Ledger::SeverityOf(LedgerCode code) { return kKinds[static_cast<size_t>(code)].severity; }

void Ledger::Add(LedgerCode code, uint64_t count, std::optional<uint64_t> offset_bytes, std::string_view detail,
                 std::string_view file) {
  if (count == 0) return;
  Cell& cell = cells_[static_cast<size_t>(code)];
  if (cell.count == 0) {
    cell.first_offset_bytes = offset_bytes;
    cell.detail = detail;
    cell.file = file;
  }
  cell.count += count;
}

void Ledger::Merge(const Ledger& part, uint64_t base_offset_bytes, std::string_view file) {
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Cell& from = part.cells_[i];
    std::optional<uint64_t> offset = from.first_offset_bytes;
    if (offset) *offset += base_offset_bytes;
    Add(static_cast<LedgerCode>(i), from.count, offset, from.detail, from.file.empty() ? file : from.file);
  }
}

std::vector<LedgerEntry> Ledger::Entries() const {
  std::vector<LedgerEntry> entries;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    if (cell.count == 0) continue;
    std::string message = FillIn(kKinds[i].sentence, cell.count);
    if (!cell.detail.empty()) message += " First: " + cell.detail;
    entries.push_back({static_cast<LedgerCode>(i), kKinds[i].name, kKinds[i].severity, cell.count,
                       cell.first_offset_bytes, cell.file, std::move(message), cell.detail});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const LedgerEntry& a, const LedgerEntry& b) { return a.severity > b.severity; });
  return entries;
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kLoss: return "loss";
  }
  return "";
}

}  // namespace warpscope::model
