#include "import/pytorch_snapshot/pickle.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace warpscope::import::pytorch_snapshot {
namespace {

using Kind = Pickle::Kind;
using Value = Pickle::Value;

// Reads forward through a buffer. After the end, or once `limit` is reached, every read fails.
class Bytes {
 public:
  explicit Bytes(ByteSource* source) : source_(*source) {}

  // `size` bytes, valid until the next call; null at the end. REQUIRES: size <= kBufferBytes.
  const char* Take(size_t size) {
    if (buffer_.size() - at_ < size && !Fill(size)) return nullptr;
    at_ += size;
    offset_ += size;
    return buffer_.data() + at_ - size;
  }
  // Little endian.
  std::optional<uint64_t> Number(size_t size) {
    const char* bytes = Take(size);
    if (bytes == nullptr) return std::nullopt;
    uint64_t value = 0;
    std::memcpy(&value, bytes, size);
    return value;
  }
  // A text of that length, cut to kMaxTextBytes.
  bool Text(uint64_t size, std::string* out) {
    out->clear();
    while (size > 0) {
      const size_t part = static_cast<size_t>(std::min<uint64_t>(size, kBufferBytes));
      const char* bytes = Take(part);
      if (bytes == nullptr) return false;
      out->append(bytes, std::min(part, Pickle::kMaxTextBytes - out->size()));
      size -= part;
    }
    return true;
  }
  uint64_t offset_bytes() const { return offset_; }
  const Status& status() const { return status_; }

 private:
  static constexpr size_t kBufferBytes = size_t{1} << 16;

  bool Fill(size_t size) {
    buffer_.erase(0, at_);
    at_ = 0;
    const size_t kept = buffer_.size();
    buffer_.resize(kept + kBufferBytes);
    auto got = source_.Read(buffer_.data() + kept, kBufferBytes);
    if (!got.ok()) status_ = got.status();
    buffer_.resize(kept + (got.ok() ? *got : 0));
    return buffer_.size() >= size;
  }

  ByteSource& source_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t offset_ = 0;
  Status status_;
};

// Opcodes that name a class or a function, call something, or ask somebody else for an object.
constexpr std::string_view kCode = "cRibo\x81\x82\x83\x84\x92\x93PQ\x97\x98";

}  // namespace

// The machine of opcodes, over a stack of values and marks.
class PickleReader {
 public:
  PickleReader(ByteSource* source, uint64_t stored_bytes) : bytes_(source), bound_(BoundOf(stored_bytes)) {}

  Result<Pickle> Read() {
    for (;;) {
      const uint64_t offset = bytes_.offset_bytes();
      const char* opcode = bytes_.Take(1);
      if (opcode != nullptr && *opcode == '.') break;
      if (opcode != nullptr && kCode.find(*opcode) != std::string_view::npos) {
        return Status(StatusCode::kUnsupported,
                      "byte " + std::to_string(offset) +
                          ": the pickle names code to be run, which no memory snapshot does; nothing of it is run or "
                          "read. Give the file that torch.cuda.memory._dump_snapshot() wrote.");
      }
      if (opcode == nullptr || !Do(*opcode) || IsFull()) {
        if (!bytes_.status().ok()) return bytes_.status();
        out_.is_cut_ = true;
        CloseAll();
        break;
      }
    }
    if (!stack_.empty()) out_.root_ = out_.is_cut_ ? stack_.front() : stack_.back();
    out_.offset_bytes_ = bytes_.offset_bytes();
    return std::move(out_);
  }

