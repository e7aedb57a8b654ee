#include "rules/shared_device.h"

#include "model/reading_names.h"
#include "rules/testing/loop.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules {
namespace {

using testing::kMs;
using testing::Loop;

constexpr int64_t kSecond = 1000 * kMs;
constexpr int64_t kEpoch = 1'700'000'000 * kSecond;  // a monitor's looks and a recording meet by the clock of the day

// Five seconds of steps of which the device works a fifth, and a monitor's look each 100 ms.
std::optional<std::string> Note(double load_pct, bool windows = false) {
  Loop loop;
  loop.now = kEpoch;
  loop.Steps(50, [&](int) { loop.Kernels(20, kMs).Work(100 * kMs - 20 * 10'000); });
  model::Trace& trace = loop.builder.trace();
  for (int64_t time_ns = kEpoch + kSecond; time_ns < kEpoch + 5 * kSecond; time_ns += 100 * kMs) {
    model::Reading reading;
    reading.device = 0;
    reading.time_ns = time_ns;
    reading.name = trace.strings.Intern(model::NameOf(model::ReadingName::kUtilizationGpu));
    reading.value = load_pct;
    trace.readings.push_back(reading);
  }
  if (windows) trace.ledger.Add(model::LedgerCode::kPartlyRecorded, 2, std::nullopt);
  const analysis::Index index(loop.builder.Finish());
  return OtherProgramOnDevice(*Context::Build(index, index.ranks().front(), {}));
}

TEST(SharedDevice, SpeaksWhereTheMonitorSawMoreThanTheRecording) {
  const auto note = Note(80);
  ASSERT_TRUE(note.has_value());
  EXPECT_NE(note->find("busy 80 %"), std::string::npos) << *note;
}

TEST(SharedDevice, SilentWhereBothAgree) { EXPECT_FALSE(Note(22).has_value()); }

// What ran between two windows of recording is the program's own, too.
TEST(SharedDevice, SilentWhereWorkMayBeMissing) { EXPECT_FALSE(Note(80, true).has_value()); }

}  // namespace
}  // namespace warpscope::rules
