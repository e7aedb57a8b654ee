// DWARF expressions (DWARF 5, 2.5), as far as call frame information uses them.
#include <vector>

#include "record/native/cfi.h"

namespace warpscope::record::native {
namespace {

class Machine {
 public:
  Machine(std::string_view code, const Registers& registers, StackMemory* memory)
      : code_(code), registers_(registers), memory_(memory) {}

  std::optional<uint64_t> Run(std::optional<uint64_t> first) {
    constexpr unsigned kMostSteps = 256;
    if (first) Push(*first);
    size_t at = 0;
    for (unsigned step = 0; ok_ && at < code_.size(); ++step) {
      if (step >= kMostSteps) return std::nullopt;
      Cursor in(code_.substr(at));
      jump_ = 0;
      One(static_cast<uint8_t>(in.Unsigned(1)), in);
      if (!in.ok()) return std::nullopt;
      const int64_t next = static_cast<int64_t>(at + in.at()) + jump_;
      if (next < 0 || next > static_cast<int64_t>(code_.size())) return std::nullopt;
      at = static_cast<size_t>(next);
    }
    return ok_ && !stack_.empty() ? std::optional(stack_.back()) : std::nullopt;
  }

 private:
  void Push(uint64_t value) {
    constexpr size_t kMostDepth = 64;
    if (stack_.size() >= kMostDepth) ok_ = false;
    else stack_.push_back(value);
  }
  uint64_t Pop() {
    if (stack_.empty()) {
      ok_ = false;
      return 0;
    }
    const uint64_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  uint64_t Pick(uint64_t depth) {
    if (depth < stack_.size()) return stack_[stack_.size() - 1 - static_cast<size_t>(depth)];
    ok_ = false;
    return 0;
  }
  uint64_t Register(uint64_t number) {
    if (number < kRegisters && registers_.has(static_cast<unsigned>(number))) return registers_.value[number];
    ok_ = false;
    return 0;
  }
  void Deref() {
    uint64_t value = 0;
    if (!memory_->Word(Pop(), &value)) ok_ = false;
    Push(value);
  }

  void One(uint8_t code, Cursor& in) {
    if (code >= 0x30 && code <= 0x4f) return Push(code - 0x30U);  // DW_OP_lit
    if (code >= 0x70 && code <= 0x8f) {                           // DW_OP_breg
      const int64_t offset = in.SignedLeb();
      return Push(Register(code - 0x70U) + static_cast<uint64_t>(offset));
    }
    switch (code) {
      case 0x06: return Deref();
      case 0x08: return Push(in.Unsigned(1));
      case 0x09: return Push(static_cast<uint64_t>(in.Signed(1)));
      case 0x0a: return Push(in.Unsigned(2));
      case 0x0b: return Push(static_cast<uint64_t>(in.Signed(2)));
      case 0x0c: return Push(in.Unsigned(4));
      case 0x0d: return Push(static_cast<uint64_t>(in.Signed(4)));
      case 0x0e:
      case 0x0f: return Push(in.Unsigned(8));
      case 0x10: return Push(in.Leb());
      case 0x11: return Push(static_cast<uint64_t>(in.SignedLeb()));
      case 0x12: return Push(Pick(0));
      case 0x13: Pop(); return;
      case 0x14: return Push(Pick(1));
      case 0x15: return Push(Pick(in.Unsigned(1)));
      case 0x20: return Push(~Pop());
      case 0x1f: return Push(0 - Pop());
      case 0x23: {
        const uint64_t more = in.Leb();
        return Push(Pop() + more);
      }
      case 0x28: {  // DW_OP_bra
        const int64_t by = in.Signed(2);
        if (Pop() != 0) jump_ = by;
        return;
      }
      case 0x2f: jump_ = in.Signed(2); return;  // DW_OP_skip
      case 0x96: return;                        // DW_OP_nop
      default: return Two(code);
    }
  }

  void Two(uint8_t code) {
    const uint64_t right = Pop(), left = Pop();
    const auto a = static_cast<int64_t>(left), b = static_cast<int64_t>(right);
    switch (code) {
      case 0x16:  // DW_OP_swap
        Push(right);
        return Push(left);
      case 0x1a: return Push(left & right);
      case 0x1c: return Push(left - right);
      case 0x1e: return Push(left * right);
      case 0x21: return Push(left | right);
      case 0x22: return Push(left + right);
      case 0x24: return Push(right < 64 ? left << right : 0);
      case 0x25: return Push(right < 64 ? left >> right : 0);
      case 0x26: return Push(static_cast<uint64_t>(a >> (right < 64 ? right : 63)));
      case 0x27: return Push(left ^ right);
      case 0x29: return Push(a == b ? 1 : 0);
      case 0x2a: return Push(a >= b ? 1 : 0);
      case 0x2b: return Push(a > b ? 1 : 0);
      case 0x2c: return Push(a <= b ? 1 : 0);
      case 0x2d: return Push(a < b ? 1 : 0);
      case 0x2e: return Push(a != b ? 1 : 0);
      default: ok_ = false;
    }
  }

  const std::string_view code_;
  const Registers& registers_;
  StackMemory* memory_;
  std::vector<uint64_t> stack_;
  int64_t jump_ = 0;
  bool ok_ = true;
};

}  // namespace

std::optional<uint64_t> Evaluate(std::string_view expression, const Registers& registers, StackMemory* memory,
                                 std::optional<uint64_t> first) {
  return Machine(expression, registers, memory).Run(first);
}

}  // namespace warpscope::record::native
