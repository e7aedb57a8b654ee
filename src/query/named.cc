#include "query/named.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/embedded.h"

namespace warpscope::query {
namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (text = Trimmed(text); !text.empty();) {
    const size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text = Trimmed(text.substr(end));
  }
  return words;
}

bool HasWord(std::string_view words, std::string_view word) {
  const auto list = WordsOf(words);
  return std::find(list.begin(), list.end(), word) != list.end();
}

Status ReadParam(std::string_view text, NamedQuery& query) {
  const size_t equals = text.find('='), space = text.find(' ');
  if (equals == std::string_view::npos || space == std::string_view::npos || space < equals) {
    return {StatusCode::kCorrupt, fmt::format("{}.sql: \"param: {}\" is no name=default meaning", query.name, text)};
  }
  query.params.push_back({std::string(text.substr(0, equals)), std::string(text.substr(equals + 1, space - equals - 1)),
                          std::string(Trimmed(text.substr(space)))});
  return Status::Ok();
}

Status ReadHeaderLine(std::string_view line, NamedQuery& query) {
  struct Field {
    std::string_view word;
    std::string* text;
  };
  for (const Field& field : {Field{"title: ", &query.title}, Field{"like: ", &query.like}}) {
    if (!line.starts_with(field.word)) continue;
    *field.text = Trimmed(line.substr(field.word.size()));
    return Status::Ok();
  }
  if (line.starts_with("alias: ")) query.aliases = WordsOf(line.substr(7));
  else if (line.starts_with("needs: ")) query.needs = WordsOf(line.substr(7));
  else if (line.starts_with("param: ")) return ReadParam(Trimmed(line.substr(7)), query);
  else query.description += (query.description.empty() ? "" : " ") + std::string(line);
  return Status::Ok();
}

constexpr NotCarried kNotCarried[] = {
    {"dx11_pix_sum dx12_gpu_marker_sum dx12_pix_sum dx12_mem_ops wddm_queue_sum",
     "Windows graphics; no importer reads such recordings"},
    {"vulkan_api_sum vulkan_api_trace vulkan_gpu_marker_sum vulkan_marker_sum opengl_khr_gpu_range_sum "
     "opengl_khr_range_sum gfx_hotspot",
     "graphics APIs; no importer reads such events"},
    {"openacc_sum openmp_sum", "OpenACC and OpenMP events are not read from recordings"},
    {"mpi_event_sum mpi_event_trace mpi_msg_size_sum mpi_sum mpi_gpu_time_util_map ucx_gpu_time_util_map",
     "MPI and UCX events are not read from recordings"},
    {"network_congestion network_map_aws network_sum network_traffic_map storage_util_map s3_access_sum "
     "file_access_sum",
     "network and storage samples are not read from recordings"},
    {"nvvideo_api_sum", "video encoder and decoder calls are not read from recordings"},
    {"syscall_sum", "system calls are not told apart from other operating-system calls: see osrt_sum"},
    {"um_sum um_total_sum um_cpu_page_faults_sum", "page faults of unified memory are not read from recordings"},
    {"diff", "two recordings are no one model"},
    {"cupti_counter_data_with_operators",
     "counters of a timeline recorder are in view counters, those of kernels in metrics; they are not tied to "
     "operators"},
};

}  // namespace

Result<NamedQuery> ParseNamedQuery(std::string_view name, std::string_view text) {
  NamedQuery query;
  query.name = name;
  query.sql = text;
  while (text.starts_with("--")) {
    const size_t end = std::min(text.find('\n'), text.size());
    WS_RETURN_IF_ERROR(ReadHeaderLine(Trimmed(text.substr(2, end - 2)), query));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const char* lacks = query.title.empty()         ? "title"
                      : query.like.empty()        ? "like"
                      : query.needs.empty()       ? "needs"
                      : query.description.empty() ? "description"
                      : Trimmed(text).empty()     ? "SELECT"
                                                  : nullptr;
  if (lacks) return Status(StatusCode::kCorrupt, fmt::format("{}.sql has no {}", name, lacks));
  return query;
}

const std::vector<NamedQuery>& NamedQueries() {
  static const std::vector<NamedQuery> queries = [] {
    std::vector<NamedQuery> list;
    for (const EmbeddedQuery& embedded : EmbeddedQueries()) {
      auto query = ParseNamedQuery(embedded.name, embedded.text);
      if (query.ok()) list.push_back(std::move(query).value());  // named_test.cc: every file is one
    }
    return list;
  }();
  return queries;
}

const NamedQuery* FindNamedQuery(std::string_view name) {
  for (const NamedQuery& query : NamedQueries()) {
    if (query.name == name || std::find(query.aliases.begin(), query.aliases.end(), name) != query.aliases.end())
      return &query;
  }
  return nullptr;
}

std::span<const NotCarried> NotCarriedReports() { return kNotCarried; }

const NotCarried* FindNotCarried(std::string_view name) {
  for (const NotCarried& reports : kNotCarried) {
    if (HasWord(reports.names, name)) return &reports;
  }
  return nullptr;
}

std::string QueriesPage() {
  std::string out =
      "# Named queries of `warpscope query`\n\n"
      "Printed by `warpscope query --list --wide` in short; this page is made from the files in `src/query/queries/`, "
      "one a\n"
      "query, and a test compares the two. `warpscope query FILE NAME` runs one, `--param NAME=VALUE` changes a "
      "parameter,\n"
      "`--csv` and `--json` print it for programs. Reports of nsys keep nsys' columns and their order; where it shows "
      "one\n"
      "decimal, so do they. A query without an answer says what to record.\n";
  for (const NamedQuery& query : NamedQueries()) {
    out += fmt::format("\n## {}\n\n{}. Like {}.", query.name, query.title, query.like);
    if (!query.aliases.empty()) out += fmt::format(" Also: `{}`.", fmt::join(query.aliases, "`, `"));
    out += fmt::format("\n\n{}\n", query.description);
    for (const QueryParam& param : query.params)
      out += fmt::format("\n- `{}={}`: {}", param.name, param.value, param.meaning);
    if (!query.params.empty()) out += "\n";
  }
  out += "\n## Not carried\n\n| report | why |\n|---|---|\n";
  for (const NotCarried& reports : kNotCarried) {
    std::string names;
    for (const std::string& name : WordsOf(reports.names)) names += (names.empty() ? "`" : ", `") + name + "`";
    out += fmt::format("| {} | {} |\n", names, reports.reason);
  }
  return out;
}

}  // namespace warpscope::query