 private:
  // False if the pickle is damaged here.
  bool Do(char opcode) {
    switch (opcode) {
      case '\x80': return bytes_.Take(1) != nullptr;  // PROTO
      case '\x95': return bytes_.Take(8) != nullptr;  // FRAME
      case '(': marks_.push_back(stack_.size()); return marks_.size() < kMaxMarks;
      case 'N': return Push({});
      case '\x88': return Push({Kind::kBool, 0, 1});
      case '\x89': return Push({Kind::kBool, 0, 0});
      case 'K': return Integer(1);
      case 'M': return Integer(2);
      case 'J': return Integer(4);
      case '\x8a': return Long(1);
      case '\x8b': return Long(4);
      case 'G': return Real();
      case '\x8c':
      case 'U':
      case 'C': return Text(1);
      case 'X':
      case 'T':
      case 'B': return Text(4);
      case '\x8d':
      case '\x8e':
      case '\x96': return Text(8);
      case ']':
      case ')':
      case '\x8f': return Push(Container(Kind::kList));
      case '}': return Push(Container(Kind::kDict));
      case 'a': return stack_.size() > Floor() + 1 && Append(stack_.size() - 1);
      case 'e':
      case '\x90': return Close() && Append(closed_);
      case 's': return stack_.size() > Floor() + 2 && SetItems(stack_.size() - 2);
      case 'u': return Close() && SetItems(closed_);
      case 't':
      case 'l':
      case '\x91': return Close() && Gather(Kind::kList, closed_);
      case 'd': return Close() && Gather(Kind::kDict, closed_);
      case '\x85': return Tuple(1);
      case '\x86': return Tuple(2);
      case '\x87': return Tuple(3);
      case '\x94': return !stack_.empty() && Memo(memo_.size());
      case 'q': return Put(1);
      case 'r': return Put(4);
      case 'h': return Get(1);
      case 'j': return Get(4);
      case '0':
        if (stack_.size() <= Floor()) return false;
        stack_.pop_back();
        return true;
      case '1':
        if (!Close()) return false;
        stack_.resize(closed_);
        return true;
      case '2': return stack_.size() > Floor() && Push(Value(stack_.back()));
      default: return false;
    }
  }

  bool IsFull() {
    if (count_ > bound_) out_.reached_bound_ = bound_;
    return count_ > bound_;
  }
  size_t Floor() const { return marks_.empty() ? 0 : marks_.back(); }
  bool Push(Value value) {
    ++count_;
    stack_.push_back(value);
    return true;
  }
  Value Container(Kind kind) {
    out_.items_.emplace_back();
    count_ += 2;
    return {kind, static_cast<uint32_t>(out_.items_.size() - 1), 0};
  }
  bool Integer(size_t size) {
    const auto number = bytes_.Number(size);
    if (!number) return false;
    return Push({Kind::kInteger, 0, size == 4 ? static_cast<int32_t>(*number) : static_cast<int64_t>(*number)});
  }
  // Two's complement; of more than 64 bits the lower ones count.
  bool Long(size_t size_of_size) {
    const auto size = bytes_.Number(size_of_size);
    std::string digits;
    if (!size || !bytes_.Text(*size, &digits)) return false;
    const bool negative = !digits.empty() && digits.back() < 0;
    uint64_t value = negative ? ~uint64_t{0} : 0;
    std::memcpy(&value, digits.data(), std::min<size_t>(digits.size(), 8));
    return Push({Kind::kInteger, 0, static_cast<int64_t>(value)});
  }
  bool Real() {  // big endian
    const auto bits = bytes_.Number(8);
    return bits && Push({Kind::kReal, 0, static_cast<int64_t>(__builtin_bswap64(*bits))});
  }
  bool Text(size_t size_of_size) {
    const auto size = bytes_.Number(size_of_size);
    std::string text;
    if (!size || !bytes_.Text(*size, &text)) return false;
    count_ += 4 + text.size() / sizeof(Value);
    out_.texts_.push_back(std::move(text));
    return Push({Kind::kText, static_cast<uint32_t>(out_.texts_.size() - 1), 0});
  }

