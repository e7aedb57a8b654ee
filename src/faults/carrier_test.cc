#include "faults/carrier.h"

#include <gtest/gtest.h>

namespace warpscope::faults {
namespace {

struct Form {
  const char* line;
  const char* time;
  const char* tag;
  const char* message;
};

TEST(Carrier, ReadsEveryFormOfALine) {
  constexpr Form kForms[] = {
      {"NVRM: x", "", "", "NVRM: x"},
      {"[ 4015.437442] NVRM: x", "4015.437 s after boot", "", "NVRM: x"},
      {"<4>[ 4015.437442] NVRM: x", "4015.437 s after boot", "", "NVRM: x"},
      {"[ 4015.437442][ T1234] NVRM: x", "4015.437 s after boot", "", "NVRM: x"},
      {"[  +0.000012] NVRM: x", "", "", "NVRM: x"},
      {"[...] NVRM: x", "", "", "NVRM: x"},
      {"[Sun Feb 23 16:24:18 2025] NVRM: x", "2025-02-23 16:24:18", "", "NVRM: x"},
      {"kern  :warn  : 2025-01-21T02:21:33,498559+00:00 NVRM: x", "2025-01-21 02:21:33.498 UTC", "", "NVRM: x"},
      {"kern  :warn  : [  12.5] NVRM: x", "12.500 s after boot", "", "NVRM: x"},
      {"2026-01-07T10:00:00,500000-06:00 NVRM: x", "2026-01-07 16:00:00.500 UTC", "", "NVRM: x"},
      {"Jul 23 13:42:46 node1 kernel: [ 4015.4] NVRM: x", "Jul 23 13:42:46", "kernel", "NVRM: x"},
      {"Jul  3 13:42:46 node1 kernel: NVRM: x", "Jul 3 13:42:46", "kernel", "NVRM: x"},
      {"2025-01-21T02:21:33+0000 node1 kernel: NVRM: x", "2025-01-21 02:21:33 UTC", "kernel", "NVRM: x"},
      {"2025-01-21T02:21:33.498559+01:00 node1 kernel: NVRM: x", "2025-01-21 01:21:33.498 UTC", "kernel", "NVRM: x"},
      {"Tue 2025-01-21 02:21:33 UTC node1 kernel: NVRM: x", "2025-01-21 02:21:33 UTC", "kernel", "NVRM: x"},
      {"2025-01-21 02:21:33 node1 kernel: NVRM: x", "2025-01-21 02:21:33", "kernel", "NVRM: x"},
      {"1737426093.498559 node1 kernel: NVRM: x", "2025-01-21 02:21:33.498 UTC", "kernel", "NVRM: x"},
      {"[ 4015.437442] node1 kernel: NVRM: x", "4015.437 s after boot", "kernel", "NVRM: x"},
      {"<4>1 2025-01-21T02:21:33.498Z node1 kernel - - - NVRM: x", "2025-01-21 02:21:33.498 UTC", "kernel", "NVRM: x"},
      {"6,3964,206764307,-;NVRM: x", "206.764 s after boot", "", "NVRM: x"},
      {"6,3964,206764307,-,caller=T1;NVRM: x", "206.764 s after boot", "", "NVRM: x"},
      {"[Dec 18 2024 19:09:50] [ERROR] [tid 1374] detected x", "2024-12-18 19:09:50", "", "detected x"},
      {R"({"__REALTIME_TIMESTAMP":"1737426093498559","SYSLOG_IDENTIFIER":"kernel","MESSAGE":"NVRM: \u0078"})",
       "2025-01-21 02:21:33.498 UTC", "kernel", "NVRM: x"},
      {"\x1b[32m[   12.500000] \x1b[0m\x1b[33mNVRM: \x1b[0mx", "12.500 s after boot", "", "NVRM: x"},
      {R"({"log":"[ 4015.437442] NVRM: x\n","stream":"stdout","time":"2025-01-21T02:21:33.498559Z"})",
       "2025-01-21 02:21:33.498 UTC", "", "NVRM: x"},
      {R"({"timestamp":"2025-01-21T02:21:33Z","level":"error","message":"NVRM: x"})", "2025-01-21 02:21:33 UTC", "",
       "NVRM: x"},
      {"[Dec 18 2024 19:09:50] [INFO] [tid 1374", "2024-12-18 19:09:50", "", "[tid 1374"},
      {"{1}[Hardware Error]: x", "", "", "{1}[Hardware Error]: x"},
      {R"({ "MESSAGE" : [78,86,82,77,58,32,120], "__REALTIME_TIMESTAMP" : "1737426093498559" })",
       "2025-01-21 02:21:33.498 UTC", "", "NVRM: x"},
      // Other languages: German, French, Russian, Chinese, Japanese, Turkish.
      {"[Do Jul 18 16:03:51 2024] NVRM: x", "2024-07-18 16:03:51", "", "NVRM: x"},
      {"[jeu. juil. 18 16:03:51 2024] NVRM: x", "2024-07-18 16:03:51", "", "NVRM: x"},
      {"[чт июл 18 16:03:51 2024] NVRM: x", "2024-07-18 16:03:51", "", "NVRM: x"},
      {"[四 7月 18 16:03:51 2024] NVRM: x", "2024-07-18 16:03:51", "", "NVRM: x"},
      {"[木  7月 18 16:03:51 2024] NVRM: x", "2024-07-18 16:03:51", "", "NVRM: x"},
      {"7月 18 16:03:51 node1 kernel: NVRM: x", "Jul 18 16:03:51", "kernel", "NVRM: x"},
      {"Okt 18 16:03:51 node1 kernel: NVRM: x", "Oct 18 16:03:51", "kernel", "NVRM: x"},
      {"Mär  8 16:03:51 node1 kernel: NVRM: x", "Mar 8 16:03:51", "kernel", "NVRM: x"},
      {"Ağu 18 16:03:51 node1 kernel: NVRM: x", "Aug 18 16:03:51", "kernel", "NVRM: x"},
      {"Do 2024-07-18 16:03:51 CEST node1 kernel: NVRM: x", "2024-07-18 16:03:51", "", "CEST node1 kernel: NVRM: x"},
      {"18.07.2024 16:03:51 node1 kernel: NVRM: x", "2024-07-18 16:03:51", "kernel", "NVRM: x"},
      {"2024/07/18 16:03:51 NVRM: x", "2024-07-18 16:03:51", "", "NVRM: x"},
      {"2024年7月18日 16:03:51 NVRM: x", "2024-07-18 16:03:51", "", "NVRM: x"},
      {"18 Jul 2024 16:03:51 node1 kernel: NVRM: x", "2024-07-18 16:03:51", "kernel", "NVRM: x"},
      // No known form: the line is kept, with the time that stands before the driver's words.
      {"level=warn ts=2024-07-18T16:03:51Z msg=\"NVRM: x\"", "2024-07-18 16:03:51 UTC", "",
       "level=warn ts=2024-07-18T16:03:51Z msg=\"NVRM: x\""},
      {"Foo 18 16:03:51 node1 kernel: NVRM: x", "", "", "Foo 18 16:03:51 node1 kernel: NVRM: x"},
  };
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.line);
    Carrier carrier;
    const auto read = carrier.Read(form.line);
    ASSERT_TRUE(read);
    EXPECT_EQ(TextOf(read->time), form.time);
    EXPECT_EQ(read->tag, form.tag);
    EXPECT_EQ(read->message, form.message);
  }
}

TEST(Carrier, ExportFieldsMakeOneLine) {
  Carrier carrier;
  EXPECT_FALSE(carrier.Read("__REALTIME_TIMESTAMP=1737426093498559"));
  const auto read = carrier.Read("MESSAGE=NVRM: x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->message, "NVRM: x");
  EXPECT_EQ(read->time.clock, Clock::kUtc);
}

TEST(Carrier, JanuaryComesAfterDecember) {
  Carrier carrier;
  const auto december = carrier.Read("Dec 31 23:59:59 node1 kernel: a");
  const auto before_ns = december->time.ns;
  const auto january = carrier.Read("Jan  1 00:00:01 node1 kernel: b");
  EXPECT_GT(january->time.ns, before_ns);
}

}  // namespace
}  // namespace warpscope::faults
