// ElfFile: symbols and load addresses of a 64-bit little-endian ELF file (System V ABI, "Object Files").
// [one thread] Hostile-safe: every read is checked, work is bounded by the size of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/native/byte_source.h"

namespace warpscope::record::host {

class ElfFile {
 public:
  // Reads the file, never maps it: one that is cut short meanwhile ends early, and no signal comes. Null if it cannot
  // be read or is no such ELF file.
  static std::unique_ptr<ElfFile> Open(const std::string& path);
  // `bytes` must outlive it.
  static std::unique_ptr<ElfFile> FromBytes(std::string_view bytes);

  // Value of each defined symbol of that name, in the file's addresses; of several the first.
  std::vector<std::optional<uint64_t>> Find(const std::vector<std::string_view>& names) const;
  // Defined functions of .symtab, or of .dynsym where the file is stripped.
  struct Function {
    uint64_t address = 0, size_bytes = 0;
    std::string_view name;  // lives as long as the visit; "" if it is longer than kMostNameBytes
  };
  static constexpr size_t kMostNameBytes = 8192;
  void ForEachFunction(const std::function<void(const Function&)>& visit) const;
  // What the file's addresses and its offsets differ by, in the loaded segment that holds `offset_bytes`.
  std::optional<uint64_t> AddressOfOffset(uint64_t offset_bytes) const;

 private:
  struct Symbols {
    uint64_t begin = 0, count = 0, names_begin = 0, names_bytes = 0;
  };

  explicit ElfFile(std::unique_ptr<native::ByteSource> bytes) : bytes_(std::move(bytes)) {}
  static std::unique_ptr<ElfFile> Of(std::unique_ptr<native::ByteSource> bytes);
  bool ReadHeaders();
  // Calls visit(symbol, names) until it answers false.
  template <typename Visit>
  void ForEachSymbol(const Symbols& table, Visit&& visit) const;

  std::unique_ptr<native::ByteSource> bytes_;
  std::vector<Symbols> tables_;  // .symtab first
  struct Segment {
    uint64_t offset_bytes, address, size_bytes;
  };
  std::vector<Segment> segments_;
};

}  // namespace warpscope::record::host