  // Takes the last mark away; what stood above it begins at closed_.
  bool Close() {
    if (marks_.empty()) return false;
    closed_ = marks_.back();
    marks_.pop_back();
    return true;
  }
  // The values from `begin` into the list or dict below them.
  bool Append(size_t begin) {
    if (begin == 0 || stack_[begin - 1].kind != Kind::kList) return false;
    return Move(begin, stack_[begin - 1]);
  }
  bool SetItems(size_t begin) {
    if (begin == 0 || stack_[begin - 1].kind != Kind::kDict || (stack_.size() - begin) % 2 != 0) return false;
    return Move(begin, stack_[begin - 1]);
  }
  bool Gather(Kind kind, size_t begin) {
    if (kind == Kind::kDict && (stack_.size() - begin) % 2 != 0) return false;
    const Value made = Container(kind);
    return Move(begin, made) && Push(made);
  }
  bool Tuple(size_t size) { return stack_.size() >= Floor() + size && Gather(Kind::kList, stack_.size() - size); }
  bool Move(size_t begin, Value to) {
    Insert(stack_.begin() + static_cast<std::ptrdiff_t>(begin), stack_.end(), to);
    stack_.resize(begin);
    return true;
  }
  template <typename Iterator>
  void Insert(Iterator begin, Iterator end, Value to) {
    auto& items = out_.items_[to.at];
    const size_t before = items.size();
    items.insert(items.end(), begin, end);
    if (before == 0) count_ += 2;  // of the allocation
    constexpr size_t kWidest = 2 * Pickle::kMaxKeys;
    if (to.kind == Kind::kDict && before <= kWidest && items.size() > kWidest) ++out_.wide_dicts_;
  }

  bool Memo(uint64_t at) {
    if (stack_.empty() || at > memo_.size()) return false;  // picklers number in order
    ++count_;
    if (at == memo_.size()) memo_.emplace_back();
    memo_[at] = stack_.back();
    return true;
  }
  bool Put(size_t size) {
    const auto at = bytes_.Number(size);
    return at && Memo(*at);
  }
  bool Get(size_t size) {
    const auto at = bytes_.Number(size);
    return at && *at < memo_.size() && Push(memo_[*at]);
  }

  // What is still open when the pickle ends too early goes to where it was going to go. A list of one item has no mark:
  // in a dict, a list or dict where a key should stand is the item of the list before it.
  void CloseAll() {
    while (Close()) {
      if (closed_ == 0) continue;
      if (Append(closed_) || stack_[closed_ - 1].kind != Kind::kDict) continue;
      std::vector<Value> pairs;
      for (size_t i = closed_; i + 1 < stack_.size() && stack_[i].kind == Kind::kText;) {
        pairs.push_back(stack_[i]);
        pairs.push_back(stack_[i + 1]);
        for (i += 2; i < stack_.size() && stack_[i].kind != Kind::kText && stack_[i - 1].kind == Kind::kList; ++i)
          out_.items_[stack_[i - 1].at].push_back(stack_[i]);
      }
      Insert(pairs.begin(), pairs.end(), Value(stack_[closed_ - 1]));
      stack_.resize(closed_);
    }
  }

  static uint64_t BoundOf(uint64_t stored_bytes) {
    if (stored_bytes == 0 || stored_bytes > Pickle::kMaxValues) return Pickle::kMaxValues;
    return std::min(Pickle::kMaxValues, Pickle::kFreeValues + stored_bytes * Pickle::kValuesPerStoredByte);
  }

  static constexpr size_t kMaxMarks = size_t{1} << 20;

  Bytes bytes_;
  Pickle out_;
  std::vector<Value> stack_, memo_;
  std::vector<size_t> marks_;
  size_t closed_ = 0;
  uint64_t count_ = 0;  // values made, by their memory
  uint64_t bound_;
};

Result<Pickle> Pickle::Read(ByteSource& bytes, uint64_t stored_bytes) {
  return PickleReader(&bytes, stored_bytes).Read();
}

std::string_view Pickle::Text(const Value& value) const {
  return value.kind == Kind::kText ? std::string_view(texts_[value.at]) : std::string_view();
}

const std::vector<Value>& Pickle::Items(const Value& list) const {
  static const std::vector<Value> kNothing;
  return list.kind == Kind::kList ? items_[list.at] : kNothing;
}

const Value* Pickle::Find(const Value& dict, std::string_view key) const {
  if (dict.kind != Kind::kDict) return nullptr;
  const std::vector<Value>& items = items_[dict.at];
  if (items.size() > 2 * kMaxKeys) return nullptr;  // or every look-up would cost what the dict holds
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == Kind::kText && texts_[items[i].at] == key) return &items[i + 1];
  }
  return nullptr;
}

std::string_view Pickle::TextOf(const Value& dict, std::string_view key) const {
  const Value* value = Find(dict, key);
  return value == nullptr ? std::string_view() : Text(*value);
}

}  // namespace warpscope::import::pytorch_snapshot
