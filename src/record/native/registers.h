// Registers of a thread and its memory, as an unwinder sees them. Numbers are DWARF's for x86-64 (System V psABI,
// AMD64 supplement, figure 3.36): 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8-15 r8-r15, 16 the return
// address. [MT] Values.
#pragma once

#include <array>
#include <cstdint>

namespace warpscope::record::native {

inline constexpr unsigned kRegisters = 17, kFramePointer = 6, kStackPointer = 7, kReturnAddress = 16;

struct Registers {
  std::array<uint64_t, kRegisters> value{};
  uint32_t known = 0;  // a bit a register

  bool has(unsigned number) const { return number < kRegisters && (known >> number & 1U) != 0; }
  void Set(unsigned number, uint64_t to) {
    value[number] = to;
    known |= 1U << number;
  }
  uint64_t pc() const { return value[kReturnAddress]; }
  uint64_t sp() const { return value[kStackPointer]; }
};

// The words of a thread's stack.
class StackMemory {
 public:
  virtual ~StackMemory() = default;
  virtual bool Word(uint64_t address, uint64_t* value) = 0;
};

}  // namespace warpscope::record::native
