#include "agent/counters/pc_table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <tuple>

namespace warpscope::agent {
namespace {

class PcTableTest : public ::testing::Test {
 protected:
  using Key = std::tuple<uint32_t, uint64_t, uint32_t>;
  void SetUp() override { ASSERT_TRUE(table_.Init()); }
  void TearDown() override { table_.Free(); }
  std::map<Key, uint64_t> Take() {
    std::map<Key, uint64_t> taken;
    table_.TakeAll([&](uint32_t function, uint64_t offset, Encoder::StallCount* counts, uint32_t count) {
      EXPECT_LE(count, Encoder::kMostStallCounts);
      for (uint32_t i = 0; i < count; ++i) taken[{function, offset, counts[i].reason}] += counts[i].samples;
    });
    return taken;
  }
  PcTable table_;
};

TEST_F(PcTableTest, AddsUpByFunctionOffsetAndReason) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(table_.Add(1, 16, 4, 10));
    EXPECT_TRUE(table_.Add(1, 16, 5, 1));
    EXPECT_TRUE(table_.Add(2, 16, 4, 7));
  }
  const std::map<Key, uint64_t> expected = {{{1, 16, 4}, 30}, {{1, 16, 5}, 3}, {{2, 16, 4}, 21}};
  EXPECT_EQ(Take(), expected);
  EXPECT_TRUE(Take().empty());
}

TEST_F(PcTableTest, AFullTableSaysSoAndWorksAgainOnceTaken) {
  uint64_t offset = 0;
  while (table_.Add(1, offset, 0, 1)) offset += 16;
  EXPECT_EQ(table_.size(), PcTable::kMostPcs);
  EXPECT_EQ(Take().size(), PcTable::kMostPcs);
  EXPECT_TRUE(table_.Add(1, offset, 0, 1));
  EXPECT_EQ(Take().size(), 1u);
}

TEST_F(PcTableTest, ManyReasonsOfOneInstructionComeInParts) {
  for (uint32_t reason = 0; reason < 200; ++reason) EXPECT_TRUE(table_.Add(3, 0, reason, reason + 1));
  EXPECT_EQ(Take().size(), 200u);
}

TEST_F(PcTableTest, ACountThatWouldOverflowIsRefused) {
  EXPECT_TRUE(table_.Add(1, 0, 0, UINT32_MAX));
  EXPECT_FALSE(table_.Add(1, 0, 0, 1));
}

}  // namespace
}  // namespace warpscope::agent
