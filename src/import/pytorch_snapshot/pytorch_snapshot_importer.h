// Snapshots of PyTorch's device allocator, as torch.cuda.memory._dump_snapshot() pickles them
// (docs/formats/pytorch_snapshot.md). [one thread]; see import/importer.h.
#pragma once

#include "import/importer.h"

namespace warpscope::import::pytorch_snapshot {

extern const Importer kImporter;

}  // namespace warpscope::import::pytorch_snapshot
