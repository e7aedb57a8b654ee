#include "model/order.h"

#include <gtest/gtest.h>

#include <random>

namespace warpscope::model {
namespace {

bool Less(const Keyed& a, const Keyed& b) { return a.key < b.key; }

// Runs of random lengths and overlaps, from sorted to shuffled.
std::vector<Keyed> Runs(std::mt19937& random, size_t size, int64_t jump) {
  std::vector<Keyed> items;
  int64_t key = 0;
  for (uint32_t row = 0; row < size; ++row) {
    key += static_cast<int64_t>(random() % 4);
    if (random() % 50 == 0) key -= static_cast<int64_t>(random() % static_cast<uint64_t>(jump + 1));
    items.push_back({key, row});
  }
  return items;
}

TEST(Order, SortRunsIsAStableSort) {
  std::mt19937 random(7);
  for (const int64_t jump : {0, 1, 100, 100000}) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{2}, size_t{33}, size_t{1000}, size_t{20000}}) {
      std::vector<Keyed> items = Runs(random, size, jump);
      std::vector<Keyed> expected = items;
      std::stable_sort(expected.begin(), expected.end(), Less);
      SortRuns(items, 0, items.size(), Less);
      for (size_t i = 0; i < size; ++i) {
        ASSERT_EQ(items[i].key, expected[i].key);
        ASSERT_EQ(items[i].row, expected[i].row);
      }
    }
  }
}

TEST(Order, OnlyTheRangeIsTouched) {
  std::vector<Keyed> items = {{9, 0}, {5, 1}, {3, 2}, {4, 3}, {1, 4}};
  SortRuns(items, 1, 4, Less);
  EXPECT_EQ(items[0].key, 9);
  EXPECT_EQ(items[1].key, 3);
  EXPECT_EQ(items[3].key, 5);
  EXPECT_EQ(items[4].key, 1);
}

TEST(Order, ShuffledAndDescending) {
  std::vector<Keyed> items;
  for (uint32_t row = 0; row < 5000; ++row) items.push_back({-static_cast<int64_t>(row), row});
  SortRuns(items, 0, items.size(), Less);
  for (size_t i = 1; i < items.size(); ++i) ASSERT_LT(items[i - 1].key, items[i].key);
}

}  // namespace
}  // namespace warpscope::model
