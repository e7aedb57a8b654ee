#include "cli/table_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/recordings.h"
#include "cli/app.h"
#include "cli/shell_quote.h"
#include "report/table_language.h"
#include "report/table_report.h"
#include "view/format.h"

namespace warpscope::cli {
namespace {

// What an input without a timeline is, and which command shows it.
std::string WithoutTimeline(const Loaded& loaded, const Args& args) {
  const model::Trace& trace = *loaded.trace;
  const std::string file =
      args.operands().empty() || args.operands().front() == "-" ? "FILE" : ShellQuote(args.operands().front());
  const std::string what = args.operands().size() == 1 ? args.operands().front() + " holds " : "These files hold ";
  const auto shown = [&](std::string_view holds, std::string_view command) {
    return what + std::string(holds) + " and no timeline, so this table has no rows. See: warpscope " +
           std::string(command) + " " + file;
  };
  if (!trace.readings.empty()) return shown("readings that a monitor took of devices", "readings");
  if (!trace.kernel_profiles.empty()) return shown("hardware counters of single kernel launches", "counters");
  if (!trace.summaries.empty()) return shown("tables of totals", "analyze");
  return {};
}

bool ShowsSteps(const Loaded& loaded) { return loaded.whole && loaded.steps.starts_late(); }

// Several ranks at once: from the first counted step of any to the last of any. Ranks of one run step together.
void WidenToAll(const Loaded& loaded, view::Subject& subject) {
  for (const analysis::Rank& rank : loaded.index->ranks()) {
    if (rank.link_domain == loaded.rank_domain || rank.gpu_rows == 0) continue;
    const analysis::Steps steps = analysis::FindSteps(*loaded.index, rank.link_domain);
    const auto widen = [](analysis::Window& window, const analysis::Window& with) {
      window.begin_ns = std::min(window.begin_ns, with.begin_ns);
      window.end_ns = std::max(window.end_ns, with.end_ns);
    };
    widen(subject.host_scope.window, {steps.window_begin_ns, steps.window_end_ns});
    widen(subject.device_scope.window, {steps.device_begin_ns, steps.device_end_ns});
  }
  subject.host_scope.link_domain.reset();
  subject.device_scope.link_domain.reset();
}

}  // namespace

Status PrintTable(view::Table table, const Args& args, Io& io) {
  if (args.Has("--json") && args.Has("--csv")) {
    return {StatusCode::kInvalidArgument, "--json and --csv exclude each other"};
  }
  if (const auto column = args.Text("--sort")) WS_RETURN_IF_ERROR(view::SortBy(table, *column));
  if (const auto words = args.Text("--match")) {
    view::KeepMatching(table, *words);
    // The summary speaks of all rows; without one it would seem to speak of the match.
    if (table.rows.empty()) table.summary.clear(), table.empty_text = "No row holds \"" + std::string(*words) + "\".";
  }
  const auto limit = args.Count("--limit");
  const bool data = args.Has("--json") || args.Has("--csv");
  report::Translate(data ? args.JsonLanguage() : io.terminal.language,
                    data ? report::Words::kKeep : report::Words::kTranslate, table);
  if (args.Has("--json")) io.out += report::TableJson(table, limit.value_or(0));
  else if (args.Has("--csv")) io.out += report::TableCsv(table, limit.value_or(0));
  else
    io.out +=
        report::TableText(table, io.terminal, {.limit = limit.value_or(kTerminalRows), .wide = args.Has("--wide")});
  return Status::Ok();
}

namespace {

// Of several ranks: whose numbers these are, and how to see those of others.
void SayWhose(const Loaded& loaded, const Args& args, view::Table& table) {
  const auto& ranks = loaded.index->ranks();
  if (ranks.size() < 2 || table.rows.empty()) return;
  const std::string_view name = std::string_view(table.name).substr(0, table.name.find('.'));
  // Of the recording, of the machine, or of ranks side by side anyway.
  for (const std::string_view other : {"env", "ledger", "readings", "collectives"}) {
    if (name == other) return;
  }
  const bool one = name == "steps" || name == "critical-path";
  const analysis::Rank* shown = loaded.index->FindRank(loaded.rank_domain);
  const std::vector<std::string> apart = analysis::UnrelatedRecordings(*loaded.index);
  std::string line;
  if (args.Has("--rank")) {
    if (shown == nullptr || apart.empty()) return;  // asked for, and the only one of that number
    line = fmt::format("Of {}.", analysis::RecordingOf(*loaded.index, *shown));
  } else if (one && shown != nullptr) {
    line = fmt::format("Of {}, one of {}: --rank shows another ({}).",
                       apart.empty() ? shown->label : analysis::RecordingOf(*loaded.index, *shown), ranks.size(),
                       loaded.index->RankNumbers());
  } else {
    const bool numbered =
        std::any_of(ranks.begin(), ranks.end(), [](const analysis::Rank& rank) { return rank.rank.has_value(); });
    const std::string_view what = !apart.empty() ? "recordings" : numbered ? "ranks" : "processes";
    line =
        fmt::format("Of all {} {} together: --rank shows one ({}).", ranks.size(), what, loaded.index->RankNumbers());
  }
  if (!apart.empty()) line += " Nothing says that they are ranks of one run: see warpscope env.";
  table.summary.insert(table.summary.begin(), std::move(line));
}

}  // namespace

view::Subject SubjectOf(const Loaded& loaded) {
  return {*loaded.index, loaded.steps, loaded.host_scope, loaded.device_scope, loaded.origin_ns};
}

view::Subject StepSubjectOf(const Loaded& loaded) {
  view::Subject subject = SubjectOf(loaded);
  if (!ShowsSteps(loaded)) return subject;
  subject.host_scope = analysis::ScopeOf(loaded.steps, loaded.rank_domain);
  subject.device_scope = analysis::DeviceScopeOf(loaded.steps, loaded.rank_domain);
  if (!loaded.device_scope.link_domain && loaded.index->ranks().size() > 1) WidenToAll(loaded, subject);
  subject.of_steps = true;
  return subject;
}

view::Table OfSteps(const Loaded& loaded, view::Table table) {
  if (ShowsSteps(loaded)) {
    table.summary.push_back("Of the counted steps; " +
                            view::FormatDurationNs(static_cast<double>(loaded.steps.before_ns())) +
                            " of start-up before them is left out (--from 0 shows all).");
  }
  return table;
}

view::Table WithStartUp(const Loaded& loaded, view::Table table) {
  constexpr int64_t kMsNs = 1'000'000;
  const analysis::Steps& steps = loaded.steps;
  if (ShowsSteps(loaded) && steps.before_ns() > steps.window_end_ns - steps.window_begin_ns) {
    table.summary.push_back(fmt::format(
        "Of all that was recorded, {} of start-up before the counted steps included (--from {}ms leaves it out).",
        view::FormatDurationNs(static_cast<double>(steps.before_ns())),
        std::max<int64_t>(0, steps.window_begin_ns - loaded.origin_ns) / kMsNs));
  }
  return table;
}

Status RunTable(const Args& args, Io& io, TableBuilder build) {
  WS_ASSIGN_OR_RETURN(const Loaded loaded, LoadInputs(args, io));
  auto built = build(loaded, args);
  const std::string bare = loaded.trace->has_timeline() ? std::string() : WithoutTimeline(loaded, args);
  // What the user asked for wrongly (a bad pattern, no such kernel) keeps its own words.
  const bool user_error = built.status().code() == StatusCode::kInvalidArgument;
  if (!built.ok()) return bare.empty() || user_error ? built.status() : Status(built.status().code(), bare);
  view::Table table = std::move(built).value();
  const bool of_counters = table.name.rfind("counters", 0) == 0 && !loaded.trace->kernel_profiles.empty();
  if (!bare.empty() && table.rows.empty() && !of_counters) {
    table.summary = {bare};
    table.notes.clear();
    table.empty_text.clear();
    io.exit_code = kExitInput;  // no such table can come of this file, whatever the program did
  }
  // How to read columns that are not there helps nobody.
  if (table.rows.empty() && !table.empty_text.empty()) table.notes.clear();
  SayWhose(loaded, args, table);
  table.ledger = loaded.trace->ledger.Entries();
  return PrintTable(std::move(table), args, io);
}

}  // namespace warpscope::cli
