#include "model/reading_names.h"

#include <gtest/gtest.h>

namespace warpscope::model {
namespace {

TEST(ReadingNames, FoundByNameAndNothingElse) {
  for (size_t i = 0; i < static_cast<size_t>(ReadingName::kCount); ++i) {
    const ReadingInfo& info = InfoOf(static_cast<ReadingName>(i));
    EXPECT_EQ(FindReadingInfo(info.name), &info);
    EXPECT_FALSE(info.meaning.empty());
  }
  EXPECT_EQ(FindReadingInfo(""), nullptr);
  EXPECT_EQ(FindReadingInfo("temperature"), nullptr);
  EXPECT_EQ(FindReadingInfo("zzz"), nullptr);
  EXPECT_EQ(InfoOf(ReadingName::kPowerDraw).unit, "watts");
}

}  // namespace
}  // namespace warpscope::model
