// The table of what monitors read from devices. [MT] Pure; see view/tables.h.
#pragma once

#include "view/tables.h"

namespace warpscope::view {

enum class ReadingsBy : uint8_t { kDevice, kReading, kTime };

Table ReadingTable(const Subject& subject, ReadingsBy by);

}  // namespace warpscope::view
