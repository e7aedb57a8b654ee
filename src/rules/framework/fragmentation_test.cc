#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMiB;
using testing::kMs;
using testing::kUs;
using testing::Loop;

// A cache that grows by a little each step; with `fits` the framework finds room, else it asks the driver.
void Grow(Loop& loop, bool fits, bool with_memory) {
  int64_t level = 4000 * kMiB, reserved = 8000 * kMiB;
  loop.Steps(6, [&](int) {
    loop.Kernels(20, 100 * kUs);
    if (!fits) {
      for (int i = 0; i < 3; ++i) loop.Call("cudaMalloc", 300 * kUs);
      reserved += 600 * kMiB;
    }
    level += 16 * kMiB;
    if (with_memory) loop.builder.AddMemory(loop.now, 16 * kMiB, static_cast<uint64_t>(level), 0, level, reserved);
  });
}

TEST(Fragmentation, FiresWhenUnusedMemoryFitsNoRequest) {
  Loop loop;
  Grow(loop, false, true);
  testing::ExpectFires(testing::Evaluate("fragmentation", loop.builder));
}

TEST(Fragmentation, SilentWhenTheCacheServesAll) {
  Loop loop;
  Grow(loop, true, true);
  testing::ExpectSilent(testing::Evaluate("fragmentation", loop.builder));
}

TEST(Fragmentation, AbstainsWithoutMemoryEvents) {
  Loop loop;
  Grow(loop, false, false);
  testing::ExpectAbstains(testing::Evaluate("fragmentation", loop.builder));
}

}  // namespace
}  // namespace warpscope::rules
