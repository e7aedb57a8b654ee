// LineReader: takes those lines of a text that it knows, and adds what they tell to a machine. [one thread] A new one
// for each text. readers.def lists them.
#pragma once

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/machine.h"

namespace warpscope::doctor::read {

class LineReader {
 public:
  virtual ~LineReader() = default;
  // True if the line told something. `line` has no line end; at most kMostLine bytes.
  virtual bool Line(std::string_view line, Machine& machine) = 0;
  // A line that holds none of these words, in whatever case, tells nothing while the reader is not open and the line
  // does not begin as one of its own: it is not handed over. Static text.
  virtual std::vector<std::string_view> Marks() const = 0;
  // In the middle of something: every line counts.
  virtual bool IsOpen() const { return false; }
  // Lines that are known by their beginning alone; readers without such do not override it.
  virtual bool Begins(std::string_view line) const {
    static_cast<void>(line);
    return false;
  }
  // The line that was taken last may be an error of a program as well, which explain knows.
  virtual bool MayBeError() const { return false; }
  // After the last line.
  virtual void End(Machine& machine) { static_cast<void>(machine); }

  static constexpr size_t kMostLine = 4096;
  static constexpr size_t kMostEntries = 20000;  // of any list
};

#define WS_READER(file, title) std::unique_ptr<LineReader> Make_##file();
#include "doctor/read/readers.def"
#undef WS_READER

std::string_view Trim(std::string_view text);
// Parts between blanks.
std::vector<std::string_view> Words(std::string_view text);
// What stands behind `key` in `text`, trimmed: up to the end. Absent if it does not hold `key`.
std::optional<std::string_view> Behind(std::string_view text, std::string_view key);
std::optional<uint64_t> Count(std::string_view digits);  // digits alone
// The first version ("580.159.04") in `text`; "" if there is none.
std::string VersionIn(std::string_view text);
// "2566MiB", "10 GiB", "512": of bytes; a number without a unit counts MiB, as nvidia-smi's do.
std::optional<uint64_t> BytesOf(std::string_view text);

}  // namespace warpscope::doctor::read
