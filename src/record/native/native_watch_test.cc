#include "record/native/native_watch.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace warpscope::record::native {
namespace {

constexpr unsigned kRecordedRegisters = 17;

template <typename Value>
void Put(std::string* bytes, Value value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Record(uint32_t type, const std::string& body) {
  std::string bytes;
  perf_event_header header{};
  header.type = type;
  header.size = static_cast<uint16_t>(sizeof(header) + body.size());
  Put(&bytes, header);
  return bytes + body;
}

// Registers count up from 100 in perf's order: ax, bx, cx, dx, si, di, bp, sp, ip, r8 ...
std::string Sample(uint64_t time, uint64_t abi, const std::string& stack, uint64_t valid) {
  std::string body;
  Put(&body, time);
  Put(&body, abi);
  for (unsigned i = 0; i < kRecordedRegisters; ++i) Put(&body, uint64_t{100 + i});
  Put(&body, uint64_t{stack.size()});
  body += stack;
  if (!stack.empty()) Put(&body, valid);
  return Record(PERF_RECORD_SAMPLE, body);
}

TEST(NativeWatch, ReadsTheNewestSample) {
  const std::string bytes = Sample(10, PERF_SAMPLE_REGS_ABI_64, std::string(64, 'a'), 64) +
                            Record(PERF_RECORD_LOST, std::string(16, '\0')) +
                            Sample(20, PERF_SAMPLE_REGS_ABI_64, std::string(64, 'b'), 24);
  NativeSample sample;
  ASSERT_TRUE(ParseNewestSample(bytes, 1000, &sample));
  EXPECT_EQ(sample.time_ns, 1020);
  EXPECT_EQ(sample.stack, std::string(24, 'b'));
  EXPECT_EQ(sample.registers.value[0], 100U);  // rax
  EXPECT_EQ(sample.registers.value[3], 101U);  // rbx
  EXPECT_EQ(sample.registers.value[kFramePointer], 106U);
  EXPECT_EQ(sample.registers.sp(), 107U);
  EXPECT_EQ(sample.registers.pc(), 108U);
  EXPECT_EQ(sample.registers.value[15], 116U);
}

TEST(NativeWatch, LeavesOutWhatIsNoWholeSample) {
  NativeSample sample;
  EXPECT_FALSE(ParseNewestSample("", 0, &sample));
  EXPECT_FALSE(ParseNewestSample(Sample(1, PERF_SAMPLE_REGS_ABI_NONE, "", 0), 0, &sample));
  const std::string whole = Sample(1, PERF_SAMPLE_REGS_ABI_64, std::string(32, 'x'), 1000);
  ASSERT_TRUE(ParseNewestSample(whole, 0, &sample));
  EXPECT_EQ(sample.stack.size(), 32U);  // more valid bytes than there are
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(ParseNewestSample(std::string_view(whole).substr(0, size), 0, &sample)) << size;
  std::string damaged = whole;
  std::memset(damaged.data() + 8 + 16 + 8 * kRecordedRegisters, 0xff, 8);  // the stack's size
  EXPECT_FALSE(ParseNewestSample(damaged, 0, &sample));
  // The size of a record that does not move on.
  EXPECT_FALSE(ParseNewestSample(std::string(64, '\0'), 0, &sample));
}

TEST(NativeWatch, SaysWhatToChange) {
  EXPECT_NE(NativeRefusal(EPERM).find("C and C++ stacks of threads are missing"), std::string::npos);
  EXPECT_NE(NativeRefusal(ENOTSUP).find("x86-64"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::record::native
