// Reading one document: blocks of text are read (or inflated), parsed and merged.
#pragma once

#include "import/importer.h"

namespace warpscope::import::kineto {

Status ReadTrace(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace);

}  // namespace warpscope::import::kineto
