#include "view/format.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpscope::view {
namespace {

TEST(Format, Counts) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(-1234567), "-1,234,567");
  EXPECT_EQ(FormatCount(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(Format, Durations) {
  EXPECT_EQ(FormatDurationNs(0), "0 ns");
  EXPECT_EQ(FormatDurationNs(456), "456 ns");
  EXPECT_EQ(FormatDurationNs(999.7), "1.00 us");
  EXPECT_EQ(FormatDurationNs(1234), "1.23 us");
  EXPECT_EQ(FormatDurationNs(12'345'678), "12.3 ms");
  EXPECT_EQ(FormatDurationNs(999'600'000), "1.00 s");
  EXPECT_EQ(FormatDurationNs(125e9), "2 min 05 s");
  EXPECT_EQ(FormatDurationNs(-1500), "-1.50 us");
  EXPECT_EQ(FormatDurationNs(NAN), "-");
  EXPECT_EQ(FormatDurationNs(INFINITY), "-");
  EXPECT_EQ(FormatMs(7.9), "7.90 ms");
}

TEST(Format, Bytes) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1536), "1.50 KiB");
  EXPECT_EQ(FormatBytes(64.0 * 1024 * 1024), "64.0 MiB");
  EXPECT_EQ(FormatBytesPerSecond(25.3e9), "25.3 GB/s");
  EXPECT_EQ(FormatFlopPerSecond(61.2e12), "61.2 TFLOP/s");
  EXPECT_EQ(FormatFlopPerSecond(0), "0 FLOP/s");
}

TEST(Format, Percent) {
  EXPECT_EQ(FormatPct(0), "0 %");
  EXPECT_EQ(FormatPct(0.01), "<0.1 %");
  EXPECT_EQ(FormatPct(3.44), "3.4 %");
  EXPECT_EQ(FormatPct(62.5), "62.5 %");
  EXPECT_EQ(FormatPct(99.7), "99.7 %");
  EXPECT_EQ(FormatPct(100), "100 %");
  EXPECT_EQ(FormatPct(-36.4), "-36.4 %");
  EXPECT_EQ(FormatPct(99.97), "<100 %");
}

TEST(Format, Absent) {
  EXPECT_EQ(OrDash(std::optional<double>{}, FormatPct), "-");
  EXPECT_EQ(OrDash(std::optional<double>{12}, FormatPct), "12.0 %");
}

TEST(Format, Numbers) {
  EXPECT_EQ(FormatNumber(3), "3");
  EXPECT_EQ(FormatNumber(3.14159), "3.14");
  EXPECT_EQ(FormatNumber(12345.6), "12,346");
  EXPECT_EQ(FormatNumber(0.00123), "0.0012");
}

}  // namespace
}  // namespace warpscope::view
