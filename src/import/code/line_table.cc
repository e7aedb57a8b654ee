#include "import/code/line_table.h"

#include <algorithm>
#include <string_view>

namespace warpscope::import::code {
namespace {

constexpr uint32_t kMostFiles = 1u << 16, kNoSection = UINT32_MAX;
constexpr size_t kMostRows = 1u << 24, kMostPathBytes = 4096;

// Bytes from the front; after the first read beyond the end ok() is false and everything is 0.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  uint64_t at() const { return at_; }

  uint64_t Fixed(unsigned size) {
    if (bytes_.size() - at_ < size || size > sizeof(uint64_t)) return Fail();
    uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= uint64_t{static_cast<uint8_t>(bytes_[at_++])} << (8 * i);
    return value;
  }
  uint64_t Unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0; at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    return Fail();
  }
  int64_t Signed() {
    uint64_t value = 0;
    for (unsigned shift = 0; at_ < bytes_.size();) {
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if (byte >= 0x80) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
    Fail();
    return 0;
  }
  std::string_view Text() {
    const size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) {
      Fail();
      return {};
    }
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }
  std::string_view Take(uint64_t size) {
    if (size > bytes_.size() - at_) {
      Fail();
      return {};
    }
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

 private:
  uint64_t Fail() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }
  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

// One unit of the section: its header and its program.
class LineProgram {
 public:
  LineProgram(LineTable* table, const std::unordered_map<uint64_t, Cubin::Target>& targets)
      : table_(*table), targets_(targets) {}

  // `at`: where `unit` (all behind its length) begins in the section.
  void Run(std::string_view unit, uint64_t at) {
    Bytes in(unit);
    const uint64_t version = in.Fixed(2);
    constexpr uint64_t kOldest = 2, kNewest = 4;
    if (version < kOldest || version > kNewest) return;
    Bytes header(in.Take(in.Fixed(4)));
    if (!in.ok() || !ReadHeader(header, version)) return;
    unit_at_ = at;
    Reset();
    while (in.ok() && !in.at_end() && table_.rows_.size() < kMostRows) Step(in);
  }

 private:
  bool ReadHeader(Bytes& header, uint64_t version) {
    step_ = header.Fixed(1);
    if (version >= 4) header.Fixed(1);
    header.Fixed(1);  // default_is_stmt
    line_base_ = static_cast<int8_t>(header.Fixed(1));
    line_range_ = static_cast<uint8_t>(header.Fixed(1));
    opcode_base_ = static_cast<uint8_t>(header.Fixed(1));
    lengths_.clear();
    for (unsigned i = 1; i < opcode_base_; ++i) lengths_.push_back(static_cast<uint8_t>(header.Fixed(1)));
    folders_.clear();
    for (std::string_view folder = header.Text(); header.ok() && !folder.empty(); folder = header.Text())
      folders_.push_back(folder);
    first_file_ = static_cast<uint32_t>(table_.files_.size());
    for (std::string_view name = header.Text(); header.ok() && !name.empty(); name = header.Text())
      AddFile(name, header);
    return header.ok() && line_range_ != 0 && opcode_base_ != 0;
  }

  void AddFile(std::string_view name, Bytes& in) {
    const uint64_t folder = in.Unsigned();
    in.Unsigned();  // time
    in.Unsigned();  // length
    if (!in.ok() || table_.files_.size() >= kMostFiles) return;
    std::string path;
    if (folder > 0 && folder <= folders_.size() && !name.starts_with('/'))
      path = std::string(folders_[folder - 1].substr(0, kMostPathBytes)) + "/";
    table_.files_.push_back(path + std::string(name.substr(0, kMostPathBytes)));
  }

  void Reset() {
    section_ = kNoSection;
    offset_ = 0;
    file_ = 1;
    line_ = 1;
  }

