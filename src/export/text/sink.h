// Sink: text written in large pieces to a file, packed with gzip where asked for.
// [one thread]. After a failure every further write is a no-op and Close() tells what went wrong.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace warpscope::exporting {

class Sink {
 public:
  // `packed`: gzip. The file is made anew; "/dev/stdout" is the standard output as it was given.
  Sink(const std::string& path, bool packed);
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void Add(std::string_view text) {
    if (text.size() > kRoom - used_) return AddLong(text);
    std::memcpy(buffer_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void Add(char c) {
    if (used_ == kRoom) Flush();
    buffer_[used_++] = c;
  }
  template <std::integral T>
  requires(!std::same_as<T, char>) void Number(T value) {
    if (kRoom - used_ < 24) Flush();
    used_ =
        static_cast<size_t>(std::to_chars(buffer_.data() + used_, buffer_.data() + kRoom, value).ptr - buffer_.data());
  }
  // The shortest text that reads back as the same value. REQUIRES: finite.
  void Number(double value) {
    if (kRoom - used_ < 64) Flush();
    used_ =
        static_cast<size_t>(std::to_chars(buffer_.data() + used_, buffer_.data() + kRoom, value).ptr - buffer_.data());
  }
  // Nanoseconds as microseconds with three decimals, exactly: "1234.567".
  void Microseconds(int64_t ns) {
    if (ns < 0) Add('-');
    const uint64_t size = ns < 0 ? ~static_cast<uint64_t>(ns) + 1 : static_cast<uint64_t>(ns);
    Number(size / 1000);
    const auto rest = static_cast<unsigned>(size % 1000);
    const char text[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                          static_cast<char>('0' + rest % 10)};
    Add(std::string_view(text, 4));
  }

  // Writes what is left and closes the file.
  Status Close();

 private:
  static constexpr size_t kRoom = size_t{1} << 20;
  struct Packer;

  void AddLong(std::string_view text);
  void Flush();
  void Write(const char* data, size_t size);
  void Pack(bool last);

  std::string path_;
  int file_ = -1;
  Status status_;
  std::vector<char> buffer_;
  size_t used_ = 0;
  std::unique_ptr<Packer> packer_;
};

// JSON text of a name: quotes, escapes for what JSON demands, U+FFFD for bytes that are not UTF-8.
void AppendJsonText(std::string_view text, std::string* to);

bool IsUtf8(std::string_view text);

}  // namespace warpscope::exporting
