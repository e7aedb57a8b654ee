#include "model/ledger.h"

#include <algorithm>

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

std::string FillIn(std::string_view sentence, uint64_t count) {
  std::string text(sentence);
  const size_t at = text.find("{}");
  if (at != std::string::npos) text.replace(at, 2, std::to_string(count));
  return text;
}

}  // namespace

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
                       cell.first_offset_bytes, cell.file, std::move(message)});
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
