#include "import/parquet/parquet_importer.h"

#include <filesystem>

#include "store/manifest.h"
#include "store/run_place.h"
#include "store/run_reader.h"

namespace warpscope::import::parquet {
namespace {

constexpr std::string_view kParquetMagic = "PAR1";

Confidence Sniff(const Head& head) {
  return store::LooksLikeManifest(head.bytes) || head.bytes.substr(0, 4) == kParquetMagic ? Confidence::kYes
                                                                                          : Confidence::kNo;
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  const std::string file = bytes.plain_path();
  if (file.empty()) {
    return {StatusCode::kUnsupported,
            path +
                ": a run is a folder of Parquet files and cannot be read from a pipe or an archive. "
                "Unpack it and name the folder."};
  }
  WS_ASSIGN_OR_RETURN(const store::RunPlace place, store::FindRun(file, path));
  return store::ReadRun(place, {options.threads, options.alone}, trace);
}

}  // namespace

const Importer kImporter = {"parquet", "Warpscope run folder (Parquet)", &Sniff, &Read};

}  // namespace warpscope::import::parquet
