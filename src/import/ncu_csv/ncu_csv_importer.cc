#include "import/ncu_csv/ncu_csv_importer.h"

#include "import/appender.h"
#include "import/csv/csv_reader.h"
#include "import/ncu_csv/pages.h"
#include "import/ncu_csv/skip_chatter.h"

namespace warpscope::import::ncu_csv {
namespace {

// The header is among the first lines, behind messages of the tool and output of the program.
Confidence Sniff(const Head& head) {
  std::string_view rest = head.bytes;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos && !head.is_whole && rest.size() < 64) break;
    if (IsHeaderLine(rest.substr(0, end))) return Confidence::kYes;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  // A very talkative program: the tool's own marks still tell.
  return head.bytes.starts_with("==PROF==") ? Confidence::kMaybe : Confidence::kNo;
}

Status NoKernel(const std::string& path, uint64_t line) {
  return {StatusCode::kUnsupported,
          path + ": line " + std::to_string(line) +
              ": this output of Nsight Compute holds no profiled kernel. Record with: ncu --csv --page raw PROGRAM"};
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  SkipChatter body(&bytes);
  WS_RETURN_IF_ERROR(body.FindHeader());
  CsvReader csv(&body);
  Appender out(trace, path, "ncu_csv");
  Pages pages(&out, DecimalMarkOf(body.peek()));
  bool any_header = false;
  for (uint64_t rows = 0;; ++rows) {
    WS_ASSIGN_OR_RETURN(const bool more, csv.Next());
    if (!more) break;
    // Outputs of several runs in one file have a header each.
    const bool is_header = csv.field(0) == "ID";
    if (is_header) WS_RETURN_IF_ERROR(pages.TakeHeader(csv));
    else if (any_header) pages.AddRow(csv);
    any_header |= is_header;
    if (options.progress && rows % 4096 == 0 && bytes.done_ratio() >= 0) options.progress(bytes.done_ratio());
  }
  pages.Finish();
  if (csv.broken_records() > 0) out.Note(model::LedgerCode::kDamagedProfile, csv.broken_records());
  if (bytes.cut_short() || csv.cut_short()) out.Note(model::LedgerCode::kTruncatedFile);
  if (pages.odd_rows() > 0) out.Note(model::LedgerCode::kUnknownEvent, pages.odd_rows(), std::nullopt, "other output");
  if (pages.profile_count() == 0) return NoKernel(path, csv.line());
  out.source().text_bytes = body.skipped_bytes() + csv.offset_bytes();
  return Status::Ok();
}

}  // namespace

const Importer kImporter = {"ncu_csv", "Nsight Compute CSV (ncu --csv)", &Sniff, &Read};

}  // namespace warpscope::import::ncu_csv
