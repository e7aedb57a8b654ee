// Pickle: the plain data of a Python pickle: numbers, texts, lists and dicts. Nothing is ever executed: an opcode that
// names a class or calls something ends the reading with an error. Protocols 2 to 5 (Lib/pickletools.py of CPython
// describes the opcodes). Memory is bounded by the input and by kMaxValues.
// [one thread] while it reads; [MT] afterwards.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/container/byte_source.h"

namespace warpscope::import::pytorch_snapshot {

class Pickle {
 public:
  enum class Kind : uint8_t { kNone, kBool, kInteger, kReal, kText, kList /* and tuples, sets */, kDict };
  struct Value {
    Kind kind = Kind::kNone;
    uint32_t at = 0;      // of a text, list or dict: its number. The same number is the same object
    int64_t integer = 0;  // of an integer or a truth value; of a real its bits
    double real() const { return std::bit_cast<double>(integer); }
  };
  static constexpr uint64_t kMaxValues = uint64_t{64} << 20;
  static constexpr size_t kMaxTextBytes = size_t{64} << 10;  // longer ones are cut

  // Fails on a pickle that would run code. One that is cut off or damaged gives what stands before the damage.
  static Result<Pickle> Read(ByteSource& bytes);

  const Value& root() const { return root_; }
  // Damaged or cut off at offset_bytes().
  bool is_cut() const { return is_cut_; }
  uint64_t offset_bytes() const { return offset_bytes_; }

  // "", nothing and null for a value of another kind. Lists may hold themselves: follow no value without a bound.
  std::string_view Text(const Value& value) const;
  const std::vector<Value>& Items(const Value& list) const;
  const Value* Find(const Value& dict, std::string_view key) const;
  std::string_view TextOf(const Value& dict, std::string_view key) const;

 private:
  friend class PickleReader;
  std::vector<std::string> texts_;
  std::vector<std::vector<Value>> items_;  // of lists; of dicts key, value, key ...
  Value root_;
  bool is_cut_ = false;
  uint64_t offset_bytes_ = 0;
};

}  // namespace warpscope::import::pytorch_snapshot
