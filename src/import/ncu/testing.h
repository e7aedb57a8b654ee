// Reports made by hand, for tests and fuzz seeds: the container's framing and the protobuf encoding of its messages.
// [MT] Values.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope::import::ncu::testing {

// A message under construction.
class Message {
 public:
  Message& Number(uint32_t field, uint64_t value) {
    Varint(uint64_t{field} << 3);
    Varint(value);
    return *this;
  }
  Message& Double(uint32_t field, double value) {
    Varint(uint64_t{field} << 3 | 1);
    const auto bits = std::bit_cast<uint64_t>(value);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(bits >> (8 * i) & 0xFF);
    return *this;
  }
  Message& Bytes(uint32_t field, std::string_view value) {
    Varint(uint64_t{field} << 3 | 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& Add(uint32_t field, const Message& value) { return Bytes(field, value.bytes()); }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

inline std::string Framed(std::string_view bytes) {
  std::string framed;
  for (int i = 0; i < 4; ++i) framed += static_cast<char>(bytes.size() >> (8 * i) & 0xFF);
  return framed.append(bytes);
}

inline std::string FileBegin() { return std::string("NVR\0", 4) + Framed(Message().Number(1, 7).bytes()); }

// A block of framed sources and results behind its header, to which payload size and counts are added.
inline std::string Block(Message header, const std::string& sources, uint64_t source_count, const std::string& results,
                         uint64_t result_count) {
  header.Number(1, source_count).Number(2, result_count).Number(5, sources.size() + results.size());
  return Framed(header.bytes()) + sources + results;
}

inline Message Strings(std::initializer_list<std::string_view> strings) {
  Message table;
  for (const std::string_view text : strings) table.Bytes(1, text);
  return table;
}
// MetricResult: field 3 of the value is a double, 5 an integer, 1 a text.
inline Message MetricDouble(uint32_t name, double value) {
  Message metric;
  if (name > 0) metric.Number(1, name);
  return metric.Add(2, Message().Double(3, value));
}
inline Message MetricCount(uint32_t name, uint64_t value) {
  Message metric;
  if (name > 0) metric.Number(1, name);
  return metric.Add(2, Message().Number(5, value));
}
inline Message Extent(uint64_t x, uint64_t y, uint64_t z) { return Message().Number(1, x).Number(2, y).Number(3, z); }

}  // namespace warpscope::import::ncu::testing
