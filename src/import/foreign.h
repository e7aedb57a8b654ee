// Files that are not traces but are taken for them: named for what they are, with what to do instead.
// [MT] pure functions.
#pragma once

#include <optional>
#include <string>

#include "import/importer.h"

namespace warpscope::import {

// The refusal if `head` is surely something else; nothing if it may be a trace.
std::optional<Status> RefuseForeign(const std::string& path, const Head& head);

// The refusal of a document that no importer wants.
Status RefuseUnknown(const std::string& path, const Head& head);

}  // namespace warpscope::import
