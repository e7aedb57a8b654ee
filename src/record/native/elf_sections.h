// Sections of a 64-bit little-endian ELF file by name. [one thread] Hostile-safe: reads are checked, sizes bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/native/byte_source.h"

namespace warpscope::record::native {

class ElfSections {
 public:
  explicit ElfSections(const ByteSource& bytes);
  // "" if there is none, it is larger than `most_bytes`, or it is compressed.
  std::string Contents(std::string_view name, uint64_t most_bytes) const;
  struct Place {
    uint64_t offset_bytes, address, size_bytes;
  };
  std::optional<Place> Find(std::string_view name) const;
  // Hexadecimal; "" if there is none.
  std::string BuildId() const;

 private:
  struct Section {
    std::string name;
    uint64_t offset_bytes, size_bytes, flags, address;
    uint32_t type;
  };
  const ByteSource& bytes_;
  std::vector<Section> sections_;
};

}  // namespace warpscope::record::native
