#include "cli/query_shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "cli/line_editor.h"
#include "cli/table_command.h"
#include "query/named.h"
#include "query/present.h"
#include "query/text.h"
#include "report/table_report.h"
#include "report/text.h"

namespace warpscope::cli {
namespace {

std::atomic<query::Session*> running{nullptr};
std::atomic<bool> interrupted{false};

void OnInterrupt(int) {
  interrupted = true;
  if (query::Session* session = running.load()) session->Interrupt();
}

// Ctrl-C is ours as long as this lives.
class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = &OnInterrupt;  // without SA_RESTART: it ends a wait for input
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

constexpr std::string_view kHelp =
    "SQL statements end with ; and may run over several lines.\n"
    ".help            this help\n"
    ".tables          views with their rows\n"
    ".schema [VIEW]   columns of a view, or all views\n"
    ".list            named queries\n"
    ".run NAME [NAME=VALUE ...]   a named query (its name alone does as well)\n"
    ".limit N         rows shown (0 = all)\n"
    ".wide            every column and full names: on or off\n"
    ".quit            leave (also Ctrl-D)\n"
    "Ctrl-C stops what runs.\n";

std::vector<std::string> WordsToComplete(const query::Session& session) {
  std::vector<std::string> words = {".help", ".tables", ".schema", ".list", ".run", ".limit", ".wide", ".quit"};
  for (const char* word : {"SELECT", "FROM", "WHERE",          "GROUP", "BY",       "ORDER",    "LIMIT",   "HAVING",
                           "JOIN",   "LEFT", "USING",          "DESC",  "count(*)", "sum(",     "avg(",    "median(",
                           "min(",   "max(", "quantile_cont(", "WITH",  "AS",       "DISTINCT", "BETWEEN", "LIKE"}) {
    words.emplace_back(word);
  }
  for (const query::Table& table : session.tables()) {
    words.emplace_back(table.name);
    for (const query::Column& column : table.columns) words.emplace_back(column.name);
  }
  for (const query::NamedQuery& named : query::NamedQueries()) words.push_back(named.name);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

class Shell {
 public:
  Shell(query::Session& session, const Io& io) : session_(session), terminal_(io.terminal) {}

  // False: leave.
  bool Dot(const std::vector<std::string>& words) {
    const std::string& verb = words[0];
    if (verb == ".quit" || verb == ".exit" || verb == ".q") return false;
    if (verb == ".help") Print(kHelp);
    else if (verb == ".tables")
      Print(report::TableText(query::TablesTable(session_), terminal_, {.limit = 0, .wide = wide_}));
    else if (verb == ".schema") PrintSchema(words);
    else if (verb == ".list") Print(report::TableText(query::ListTable(), terminal_, {.limit = 0, .wide = wide_}));
    else if (verb == ".wide") wide_ = !wide_, Print(wide_ ? "wide\n" : "cut to the terminal's width\n");
    else if (verb == ".limit" && words.size() == 2 && words[1].find_first_not_of("0123456789") == std::string::npos &&
             words[1].size() < 10)
      limit_ = ParseLimit(words[1]);
    else if (verb == ".run" && words.size() > 1) RunNamed({words.begin() + 1, words.end()});
    else Say(fmt::format("{} is no command; see .help", verb));
    return true;
  }

  void RunNamed(const std::vector<std::string>& words) {
    if (const auto* not_carried = query::FindNotCarried(words[0]))
      return Say(fmt::format("{} is not carried: {}", words[0], not_carried->reason));
    const query::NamedQuery* named = query::FindNamedQuery(words[0]);
    if (!named) return Say(fmt::format("{} is no named query; see .list", words[0]));
    query::Parameters parameters;
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      if (equals == std::string::npos) return Say(fmt::format("{}: expected NAME=VALUE", words[i]));
      parameters[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
    Answer([&] { return query::RunNamed(session_, *named, parameters, limit_); });
  }

  void RunSql(const std::string& sql) {
    Answer([&] { return query::RunSql(session_, sql, {}, limit_); });
  }

 private:
  static uint64_t ParseLimit(std::string_view digits) {
    uint64_t value = 0;
    for (const char digit : digits) value = value * 10 + static_cast<uint64_t>(digit - '0');
    return value;
  }

  template <typename F>
  void Answer(F run) {
    interrupted = false;
    running = &session_;
    auto table = run();
    running = nullptr;
    if (!table.ok()) return Say(table.status().message());
    table->ledger.clear();  // told when the shell began
    query::FitToWidth(*table, terminal_.columns);
    Print(report::TableText(*table, terminal_, {.limit = limit_, .wide = wide_}));
  }

  void PrintSchema(const std::vector<std::string>& words) {
    if (words.size() == 1)
      return Print(report::TableText(query::TablesTable(session_), terminal_, {.limit = 0, .wide = wide_}));
    const query::Table* table = session_.FindTable(words[1]);
    if (!table) return Say(fmt::format("{} is no view; see .tables", words[1]));
    Print(report::TableText(query::ColumnsTable(*table), terminal_, {.limit = 0, .wide = wide_}));
  }

  void Say(std::string_view words) { Print(report::Clean(words, terminal_.utf8) + "\n"); }
  void Print(std::string_view text) { closed_ = WriteAll(stdout, text) != Written::kAll; }

  query::Session& session_;
  const report::Terminal& terminal_;
  uint64_t limit_ = kTerminalRows;
  bool wide_ = false;
  bool closed_ = false;

 public:
  bool closed() const { return closed_; }
};

}  // namespace

Status RunQueryShell(query::Session& session, Io& io) {
  if (io.progress) io.progress(1);  // takes the bar away
  Shell shell(session, io);
  LineEditor editor(WordsToComplete(session), HistoryPath());
  const InterruptGuard guard;
  WriteAll(stdout, "SQL over the recording; .help tells more, .quit leaves.\n");
  std::string statement;
  for (bool go = true; go && !shell.closed();) {
    interrupted = false;
    const auto line = editor.ReadLine(statement.empty() ? "sql> " : "...> ");
    if (!line) {
      if (!interrupted) break;
      statement.clear();
      WriteAll(stdout, "\n");
      continue;
    }
    const std::vector<std::string> words = WordsOf(*line);
    if (statement.empty() && words.empty()) continue;
    // No statement consists of one of these words: who types it alone is looking for the way out.
    const bool plain = words.size() == 1 && (words[0] == "quit" || words[0] == "exit" || words[0] == "help");
    if (plain || (!words.empty() && words[0][0] == '.' && (statement.empty() || words[0] == ".quit"))) {
      editor.Remember(*line);
      statement.clear();
      go = shell.Dot(plain ? std::vector<std::string>{"." + words[0]} : words);
      continue;
    }
    if (statement.empty() && (query::FindNamedQuery(words[0]) || query::FindNotCarried(words[0]))) {
      editor.Remember(*line);
      shell.RunNamed(words);
      continue;
    }
    statement += (statement.empty() ? "" : "\n") + *line;
    if (query::IsUnfinished(statement)) continue;
    editor.Remember(statement);
    shell.RunSql(statement);
    statement.clear();
  }
  WriteAll(stdout, "\n");
  return Status::Ok();
}

}  // namespace warpscope::cli
