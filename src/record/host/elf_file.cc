#include "record/host/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace warpscope::record::host {
namespace {

constexpr uint64_t kMostSections = 4096, kMostSegments = 256, kMostNamesBytes = uint64_t{256} << 20;

}  // namespace

std::unique_ptr<ElfFile> ElfFile::Of(std::unique_ptr<native::ByteSource> bytes) {
  if (bytes == nullptr) return nullptr;
  std::unique_ptr<ElfFile> elf(new ElfFile(std::move(bytes)));
  return elf->ReadHeaders() ? std::move(elf) : nullptr;
}

std::unique_ptr<ElfFile> ElfFile::Open(const std::string& path) { return Of(native::ByteSource::OfFile(path)); }

std::unique_ptr<ElfFile> ElfFile::FromBytes(std::string_view bytes) { return Of(native::ByteSource::OfBytes(bytes)); }

bool ElfFile::ReadHeaders() {
  Elf64_Ehdr header;
  if (!bytes_->Get(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  for (uint64_t i = 0; i < std::min<uint64_t>(header.e_phnum, kMostSegments); ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > bytes_->size_bytes() || !bytes_->Get(header.e_phoff + i * sizeof(segment), &segment)) break;
    if (segment.p_type == PT_LOAD) segments_.push_back({segment.p_offset, segment.p_vaddr, segment.p_filesz});
  }
  std::vector<Elf64_Shdr> sections;
  for (uint64_t i = 0; i < std::min<uint64_t>(header.e_shnum, kMostSections); ++i) {
    Elf64_Shdr section;
    if (header.e_shoff > bytes_->size_bytes() || !bytes_->Get(header.e_shoff + i * sizeof(section), &section)) break;
    sections.push_back(section);
  }
  for (const uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != type || section.sh_link >= sections.size()) continue;
      const Elf64_Shdr& names = sections[section.sh_link];
      if (section.sh_offset > bytes_->size_bytes() || names.sh_offset > bytes_->size_bytes()) continue;
      tables_.push_back({section.sh_offset,
                         std::min(section.sh_size, bytes_->size_bytes() - section.sh_offset) / sizeof(Elf64_Sym),
                         names.sh_offset, std::min(names.sh_size, bytes_->size_bytes() - names.sh_offset)});
    }
  }
  return true;
}

template <typename Visit>
void ElfFile::ForEachSymbol(const Symbols& table, Visit&& visit) const {
  if (table.names_bytes > kMostNamesBytes) return;
  const std::string names = bytes_->Some(table.names_begin, static_cast<size_t>(table.names_bytes));
  constexpr uint64_t kAtOnce = 1u << 15;
  for (uint64_t begin = 0; begin < table.count; begin += kAtOnce) {
    const uint64_t count = std::min(kAtOnce, table.count - begin);
    const std::string part = bytes_->Some(table.begin + begin * sizeof(Elf64_Sym), count * sizeof(Elf64_Sym));
    if (part.size() != count * sizeof(Elf64_Sym)) return;
    for (uint64_t i = 0; i < count; ++i) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, part.data() + i * sizeof(symbol), sizeof(symbol));
      if (!visit(symbol, std::string_view(names))) return;
    }
  }
}

std::vector<std::optional<uint64_t>> ElfFile::Find(const std::vector<std::string_view>& names) const {
  std::vector<std::optional<uint64_t>> found(names.size());
  size_t missing = names.size();
  for (const Symbols& table : tables_) {
    if (missing == 0) break;
    ForEachSymbol(table, [&](const Elf64_Sym& symbol, std::string_view texts) {
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= texts.size()) return true;
      // Compared in place: the end of a hostile name may be far away.
      const std::string_view rest = texts.substr(symbol.st_name);
      for (size_t n = 0; n < names.size(); ++n) {
        const size_t size = names[n].size();
        if (found[n] || rest.size() <= size || rest.substr(0, size) != names[n] || rest[size] != '\0') continue;
        found[n] = symbol.st_value;
        --missing;
      }
      return missing > 0;
    });
  }
  return found;
}

void ElfFile::ForEachFunction(const std::function<void(const Function&)>& visit) const {
  if (tables_.empty()) return;
  ForEachSymbol(tables_.front(), [&](const Elf64_Sym& symbol, std::string_view texts) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || (type != STT_FUNC && type != STT_GNU_IFUNC))
      return true;
    std::string_view name;
    if (symbol.st_name < texts.size()) {
      // All names of a hostile table may be as long as it is.
      name = texts.substr(symbol.st_name, kMostNameBytes + 1);
      name = name.substr(0, name.find('\0'));
      if (name.size() > kMostNameBytes) name = {};
    }
    visit({symbol.st_value, symbol.st_size, name});
    return true;
  });
}

std::optional<uint64_t> ElfFile::AddressOfOffset(uint64_t offset_bytes) const {
  for (const Segment& segment : segments_) {
    // A mapping begins at the page that the segment begins in.
    constexpr uint64_t kPage = 4096;
    const uint64_t slack = segment.offset_bytes % kPage;
    if (offset_bytes + slack < segment.offset_bytes ||
        offset_bytes - (segment.offset_bytes - slack) >= segment.size_bytes + slack)
      continue;
    return segment.address - segment.offset_bytes + offset_bytes;
  }
  return std::nullopt;
}

}  // namespace warpscope::record::host
