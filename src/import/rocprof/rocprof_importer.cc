#include "import/rocprof/rocprof_importer.h"

#include <algorithm>

#include "import/amd/dispatch_table.h"
#include "import/amd/names.h"

namespace warpscope::import::rocprof {
namespace {

constexpr size_t kMaxHeaderBytes = size_t{256} << 10;  // hundreds of counters

Confidence Sniff(const Head& head) {
  const std::string_view line = head.bytes.substr(0, std::min(head.bytes.find('\n'), kMaxHeaderBytes));
  if (line.find("Kernel") == std::string_view::npos) return Confidence::kNo;
  const auto source = OpenMemory(line);
  CsvReader csv(source.get());
  const auto more = csv.Next();
  if (!more.ok() || !more.value()) return Confidence::kNo;
  csv.TakeHeader();
  const amd::DispatchDialect dialect = amd::DialectOf(csv);
  return dialect == amd::DispatchDialect::kRocprof1 || dialect == amd::DispatchDialect::kRocprof2 ? Confidence::kYes
                                                                                                  : Confidence::kNo;
}

Status Read(ByteSource& bytes, const std::string& path, const Options&, model::Trace* trace) {
  CsvReader csv(&bytes);
  WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
  if (!more)
    return Status(StatusCode::kCorrupt, path + ": line 1: a table of rocprof was expected. Give its results.csv.");
  csv.TakeHeader();
  Appender to(trace, path, "rocprof");
  to.source().vendor = model::Vendor::kAmd;
  to.source().producer = amd::DialectOf(csv) == amd::DispatchDialect::kRocprof2 ? "rocprofv2" : "rocprof";
  to.source().part_of = amd::PartOf(path, "results", "rocprof");
  to.source().representation = "csv";
  return amd::ReadDispatchTable(&csv, path, &to);
}

}  // namespace

const Importer kImporter = {"rocprof", "rocprof v1 and v2 CSV", &Sniff, &Read};

}  // namespace warpscope::import::rocprof
