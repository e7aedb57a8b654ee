// Segments: the ring of files that keeps the last seconds (`record --ring`).
// [one thread] whoever writes the stream. Each file defines what it refers to, so that any of them can be removed; the
// importer joins those that are left as files of one process.
// Invariant: the files hold at least the last ring_ms, and at most a quarter more.
#pragma once

#include <cstdint>

namespace warpscope::agent {

void InitSegments(uint32_t ring_ms, int64_t now_ns);
// Begins the next file when it is time, and removes the oldest. A frozen ring stays as it is.
void TurnSegments(int64_t now_ns);

}  // namespace warpscope::agent
