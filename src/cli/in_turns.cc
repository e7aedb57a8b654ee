#include "cli/in_turns.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/shell_quote.h"
#include "doctor/fitness.h"
#include "report/text.h"
#include "view/format.h"

namespace warpscope::cli {
namespace {

// What the run printed last, for an error message.
std::string LastLines(const std::string& tail) {
  constexpr size_t kMost = 400;
  std::string text = tail.size() > kMost ? tail.substr(tail.size() - kMost) : tail;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  text.erase(0, text.find_first_not_of("\n "));
  // A message is one paragraph.
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) text.replace(at, 1, " | ");
  return text.empty() ? "it printed nothing" : "it ended with: " + text;
}

void Tell(const std::string& line) {
  if (::isatty(STDERR_FILENO) == 0) return;
  WarnNow(line);
}

Result<record::TimedEnd> RunOnce(const record::TimedRun& run, const std::string& name) {
  WS_ASSIGN_OR_RETURN(record::TimedEnd end, record::RunTimed(run));
  if (end.signal == SIGINT || end.signal == SIGQUIT) return Status(StatusCode::kUnsupported, "stopped by the keyboard");
  if (end.timed_out)
    return Status(StatusCode::kUnsupported, name + " was still running at --timeout; " + LastLines(end.tail));
  if (end.exit_code != 0) {
    return Status(StatusCode::kUnsupported,
                  fmt::format("{} {}, so its time says nothing; {}", name,
                              record::HowItEnded(end.exit_code, end.signal), LastLines(end.tail)));
  }
  return end;
}

// Steps where every run told some; the whole runs otherwise.
Repeats CentersOf(const std::vector<record::TimedEnd>& ends, bool of_steps) {
  Repeats out;
  out.of_steps = of_steps;
  for (const record::TimedEnd& end : ends) {
    const auto center = of_steps ? analysis::CenterOf(end.step_ms)
                                 : analysis::CenterOf({static_cast<double>(std::max<int64_t>(end.wall_ns, 1)) / 1e6});
    out.centers.push_back(center.value_or(analysis::RunCenter{}));
    out.runs_ms.push_back(out.centers.back().value());
    out.steps.push_back(of_steps ? end.step_ms.size() : 0);
  }
  return out;
}

bool AllTold(const std::vector<record::TimedEnd>& ends) {
  return std::all_of(ends.begin(), ends.end(), [](const record::TimedEnd& end) { return !end.step_ms.empty(); });
}

bool AnyTold(const std::vector<record::TimedEnd>& ends) {
  return std::any_of(ends.begin(), ends.end(), [](const record::TimedEnd& end) { return !end.step_ms.empty(); });
}

// What was left out of the steps, over all runs; "" if nothing was.
std::string UnreadNote(const std::vector<const std::vector<record::TimedEnd>*>& arms) {
  uint64_t unread = 0, read = 0;
  std::string first;
  for (const std::vector<record::TimedEnd>* ends : arms) {
    for (const record::TimedEnd& end : *ends) {
      if (unread == 0) first = end.unread_line;
      unread += end.unread_steps, read += end.step_ms.size();
    }
  }
  if (unread == 0) return "";
  return fmt::format(
      "{} of {} lines that should tell a step time do not, and are left out; the first: '{}'. A step takes from 0.1 us "
      "to three hours.",
      unread, unread + read, report::Clean(first, true));
}

}  // namespace

Status ReadPlan(const Args& args, TurnsPlan* plan) {
  constexpr uint64_t kFewest = 2, kMost = 100;
  plan->repeat = args.Count("--repeat").value_or(plan->repeat);
  plan->warmup = args.Count("--warmup").value_or(plan->warmup);
  if (plan->repeat < kFewest || plan->repeat > kMost || plan->warmup > kMost)
    return {StatusCode::kInvalidArgument, "--repeat takes 2 to 100 runs, --warmup at most 100"};
  plan->min_effect_pct = args.Number("--min-effect").value_or(plan->min_effect_pct);
  for (record::TimedRun* run : {&plan->a, &plan->b}) {
    run->metric = args.Text("--metric").value_or("");
    run->show_output = args.Has("--show-output");
    run->timeout_ns = args.DurationNs("--timeout");
  }
  return Status::Ok();
}

