// Columns: the binary container of the report's spans and series (docs/formats/report.md): little endian, `u32
// columns`, then each: u8 name length, name, u8 type, u32 rows, u32 bytes, the bytes. [one thread] while it is filled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::page {

enum class ColumnType : uint8_t {
  kVarint = 1,   // LEB128, unsigned
  kDelta = 2,    // LEB128 of the zigzag difference to what the reader takes as the previous value
  kFloat32 = 3,  // IEEE 754, little endian
};

class Column {
 public:
  Column(std::string_view name, ColumnType type) : name_(name), type_(type) {}

  void Reserve(size_t bytes) { bytes_.reserve(bytes); }
  // REQUIRES: kVarint.
  void Add(uint64_t value) {
    ++rows_;
    Append(value);
  }
  // REQUIRES: kDelta. Wraps around like the hardware: the reader adds in the same way.
  void AddDifference(uint64_t value, uint64_t previous) {
    ++rows_;
    const auto difference = static_cast<int64_t>(value - previous);
    Append(static_cast<uint64_t>(difference) << 1 ^ static_cast<uint64_t>(difference >> 63));
  }
  // REQUIRES: kFloat32.
  void AddFloat(float value);

  std::string_view name() const { return name_; }
  ColumnType type() const { return type_; }
  uint32_t rows() const { return rows_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void Append(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }

  std::string name_;
  ColumnType type_;
  uint32_t rows_ = 0;
  std::string bytes_;
};

// REQUIRES: names of at most 255 bytes, columns below 4 GiB.
std::string WriteColumns(const std::vector<const Column*>& columns);

}  // namespace warpscope::page
