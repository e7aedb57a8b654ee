#include "model/ledger.h"

#include <gtest/gtest.h>

namespace warpscope::model {
namespace {

std::string MessageOf(LedgerCode code, uint64_t count) {
  Ledger ledger;
  ledger.Add(code, count);
  return ledger.Entries().front().message;
}

TEST(Ledger, OneIsSpokenOfAsOne) {
  EXPECT_EQ(MessageOf(LedgerCode::kTruncatedFile, 1),
            "1 file ends in the middle of a record: the traced program or the copy was cut off.");
  EXPECT_EQ(MessageOf(LedgerCode::kBrokenRecord, 1), "1 record was broken and was dropped; the rest was read.");
  EXPECT_EQ(MessageOf(LedgerCode::kGraphUnderRecorded, 1).substr(0, 34), "1 graph launch has no kernel recor");
  EXPECT_EQ(MessageOf(LedgerCode::kKernelBeforeLaunch, 1),
            "1 device record starts before its own launch; its times are not trusted.");
}

TEST(Ledger, ManyStayMany) {
  EXPECT_EQ(MessageOf(LedgerCode::kTruncatedFile, 2),
            "2 files end in the middle of a record: the traced program or the copy was cut off.");
}

}  // namespace
}  // namespace warpscope::model
