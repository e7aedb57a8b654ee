// Reading one document with several threads: blocks of text are read (or inflated), parsed and merged.
// [one thread] for the caller; the function uses `Options::threads` workers, the caller's thread being one of them.
// The result does not depend on their number, nor on where blocks end.
#pragma once

#include "import/importer.h"

namespace warpscope::import::kineto {

// `block_bytes`: tests use tiny ones.
Status ReadTrace(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace,
                 size_t block_bytes = size_t{4} << 20);

}  // namespace warpscope::import::kineto
