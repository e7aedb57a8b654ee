// Recordings with known totals.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "import/import.h"

namespace warpscope::import {
namespace {

struct Known {
  const char* file;
  int64_t busy_ns, idle_ns, copy_ns;
  uint32_t kernels;
};

// Union of device intervals and the rest of the span, from an independent SQL engine.
constexpr Known kKnown[] = {
    {"tiny.pt.trace.json.gz", 6164709, 69424999, 0, 6000},
    {"slowloader.pt.trace.json.gz", 12019324, 363126682, 5107663, 396},
    {"fastloader.pt.trace.json.gz", 7716694, 191499335, 797987, 396},
    {"graph.pt.trace.json.gz", 14017831, 1310304, 0, 7200},
    {"tf.pt.trace.json.gz", 95846363, 107764931, 1088837, 2757},
};

TEST(Crosscheck, TotalsEqualToTheNanosecond) {
  for (const Known& known : kKnown) {
    const std::string path = std::string(WS_TEST_DATA) + "/kineto/" + known.file;
    auto loaded = Load({path});
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    const model::GpuTable& gpu = loaded->gpu;
    int64_t busy = 0, copies = 0, end = gpu.start_ns[0];
    uint32_t kernels = 0;
    for (uint32_t row = 0; row < gpu.size(); ++row) {
      const int64_t from = std::max(end, gpu.start_ns[row]);
      busy += std::max<int64_t>(0, gpu.end_ns(row) - from);
      end = std::max(end, gpu.end_ns(row));
      if (gpu.kind[row] == model::GpuKind::kKernel) ++kernels;
      if (gpu.kind[row] == model::GpuKind::kCopy) copies += gpu.dur_ns[row];
    }
    EXPECT_EQ(busy, known.busy_ns) << known.file;
    EXPECT_EQ(end - gpu.start_ns[0] - busy, known.idle_ns) << known.file;
    EXPECT_EQ(copies, known.copy_ns) << known.file;
    EXPECT_EQ(kernels, known.kernels) << known.file;
  }
}

}  // namespace
}  // namespace warpscope::import
