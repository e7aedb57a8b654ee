// Fork: a forked child has no writer, and CUDA does not work in it once its parent used it: it is switched off. A child
// that execs starts anew; one whose parent had not begun begins by itself. [MT] The handler runs in the child, where
// the calling thread is the only one: locks that others held are made new.
#pragma once

namespace warpscope::agent {

void WatchForks();

}  // namespace warpscope::agent
