// ByteSource: the bytes of a file, read where they are wanted. Files of a running program are read and never mapped:
// one that is cut short meanwhile gives a refused read, and no signal. [one thread]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace warpscope::record::native {

class ByteSource {
 public:
  // Null if it is no regular file that can be read.
  static std::unique_ptr<ByteSource> OfFile(const std::string& path);
  // `bytes` must outlive it.
  static std::unique_ptr<ByteSource> OfBytes(std::string_view bytes);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Whole or false.
  bool Read(uint64_t offset_bytes, void* into, size_t size_bytes) const;
  template <typename Value>
  bool Get(uint64_t offset_bytes, Value* value) const {
    return Read(offset_bytes, value, sizeof(Value));
  }
  // Up to `most_bytes` from there; less at the end of the file, "" if nothing can be read.
  std::string Some(uint64_t offset_bytes, size_t most_bytes) const;
  uint64_t size_bytes() const { return size_; }
  int descriptor() const { return file_; }  // -1: bytes

 private:
  ByteSource(int file, std::string_view bytes, uint64_t size) : file_(file), bytes_(bytes), size_(size) {}

  int file_;
  std::string_view bytes_;
  uint64_t size_;
};

}  // namespace warpscope::record::native
