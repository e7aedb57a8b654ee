#include "record/native/cfi.h"

#include <cstring>
#include <utility>
#include <vector>

namespace warpscope::record::native {
namespace {

// DW_EH_PE_*.
constexpr uint8_t kOmit = 0xff, kFormMask = 0x0f, kBaseMask = 0x70, kRelative = 0x10, kIndirect = 0x80;
constexpr size_t kMostRemembered = 64;

}  // namespace

std::string_view Cursor::Take(uint64_t count) {
  if (!ok_ || count > bytes_.size() - at_) {
    ok_ = false;
    return {};
  }
  const std::string_view out = bytes_.substr(at_, static_cast<size_t>(count));
  at_ += static_cast<size_t>(count);
  return out;
}

uint64_t Cursor::Unsigned(unsigned size_bytes) {
  uint64_t value = 0;
  const std::string_view bytes = Take(size_bytes);
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());  // little-endian, as the files are
  return value;
}

int64_t Cursor::Signed(unsigned size_bytes) {
  const uint64_t value = Unsigned(size_bytes);
  switch (size_bytes) {
    case 1: return static_cast<int8_t>(value);
    case 2: return static_cast<int16_t>(value);
    case 4: return static_cast<int32_t>(value);
    default: return static_cast<int64_t>(value);
  }
}

