// Where the time of the host's threads went, by line, function or thread.
#include <fmt/format.h>

#include "analysis/host_use.h"
#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

double Whole(const analysis::HostUse& use) { return static_cast<double>(use.runs_ns + use.waits_ns); }

std::string ThreadName(const model::Trace& trace, uint32_t thread) {
  const model::Thread& row = trace.threads[thread];
  const std::string_view name = trace.Text(row.name);
  return name.empty() ? fmt::format("thread {}", row.tid) : std::string(name);
}

void Summarize(const analysis::HostUse& use, Table& table) {
  if (use.threads.empty()) return;
  table.summary.push_back(fmt::format("{} seen for {} in all: {} running, {} waiting.",
                                      Plural(use.threads.size(), "thread"), FormatDurationNs(Whole(use)),
                                      FormatDurationNs(static_cast<double>(use.runs_ns)),
                                      FormatDurationNs(static_cast<double>(use.waits_ns))));
}

Table ByFunction(const Subject& subject, analysis::HostUseBy by) {
  const analysis::HostUse use = analysis::HostUseOf(subject.index, by, subject.host_scope);
  const bool lines = by == analysis::HostUseBy::kLine;
  Table table;
  table.name = "host";
  table.title =
      lines ? "Where the host's time went, by the program's own code" : "Where the host's time went, by function";
  table.columns = {{"function", lines ? "code" : "function", Kind::kName},
                   {"runs_ns", "running", Kind::kDurationNs},
                   {"runs_pct", "of running", Kind::kPct},
                   {"waits_ns", "waiting", Kind::kDurationNs},
                   {"total_ns", "with callees", Kind::kDurationNs, 2},
                   {"threads", "threads", Kind::kCount, 4},
                   {"inner", "mostly in", Kind::kName, 1},
                   {"caller", "called from", Kind::kName, lines ? 5 : 3}};
  for (const analysis::FunctionUse& row : use.functions) {
    table.rows.push_back({NameCell(subject, row.function), Int(row.runs_ns),
                          PctOf(static_cast<double>(row.runs_ns), static_cast<double>(use.runs_ns)), Int(row.waits_ns),
                          row.total_ns > 0 ? Int(row.total_ns) : Cell{}, Int(row.threads), NameCell(subject, row.inner),
                          NameCell(subject, row.caller)});
  }
  Summarize(use, table);
  table.notes = {
      "running: in it or in a library that it called, and in no system call that waits. A thread without rows was "
      "never "
      "seen: it ran less than 10 ms a second."};
  return table;
}

Table ByThread(const Subject& subject) {
  const model::Trace& trace = subject.trace();
  const analysis::HostUse use = analysis::HostUseOf(subject.index, analysis::HostUseBy::kLine, subject.host_scope);
  Table table;
  table.name = "host-threads";
  table.title = "Where the host's time went, by thread";
  table.columns = {{"process", "process", Kind::kId},          {"thread", "thread", Kind::kId},
                   {"name", "name", Kind::kName, 1},           {"runs_ns", "running", Kind::kDurationNs},
                   {"waits_ns", "waiting", Kind::kDurationNs}, {"seen_ns", "seen for", Kind::kDurationNs, 2},
                   {"mostly", "mostly in", Kind::kName}};
  for (const analysis::ThreadUse& row : use.threads) {
    const model::Thread& thread = trace.threads[row.thread];
    table.rows.push_back({Int(trace.processes[thread.process].pid), Int(thread.tid),
                          Text(ThreadName(trace, row.thread)), Int(row.runs_ns), Int(row.waits_ns),
                          Int(row.end_ns - row.begin_ns), NameCell(subject, row.mostly)});
  }
  Summarize(use, table);
  return table;
}

}  // namespace

Table HostTable(const Subject& subject, HostBy by) {
  Table table = by == HostBy::kThread ? ByThread(subject)
                                      : ByFunction(subject, by == HostBy::kLine ? analysis::HostUseBy::kLine
                                                                                : analysis::HostUseBy::kFunction);
  table.empty_text =
      "Nothing of the host was recorded: warpscope record samples it; torch.profiler needs ProfilerActivity.CPU.";
  return table;
}

}  // namespace warpscope::view
