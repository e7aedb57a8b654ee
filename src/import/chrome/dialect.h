// Dialect: how one tool other than Kineto writes chrome traces. dialects.def lists them; one file each. The first that
// recognises a document judges it.
// [one thread]
#pragma once

#include <string_view>
#include <vector>

#include "import/chrome/document.h"

namespace warpscope::import::chrome {

struct Dialect {
  std::string_view id;
  // By names of processes and threads alone; must not be true for a trace of torch.profiler.
  bool (*speaks)(const Signs& signs);
  // Moves device work, names devices, makes links. Ends with the document uncommitted.
  void (*apply)(Document* document);
};

// The one that speaks; null for a trace of torch.profiler.
const Dialect* FindDialect(const Signs& signs);

}  // namespace warpscope::import::chrome
