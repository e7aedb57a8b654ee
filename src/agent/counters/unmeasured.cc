#include "agent/counters/unmeasured.h"

#include <stdio.h>
#include <string.h>

namespace warpscope::agent {

void Unmeasured::Add(const char* name, const char* reason) {
  for (uint32_t i = 0; i < count_; ++i) {
    Entry& entry = entries_[i];
    if (strncmp(entry.name, name, kNameBytes - 1) != 0 || strncmp(entry.reason, reason, kReasonBytes - 1) != 0)
      continue;
    ++entry.launches;
    return;
  }
  if (count_ == kMost) {
    Entry& last = entries_[kMost - 1];
    snprintf(last.name, sizeof(last.name), "(other kernels)");
    snprintf(last.reason, sizeof(last.reason), "%s", reason);
    ++last.launches;
    return;
  }
  Entry& entry = entries_[count_++];
  snprintf(entry.name, sizeof(entry.name), "%s", name);
  snprintf(entry.reason, sizeof(entry.reason), "%s", reason);
  entry.launches = 1;
}

void Unmeasured::Write(Encoder* encoder) const {
  for (uint32_t i = 0; i < count_; ++i) encoder->Unmeasured(entries_[i].name, entries_[i].launches, entries_[i].reason);
}

}  // namespace warpscope::agent
