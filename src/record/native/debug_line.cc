#include "record/native/debug_line.h"

#include <algorithm>
#include <utility>

#include "record/native/cfi.h"

namespace warpscope::record::native {
namespace {

constexpr size_t kMostFiles = 1u << 16, kMostPathBytes = 4096;

std::string_view TextAt(std::string_view section, uint64_t offset) {
  if (offset >= section.size()) return {};
  const std::string_view rest = section.substr(static_cast<size_t>(offset), kMostPathBytes);
  return rest.substr(0, rest.find('\0'));
}

struct File {
  std::string_view name;
  uint64_t folder = 0;
};

// The head of one unit's table.
class Unit {
 public:
  Unit(const LineSections& sections, std::string_view bytes, bool wide)
      : sections_(sections), in_(bytes), wide_(wide) {}

  bool ReadHead() {
    version_ = in_.Unsigned(2);
    if (version_ < 2 || version_ > 5) return false;
    if (version_ >= 5) in_.Take(2);  // sizes of an address and of a segment's number
    const uint64_t head_bytes = in_.Unsigned(wide_ ? 8 : 4);
    const size_t head_begin = in_.at();
    smallest_step_ = in_.Unsigned(1);
    if (version_ >= 4) in_.Take(1);  // operations of a bundle
    in_.Take(1);                     // whether rows are statements at first
    line_base_ = in_.Signed(1);
    line_range_ = in_.Unsigned(1);
    opcode_base_ = in_.Unsigned(1);
    if (!in_.ok() || line_range_ == 0 || opcode_base_ == 0) return false;
    lengths_ = in_.Take(opcode_base_ - 1);
    if (version_ >= 5) {
      ReadEntries([&](const File& file) { folders_.push_back(file.name); });
      ReadEntries([&](const File& file) { files_.push_back(file); });
    } else {
      ReadOldLists();
    }
    if (!in_.ok() || head_bytes < in_.at() - head_begin) return false;
    in_.Take(head_bytes - (in_.at() - head_begin));
    return in_.ok();
  }

  // Calls visit(begin, end, file, line) for each stretch of addresses.
  template <typename Visit>
  void ForEachStretch(Visit&& visit) {
    while (in_.ok() && !in_.at_end()) RunSequence(visit);
  }

  std::string PathOf(uint64_t number) const {
    // Files count from 1 before DWARF 5, folders too: 0 is the folder of the compilation.
    const uint64_t at = version_ >= 5 ? number : number - 1;
    if (at >= files_.size()) return {};
    const File& file = files_[static_cast<size_t>(at)];
    if (file.name.empty() || file.name.front() == '/') return std::string(file.name);
    std::string path = FolderOf(file.folder);
    if (!path.empty()) path += '/';
    path += file.name;
    return path.size() <= kMostPathBytes ? path : std::string(file.name);
  }

 private:
  std::string FolderOf(uint64_t number) const {
    const uint64_t at = version_ >= 5 ? number : number - 1;
    std::string folder = at < folders_.size() ? std::string(folders_[static_cast<size_t>(at)]) : std::string();
    const bool relative = !folder.empty() && folder.front() != '/';
    if (version_ >= 5 && relative && number != 0 && !folders_.empty()) folder = std::string(folders_[0]) + "/" + folder;
    return folder;
  }

  void ReadOldLists() {
    for (;;) {
      const std::string_view folder = in_.Text();
      if (!in_.ok() || folder.empty()) break;
      if (folders_.size() < kMostFiles) folders_.push_back(folder);
    }
    for (;;) {
      File file{in_.Text(), 0};
      if (!in_.ok() || file.name.empty()) break;
      file.folder = in_.Leb();
      in_.Leb();
      in_.Leb();
      if (files_.size() < kMostFiles) files_.push_back(file);
    }
  }

  template <typename Keep>
  void ReadEntries(Keep&& keep) {
    constexpr uint64_t kPath = 1, kFolder = 2;
    const uint64_t formats = in_.Unsigned(1);
    std::vector<std::pair<uint64_t, uint64_t>> format;
    for (uint64_t i = 0; i < formats && in_.ok(); ++i) {
      const uint64_t what = in_.Leb();
      format.emplace_back(what, in_.Leb());
    }
    const uint64_t count = in_.Leb();
    if (format.empty() || count > kMostFiles) return Fail(count != 0);
    for (uint64_t i = 0; i < count && in_.ok(); ++i) {
      File file;
      for (const auto& [what, form] : format) {
        std::string_view text;
        uint64_t number = 0;
        ReadForm(form, &text, &number);
        if (what == kPath) file.name = text.substr(0, kMostPathBytes);
        else if (what == kFolder) file.folder = number;
      }
      keep(file);
    }
  }
  void Fail(bool fails) {
    if (fails) in_.Take(UINT64_MAX);
  }

