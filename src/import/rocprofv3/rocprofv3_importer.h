// Importer of rocprofv3's output (ROCprofiler-SDK): CSV tables and results.json. docs/formats/rocprofv3.md.
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::rocprofv3 {

extern const Importer kImporter;

// The two representations.
Status ReadCsv(ByteSource& bytes, const std::string& path, model::Trace* trace);
Status ReadJson(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace);

}  // namespace warpscope::import::rocprofv3
