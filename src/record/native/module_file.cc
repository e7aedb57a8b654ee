#include "record/native/module_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "record/native/elf_sections.h"

namespace warpscope::record::native {
namespace {

constexpr uint64_t kMostSegments = 256, kMostEntryBytes = 1u << 18, kPage = 4096;
constexpr size_t kMostRows = 1u << 16, kMostCies = 1u << 12, kMostCieBytes = 4u << 20;  // all of a module
constexpr unsigned kSavedRegisters[PlainRow::kSaved] = {3, 6, 12, 13, 14, 15};

// nullopt: not of the common form.
std::optional<PlainRow> AsPlain(const CfiRow& row, uint64_t function) {
  const auto slot = [](int32_t offset) -> std::optional<int16_t> {
    if (offset % 8 != 0 || offset / 8 > 4096 || offset / 8 < -4096) return std::nullopt;
    return static_cast<int16_t>(offset / 8);
  };
  if (row.by_expression || row.cfa_register >= kRegisters || row.cfa_offset > INT32_MAX || row.cfa_offset < INT32_MIN)
    return std::nullopt;
  PlainRow out;
  out.function = function;
  out.cfa_register = static_cast<uint8_t>(row.cfa_register);
  out.cfa_offset = static_cast<int32_t>(row.cfa_offset);
  size_t next = 0;
  for (unsigned number = 0; number < kRegisters; ++number) {
    const Rule& rule = row.rules[number];
    if (number == kReturnAddress) {
      const auto at = rule.kind == Rule::Kind::kAtCfa ? slot(rule.value) : std::nullopt;
      if (!at && rule.kind != Rule::Kind::kUndefined) return std::nullopt;
      out.return_at = at.value_or(PlainRow::kUndefined);
    } else if (next < PlainRow::kSaved && number == kSavedRegisters[next]) {
      if (rule.kind == Rule::Kind::kSame) out.saved[next] = PlainRow::kSame;
      else if (rule.kind == Rule::Kind::kUndefined) out.saved[next] = PlainRow::kUndefined;
      else if (const auto at = rule.kind == Rule::Kind::kAtCfa ? slot(rule.value) : std::nullopt) out.saved[next] = *at;
      else return std::nullopt;
      ++next;
    } else if (rule.kind != Rule::Kind::kSame && rule.kind != Rule::Kind::kUndefined) {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<Registers> CallerOf(const PlainRow& row, const Registers& registers, StackMemory* memory) {
  if (!registers.has(row.cfa_register)) return std::nullopt;
  const uint64_t cfa = registers.value[row.cfa_register] + static_cast<uint64_t>(int64_t{row.cfa_offset});
  Registers caller;
  uint64_t value = 0;
  const auto slot = [cfa](int16_t at) { return cfa + static_cast<uint64_t>(int64_t{at} * 8); };
  if (!memory->Word(slot(row.return_at), &value)) return std::nullopt;
  caller.Set(kReturnAddress, value);
  caller.Set(kStackPointer, cfa);
  for (unsigned i = 0; i < PlainRow::kSaved; ++i) {
    const unsigned number = kSavedRegisters[i];
    if (row.saved[i] == PlainRow::kSame) {
      if (registers.has(number)) caller.Set(number, registers.value[number]);
    } else if (row.saved[i] != PlainRow::kUndefined && memory->Word(slot(row.saved[i]), &value)) {
      caller.Set(number, value);
    }
  }
  return caller;
}

}  // namespace

std::unique_ptr<ModuleFile> ModuleFile::Open(std::unique_ptr<ByteSource> bytes) {
  if (bytes == nullptr) return nullptr;
  std::unique_ptr<ModuleFile> module(new ModuleFile(std::move(bytes)));
  return module->ReadHeaders() ? std::move(module) : nullptr;
}

bool ModuleFile::ReadHeaders() {
  Elf64_Ehdr header;
  if (!bytes_->Get(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
    return false;
  std::optional<Elf64_Phdr> table;
  for (uint64_t i = 0; i < std::min<uint64_t>(header.e_phnum, kMostSegments); ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > bytes_->size_bytes() || !bytes_->Get(header.e_phoff + i * sizeof(segment), &segment)) break;
    if (segment.p_type == PT_LOAD)
      segments_.push_back({segment.p_offset, segment.p_vaddr, segment.p_filesz, (segment.p_flags & PF_X) != 0});
    if (segment.p_type == PT_GNU_EH_FRAME) table = segment;
  }
  if (table) ReadTableHeader(table->p_offset, table->p_vaddr, table->p_filesz);
  if (table_entries_ == 0) IndexFrames();
  return true;
}

// The entries of .eh_frame one by one.
void ModuleFile::IndexFrames() {
  constexpr uint64_t kMostBytes = uint64_t{64} << 20;
  constexpr size_t kMostIndexed = 1u << 20, kHead = 8;
  const auto place = ElfSections(*bytes_).Find(".eh_frame");
  if (!place || place->size_bytes > kMostBytes) return;
  const std::string frames = bytes_->Some(place->offset_bytes, static_cast<size_t>(place->size_bytes));
  for (size_t at = 0; at + kHead <= frames.size() && index_.size() < kMostIndexed;) {
    uint32_t size = 0, to_cie = 0;
    std::memcpy(&size, frames.data() + at, sizeof(size));
    std::memcpy(&to_cie, frames.data() + at + sizeof(size), sizeof(to_cie));
    const size_t body = at + sizeof(size);
    if (size < sizeof(to_cie) || size > frames.size() - body) break;  // also the zero at the end
    const Cie* cie = to_cie == 0 || to_cie > body
                         ? nullptr
                         : CieAt(place->offset_bytes + body - to_cie, place->address + body - to_cie);
    if (cie != nullptr) {
      const std::string_view rest = std::string_view(frames).substr(at + kHead, size - sizeof(to_cie));
      const auto fde = ParseFde(rest, place->address + at + kHead, *cie);
      if (fde && fde->begin != 0) index_.push_back({fde->begin, place->address + at});  // 0: left out by the linker
    }
    at = body + size;
  }
  std::sort(index_.begin(), index_.end(), [](const Indexed& a, const Indexed& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.entry < b.entry;
  });
}

// .eh_frame_hdr: version, three encodings, pointer to .eh_frame, number of entries, entries sorted by address.
void ModuleFile::ReadTableHeader(uint64_t offset_bytes, uint64_t address, uint64_t size_bytes) {
  constexpr size_t kMostHead = 32;
  constexpr uint8_t kSortedForm = 0x3b;  // relative to the table, four bytes with sign: what linkers write
  constexpr uint64_t kEntryBytes = 8;
  const std::string head = bytes_->Some(offset_bytes, kMostHead);
  Cursor in(head);
  if (in.Unsigned(1) != 1) return;
  const auto frames = static_cast<uint8_t>(in.Unsigned(1)), count = static_cast<uint8_t>(in.Unsigned(1));
  if (in.Unsigned(1) != kSortedForm) return;
  in.Pointer(frames, address);
  const auto entries = in.Pointer(count, address);
  if (!entries || !in.ok() || in.at() > size_bytes) return;
  table_base_ = address;
  table_at_ = offset_bytes + in.at();
  table_entries_ = std::min(*entries, (size_bytes - in.at()) / kEntryBytes);
}

std::optional<uint64_t> ModuleFile::AddressOfOffset(uint64_t offset_bytes) const {
  for (const Segment& segment : segments_) {
    // A mapping begins at the page that the segment begins in.
    const uint64_t slack = segment.offset_bytes % kPage;
    if (!segment.executable || offset_bytes < segment.offset_bytes - slack ||
        offset_bytes - (segment.offset_bytes - slack) >= segment.size_bytes + slack)
      continue;
    return segment.address - segment.offset_bytes + offset_bytes;
  }
  return std::nullopt;
}

std::optional<uint64_t> ModuleFile::OffsetOfAddress(uint64_t address, bool executable_only) const {
  for (const Segment& segment : segments_) {
    if (executable_only && !segment.executable) continue;
    if (address >= segment.address && address - segment.address < segment.size_bytes)
      return address - segment.address + segment.offset_bytes;
  }
  return std::nullopt;
}

// Address of the entry whose function may hold `pc`.
std::optional<uint64_t> ModuleFile::EntryOf(uint64_t pc) const {
  if (table_entries_ == 0) {
    const auto it = std::upper_bound(index_.begin(), index_.end(), pc,
                                     [](uint64_t address, const Indexed& one) { return address < one.begin; });
    return it == index_.begin() ? std::nullopt : std::optional((it - 1)->entry);
  }
  struct Entry {
    int32_t begin, entry;
  } at{};
  static_assert(sizeof(Entry) == 8);
  uint64_t low = 0, high = table_entries_;  // the last that begins at or before pc
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (!bytes_->Get(table_at_ + middle * sizeof(Entry), &at)) return std::nullopt;
    if (table_base_ + static_cast<uint64_t>(int64_t{at.begin}) <= pc) low = middle + 1;
    else high = middle;
  }
  if (low == 0 || !bytes_->Get(table_at_ + (low - 1) * sizeof(Entry), &at)) return std::nullopt;
  return table_base_ + static_cast<uint64_t>(int64_t{at.entry});
}

const Cie* ModuleFile::CieAt(uint64_t offset_bytes, uint64_t address) {
  if (const auto it = cies_.find(offset_bytes); it != cies_.end()) return it->second.get();
  if (cies_.size() >= kMostCies) return nullptr;
  std::unique_ptr<Cie>& kept = cies_[offset_bytes];
  uint32_t size = 0;
  if (!bytes_->Get(offset_bytes, &size) || size > kMostEntryBytes) return nullptr;
  std::string bytes = bytes_->Some(offset_bytes + sizeof(size), size);
  if (bytes.size() != size || size > kMostCieBytes - cie_bytes_) return nullptr;
  cie_bytes_ += size;
  auto cie = std::make_unique<Cie>();
  // Its parts refer to its own bytes, which must not move.
  cie->bytes = std::move(bytes);
  if (!ParseCie(cie.get(), address + sizeof(size))) return nullptr;
  kept = std::move(cie);
  return kept.get();
}

bool ModuleFile::Find(uint64_t pc, Found* out) {
  const auto entry = EntryOf(pc);
  const auto at = entry ? OffsetOfAddress(*entry, false) : std::nullopt;
  uint32_t size = 0, to_cie = 0;
  if (!at || !bytes_->Get(*at, &size) || size <= sizeof(to_cie) || size > kMostEntryBytes ||
      !bytes_->Get(*at + sizeof(size), &to_cie) || to_cie == 0 || to_cie > *at + sizeof(size))
    return false;
  constexpr uint64_t kHead = 8;
  const uint64_t cie_at = *at + sizeof(size) - to_cie;
  out->cie = CieAt(cie_at, *entry + sizeof(size) - to_cie);
  out->bytes = bytes_->Some(*at + kHead, size - sizeof(to_cie));
  if (out->cie == nullptr || out->bytes.size() != size - sizeof(to_cie)) return false;
  const auto fde = ParseFde(out->bytes, *entry + kHead, *out->cie);
  const auto row = fde ? RowAt(*out->cie, *fde, pc) : std::nullopt;
  if (!row) return false;
  out->fde = *fde;
  out->row = *row;
  return true;
}

ModuleFile::Step ModuleFile::ToCaller(uint64_t pc, bool is_call, Registers* registers, StackMemory* memory,
                                      std::optional<uint64_t>* function, bool* signal) {
  // A call may be the last instruction of its function: the return address is then another's.
  const uint64_t at = pc - (is_call ? 1 : 0);
  *signal = false;
  *function = std::nullopt;
  if (const auto it = rows_.find(at); it != rows_.end()) {
    const PlainRow& row = it->second;
    if (row.return_at == PlainRow::kSame) return Step::kUnknown;
    *function = row.function;
    if (row.return_at == PlainRow::kUndefined) return Step::kOutermost;
    const auto caller = CallerOf(row, *registers, memory);
    if (!caller) return Step::kUnknown;
    *registers = *caller;
    return Step::kFrame;
  }
  Found found;
  if (rows_.size() >= kMostRows) rows_.clear();
  if (!Find(at, &found)) {
    rows_[at].return_at = PlainRow::kSame;  // no table tells
    return Step::kUnknown;
  }
  *function = found.fde.begin;
  *signal = found.cie->signal_frame;
  if (!*signal) {
    if (const auto plain = AsPlain(found.row, found.fde.begin)) rows_[at] = *plain;
  }
  if (found.row.rules[kReturnAddress].kind == Rule::Kind::kUndefined) return Step::kOutermost;
  const auto caller = native::CallerOf(found.row, *registers, memory);
  if (!caller || !caller->has(kReturnAddress)) return Step::kUnknown;
  *registers = *caller;
  return Step::kFrame;
}

}  // namespace warpscope::record::native
