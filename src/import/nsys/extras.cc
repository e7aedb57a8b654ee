// Libraries that nsys traces beside CUDA, what the recorder complained about, and what is not read.
#include <algorithm>

#include "import/nsys/reader.h"

namespace warpscope::import::nsys {
namespace {

using model::LedgerCode;

struct Library {
  const char* table;
  const char* domain;
};
constexpr Library kLibraries[] = {
    {"CUBLAS_EVENTS", "cuBLAS"},         {"CUDNN_EVENTS", "cuDNN"},          {"MPI_COLLECTIVES_EVENTS", "MPI"},
    {"MPI_OTHER_EVENTS", "MPI"},         {"MPI_P2P_EVENTS", "MPI"},          {"MPI_START_WAIT_EVENTS", "MPI"},
    {"NVSHMEM_EVENTS", "NVSHMEM"},       {"OPENACC_DATA_EVENTS", "OpenACC"}, {"OPENACC_LAUNCH_EVENTS", "OpenACC"},
    {"OPENACC_OTHER_EVENTS", "OpenACC"},
};

// Recorded, but nothing that an analysis here looks at.
constexpr const char* kUnread[] = {
    "COMPOSITE_EVENTS",
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
    "FECS_EVENTS",
    "GENERIC_EVENTS",
    "GPU_CONTEXT_SWITCH_EVENTS",
    "OPENMP_EVENT_KIND_THREAD",
    "OSRT_FILE_ACCESS_EVENTS",
    "PYTHON_BACKTRACES",
    "SCHED_EVENTS",
    "SYSCALL",
    "VULKAN_API",
};

// What is missing of things that a GPU program need not have.
bool IsUnimportant(std::string_view text) {
  for (const std::string_view word : {"NVTX events", "OpenGL", "Vulkan", "perf event", "backtrace", "CPU sampl",
                                      "CPU IP", "DX11", "DX12", "OpenXR", "context switch"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

std::string OneLine(std::string_view text) {
  constexpr size_t kMost = 240;
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (space && (line.empty() || line.back() == ' ')) continue;
    line += space ? ' ' : c;
  }
  if (line.size() > kMost) line.resize(kMost);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

void Reader::ReadLibraries() {
  for (const Library& library : kLibraries) {
    Columns columns(library.table);
    const int start = columns.Add("start"), end = columns.Add("end"), thread = columns.Add("globalTid");
    const int name = columns.Add("nameId|textId");
    Rows(columns, [&](const Query& row) {
      const auto span = Times(row.Int(start), row.Int(end));
      if (!span) return;
      Appender::Host host;
      host.name = Name(row.Int(name));
      if (host.name == model::kNoString) host.name = add_.Text(library.domain);
      host.thread = Thread(row.Int(thread));
      host.start_ns = span->start_ns;
      host.dur_ns = span->dur_ns;
      model::AnnotationDetail detail;
      detail.domain = add_.Text(library.domain);
      host.detail = add_.Annotation(detail);
      add_.Add(host);
    });
  }
}

std::string Reader::ReadDiagnostics() {
  Columns columns("DIAGNOSTIC_EVENT");
  const int severity = columns.Add("severity"), text = columns.Add("text");
  constexpr int64_t kWarning = 2, kError = 3;  // ENUM_DIAGNOSTIC_SEVERITY_LEVEL
  uint64_t count = 0;
  int best_rank = -1;
  std::string best;
  Rows(columns, [&](const Query& row) {
    const int64_t level = row.Int(severity).value_or(0);
    if (level != kWarning && level != kError) return;
    const std::string_view message = row.Bytes(text);
    if (IsUnimportant(message)) return;
    ++count;
    const bool cuda = message.find("CUDA") != std::string_view::npos;
    const int rank = (level == kError ? 2 : 0) + (cuda ? 1 : 0);
    if (rank < best_rank) return;
    best_rank = rank;
    best = OneLine(message);
  });
  add_.Note(LedgerCode::kRecorderMessage, count, std::nullopt, best);
  return best;
}

void Reader::CountUnread() {
  for (const char* table : kUnread) {
    if (!db_.HasTable(table)) continue;
    auto query = db_.Run("SELECT max(rowid) FROM " + QuoteName(table));
    if (!query.ok() || !query->Step().ok()) continue;
    add_.Note(LedgerCode::kNotRead, static_cast<uint64_t>(std::max<int64_t>(query->Int(0).value_or(0), 0)),
              std::nullopt, std::string("table ") + table);
  }
}

}  // namespace warpscope::import::nsys
