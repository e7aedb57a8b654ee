#include "faults/catalogue.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

TEST(Catalogue, EveryEntryHasMeaningCausesChecksActionAndSource) {
  std::set<std::string_view> ids;
  for (const Entry& entry : Catalogue()) {
    SCOPED_TRACE(entry.id);
    EXPECT_TRUE(ids.insert(entry.id).second) << "twice";
    EXPECT_GT(entry.title.size(), 5u);
    EXPECT_GT(entry.meaning.size(), 20u);
    EXPECT_FALSE(Split(entry.causes, '|').empty());
    EXPECT_GT(entry.source.size(), 10u);
    EXPECT_FALSE(Split(entry.checks, ' ').empty());
    for (const std::string_view check : Split(entry.checks, ' ')) EXPECT_NE(FindCheck(check), nullptr) << check;
    const auto steps = StepsOf(entry.action, VendorOf(entry.family));
    ASSERT_FALSE(steps.empty());
    for (const Step& step : steps) EXPECT_GT(step.text.size(), 10u);
    EXPECT_FALSE(ActorOf(entry.action).empty());
    EXPECT_TRUE(entry.severity != Severity::kCritical || ActorOf(entry.action) == "the machine");
  }
}

TEST(Catalogue, HoldsEveryPublicXid) {
  for (uint64_t code = 1; code <= 172; ++code) {
    const Entry* entry = FindXid(code);
    ASSERT_NE(entry, nullptr) << code;
    EXPECT_FALSE(entry->name.empty()) << code;
  }
  EXPECT_EQ(FindXid(173), nullptr);
  EXPECT_EQ(FindXid(79)->action, Action::kReboot);
  EXPECT_EQ(FindXid(31)->scope, Scope::kApplication);
  EXPECT_EQ(FindXid(45)->action, Action::kFollowOther);
  EXPECT_EQ(FindXid(64)->action, Action::kReplace);
}

TEST(Catalogue, SxidsFollowTheGuidesClasses) {
  EXPECT_EQ(FindSxid(20034)->severity, Severity::kCritical);
  EXPECT_EQ(FindSxid(23005)->action, Action::kReboot);
  EXPECT_EQ(FindSxid(11012)->severity, Severity::kInfo);
  EXPECT_EQ(FindSxid(12028)->name, "NPORT_EGRESS_PRIVRSPERR");
  EXPECT_EQ(FindSxid(19084)->name, "NVLTLC_RX_LNK_AN1_HEARTBEAT_TIMEOUT_ERR");
}

TEST(Catalogue, IsFoundAsPeopleWriteIt) {
  for (const char* words : {"xid 79", "Xid-79", "xid79", " XID: 79"}) {
    const auto found = FindCode(words);
    ASSERT_EQ(found.size(), 1u) << words;
    EXPECT_EQ(found[0]->id, "xid-79");
  }
  EXPECT_EQ(FindCode("13").size(), 2u);  // Linux' Xid and the event of Windows
  EXPECT_TRUE(FindCode("").empty());
  EXPECT_TRUE(FindCode("0").empty());
  EXPECT_TRUE(FindCode("no such").empty());
  EXPECT_GT(SearchCatalogue("NVLink fatal").size(), 3u);
  EXPECT_TRUE(SearchCatalogue("nvlink zebra").empty());
  for (const Entry* entry : SearchCatalogue("fatal")) EXPECT_NE(entry->id, "aer-nonfatal");
}

// Entries that carry the words in their name stand before those that mention them.
TEST(Catalogue, SearchByMatch) {
  const auto found = SearchCatalogue("nvlink fatal");
  ASSERT_GT(found.size(), 3u);
  const auto named = [](const Entry* entry) {
    return HasNoCase(entry->title, "nvlink") || HasNoCase(entry->name, "nvlink");
  };
  bool others = false;
  for (const Entry* entry : found) {
    if (!named(entry)) others = true;
    EXPECT_FALSE(others && named(entry) && HasNoCase(entry->title, "fatal")) << entry->id;
  }
  EXPECT_EQ(SearchCatalogue("fallen off the bus").front()->id, "xid-79");
  EXPECT_EQ(SearchCatalogue("").size(), Catalogue().size());
}

}  // namespace
}  // namespace warpscope::faults
