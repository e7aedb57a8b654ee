#include "record/native/cfi.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace warpscope::record::native {
namespace {

using namespace std::string_literals;

class Words : public StackMemory {
 public:
  bool Word(uint64_t address, uint64_t* value) override {
    const auto it = words.find(address);
    if (it == words.end()) return false;
    *value = it->second;
    return true;
  }
  std::map<uint64_t, uint64_t> words;
};

// As GCC writes it: CFA rsp+8, return address at CFA-8; addresses of four bytes relative to their place.
Cie PlainCie() {
  Cie cie;
  cie.bytes = "\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01"s;
  EXPECT_TRUE(ParseCie(&cie, 0x1000));
  return cie;
}

// A function of 32 bytes at 0x5000: push rbp (saved at CFA-16) after 1 byte, mov rbp (CFA by it) after 4.
std::string PushedFramePointer(uint64_t at) {
  std::string bytes(4, '\0');
  const auto relative = static_cast<uint32_t>(0x5000 - at);
  for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<char>(relative >> (8 * i));
  return bytes + "\x20\0\0\0\0"s + "\x41\x0e\x10\x86\x02\x43\x0d\x06"s;
}

TEST(Cfi, ReadsWhatCompilersWrite) {
  const Cie cie = PlainCie();
  EXPECT_EQ(cie.code_align, 1U);
  EXPECT_EQ(cie.data_align, -8);
  EXPECT_EQ(cie.pointer_encoding, 0x1b);
  EXPECT_FALSE(cie.signal_frame);
  const std::string bytes = PushedFramePointer(0x2000);
  const auto fde = ParseFde(bytes, 0x2000, cie);
  ASSERT_TRUE(fde);
  EXPECT_EQ(fde->begin, 0x5000U);
  EXPECT_EQ(fde->end, 0x5020U);
  EXPECT_FALSE(RowAt(cie, *fde, 0x5020));
  EXPECT_FALSE(RowAt(cie, *fde, 0x4fff));

  const auto first = RowAt(cie, *fde, 0x5000), pushed = RowAt(cie, *fde, 0x5001), body = RowAt(cie, *fde, 0x501f);
  ASSERT_TRUE(first && pushed && body);
  EXPECT_EQ(first->cfa_register, kStackPointer);
  EXPECT_EQ(first->cfa_offset, 8);
  EXPECT_EQ(first->rules[kFramePointer].kind, Rule::Kind::kSame);
  EXPECT_EQ(pushed->cfa_offset, 16);
  EXPECT_EQ(pushed->rules[kFramePointer].value, -16);
  EXPECT_EQ(body->cfa_register, kFramePointer);
  EXPECT_EQ(body->rules[kReturnAddress].value, -8);
}

TEST(Cfi, FindsTheCaller) {
  const Cie cie = PlainCie();
  const std::string bytes = PushedFramePointer(0x2000);
  const auto fde = ParseFde(bytes, 0x2000, cie);
  const auto body = RowAt(cie, *fde, 0x5010);
  Words stack;
  stack.words = {{0x7f00, 0x7fe0}, {0x7f08, 0x6001}};
  Registers registers;
  registers.Set(kReturnAddress, 0x5010);
  registers.Set(kStackPointer, 0x7e00);
  registers.Set(kFramePointer, 0x7f00);
  registers.Set(3, 42);
  const auto caller = CallerOf(*body, registers, &stack);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->pc(), 0x6001U);
  EXPECT_EQ(caller->sp(), 0x7f10U);
  EXPECT_EQ(caller->value[kFramePointer], 0x7fe0U);
  EXPECT_EQ(caller->value[3], 42U);
  // A word that cannot be read, a register that is not known: no caller rather than a wrong one.
  stack.words.erase(0x7f08);
  EXPECT_FALSE(CallerOf(*body, registers, &stack));
  Registers without;
  without.Set(kStackPointer, 0x7e00);
  EXPECT_FALSE(CallerOf(*body, without, &stack));
}

TEST(Cfi, StatesAreRememberedAndRestored) {
  const Cie cie = PlainCie();
  // advance 1, CFA offset 32, remember, advance 1, CFA offset 8, advance 1, restore.
  const std::string bytes = PushedFramePointer(0x2000).substr(0, 9) + "\x41\x0e\x20\x0a\x41\x0e\x08\x41\x0b"s;
  const auto fde = ParseFde(bytes, 0x2000, cie);
  ASSERT_TRUE(fde);
  EXPECT_EQ(RowAt(cie, *fde, 0x5001)->cfa_offset, 32);
  EXPECT_EQ(RowAt(cie, *fde, 0x5002)->cfa_offset, 8);
  EXPECT_EQ(RowAt(cie, *fde, 0x5003)->cfa_offset, 32);
}

TEST(Cfi, ExpressionsAreComputed) {
  Words stack;
  stack.words = {{0x7ff8, 0x1234}};
  Registers registers;
  registers.Set(kStackPointer, 0x7ff0);
  registers.Set(kReturnAddress, 0x500b);
  EXPECT_EQ(Evaluate("\x77\x08\x06"s, registers, &stack, std::nullopt), 0x1234U);  // breg7 8, deref
  // As linkers write it for the table of jumps: rsp + 8 + ((rip & 15) >= 11) << 3.
  EXPECT_EQ(Evaluate("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"s, registers, &stack, std::nullopt),
            0x7ff0U + 8 + 8);
  EXPECT_EQ(Evaluate("\x23\x10"s, registers, &stack, 0x100), 0x110U);
  // Without an end, with an empty stack, with an unknown operation.
  EXPECT_EQ(Evaluate("\x2f\xfd\xff"s, registers, &stack, 1), std::nullopt);
  EXPECT_EQ(Evaluate("\x22"s, registers, &stack, 1), std::nullopt);
  EXPECT_EQ(Evaluate("\xe0"s, registers, &stack, 1), std::nullopt);
}

TEST(Cfi, RefusesOtherForms) {
  for (const std::string& bytes : {""s, "\0\0\0\0"s, "\x01\0\0\0\x01zR\0\x01\x78\x10\x01\x1b"s,
                                   "\0\0\0\0\x07zR\0\x01\x78\x10\x01\x1b"s, "\0\0\0\0\x01zR\0\x01\x78\x1e\x01\x1b"s,
                                   "\0\0\0\0\x01zR\0\x01\x78\x10\x7f\x1b"s, "\0\0\0\0\x01qR\0\x01\x78\x10\x01\x1b"s}) {
    Cie cie;
    cie.bytes = bytes;
    EXPECT_FALSE(ParseCie(&cie, 0));
  }
}

}  // namespace
}  // namespace warpscope::record::native