  void Step(Bytes& in) {
    const auto opcode = static_cast<uint8_t>(in.Fixed(1));
    if (opcode >= opcode_base_) {
      const unsigned special = opcode - opcode_base_;
      offset_ += special / line_range_ * step_;
      line_ += line_base_ + static_cast<int64_t>(special % line_range_);
      return Emit(false);
    }
    constexpr unsigned kAdvanceByTable = 255;
    switch (opcode) {
      case 0: return Extended(in);
      case 1: return Emit(false);
      case 2: offset_ += in.Unsigned() * step_; return;
      case 3: line_ = static_cast<int64_t>(static_cast<uint64_t>(line_) + static_cast<uint64_t>(in.Signed())); return;
      case 4: file_ = in.Unsigned(); return;
      case 8: offset_ += (kAdvanceByTable - opcode_base_) / line_range_ * step_; return;
      case 9: offset_ += in.Fixed(2); return;
      default:
        for (unsigned i = 0; i < lengths_[opcode - 1u]; ++i) in.Unsigned();
    }
  }

  void Extended(Bytes& in) {
    const uint64_t size = in.Unsigned(), begin = in.at();
    Bytes operands(in.Take(size));
    const uint64_t opcode = operands.Fixed(1);
    if (opcode == 1) {
      Emit(true);
      Reset();
    } else if (opcode == 2 && size > 1) {
      SetAddress(operands.Fixed(static_cast<unsigned>(std::min<uint64_t>(size - 1, sizeof(uint64_t)))), begin + 1);
    } else if (opcode == 3) {
      const std::string_view name = operands.Text();
      AddFile(name, operands);
    }
  }

  // Addresses are of sections: only a relocation says of which.
  void SetAddress(uint64_t address, uint64_t at_in_unit) {
    const auto target = targets_.find(unit_at_ + at_in_unit);
    section_ = target == targets_.end() ? kNoSection : target->second.section;
    offset_ = target == targets_.end() ? 0 : address + target->second.offset;
  }

  void Emit(bool ends) {
    if (section_ == kNoSection) return;
    const bool known =
        !ends && line_ > 0 && line_ < UINT32_MAX && file_ > 0 && file_ <= table_.files_.size() - first_file_;
    table_.rows_.push_back({section_, offset_, known ? first_file_ + static_cast<uint32_t>(file_) - 1 : 0,
                            known ? static_cast<uint32_t>(line_) : 0});
  }

  LineTable& table_;
  const std::unordered_map<uint64_t, Cubin::Target>& targets_;
  uint64_t unit_at_ = 0, step_ = 1, offset_ = 0, file_ = 1;
  int64_t line_ = 1;
  int line_base_ = 0;
  uint8_t line_range_ = 1, opcode_base_ = 1;
  uint32_t section_ = kNoSection, first_file_ = 0;
  std::vector<uint8_t> lengths_;
  std::vector<std::string_view> folders_;
};

LineTable::LineTable(const Cubin& cubin) {
  const std::string_view section = cubin.Section(".debug_line");
  const auto targets = cubin.Relocations(".debug_line");
  LineProgram program(this, targets);
  Bytes in(section);
  while (in.ok() && !in.at_end()) {
    const uint64_t size = in.Fixed(4);
    constexpr uint64_t kReserved = 0xfffffff0;  // 64-bit DWARF: no tool writes it for device code
    if (size >= kReserved) break;
    const uint64_t at = in.at();
    const std::string_view unit = in.Take(size);
    if (in.ok()) program.Run(unit, at);
  }
  // Of rows of one offset the last one holds.
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return a.section != b.section ? a.section < b.section : a.offset < b.offset;
  });
}

std::optional<LineTable::Line> LineTable::Find(uint32_t section, uint64_t offset) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), std::pair(section, offset),
                                      [](const std::pair<uint32_t, uint64_t>& want, const Row& row) {
                                        return want < std::pair(row.section, row.offset);
                                      });
  if (after == rows_.begin()) return std::nullopt;
  const Row& row = *(after - 1);
  if (row.section != section || row.line == 0) return std::nullopt;
  return Line{files_[row.file], row.line};
}

}  // namespace warpscope::import::code
