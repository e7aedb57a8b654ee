#include "import/kineto/kineto_importer.h"

#include "import/kineto/pipeline.h"
#include "import/kineto/sniff.h"

namespace warpscope::import::kineto {
namespace {

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  return ReadTrace(bytes, path, options, trace);
}

}  // namespace

const Importer kImporter = {"kineto", "torch.profiler / Kineto trace (Chrome trace JSON)", &Sniff, &Read};

}  // namespace warpscope::import::kineto
