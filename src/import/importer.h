// Importer: one file format. importers.def lists them; each lives in a folder of its own.
// [one thread]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/container/byte_source.h"
#include "import/import.h"
#include "model/trace.h"

namespace warpscope::import {

enum class Confidence : uint8_t { kNo, kMaybe, kYes };

// The beginning of a document, as much as sniffing needs.
struct Head {
  std::string_view bytes;
  bool is_whole = false;  // nothing follows
};

struct Importer {
  std::string_view id;     // "kineto"
  std::string_view title;  // for people
  Confidence (*sniff)(const Head& head);
  // Appends what `bytes` holds as one more source of `trace`, not yet Trace::Finish()ed. On failure nothing was
  // appended. `path`: as the user named it.
  Status (*read)(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace);
};

const std::vector<const Importer*>& Importers();

}  // namespace warpscope::import
