// Snapshots that make things up: sizes whose sum is no number, dicts of thousands of keys, a few KB of gzip that stand
// for gigabytes. Each costs what it spoils and is told.
#include "import/pytorch_snapshot/history.h"

#include <gtest/gtest.h>

#include <limits>

#include "import/pytorch_snapshot/pytorch_snapshot_importer.h"

namespace warpscope::import::pytorch_snapshot {
namespace {

using model::LedgerCode;

std::string Little(uint64_t value, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}
std::string Text(std::string_view text) { return "X" + Little(text.size(), 4) + std::string(text); }
std::string Number(int64_t value) { return "\x8a\x08" + Little(static_cast<uint64_t>(value), 8); }
std::string Event(std::string_view action, int64_t address, int64_t bytes, int64_t time_us) {
  return "}(" + Text("action") + Text(action) + Text("addr") + Number(address) + Text("size") + Number(bytes) +
         Text("time_us") + Number(time_us) + "u";
}
std::string Segment(int64_t bytes) {
  return "}(" + Text("device") + Number(0) + Text("total_size") + Number(bytes) + "u";
}
// {"segments": [...], "device_traces": [[...]]}
std::string Snapshot(std::string_view segments, std::string_view events) {
  return "\x80\x04}(" + Text("segments") + "](" + std::string(segments) + "e" + Text("device_traces") + "](](" +
         std::string(events) + "eeu.";
}

struct Outcome {
  model::Trace trace;
  Status status;
  uint64_t Count(LedgerCode code) const { return trace.ledger.Count(code); }
  std::string Ledger() const {
    std::string all;
    for (const auto& entry : trace.ledger.Entries()) all += entry.message + "\n";
    return all;
  }
};

Outcome ReadFrom(ByteSource& source) {
  Outcome outcome;
  outcome.status = kImporter.read(source, "s.pickle", {}, &outcome.trace);
  return outcome;
}
Outcome ReadAll(const std::string& bytes) { return ReadFrom(*OpenMemory(bytes)); }

constexpr int64_t kHuge = (int64_t{1} << 50) - 1;  // the largest size of one event

TEST(History, AnAllocationBeyondTheBoundIsLeftOutWithItsRelease) {
  std::string events = Event("alloc", 1, 512, 10);
  for (int i = 0; i < 3; ++i) events += Event("alloc", 100 + i, kHuge, 20 + i);
  events += Event("free_completed", 101, kHuge, 40) + Event("alloc", 2, 256, 50) + Event("free_completed", 1, 512, 60);
  const Outcome outcome = ReadAll(Snapshot("", events));
  ASSERT_TRUE(outcome.status.ok());
  ASSERT_EQ(outcome.trace.memory.size(), 3U);  // 1, 2 and the release of 1
  EXPECT_EQ(outcome.trace.memory[1].total_allocated_bytes, 512 + 256);
  EXPECT_EQ(outcome.trace.memory[2].total_allocated_bytes, 256);
  EXPECT_EQ(outcome.Count(LedgerCode::kMissingField), 3U);
  EXPECT_NE(outcome.Ledger().find("more than 1 PiB"), std::string::npos);
}

TEST(History, TheTotalNeverFallsBelowNothing) {
  std::string events;
  for (int i = 0; i < 4; ++i)
    events += Event("alloc", 7, 1, 10 + 2 * i) + Event("free_completed", 7, kHuge, 11 + 2 * i);
  const Outcome outcome = ReadAll(Snapshot("", events));
  ASSERT_TRUE(outcome.status.ok());
  for (const auto& row : outcome.trace.memory) EXPECT_GE(row.total_allocated_bytes, 0);
  EXPECT_EQ(outcome.Count(LedgerCode::kMissingField), 4U);
}

TEST(History, OlderBlocksAndTheReservedLevelStayWithinTheBound) {
  std::string events, segments;
  for (int i = 0; i < 8300; ++i) events += Event("free", i, kHuge, 10);  // 8192 of them are 2^63
  for (int i = 0; i < 8300; ++i) events += Event("segment_free", i, kHuge, 10);
  for (int i = 0; i < 3; ++i) segments += Segment(kHuge);
  const Outcome outcome = ReadAll(Snapshot(segments, events));
  ASSERT_TRUE(outcome.status.ok());
  for (const auto& row : outcome.trace.memory) {
    EXPECT_LE(row.total_allocated_bytes, kHuge + 1);
    ASSERT_TRUE(row.total_reserved_bytes.has_value());
    EXPECT_GE(*row.total_reserved_bytes, 0);
    EXPECT_LE(*row.total_reserved_bytes, kHuge + 1);
  }
  EXPECT_GT(outcome.Count(LedgerCode::kMissingField), 8000U);
}

TEST(History, ADictOfThousandsOfKeysIsLeftOut) {
  std::string wide = "}\x94(";
  for (int i = 0; i < 2000; ++i) wide += Text("k" + std::to_string(i)) + "N";
  wide += Text("action") + Text("alloc") + Text("addr") + Number(1) + Text("size") + Number(512) + "u";
  std::string again;
  for (int i = 0; i < 2000; ++i) again += std::string("h\0", 2);
  const Outcome outcome = ReadAll(Snapshot("", wide + again + Event("alloc", 9, 64, 5)));
  ASSERT_TRUE(outcome.status.ok());
  ASSERT_EQ(outcome.trace.memory.size(), 1U);
  EXPECT_EQ(outcome.trace.memory[0].bytes, 64);
  EXPECT_NE(outcome.Ledger().find("dicts of more than 64 keys were left out (1)"), std::string::npos)
      << outcome.Ledger();
  const Outcome alone = ReadAll(Snapshot("", wide + again));
  ASSERT_FALSE(alone.status.ok());
  EXPECT_NE(alone.status.message().find("holds no allocation; dicts of more than 64 keys"), std::string::npos);
}

// A source that says how many bytes it was stored in, as a file does.
class Packed : public ByteSource {
 public:
  Packed(std::string bytes, uint64_t stored) : bytes_(std::move(bytes)), inner_(OpenMemory(bytes_)), stored_(stored) {}
  Result<size_t> Read(char* to, size_t size_bytes) override { return inner_->Read(to, size_bytes); }
  double done_ratio() const override { return inner_->done_ratio(); }
  uint64_t size_hint_bytes() const override { return stored_; }

