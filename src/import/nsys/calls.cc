// Host rows of nsys that are calls: CUDA runtime and driver, the operating system, and the profiler's own work.
#include "import/nsys/reader.h"

namespace warpscope::import::nsys {
namespace {

using model::HostKind;
using model::LedgerCode;

// ENUM_NSYS_EVENT_CLASS
constexpr int64_t kDriver = 1, kOsRuntime = 27, kBacktraceFirst = 67, kBacktraceLast = 69;

void ReadCudaCalls(Reader& reader) {
  Columns columns("CUPTI_ACTIVITY_KIND_RUNTIME");
  const int start = columns.Add("start"), end = columns.Add("end"), kind = columns.Add("eventClass");
  const int thread = columns.Add("globalTid"), correlation = columns.Add("correlationId"), name = columns.Add("nameId");
  const int external = columns.Add("warpscopeExternalId");
  reader.Rows(columns, [&](const Query& row) {
    const int64_t type = row.Int(kind).value_or(0);
    // Exports of 2020 list each call with a recorded call chain a second time.
    if (type >= kBacktraceFirst && type <= kBacktraceLast) return reader.add().Note(LedgerCode::kRepeatedView);
    const auto span = reader.Times(row.Int(start), row.Int(end));
    if (!span) return;
    Appender::Host host;
    host.kind = type == kDriver ? HostKind::kDriverCall : HostKind::kRuntimeCall;
    host.name = reader.ApiName(row.Int(name));
    host.thread = reader.Thread(row.Int(thread));
    host.start_ns = span->start_ns;
    host.dur_ns = span->dur_ns;
    host.correlation = reader.Id(row.Int(correlation));
    host.external_id = reader.Id(row.Int(external));
    reader.add().Add(host);
  });
}

void ReadOsCalls(Reader& reader) {
  Columns columns("OSRT_API");
  const int start = columns.Add("start"), end = columns.Add("end"), kind = columns.Add("eventClass");
  const int thread = columns.Add("globalTid"), name = columns.Add("nameId");
  const int correlation = columns.Add("correlationId");
  reader.Rows(columns, [&](const Query& row) {
    if (row.Int(kind).value_or(kOsRuntime) != kOsRuntime) return;  // marks of the recorder: tracing began, ended
    const auto span = reader.Times(row.Int(start), row.Int(end));
    if (!span) return;
    Appender::Host host;
    host.kind = HostKind::kOsCall;
    host.name = reader.Name(row.Int(name));
    host.thread = reader.Thread(row.Int(thread));
    host.start_ns = span->start_ns;
    host.dur_ns = span->dur_ns;
    if (reader.is_own()) host.correlation = reader.Id(row.Int(correlation));
    reader.add().Add(host);
  });
}

void ReadOverhead(Reader& reader, const char* table) {
  Columns columns(table);
  const int start = columns.Add("start"), end = columns.Add("end"), thread = columns.Add("globalTid");
  const int name = columns.Add("nameId"), type = columns.Add("overheadType");
  uint64_t spans = 0;
  reader.Rows(columns, [&](const Query& row) {
    const auto span = reader.Times(row.Int(start), row.Int(end));
    if (!span) return;
    Appender::Host host;
    host.kind = HostKind::kOverhead;
    host.name = reader.Name(row.Int(name));
    // ENUM_CUPTI_OVERHEAD_TYPE: the program's own costs get the words by which the rules know them.
    switch (row.Int(type).value_or(0)) {
      case 2: host.name = reader.add().Text("Driver JIT compilation"); break;
      case 3: host.name = reader.add().Text("Activity Buffer Request"); break;
      case 6: host.name = reader.add().Text("Runtime Triggered Module Loading"); break;
      case 7: host.name = reader.add().Text("Lazy Function Loading"); break;
      case 8: host.name = reader.add().Text("Command Buffer Full"); break;
      default: break;
    }
    if (host.name == model::kNoString) host.name = reader.add().Text("Profiler overhead");
    host.thread = reader.Thread(row.Int(thread));
    host.start_ns = span->start_ns;
    host.dur_ns = span->dur_ns;
    reader.add().Add(host);
    ++spans;
  });
  if (!reader.is_own()) reader.add().Note(LedgerCode::kProfilerOverhead, spans);
}

}  // namespace

void Reader::ReadCalls() {
  ReadCudaCalls(*this);
  ReadOsCalls(*this);
  ReadOverhead(*this, "PROFILER_OVERHEAD");
  ReadOverhead(*this, "CUPTI_ACTIVITY_KIND_OVERHEAD");
}

}  // namespace warpscope::import::nsys
