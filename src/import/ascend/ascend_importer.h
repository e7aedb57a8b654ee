// Ascend output: CSV tables, JSON files and the text of npu-smi (docs/formats/ascend.md). Databases: ascend_sqlite.h;
// trace_view.json: the reader of chrome traces.
// [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::ascend {

extern const Importer kImporter;

}  // namespace warpscope::import::ascend
