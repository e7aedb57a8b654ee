// Importer of Nsight Systems' own reports (.nsys-rep, .qdrep): a private format that only nsys reads. Where nsys is
// installed it is asked to export the report, and the export is read; else the user is told the command.
// See docs/formats/nsys.md. [one thread]
#pragma once

#include "import/importer.h"

namespace warpscope::import::nsys_rep {

extern const Importer kImporter;

}  // namespace warpscope::import::nsys_rep
