// Busy and idle time, kernel totals, copies and overlap to the nanosecond, against tests/data/kineto/crosscheck.json.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/device_time.h"
#include "analysis/kernels.h"
#include "import/import.h"
#include "text.h"

namespace warpscope::recorded {
namespace {

using analysis::Index;

const char* const kFiles[] = {"tiny", "slowloader", "fastloader", "graph", "tf"};

// Microseconds with three digits, exact in ns.
int64_t Ns(double us) { return std::llround(us * 1000); }

// The value of `"key": <number>` at or after `from`.
double Number(const std::string& text, size_t from, const std::string& key) {
  const size_t at = text.find("\"" + key + "\": ", from);
  EXPECT_NE(at, std::string::npos) << key;
  const size_t begin = at + key.size() + 4;
  return ToNumber(std::string_view(text).substr(begin, text.find_first_of(",\n}", begin) - begin)).value_or(-1);
}

std::string Text(const std::string& text, size_t from, size_t* end) {
  const std::string key = "\"name\": \"";
  const size_t begin = text.find(key, from) + key.size();
  *end = text.find("\",\n", begin);
  return text.substr(begin, *end - begin);
}

TEST(Crosscheck, ToTheNanosecond) {
  const auto expected = ReadFile(WS_TEST_DATA "/kineto/crosscheck.json");
  ASSERT_TRUE(expected);
  for (const std::string name : kFiles) {
    auto trace = import::Load({WS_TEST_DATA "/kineto/" + name + ".pt.trace.json.gz"});
    ASSERT_TRUE(trace.ok()) << trace.status().message();
    const Index index(*trace);
    const auto devices = analysis::DeviceTimes(index);
    ASSERT_EQ(devices.size(), 1U) << name;
    const size_t at = expected->find("\"" + name + ".pt.trace.json.gz\"");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(devices[0].busy_ns, Ns(Number(*expected, at, "gpu_busy_us"))) << name;
    EXPECT_EQ(devices[0].idle_ns, Ns(Number(*expected, at, "gpu_idle_us"))) << name;
    EXPECT_EQ(static_cast<double>(devices[0].kernels), Number(*expected, at, "kernels")) << name;
    EXPECT_EQ(devices[0].copy_ns, Ns(Number(*expected, at, "memcpy_us"))) << name;
    EXPECT_EQ(devices[0].kernel_copy_overlap_ns, Ns(Number(*expected, at, "memcpy_compute_overlap_us"))) << name;
    const auto kernels = analysis::SummarizeKernels(index);
    size_t from = expected->find("\"top5_kernels\"", at);
    for (size_t i = 0; i < std::min<size_t>(5, kernels.size()); ++i) {
      size_t end = 0;
      EXPECT_EQ(Text(*expected, from, &end), trace->Text(kernels[i].name)) << name;
      EXPECT_EQ(kernels[i].total_ns, Ns(Number(*expected, end, "total_us"))) << name;
      EXPECT_EQ(static_cast<double>(kernels[i].count), Number(*expected, end, "count")) << name;
      from = end;
    }
  }
}

}  // namespace
}  // namespace warpscope::recorded
