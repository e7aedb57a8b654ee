// Reads what page/columns.h writes, for tests: the page's own reader is TypeScript. [MT] Pure.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::page {

struct ReadColumn {
  uint8_t type = 0;
  std::vector<uint64_t> values;  // kVarint: as written; kDelta: the differences, as two's complement
  std::vector<float> floats;
};

// nullopt if the bytes are not such a container, to their very end.
inline std::optional<std::map<std::string, ReadColumn>> ReadColumns(std::string_view bytes) {
  const auto u32 = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value |= uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return value;
  };
  std::map<std::string, ReadColumn> out;
  if (bytes.size() < 4) return std::nullopt;
  const uint32_t count = u32(0);
  size_t at = 4;
  for (uint32_t c = 0; c < count; ++c) {
    if (at >= bytes.size()) return std::nullopt;
    const size_t name_size = static_cast<unsigned char>(bytes[at]);
    if (bytes.size() - at < name_size + 10) return std::nullopt;
    const std::string name(bytes.substr(at + 1, name_size));
    at += 1 + name_size;
    ReadColumn column;
    column.type = static_cast<uint8_t>(bytes[at]);
    const uint32_t rows = u32(at + 1), size = u32(at + 5);
    at += 9;
    if (bytes.size() - at < size) return std::nullopt;
    const size_t end = at + size;
    for (uint32_t row = 0; row < rows; ++row) {
      if (column.type == 3) {
        if (end - at < 4) return std::nullopt;
        column.floats.push_back(std::bit_cast<float>(u32(at)));
        at += 4;
        continue;
      }
      uint64_t value = 0;
      for (unsigned shift = 0;; shift += 7) {
        if (at == end || shift > 63) return std::nullopt;
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value |= uint64_t{byte & 0x7FU} << shift;
        if (byte < 0x80) break;
      }
      column.values.push_back(column.type == 2 ? (value >> 1) ^ (~(value & 1) + 1) : value);
    }
    if (at != end) return std::nullopt;
    out[name] = std::move(column);
  }
  if (at != bytes.size()) return std::nullopt;
  return out;
}

}  // namespace warpscope::page
