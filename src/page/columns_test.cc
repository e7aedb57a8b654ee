#include "page/columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "page/testing/columns_reader.h"

namespace warpscope::page {
namespace {

TEST(Columns, RoundTripOfExtremes) {
  const std::vector<uint64_t> values = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, uint64_t{1} << 63, UINT64_MAX};
  Column plain("plain", ColumnType::kVarint), delta("delta", ColumnType::kDelta), real("real", ColumnType::kFloat32);
  uint64_t previous = 0;
  for (const uint64_t value : values) {
    plain.Add(value);
    delta.AddDifference(value, previous);
    previous = value;
  }
  real.AddFloat(1.5F);
  real.AddFloat(std::numeric_limits<float>::quiet_NaN());
  const auto read = ReadColumns(WriteColumns({&plain, &delta, &real}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at("plain").values, values);
  std::vector<uint64_t> summed;
  uint64_t sum = 0;
  for (const uint64_t difference : read->at("delta").values) summed.push_back(sum += difference);
  EXPECT_EQ(summed, values);
  ASSERT_EQ(read->at("real").floats.size(), 2U);
  EXPECT_EQ(read->at("real").floats[0], 1.5F);
  EXPECT_TRUE(std::isnan(read->at("real").floats[1]));
}

TEST(Columns, SmallDifferencesTakeOneByte) {
  Column delta("d", ColumnType::kDelta);
  delta.AddDifference(1000, 1001);
  delta.AddDifference(1001, 1000);
  delta.AddDifference(UINT64_MAX, 0);  // -1: none
  EXPECT_EQ(delta.bytes(), std::string("\x01\x02\x01"));
}

TEST(Columns, EmptyOnes) {
  Column none("none", ColumnType::kVarint);
  const auto read = ReadColumns(WriteColumns({&none}));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->at("none").values.empty());
  EXPECT_EQ(WriteColumns({}), std::string(4, '\0'));
}

}  // namespace
}  // namespace warpscope::page
