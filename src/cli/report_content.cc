#include "cli/report_content.h"

#include <algorithm>
#include <filesystem>

#include "analysis/stall_profiles.h"
#include "cli/report_tables.h"
#include "cli/report_texts.h"
#include "cli/step_ms.h"
#include "cli/verdict_input.h"
#include "lang/translate.h"
#include "rules/engine.h"

namespace warpscope::cli {
namespace {

std::string TitleOf(const std::string& path) {
  if (path == "-") return "standard input";
  std::filesystem::path place = std::filesystem::path(path).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  return place.has_filename() && place.filename() != "." ? place.filename().string() : path;
}

std::string TitleOf(const std::vector<std::string>& paths) {
  const std::string first = TitleOf(paths.front());
  return paths.size() == 1 ? first : first + " and " + std::to_string(paths.size() - 1) + " more";
}

// A finding about steps as a whole is seen in the one of median length.
std::vector<rules::Where> PlacesOf(const ReportContent& content, const rules::Finding& finding) {
  std::vector<rules::Where> places = rules::WhereOf(*content.loaded.trace, finding);
  if (!places.empty() || content.steps.source == analysis::StepSource::kWholeWindow) return places;
  std::vector<const analysis::Step*> counted;
  for (const analysis::Step& step : content.steps.steps) {
    if (!step.warmup) counted.push_back(&step);
  }
  if (counted.empty()) return places;
  std::stable_sort(counted.begin(), counted.end(), [](const analysis::Step* a, const analysis::Step* b) {
    return a->end_ns - a->begin_ns < b->end_ns - b->begin_ns;
  });
  const analysis::Step& step = *counted[counted.size() / 2];
  return {{step.begin_ns, step.end_ns, model::kNone, model::kNone, 0}};
}

}  // namespace

page::Content ReportContent::Content() const {
  return {*loaded.index,
          steps,
          loaded.origin_ns,
          title,
          verdict_json,
          verdict_error,
          places,
          tables,
          limits,
          false,
          lang::LanguageName(language)};
}

void ReportContent::SetTexts() {
  std::erase_if(tables, [](const page::JsonTable& table) { return table.name == "texts"; });
  if (std::string texts = TextsJson(language, english); !texts.empty()) tables.push_back({"texts", std::move(texts)});
}

Result<ReportContent> LoadReport(const std::vector<std::string>& paths, const Args& args, Io& io) {
  ReportContent out;
  WS_ASSIGN_OR_RETURN(out.loaded, LoadWhole(paths, args, io));
  out.title = TitleOf(paths);
  const report::Input input = VerdictInputOf(*out.loaded.trace);
  out.language = io.terminal.language;
  out.tables = ReportTables(out.loaded, out.language, &out.limits, &out.english);
  rules::AnalyzeOptions options;
  WS_ASSIGN_OR_RETURN(options.true_step_ms, StepMs(args, "--step-ms"));
  if (const auto rank = args.Count("--rank")) options.rank = static_cast<int64_t>(*rank);
  options.file_argument = FileArgument(paths);
  analysis::AddStallProfiles(out.loaded.trace.get());  // behind the tables, which show what was recorded
  auto verdict = rules::Analyze(*out.loaded.trace, options);
  if (!verdict.ok() && options.rank) return verdict.status();
  if (verdict.ok()) {
    out.verdict = std::move(verdict).value();
    CollectTexts(out.verdict, &out.english);
    lang::Translate(out.language, out.verdict);
    out.verdict_json = report::VerdictJson(out.verdict, input);
  } else {
    out.english.push_back(verdict.status().message());
    out.verdict_error = lang::Translate(out.language, verdict.status().message());
  }
  out.SetTexts();
  out.steps = out.loaded.steps;
  if (!out.loaded.index->ranks().empty()) {
    const uint32_t judged = rules::RankToJudge(*out.loaded.index, options).link_domain;
    if (judged != out.loaded.rank_domain) out.steps = analysis::FindSteps(*out.loaded.index, judged);
  }
  for (size_t i = 0; i < out.verdict.findings.size(); ++i) {
    for (const rules::Where& where : PlacesOf(out, out.verdict.findings[i])) out.places.push_back({i, where});
  }
  return out;
}

}  // namespace warpscope::cli
