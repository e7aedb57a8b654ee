// ModuleFile: an executable or library of a running program, as an unwinder needs it: where it lies, and how functions
// return to their callers. 64-bit little-endian ELF.
// [one thread] Hostile-safe: reads are checked, what is kept is bounded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/native/byte_source.h"
#include "record/native/cfi.h"

namespace warpscope::record::native {

// A row of the common form: the CFA lies beside the stack or frame pointer, saved registers lie beside the CFA.
struct PlainRow {
  static constexpr unsigned kSaved = 6;  // rbx, rbp, r12 to r15: those that a callee keeps
  static constexpr int16_t kSame = INT16_MAX, kUndefined = INT16_MAX - 1;
  uint64_t function = 0;  // where it begins, in the file's addresses
  int32_t cfa_offset = 0;
  uint8_t cfa_register = 0;
  // Beside the CFA, in units of 8 bytes, as `saved`. kUndefined: the thread began here; kSame: no table tells.
  int16_t return_at = 0;
  int16_t saved[kSaved] = {};
};

class ModuleFile {
 public:
  // Null if it is no such file. One without unwind tables is kept for its symbols.
  static std::unique_ptr<ModuleFile> Open(std::unique_ptr<ByteSource> bytes);

  // What the file's addresses and its offsets differ by, in the executable segment that holds `offset_bytes`.
  std::optional<uint64_t> AddressOfOffset(uint64_t offset_bytes) const;

  enum class Step : uint8_t { kFrame, kOutermost, kUnknown };
  // From a frame at `pc` (the file's addresses) to its caller. `function`: where the frame's function begins, in the
  // file's addresses; nullopt: no table tells. `is_call`: pc is a return address.
  // `signal`: the caller was interrupted there and made no call.
  Step ToCaller(uint64_t pc, bool is_call, Registers* registers, StackMemory* memory, std::optional<uint64_t>* function,
                bool* signal);
  const ByteSource& bytes() const { return *bytes_; }

 private:
  explicit ModuleFile(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {}
  bool ReadHeaders();
  void ReadTableHeader(uint64_t offset_bytes, uint64_t address, uint64_t size_bytes);
  void IndexFrames();
  std::optional<uint64_t> OffsetOfAddress(uint64_t address, bool executable_only) const;
  std::optional<uint64_t> EntryOf(uint64_t pc) const;
  const Cie* CieAt(uint64_t offset_bytes, uint64_t address);
  struct Found {
    const Cie* cie;
    std::string bytes;
    Fde fde;
    CfiRow row;
  };
  bool Find(uint64_t pc, Found* out);

  struct Segment {
    uint64_t offset_bytes, address, size_bytes;
    bool executable;
  };
  std::unique_ptr<ByteSource> bytes_;
  std::vector<Segment> segments_;
  uint64_t table_base_ = 0, table_at_ = 0, table_entries_ = 0;  // .eh_frame_hdr: address, where its entries lie
  struct Indexed {
    uint64_t begin, entry;  // addresses
  };
  std::vector<Indexed> index_;  // by begin; where the linker made no .eh_frame_hdr (static programs)
  std::unordered_map<uint64_t, std::unique_ptr<Cie>> cies_;  // by offset; null: not to be used
  size_t cie_bytes_ = 0;                                     // kept
  std::unordered_map<uint64_t, PlainRow> rows_;              // by pc
};

}  // namespace warpscope::record::native
