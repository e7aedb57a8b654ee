// Layouts against an interpreter that is installed here, and memory that may not be read.
#include "record/host/python_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace warpscope::record::host {
namespace {

TEST(RemoteMemory, ReadsThisProcessAndStopsAtHoles) {
  RemoteMemory memory(::getpid());
  const uint64_t value = 0x1122334455667788;
  uint64_t copy = 0, other = 0;
  EXPECT_TRUE(memory.Get(reinterpret_cast<uint64_t>(&value), &copy));
  EXPECT_EQ(copy, value);
  EXPECT_FALSE(memory.Get(16, &copy));
  EXPECT_FALSE(memory.refused());
  const std::array<RemotePiece, 3> pieces = {{{reinterpret_cast<uint64_t>(&value), &copy, 8},
                                              {16, &other, 8},
                                              {reinterpret_cast<uint64_t>(&value), &other, 8}}};
  EXPECT_EQ(memory.ReadMany(pieces), 1U);
}

TEST(RemoteMemory, SaysWhenItIsForbidden) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a user to become another one";
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
    RemoteMemory memory(parent);
    uint64_t copy = 0;
    ::_exit(!memory.Get(reinterpret_cast<uint64_t>(&parent), &copy) && memory.refused() ? 0 : 1);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_EQ(WEXITSTATUS(state), 0);
}

TEST(PythonLayout, KnownVersions) {
  for (uint32_t minor = 8; minor <= 12; ++minor) {
    const PythonLayout* layout = KnownLayout(minor);
    ASSERT_NE(layout, nullptr);
    EXPECT_EQ(layout->minor, minor);
    EXPECT_LT(std::max(layout->thread_id, layout->native_id) + 8, PythonLayout::kThreadBytes);
    EXPECT_LE(std::max(layout->frame_code, layout->frame_previous) + 8, PythonLayout::kFrameBytes);
    EXPECT_LE(layout->code_name + 8, PythonLayout::kCodeBytes);
  }
  EXPECT_EQ(KnownLayout(7), nullptr);
  EXPECT_EQ(KnownLayout(13), nullptr);
}

// The list that _PyRuntime of 3.13 and 3.14 begins with, numbers by position.
std::string DebugOffsets(uint64_t version, uint64_t free_threaded,
                         const std::vector<std::pair<size_t, uint64_t>>& set) {
  std::array<uint64_t, kDebugOffsetsBytes / 8> numbers{};
  std::memcpy(numbers.data(), "xdebugpy", 8);
  numbers[1] = version;
  numbers[2] = free_threaded;
  for (const auto& [at, value] : set) numbers[at] = value;
  return {reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)};
}

TEST(PythonLayout, ThatTheInterpreterTells) {
  const auto layout = LayoutFromDebugOffsets(DebugOffsets(0x030d00f0, 0,
                                                          {{5, 632},
                                                           {9, 7344},
                                                           {21, 8},
                                                           {22, 16},
                                                           {23, 72},
                                                           {25, 160},
                                                           {29, 8},
                                                           {33, 70},
                                                           {35, 112},
                                                           {36, 120},
                                                           {39, 68}}));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->minor, 13U);
  EXPECT_EQ(layout->interpreters_head, 632U);
  EXPECT_EQ(layout->thread_frame, 72U);
  EXPECT_EQ(layout->frame_owner, 70U);
  EXPECT_EQ(layout->code_first_line, 68U);
  EXPECT_FALSE(layout->has_cframe);
  const auto next = LayoutFromDebugOffsets(DebugOffsets(0x030e00f0, 0, {{26, 72}, {28, 160}, {36, 74}, {44, 68}}));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->thread_frame, 72U);
  EXPECT_EQ(next->frame_owner, 74U);
}

TEST(PythonLayout, RefusesWhatItCannotRead) {
  EXPECT_FALSE(LayoutFromDebugOffsets(""));
  EXPECT_FALSE(LayoutFromDebugOffsets(std::string(kDebugOffsetsBytes, 'x')));
  EXPECT_FALSE(LayoutFromDebugOffsets(DebugOffsets(0x030d00f0, 1, {{25, 160}})));      // free-threaded
  EXPECT_FALSE(LayoutFromDebugOffsets(DebugOffsets(0x030f00f0, 0, {{25, 160}})));      // newer
  EXPECT_FALSE(LayoutFromDebugOffsets(DebugOffsets(0x030d00f0, 0, {{25, 1 << 20}})));  // far outside
}

TEST(SearchFolders, ThoseOfTheScriptAndTheWorkingFolder) {
  EXPECT_EQ(SearchFolders({"python3", "-u", "-X", "dev", "src/train.py", "a/b"}, "/home/u"),
            (std::vector<std::string>{"/home/u", "/home/u/src"}));
  EXPECT_EQ(SearchFolders({"python3", "-m", "pkg.train"}, "/home/u"), (std::vector<std::string>{"/home/u"}));
}

}  // namespace
}  // namespace warpscope::record::host
