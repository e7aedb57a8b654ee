// ElfFile: symbols and load addresses of a 64-bit little-endian ELF file (System V ABI, "Object Files").
// [one thread] Hostile-safe: every read is checked, work is bounded by the size of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::record::host {

class ElfFile {
 public:
  // Maps the file; null if it cannot be read or is no such ELF file.
  static std::unique_ptr<ElfFile> Open(const std::string& path);
  // `bytes` must outlive it.
  static std::unique_ptr<ElfFile> FromBytes(std::string_view bytes);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  // Value of each defined symbol of that name, in the file's addresses; of several the first.
  std::vector<std::optional<uint64_t>> Find(const std::vector<std::string_view>& names) const;
  // Defined functions of .symtab, or of .dynsym where the file is stripped.
  struct Function {
    uint64_t address = 0, size_bytes = 0;
    std::string_view name;  // of the file: lives as long as it
  };
  void ForEachFunction(const std::function<void(const Function&)>& visit) const;
  // What the file's addresses and its offsets differ by, in the loaded segment that holds `offset_bytes`.
  std::optional<uint64_t> AddressOfOffset(uint64_t offset_bytes) const;

 private:
  struct Symbols {
    uint64_t begin = 0, count = 0, names_begin = 0, names_bytes = 0;
  };

  ElfFile(std::string_view bytes, void* mapping) : bytes_(bytes), mapping_(mapping) {}
  bool ReadHeaders();
  template <typename Value>
  bool At(uint64_t offset_bytes, Value* value) const;
  std::string_view Name(const Symbols& table, uint32_t at) const;

  std::string_view bytes_;
  void* mapping_;
  std::vector<Symbols> tables_;  // .symtab first
  struct Segment {
    uint64_t offset_bytes, address, size_bytes;
  };
  std::vector<Segment> segments_;
};

}  // namespace warpscope::record::host
