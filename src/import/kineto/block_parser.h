// BlockParser: one stretch of the file's text -> rows of a Fragment. The text may begin and end anywhere as long as
// the caller says in which place of the document it begins; what could not be decided for want of text is left over,
// and the caller passes it again in front of what follows. So every way to cut a file into blocks gives the same rows.
// [one thread]
#pragma once

#include <cstddef>
#include <cstdint>

#include "import/kineto/worker.h"

namespace warpscope::import::kineto {

enum class Place : uint8_t {
  kStart,       // nothing read yet
  kTop,         // between members of the outermost object
  kEvents,      // between elements of traceEvents
  kBareEvents,  // between elements of an outermost array
  kLost,        // inside a damaged stretch of traceEvents, looking for the next event
  kBareLost,    // the same in an outermost array
  kDone,        // behind the document
  kTrailing,    // in what follows the document and is no other one
  kForeign,     // not a trace at all
};

struct ParsedBlock {
  Place place = Place::kStart;  // where the text stands behind `consumed`
  size_t consumed_bytes = 0;
  bool saw_events_member = false;  // a traceEvents array, or an outermost array
};

// One record longer than this is damaged, whatever it says.
inline constexpr size_t kMaxRecordBytes = size_t{16} << 20;

// REQUIRES: kScanPadBytes readable bytes behind the text, the first of them 0; worker.Begin() was called.
// `is_last`: no text follows, so nothing is left over.
ParsedBlock ParseBlock(Worker& worker, const char* text, size_t size_bytes, Place place, bool is_last);

}  // namespace warpscope::import::kineto
