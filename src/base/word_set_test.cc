#include "base/word_set.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(WordSet, WordsWithinWordsInAnyCase) {
  const WordSet words({{"she", 1}, {"he", 2}, {"hers", 4}, {"GPU ", 8}});
  EXPECT_EQ(words.In("ushers"), 7U);
  EXPECT_EQ(words.In("a gPu b"), 8U);
  EXPECT_EQ(words.In("GPU"), 0U);
  EXPECT_EQ(words.In(""), 0U);
  EXPECT_EQ(words.In("sh\xC3\xA9 he"), 2U);
}

TEST(WordSet, NoWords) { EXPECT_EQ(WordSet({}).In("anything"), 0U); }

}  // namespace
}  // namespace warpscope
