// Cubin: sections, functions and relocations of device machine code (an ELF file, System V ABI; NVIDIA's sections:
// .text.FUNCTION each begin at address 0).
// [MT] after Open(). Hostile-safe: every read is checked, work and memory are bounded by the size of the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpscope::import::code {

class Cubin {
 public:
  // `bytes` must outlive it. Null: no such ELF file.
  static std::unique_ptr<Cubin> FromBytes(std::string_view bytes);

  std::string_view Section(std::string_view name) const;  // its bytes; "": there is none
  std::string_view SectionName(uint32_t index) const { return index < sections_.size() ? sections_[index].name : ""; }

  // Where a function lies: the section and the offset of its first instruction in it.
  struct Function {
    uint32_t section = 0, symbol = 0;  // their numbers in the file
    uint64_t offset = 0;
  };
  std::optional<Function> Find(std::string_view name) const;

  // What the relocations of a section put at `offset` of it.
  struct Target {
    uint32_t section = 0;
    uint64_t offset = 0;
  };
  std::unordered_map<uint64_t, Target> Relocations(std::string_view section_name) const;

 private:
  struct Header {
    std::string_view name, bytes;
    uint32_t type = 0, link = 0, info = 0;
  };
  struct Symbol {
    uint32_t name = 0, section = 0;
    uint64_t value = 0;
    bool is_function = false;
  };
  bool Read(std::string_view bytes);
  void ReadSymbols();

  std::vector<Header> sections_;
  std::vector<Symbol> symbols_;
  std::string_view symbol_names_;
  std::unordered_map<std::string_view, uint32_t> function_of_;  // name -> symbol
};

}  // namespace warpscope::import::code
