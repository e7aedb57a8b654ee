#include "cli/baseline_operand.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "record/redact.h"
#include "report/text.h"

namespace warpscope::cli {
namespace {

constexpr std::string_view kPrefix = "baseline:";

bool IsHere(const std::string& word) {
  std::error_code error;
  return std::filesystem::exists(word, error);
}

// Absent where the word means a file.
std::optional<std::string> NameIn(const std::string& word, const baseline::Store& store) {
  if (word.starts_with(kPrefix)) return word.substr(kPrefix.size());
  if (store.Has(word) || !IsHere(word)) return word;
  return std::nullopt;
}

}  // namespace

bool IsBaseline(const std::string& word, const baseline::Store& store) {
  return word.starts_with(kPrefix) || store.Has(word) || baseline::IsBaselineFile(word);
}

std::string BaselinePath(const std::string& word, const baseline::Store& store) {
  const auto name = NameIn(word, store);
  return name && baseline::CheckName(*name).ok() ? store.PathOf(*name) : word;
}

Result<baseline::Baseline> LoadBaseline(const std::string& word, const baseline::Store& store, analysis::Words* words,
                                        Io* io) {
  const auto name = NameIn(word, store);
  if (!name) return baseline::LoadFile(word, words);
  if (*name == word && store.Has(word) && IsHere(word)) {
    io->Warn(
        fmt::format("'{0}' is the baseline {1} here; ./{0} would be the file of that name", word, store.PathOf(word)));
  }
  return store.Load(*name, words);
}

std::string LabelOf(const baseline::Baseline& baseline) {
  if (baseline.runs.size() == 1) return "baseline " + baseline.name;
  return fmt::format("baseline {} ({} runs; the one in the middle)", baseline.name, baseline.runs.size());
}

rules::Verdict VerdictOf(const baseline::Run& run, const std::string& label) {
  rules::Verdict verdict;
  verdict.answer = "no verdict was kept";
  verdict.source.path = label;
  for (const analysis::Fact& fact : run.side.facts) {
    if (fact.subject == "recording" && fact.name == "format") verdict.source.format = fact.value;
    if (fact.subject == "device" && fact.name == "name") verdict.devices.push_back({fact.value, 0, {}, {}});
  }
  verdict.step_count = run.side.counted();
  verdict.base_step_ms = run.base_step_ms;
  for (const baseline::KeptFinding& kept : run.findings) {
    rules::Finding finding;
    finding.id = kept.id, finding.subject = kept.subject, finding.title = kept.title;
    if (kept.gain_pct) {
      finding.predicted.emplace();
      finding.predicted->gain_pct = *kept.gain_pct;
      finding.predicted->low_pct = kept.low_pct.value_or(*kept.gain_pct);
      finding.predicted->high_pct = kept.high_pct.value_or(*kept.gain_pct);
    }
    verdict.findings.push_back(std::move(finding));
  }
  for (const std::string& id : run.abstained) verdict.abstained.push_back({id, "", ""});
  return verdict;
}

std::vector<analysis::RecordedRun> StepsOfRuns(const baseline::Baseline& baseline) {
  std::vector<analysis::RecordedRun> runs;
  for (const baseline::Run& run : baseline.runs) runs.push_back({run.side.step_ms, run.side.recorder});
  return runs;
}

Result<double> ParsePct(const std::string& text, std::string_view flag) {
  std::string digits = text;
  if (!digits.empty() && digits.back() == '%') digits.pop_back();
  while (!digits.empty() && digits.back() == ' ') digits.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  constexpr double kMost = 1000;
  if (error != std::errc() || end != digits.data() + digits.size() || !(value > 0) || value >= kMost) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} {}: expected a percentage above 0, for example 2%", flag, text));
  }
  return value;
}

Result<std::vector<std::pair<std::string, std::string>>> TagsOf(const Args& args) {
  std::map<std::string, std::string> tags;
  for (const std::string& text : args.Texts("--tag")) {
    const size_t at = text.find('=');
    if (at == std::string::npos || at == 0)
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("--tag {}: expected KEY=VALUE, for example batch=64", text));
    tags[text.substr(0, at)] = record::RedactedValue(text.substr(0, at), text.substr(at + 1));
  }
  return std::vector<std::pair<std::string, std::string>>(tags.begin(), tags.end());
}

}  // namespace warpscope::cli