 private:
  std::string bytes_;
  std::unique_ptr<ByteSource> inner_;
  uint64_t stored_;
};

TEST(History, AFewStoredBytesStandForABoundedNumberOfValues) {
  const std::string many = Event("alloc", 1, 512, 1) + std::string(Pickle::kFreeValues + 32 * 1000, 'N');
  {
    Packed source(Snapshot("", many), 1000);
    const Outcome outcome = ReadFrom(source);  // what stands before the bound is read
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
    EXPECT_EQ(outcome.trace.memory.size(), 1U);
    EXPECT_EQ(outcome.Count(LedgerCode::kTruncatedFile), 1U);
    EXPECT_NE(outcome.Ledger().find("the most that is read of a file of 1000 bytes"), std::string::npos);
  }
  {
    Packed source(Snapshot("", many), 2000);
    EXPECT_EQ(ReadFrom(source).Count(LedgerCode::kTruncatedFile), 0U);
  }
  Packed source(Snapshot("", std::string(Pickle::kFreeValues + 32 * 1000, 'N')), 1000);
  const Outcome outcome = ReadFrom(source);
  ASSERT_FALSE(outcome.status.ok());
  EXPECT_NE(outcome.status.message().find(": byte 4"), std::string::npos) << outcome.status.message();
  EXPECT_NE(outcome.status.message().find("makes more than 4226304 values"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::import::pytorch_snapshot
