#include "explain/diagnosis.h"

#include <algorithm>
#include <tuple>

namespace warpscope::explain {
namespace {

constexpr size_t kExcerptBytes = 400;

// The error's own line, not what other processes wrote below it.
std::string ExcerptOf(const Match& match) {
  std::string text = match.window.substr(0, match.own_bytes);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (text.size() <= kExcerptBytes) return text;
  text.resize(kExcerptBytes);
  const size_t space = text.find_last_of(' ');
  if (space != std::string::npos && space > kExcerptBytes / 2) text.resize(space);
  return text + " ...";
}

// After one of these the CUDA context is lost: every later call of the process fails, in whatever words.
bool LosesContext(const Entry& entry) { return entry.group == "device_fault" || entry.group == "assert"; }

bool IsCuda(const Entry& entry) {
  return entry.id.starts_with("cuda.") || entry.id.starts_with("library.cu") || entry.group == "device_fault";
}

Relation RelationOf(const Finding& finding, const Finding& cause) {
  if (finding.entry->role == Role::kRemark) return Relation::kRemark;
  if (!finding.entry->group.empty() && finding.entry->group == cause.entry->group) return Relation::kSame;
  if (cause.entry->role == Role::kMachine) return Relation::kFollows;
  if (LosesContext(*cause.entry) && finding.line >= cause.line && IsCuda(*finding.entry)) return Relation::kFollows;
  if (finding.entry->role == Role::kSymptom && cause.entry->role < Role::kSymptom) return Relation::kFollows;
  return Relation::kOther;
}

}  // namespace

std::string_view NameOf(Relation relation) {
  switch (relation) {
    case Relation::kCause: return "cause";
    case Relation::kSame: return "same";
    case Relation::kFollows: return "follows";
    case Relation::kOther: return "other";
    case Relation::kRemark: return "remark";
  }
  return "other";
}

Finding FindingOf(const Entry& entry, std::span<const Match> matches) {
  Finding finding;
  finding.entry = &entry;
  Answer& answer = finding.answer;
  answer.headline = std::string(entry.title) + ".";
  answer.meaning = entry.meaning;
  answer.cause = entry.cause;
  answer.checks = StepsOf(entry.checks);
  answer.fixes = TextsOf(entry.fixes);
  answer.avoid = entry.avoid;
  answer.source = entry.source;
  if (entry.work != nullptr) entry.work(matches, &answer);
  finding.excerpt = ExcerptOf(matches.front());
  for (const Match& match : matches) {
    if (match.rank >= 0) finding.ranks.push_back(match.rank);
  }
  std::sort(finding.ranks.begin(), finding.ranks.end());
  finding.ranks.erase(std::unique(finding.ranks.begin(), finding.ranks.end()), finding.ranks.end());
  return finding;
}

void Judge(Diagnosis* diagnosis) {
  auto& findings = diagnosis->findings;
  if (findings.empty()) return;
  const auto first = std::min_element(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.entry->role, a.line, a.entry->id) < std::tuple(b.entry->role, b.line, b.entry->id);
  });
  std::iter_swap(findings.begin(), first);
  findings.front().relation = Relation::kCause;
  for (size_t i = 1; i < findings.size(); ++i) findings[i].relation = RelationOf(findings[i], findings.front());
  std::sort(findings.begin() + 1, findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.relation, a.line, a.entry->id) < std::tuple(b.relation, b.line, b.entry->id);
  });
}

}  // namespace warpscope::explain