uint64_t Cursor::Leb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok_; shift += 7) {
    const uint64_t byte = Unsigned(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

int64_t Cursor::SignedLeb() {
  uint64_t value = 0;
  unsigned shift = 0;
  for (uint64_t byte = 0x80; ok_ && (byte & 0x80) != 0;) {
    byte = Unsigned(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    shift += 7;
    if ((byte & 0xc0) == 0x40 && shift < 64) value |= ~uint64_t{0} << shift;
  }
  return static_cast<int64_t>(value);
}

std::string_view Cursor::Text() {
  const size_t end = bytes_.find('\0', at_);
  if (!ok_ || end == std::string_view::npos) {
    ok_ = false;
    return {};
  }
  const std::string_view out = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return out;
}

std::optional<uint64_t> Cursor::Pointer(uint8_t encoding, uint64_t address) {
  if (encoding == kOmit) return std::nullopt;
  const uint64_t here = address + at_;
  uint64_t value = 0;
  switch (encoding & kFormMask) {
    case 0x00:
    case 0x04:
    case 0x0c: value = Unsigned(8); break;
    case 0x01: value = Leb(); break;
    case 0x02: value = Unsigned(2); break;
    case 0x03: value = Unsigned(4); break;
    case 0x09: value = static_cast<uint64_t>(SignedLeb()); break;
    case 0x0a: value = static_cast<uint64_t>(Signed(2)); break;
    case 0x0b: value = static_cast<uint64_t>(Signed(4)); break;
    default: ok_ = false; return std::nullopt;
  }
  const uint8_t base = encoding & kBaseMask;
  if (!ok_ || (base != 0 && base != kRelative)) return std::nullopt;
  return base == kRelative ? here + value : value;
}

bool ParseCie(Cie* cie, uint64_t address) {
  Cursor in(cie->bytes);
  if (in.Unsigned(4) != 0) return false;  // not a CIE
  const uint64_t version = in.Unsigned(1);
  const std::string_view augmentation = in.Text();
  if (version != 1 && version != 3) return false;
  cie->code_align = in.Leb();
  cie->data_align = in.SignedLeb();
  const uint64_t return_register = version == 1 ? in.Unsigned(1) : in.Leb();
  if (!in.ok() || return_register != kReturnAddress) return false;
  if (!augmentation.empty() && augmentation[0] != 'z') return false;
  if (!augmentation.empty()) {
    cie->has_size = true;
    const uint64_t size = in.Leb();
    const size_t begin = in.at();
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'R') cie->pointer_encoding = static_cast<uint8_t>(in.Unsigned(1));
      else if (letter == 'L') in.Unsigned(1);
      else if (letter == 'S') cie->signal_frame = true;
      else if (letter == 'P') {
        const auto encoding = static_cast<uint8_t>(in.Unsigned(1));
        in.Pointer(encoding & static_cast<uint8_t>(~kIndirect), address);
      } else break;  // the rest is skipped by its size
    }
    if (!in.ok() || in.at() - begin > size) return false;
    in.Take(size - (in.at() - begin));
    if (!in.ok()) return false;
  }
  cie->program = std::string_view(cie->bytes).substr(in.at());
  return true;
}

std::optional<Fde> ParseFde(std::string_view bytes, uint64_t address, const Cie& cie) {
  Cursor in(bytes);
  Fde fde;
  const auto begin = in.Pointer(cie.pointer_encoding, address);
  const auto size = in.Pointer(cie.pointer_encoding & kFormMask, 0);
  if (!begin || !size) return std::nullopt;
  fde.begin = *begin;
  fde.end = *begin + *size;
  if (cie.has_size) in.Take(in.Leb());
  if (!in.ok() || fde.end < fde.begin) return std::nullopt;
  fde.program = bytes.substr(in.at());
  return fde;
}

namespace {

// Runs the programs of a CIE and an FDE up to an address.
class Rows {
 public:
  Rows(const Cie& cie, const Fde& fde, uint64_t pc) : cie_(cie), pc_(pc), at_(fde.begin) {}

  bool Run(std::string_view program) {
    Cursor in(program);
    while (in.ok() && !in.at_end()) {
      const auto code = static_cast<uint8_t>(in.Unsigned(1));
      const uint8_t low = code & 0x3f;
      switch (code & 0xc0) {
        case 0x40:
          if (!Advance(low)) return true;
          continue;
        case 0x80: SetRule(low, Rule::Kind::kAtCfa, Scaled(static_cast<int64_t>(in.Leb()))); continue;
        case 0xc0: Restore(low); continue;
        default: break;
      }
      const int one = One(code, in);
      if (one != kGoOn) return one == kReached;
    }
    return in.ok();
  }
  void EndOfCie() { initial_ = row; }

  CfiRow row;

 private:
  enum : int { kGoOn, kReached, kBroken };

  // False: the rows for the address are complete.
  bool Advance(uint64_t delta) {
    const uint64_t next = at_ + delta * cie_.code_align;
    if (next < at_ || next > pc_) return false;
    at_ = next;
    return true;
  }
  void SetRule(uint64_t number, Rule::Kind kind, int64_t value, std::string_view expression = {}) {
    if (number >= kRegisters) return;  // vector registers and others that nobody needs here
    const bool fits = value >= INT32_MIN && value <= INT32_MAX;
    row.rules[number] = {fits ? kind : Rule::Kind::kUndefined, fits ? static_cast<int32_t>(value) : 0, expression};
  }
  int64_t Scaled(int64_t value) const {
    int64_t out = 0;
    return __builtin_mul_overflow(value, cie_.data_align, &out) ? INT64_MAX : out;
  }
  void Restore(uint64_t number) {
    if (number < kRegisters) row.rules[number] = initial_.rules[number];
  }
  void SetCfa(uint64_t number, int64_t offset) {
    row.by_expression = false;
    row.cfa_register = number < kRegisters ? static_cast<unsigned>(number) : kRegisters;
    row.cfa_offset = offset;
  }

  int One(uint8_t code, Cursor& in) {
    using Kind = Rule::Kind;
    switch (code) {
      case 0x00: return kGoOn;
      case 0x02: return Advance(in.Unsigned(1)) ? kGoOn : kReached;
      case 0x03: return Advance(in.Unsigned(2)) ? kGoOn : kReached;
      case 0x04: return Advance(in.Unsigned(4)) ? kGoOn : kReached;
      case 0x05: {
        const uint64_t number = in.Leb();
        SetRule(number, Kind::kAtCfa, Scaled(static_cast<int64_t>(in.Leb())));
        return kGoOn;
      }
      case 0x06: Restore(in.Leb()); return kGoOn;
      case 0x07: SetRule(in.Leb(), Kind::kUndefined, 0); return kGoOn;
      case 0x08: SetRule(in.Leb(), Kind::kSame, 0); return kGoOn;
      case 0x09: {
        const uint64_t number = in.Leb(), from = in.Leb();
        SetRule(number, from < kRegisters ? Kind::kRegister : Kind::kUndefined,
                from < kRegisters ? static_cast<int64_t>(from) : 0);
        return kGoOn;
      }
      case 0x0a:
        if (remembered_.size() >= kMostRemembered) return kBroken;
        remembered_.push_back(row);
        return kGoOn;
      case 0x0b:
        if (remembered_.empty()) return kBroken;
        row = remembered_.back();
        remembered_.pop_back();
        return kGoOn;
      case 0x0c: {
        const uint64_t number = in.Leb();
        SetCfa(number, static_cast<int64_t>(in.Leb()));
        return kGoOn;
      }
      case 0x0d: SetCfa(in.Leb(), row.cfa_offset); return kGoOn;
      case 0x0e: SetCfa(row.cfa_register, static_cast<int64_t>(in.Leb())); return kGoOn;
      case 0x0f:
        row.by_expression = true;
        row.cfa_expression = in.Take(in.Leb());
        return kGoOn;
      case 0x10:
      case 0x16: {
        const uint64_t number = in.Leb();
        SetRule(number, code == 0x10 ? Kind::kAtExpression : Kind::kIsExpression, 0, in.Take(in.Leb()));
        return kGoOn;
      }
      case 0x11: {
        const uint64_t number = in.Leb();
        SetRule(number, Kind::kAtCfa, Scaled(in.SignedLeb()));
        return kGoOn;
      }
      case 0x12: {
        const uint64_t number = in.Leb();
        SetCfa(number, Scaled(in.SignedLeb()));
        return kGoOn;
      }
      case 0x13: SetCfa(row.cfa_register, Scaled(in.SignedLeb())); return kGoOn;
      case 0x14: {
        const uint64_t number = in.Leb();
        SetRule(number, Kind::kIsCfa, Scaled(static_cast<int64_t>(in.Leb())));
        return kGoOn;
      }
      case 0x15: {
        const uint64_t number = in.Leb();
        SetRule(number, Kind::kIsCfa, Scaled(in.SignedLeb()));
        return kGoOn;
      }
      case 0x2e: in.Leb(); return kGoOn;  // DW_CFA_GNU_args_size
      case 0x2f: {                        // DW_CFA_GNU_negative_offset_extended
        const uint64_t number = in.Leb();
        int64_t offset = Scaled(static_cast<int64_t>(in.Leb()));
        SetRule(number, Kind::kAtCfa, offset == INT64_MIN ? INT64_MAX : -offset);
        return kGoOn;
      }
      default: return kBroken;
    }
  }

  const Cie& cie_;
  const uint64_t pc_;
  uint64_t at_;
  CfiRow initial_;
  std::vector<CfiRow> remembered_;
};

}  // namespace

std::optional<CfiRow> RowAt(const Cie& cie, const Fde& fde, uint64_t pc) {
  if (pc < fde.begin || pc >= fde.end) return std::nullopt;
  Rows rows(cie, fde, pc);
  if (!rows.Run(cie.program)) return std::nullopt;
  rows.EndOfCie();
  if (!rows.Run(fde.program)) return std::nullopt;
  return rows.row;
}

std::optional<Registers> CallerOf(const CfiRow& row, const Registers& registers, StackMemory* memory) {
  uint64_t cfa = 0;
  if (row.by_expression) {
    const auto value = Evaluate(row.cfa_expression, registers, memory, std::nullopt);
    if (!value) return std::nullopt;
    cfa = *value;
  } else {
    if (!registers.has(row.cfa_register)) return std::nullopt;
    cfa = registers.value[row.cfa_register] + static_cast<uint64_t>(row.cfa_offset);
  }
  Registers caller;
  for (unsigned number = 0; number < kRegisters; ++number) {
    const Rule& rule = row.rules[number];
    const uint64_t beside = cfa + static_cast<uint64_t>(int64_t{rule.value});
    uint64_t value = 0;
    switch (rule.kind) {
      case Rule::Kind::kSame:
        // Registers that a callee may change are not what they were; nobody asks for them.
        if (number != kReturnAddress && registers.has(number)) caller.Set(number, registers.value[number]);
        break;
      case Rule::Kind::kUndefined: break;
      case Rule::Kind::kAtCfa:
        if (memory->Word(beside, &value)) caller.Set(number, value);
        else if (number == kReturnAddress) return std::nullopt;
        break;
      case Rule::Kind::kIsCfa: caller.Set(number, beside); break;
      case Rule::Kind::kRegister:
        if (registers.has(static_cast<unsigned>(rule.value)))
          caller.Set(number, registers.value[static_cast<unsigned>(rule.value)]);
        break;
      case Rule::Kind::kAtExpression:
      case Rule::Kind::kIsExpression: {
        const auto at = Evaluate(rule.expression, registers, memory, cfa);
        if (!at) break;
        if (rule.kind == Rule::Kind::kIsExpression) caller.Set(number, *at);
        else if (memory->Word(*at, &value)) caller.Set(number, value);
        break;
      }
    }
  }
  // The stack pointer of the caller is the CFA by definition, unless a rule says where it is (signal frames).
  if (row.rules[kStackPointer].kind == Rule::Kind::kSame) caller.Set(kStackPointer, cfa);
  return caller;
}

}  // namespace warpscope::record::native