  void ReadForm(uint64_t form, std::string_view* text, uint64_t* number) {
    switch (form) {
      case 0x08: *text = in_.Text(); return;                                                   // string
      case 0x0e: *text = TextAt(sections_.strings, in_.Unsigned(wide_ ? 8 : 4)); return;       // strp
      case 0x1f: *text = TextAt(sections_.line_strings, in_.Unsigned(wide_ ? 8 : 4)); return;  // line_strp
      case 0x0b: *number = in_.Unsigned(1); return;                                            // data1
      case 0x05: *number = in_.Unsigned(2); return;
      case 0x06: *number = in_.Unsigned(4); return;
      case 0x07: *number = in_.Unsigned(8); return;
      case 0x0f: *number = in_.Leb(); return;  // udata
      case 0x1e: in_.Take(16); return;         // data16: MD5
      case 0x09: in_.Take(in_.Leb()); return;  // block
      default: return Fail(true);
    }
  }

  template <typename Visit>
  void RunSequence(Visit&& visit) {
    uint64_t address = 0, file = 1, last_address = 0, last_file = 1;
    int64_t line = 1, last_line = 1;
    bool has_row = false;
    const auto row = [&] {
      if (has_row && address > last_address && last_line > 0)
        visit(last_address, address, last_file, static_cast<uint64_t>(last_line));
      // Of several rows of one address the last one holds, for a stretch; the first one names the function's line.
      if (!has_row || address != last_address) last_file = file, last_line = line;
      last_address = address;
      has_row = true;
    };
    const auto advance = [&](uint64_t steps) { address += steps * smallest_step_; };
    const auto add_line = [&](int64_t by) {
      if (__builtin_add_overflow(line, by, &line)) line = 0;
    };
    while (in_.ok() && !in_.at_end()) {
      const uint64_t code = in_.Unsigned(1);
      if (code >= opcode_base_) {
        const uint64_t special = code - opcode_base_;
        advance(special / line_range_);
        add_line(line_base_ + static_cast<int64_t>(special % line_range_));
        row();
        continue;
      }
      switch (code) {
        case 0: {
          const std::string_view rest = in_.Take(in_.Leb());
          if (rest.empty()) break;
          const uint8_t extended = static_cast<uint8_t>(rest[0]);
          if (extended == 1) {  // end of the sequence
            row();
            return;
          }
          if (extended == 2 && rest.size() == 9) address = Cursor(rest.substr(1)).Unsigned(8);
          break;
        }
        case 1: row(); break;
        case 2: advance(in_.Leb()); break;
        case 3: add_line(in_.SignedLeb()); break;
        case 4: file = in_.Leb(); break;
        case 5: in_.Leb(); break;
        case 6:
        case 7:
        case 10:
        case 11: break;
        case 8: advance((255 - opcode_base_) / line_range_); break;
        case 9: address += in_.Unsigned(2); break;
        case 12: in_.Leb(); break;
        default:
          for (int i = 0; i < lengths_[code - 1]; ++i) in_.Leb();
      }
    }
  }

  const LineSections& sections_;
  Cursor in_;
  const bool wide_;
  uint64_t version_ = 0, smallest_step_ = 1, line_range_ = 1, opcode_base_ = 1;
  int64_t line_base_ = 0;
  std::string_view lengths_;
  std::vector<std::string_view> folders_;
  std::vector<File> files_;
};

}  // namespace

std::map<uint64_t, SourceLine> FindLines(const LineSections& sections, const std::vector<uint64_t>& wanted) {
  std::map<uint64_t, SourceLine> found;
  // The next address that has no line yet, by place: stretches of a hostile table all hold every address.
  std::vector<size_t> next(wanted.size() + 1);
  for (size_t i = 0; i < next.size(); ++i) next[i] = i;
  const auto open_from = [&next](size_t at) {
    size_t open = at;
    while (next[open] != open) open = next[open];
    while (next[at] != open) at = std::exchange(next[at], open);
    return open;
  };
  std::string_view rest = sections.line;
  while (!rest.empty()) {
    constexpr uint64_t kWide = 0xffffffff;
    Cursor in(rest);
    uint64_t size = in.Unsigned(4);
    const bool wide = size == kWide;
    if (wide) size = in.Unsigned(8);
    const std::string_view bytes = in.Take(size);
    if (!in.ok()) break;
    rest.remove_prefix(in.at());
    Unit unit(sections, bytes, wide);
    if (!unit.ReadHead()) continue;
    unit.ForEachStretch([&](uint64_t begin, uint64_t end, uint64_t file, uint64_t line) {
      const auto first = static_cast<size_t>(std::lower_bound(wanted.begin(), wanted.end(), begin) - wanted.begin());
      for (size_t at = open_from(first); at < wanted.size() && wanted[at] < end; at = open_from(at)) {
        found[wanted[at]] = {unit.PathOf(file), line};
        next[at] = at + 1;
      }
    });
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.file.empty(); });
  return found;
}

}  // namespace warpscope::record::native
