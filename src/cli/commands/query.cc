// warpscope query FILE... [SQL | NAME]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/query_shell.h"
#include "cli/suggest.h"
#include "cli/table_command.h"
#include "query/catalog.h"
#include "query/named.h"
#include "query/present.h"
#include "query/session.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope query t.json \"SELECT name, sum(dur_ns) FROM kernels GROUP BY 1\"", "one statement"},
    {"warpscope query trace.json.gz", "an interactive shell"},
    {"warpscope query --schema", "every view, with columns, units and meaning"},
    {"warpscope query --list", "the ready questions"},
    {"warpscope query trace.json.gz cuda_gpu_kern_sum --csv", "one of them, as a report of nsys has it"},
    {"warpscope query t.json gpu_gaps --param threshold_ns=100000", "with another parameter"},
    {"warpscope query rank0.json rank1.json -f compare.sql", "several files are one recording; SQL from a file"},
};

constexpr Flag kFlags[] = {
    {"--file", 'f', FlagType::kFile, "FILE", "read the SQL from this file; all operands are recordings", ""},
    {"--param", 'p', FlagType::kTexts, "NAME=VALUE",
     "value of $NAME in the SQL, or of a named query's parameter; may be repeated", ""},
    {"--list", 0, FlagType::kSwitch, "", "list the named queries", ""},
    {"--schema", 0, FlagType::kSwitch, "", "describe the views (docs/schema/sql.md)", ""},
};

Status Wrong(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

struct Question {
  std::vector<std::string> files;
  const query::NamedQuery* named = nullptr;
  std::string sql;  // of no named query; "" = none was given
};

std::string ReadAll(std::istream& in) { return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}; }

Result<std::string> ReadStandardInput() {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (count == 0) return text;
    if (count < 0) return Status(StatusCode::kIo, "standard input cannot be read");
    text.append(buffer, static_cast<size_t>(count));
  }
}

bool LooksLikeSql(const std::string& word) { return word.find_first_of(" \t\n;(") != std::string::npos; }

bool Exists(const std::string& word) {
  std::error_code error;
  return std::filesystem::exists(word, error);
}

Status NoSuchQuery(const std::string& word) {
  std::vector<std::string_view> names;
  for (const query::NamedQuery& known : query::NamedQueries()) {
    names.push_back(known.name);
    for (const std::string& alias : known.aliases) names.push_back(alias);
  }
  const std::string_view near = Nearest(word, names);
  return Wrong(fmt::format("{} is no file, no SQL and no named query; {}", word,
                           near.empty() ? "see: warpscope query --list" : fmt::format("did you mean {}?", near)));
}

// The last operand is the question unless it is a file.
Result<Question> Split(const Args& args) {
  Question question{args.operands(), nullptr, ""};
  if (const auto path = args.Text("--file")) {
    if (*path == "-") {
      WS_ASSIGN_OR_RETURN(question.sql, ReadStandardInput());
      return question;
    }
    std::ifstream in(*path, std::ios::binary);
    if (!in) return Status(StatusCode::kNotFound, fmt::format("--file {}: cannot be opened", *path));
    question.sql = ReadAll(in);
    return question;
  }
  if (question.files.empty()) return question;
  const std::string last = question.files.back();
  if (const auto* not_carried = query::FindNotCarried(last)) {
    return Status(StatusCode::kUnsupported, fmt::format("{} is not carried: {}", last, not_carried->reason));
  }
  question.named = query::FindNamedQuery(last);
  if (!question.named) {
    if (question.files.size() < 2 && !LooksLikeSql(last)) return question;
    if (last == "-") {
      WS_ASSIGN_OR_RETURN(question.sql, ReadStandardInput());
    } else if (LooksLikeSql(last) && !Exists(last)) {
      question.sql = last;
    } else if (Exists(last) || last.find('/') != std::string::npos) {
      return question;
    } else {
      return NoSuchQuery(last);
    }
  }
  question.files.pop_back();
  return question;
}

Result<query::Parameters> ReadParameters(const Args& args) {
  query::Parameters parameters;
  for (const std::string& text : args.Texts("--param")) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return Wrong(fmt::format("--param {}: expected NAME=VALUE", text));
    parameters[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return parameters;
}

Status RunQuery(const Args& args, Io& io) {
  if (args.Has("--schema")) {
    io.out += query::SchemaPage();
    return Status::Ok();
  }
  if (args.Has("--list")) return PrintTable(query::ListTable(), args, io);
  WS_ASSIGN_OR_RETURN(const Question question, Split(args));
  if (question.files.empty())
    return Wrong("no recording given; for example: warpscope query trace.json.gz \"FROM kernels LIMIT 5\"");
  const bool shell = !question.named && question.sql.empty();
  if (shell && isatty(STDIN_FILENO) == 0) {
    return Wrong("no SQL given; put it behind the file, or use -f FILE, or - to read it from standard input");
  }
  WS_ASSIGN_OR_RETURN(query::Parameters parameters, ReadParameters(args));
  WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace(question.files, args, io));
  const analysis::Index index(*trace);
  query::SessionOptions options;
  options.threads = static_cast<unsigned>(std::min<uint64_t>(args.Count("--threads").value_or(0), 256));
  WS_ASSIGN_OR_RETURN(const auto session, query::Session::Open(index, options));
  if (shell) return RunQueryShell(*session, io);
  // Rows that will not be shown are counted, not held.
  const bool needs_all = args.Has("--sort") || args.Has("--match");
  const bool for_programs = args.Has("--json") || args.Has("--csv");
  const uint64_t keep = needs_all ? 0 : args.Count("--limit").value_or(for_programs ? 0 : kTerminalRows);
  auto table = question.named ? query::RunNamed(*session, *question.named, parameters, keep)
                              : query::RunSql(*session, question.sql, parameters, keep);
  if (!table.ok()) return table.status();
  if (!for_programs) query::FitToWidth(*table, io.terminal.columns);
  return PrintTable(std::move(table).value(), args, io);
}

}  // namespace

namespace commands {
extern const Command kQuery;
const Command kQuery = {
    .name = "query",
    .summary = "SQL over the recording: your own, or ready questions by name",
    .group = Group::kTables,
    .operands = "FILE... [QUERY]",
    .details =
        "SQL is DuckDB's, over the views that --schema describes. Ready questions (--list) carry the names of the "
        "reports of nsys and of HTA's analyses. Whole numbers are exact, absent values are NULL. SQL cannot touch the "
        "machine: no files, no network, no extensions. Without SQL, on a terminal, an interactive shell starts.\n\n"
        "It needs DuckDB's library; without it the program says how to get it, and all else works.",
    .examples = kExamples,
    .shared = kInput | kJson | kTable,
    .flags = kFlags,
    .run = RunQuery,
    .words =
        [] {
          std::string names;
          for (const query::NamedQuery& known : query::NamedQueries()) names += (names.empty() ? "" : " ") + known.name;
          return names;
        },
};
}  // namespace commands
}  // namespace warpscope::cli