Result<TurnsTaken> TakeTurns(const TurnsPlan& plan, const Io&) {
  std::vector<record::TimedEnd> a, b;
  std::optional<bool> used_gpu;
  for (uint64_t i = 0; i < plan.warmup; ++i) {
    Tell(fmt::format("warming up, {} of {}", i + 1, plan.warmup));
    record::TimedRun watched = plan.a;
    watched.watch_gpu = true;
    WS_ASSIGN_OR_RETURN(const record::TimedEnd end, RunOnce(watched, "A"));
    if (end.used_gpu) used_gpu = end.used_gpu;
    WS_RETURN_IF_ERROR(RunOnce(plan.b, "B").status());
  }
  for (uint64_t i = 0; i < 2 * plan.repeat; ++i) {
    const bool is_a = i % 4 == 0 || i % 4 == 3;
    const std::string name = is_a ? "A" : "B";
    WS_ASSIGN_OR_RETURN(record::TimedEnd end, RunOnce(is_a ? plan.a : plan.b, name));
    Tell(fmt::format("{} took {}, run {} of {}", name, view::FormatDurationNs(static_cast<double>(end.wall_ns)), i + 1,
                     2 * plan.repeat));
    (is_a ? a : b).push_back(std::move(end));
  }
  const bool of_steps = AllTold(a) && AllTold(b);
  const Repeats taken_a = CentersOf(a, of_steps), taken_b = CentersOf(b, of_steps);
  TurnsTaken taken;
  taken.turns = analysis::JudgeTurns(taken_a.centers, taken_b.centers, plan.min_effect_pct);
  taken.input.of_steps = of_steps;
  taken.input.a = {CommandLine(plan.a), taken_a.runs_ms, taken_a.steps};
  taken.input.b = {CommandLine(plan.b), taken_b.runs_ms, taken_b.steps};
  taken.input.min_effect_pct = plan.min_effect_pct;
  taken.input.metric = plan.a.metric;
  taken.input.metric_seen = AnyTold(a) || AnyTold(b);
  taken.input.used_gpu = used_gpu;
  taken.input.unread_steps = UnreadNote({&a, &b});
  return taken;
}

Result<Repeats> Repeat(const record::TimedRun& run, uint64_t repeat, uint64_t warmup, const Io&) {
  std::vector<record::TimedEnd> ends;
  for (uint64_t i = 0; i < warmup + repeat; ++i) {
    WS_ASSIGN_OR_RETURN(record::TimedEnd end, RunOnce(run, "the program"));
    Tell(fmt::format("{} of {} took {}{}", i + 1, warmup + repeat,
                     view::FormatDurationNs(static_cast<double>(end.wall_ns)), i < warmup ? " (warming up)" : ""));
    if (i >= warmup) ends.push_back(std::move(end));
  }
  Repeats out = CentersOf(ends, AllTold(ends));
  out.unread_steps = UnreadNote({&ends});
  return out;
}

std::string CommandLine(const record::TimedRun& run) {
  std::string line;
  for (const auto& [name, value] : run.variables) line += name + "=" + ShellQuote(value) + " ";
  for (size_t i = 0; i < run.words.size(); ++i) line += (i == 0 ? "" : " ") + ShellQuote(run.words[i]);
  return line;
}

std::vector<std::string> FitnessNotes() {
  const doctor::Fitness fitness = doctor::CheckFitness({});
  if (fitness.devices.empty()) return {};
  std::vector<std::string> notes = fitness.problems;
  notes.insert(notes.end(), fitness.remarks.begin(), fitness.remarks.end());
  return notes;
}

}  // namespace warpscope::cli
