// Call frame information: how to get from a function to its caller, as compilers write it into .eh_frame for every
// function, with or without frame pointers (DWARF 5, 6.4; Linux Standard Base, "Exception Frames").
// [MT] Functions of their arguments. Hostile-safe: every read is checked, programs and expressions have limits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/native/registers.h"

namespace warpscope::record::native {

// Reads numbers from bytes; after a read beyond the end every further one fails.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ >= bytes_.size(); }
  size_t at() const { return at_; }
  std::string_view Take(uint64_t count);
  uint64_t Unsigned(unsigned size_bytes);  // 1, 2, 4 or 8
  int64_t Signed(unsigned size_bytes);
  uint64_t Leb();
  int64_t SignedLeb();
  std::string_view Text();  // up to a zero byte, which it skips
  // DW_EH_PE_*: what lies there; `address` is that of the bytes' begin. nullopt for forms that compilers do not use
  // here.
  std::optional<uint64_t> Pointer(uint8_t encoding, uint64_t address);

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

// Where a register's value in the caller lies.
struct Rule {
  enum class Kind : uint8_t { kSame, kUndefined, kAtCfa, kIsCfa, kRegister, kAtExpression, kIsExpression };
  Kind kind = Kind::kSame;
  int32_t value = 0;            // offset to the CFA, or number of a register
  std::string_view expression;  // of the FDE's or CIE's bytes
};

// What holds at one address.
struct CfiRow {
  bool by_expression = false;
  unsigned cfa_register = kRegisters;  // kRegisters: not told
  int64_t cfa_offset = 0;
  std::string_view cfa_expression;
  std::array<Rule, kRegisters> rules{};
};

struct Cie {
  std::string bytes;  // whole entry, without its length
  uint64_t code_align = 1;
  int64_t data_align = 1;
  uint8_t pointer_encoding = 0;
  bool has_size = false, signal_frame = false;
  std::string_view program;  // of `bytes`
};
// Fills the rest from `bytes`, to which it refers; `address` is that of the first byte. False: none, or of a form that
// is not known.
bool ParseCie(Cie* cie, uint64_t address);

struct Fde {
  uint64_t begin = 0, end = 0;  // of the function
  std::string_view program;     // of the bytes that were parsed
};
// `bytes`: the entry behind its length and its pointer to the CIE; `address` is that of the first byte.
std::optional<Fde> ParseFde(std::string_view bytes, uint64_t address, const Cie& cie);

// What holds at `pc` within [fde.begin, fde.end).
std::optional<CfiRow> RowAt(const Cie& cie, const Fde& fde, uint64_t pc);

// DWARF expression; `first` is on its stack at the start, if told.
std::optional<uint64_t> Evaluate(std::string_view expression, const Registers& registers, StackMemory* memory,
                                 std::optional<uint64_t> first);

// The caller's registers. nullopt: it cannot be told. Without a return address (`known` lacks it) there is no caller:
// the thread began here.
std::optional<Registers> CallerOf(const CfiRow& row, const Registers& registers, StackMemory* memory);

}  // namespace warpscope::record::native
