// Pickle: the plain data of a Python pickle: numbers, texts, lists and dicts. Nothing is ever executed: an opcode that
// names a class or calls something ends the reading with an error. Protocols 2 to 5 (Lib/pickletools.py of CPython
// describes the opcodes). Memory is bounded by the stored bytes of the input and by kMaxValues.
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
  // Values are counted by their memory, 16 bytes each; reading stops at the lesser of the two bounds. Snapshots make 5
  // to 10 values for each byte of gzip; a few KB of it could stand for a thousand times that.
  static constexpr uint64_t kMaxValues = uint64_t{64} << 20;
  static constexpr uint64_t kFreeValues = uint64_t{4} << 20, kValuesPerStoredByte = 32;
  static constexpr size_t kMaxKeys = 64;  // an event or a block has about ten; dicts of more are taken for empty
  static constexpr size_t kMaxTextBytes = size_t{64} << 10;  // longer ones are cut

  // Fails on a pickle that would run code. One that is cut off or damaged gives what stands before the damage.
  // `stored_bytes` are those of the input as it lies on disk, compressed if it is; 0 if unknown: kMaxValues holds
  // alone.
  static Result<Pickle> Read(ByteSource& bytes, uint64_t stored_bytes = 0);

  const Value& root() const { return root_; }
  // Damaged or cut off at offset_bytes().
  bool is_cut() const { return is_cut_; }
  // Cut because a bound of values was reached: that bound, otherwise 0.
  uint64_t reached_bound() const { return reached_bound_; }
  // Dicts of more than kMaxKeys keys.
  uint64_t wide_dicts() const { return wide_dicts_; }
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
  uint64_t reached_bound_ = 0, wide_dicts_ = 0;
  uint64_t offset_bytes_ = 0;
};

}  // namespace warpscope::import::pytorch_snapshot
