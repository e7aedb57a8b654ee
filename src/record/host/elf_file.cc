#include "record/host/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace warpscope::record::host {
namespace {

constexpr uint64_t kMostSections = 4096, kMostSegments = 256;

}  // namespace

std::unique_ptr<ElfFile> ElfFile::Open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return nullptr;
  struct stat facts {};
  void* mapping = MAP_FAILED;
  if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size >= static_cast<off_t>(sizeof(Elf64_Ehdr)))
    mapping = ::mmap(nullptr, static_cast<size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (mapping == MAP_FAILED) return nullptr;
  const std::string_view bytes(static_cast<const char*>(mapping), static_cast<size_t>(facts.st_size));
  std::unique_ptr<ElfFile> elf(new ElfFile(bytes, mapping));
  return elf->ReadHeaders() ? std::move(elf) : nullptr;
}

std::unique_ptr<ElfFile> ElfFile::FromBytes(std::string_view bytes) {
  std::unique_ptr<ElfFile> elf(new ElfFile(bytes, nullptr));
  return elf->ReadHeaders() ? std::move(elf) : nullptr;
}

ElfFile::~ElfFile() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

template <typename Value>
bool ElfFile::At(uint64_t offset_bytes, Value* value) const {
  if (offset_bytes > bytes_.size() || sizeof(Value) > bytes_.size() - offset_bytes) return false;
  std::memcpy(value, bytes_.data() + offset_bytes, sizeof(Value));
  return true;
}

bool ElfFile::ReadHeaders() {
  Elf64_Ehdr header;
  if (!At(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  for (uint64_t i = 0; i < std::min<uint64_t>(header.e_phnum, kMostSegments); ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > bytes_.size() || !At(header.e_phoff + i * sizeof(segment), &segment)) break;
    if (segment.p_type == PT_LOAD) segments_.push_back({segment.p_offset, segment.p_vaddr, segment.p_filesz});
  }
  std::vector<Elf64_Shdr> sections;
  for (uint64_t i = 0; i < std::min<uint64_t>(header.e_shnum, kMostSections); ++i) {
    Elf64_Shdr section;
    if (header.e_shoff > bytes_.size() || !At(header.e_shoff + i * sizeof(section), &section)) break;
    sections.push_back(section);
  }
  for (const uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != type || section.sh_link >= sections.size()) continue;
      const Elf64_Shdr& names = sections[section.sh_link];
      if (section.sh_offset > bytes_.size() || names.sh_offset > bytes_.size()) continue;
      tables_.push_back({section.sh_offset,
                         std::min(section.sh_size, bytes_.size() - section.sh_offset) / sizeof(Elf64_Sym),
                         names.sh_offset, std::min(names.sh_size, bytes_.size() - names.sh_offset)});
    }
  }
  return true;
}

std::string_view ElfFile::Name(const Symbols& table, uint32_t at) const {
  if (at >= table.names_bytes) return {};
  const std::string_view rest = bytes_.substr(table.names_begin + at, table.names_bytes - at);
  return rest.substr(0, rest.find('\0'));
}

std::vector<std::optional<uint64_t>> ElfFile::Find(const std::vector<std::string_view>& names) const {
  std::vector<std::optional<uint64_t>> found(names.size());
  size_t missing = names.size();
  for (const Symbols& table : tables_) {
    for (uint64_t i = 0; i < table.count && missing > 0; ++i) {
      Elf64_Sym symbol;
      if (!At(table.begin + i * sizeof(symbol), &symbol)) break;
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= table.names_bytes) continue;
      // Compared in place: the end of a hostile name may be far away.
      const std::string_view rest =
          bytes_.substr(table.names_begin + symbol.st_name, table.names_bytes - symbol.st_name);
      for (size_t n = 0; n < names.size(); ++n) {
        const size_t size = names[n].size();
        if (found[n] || rest.size() <= size || rest.substr(0, size) != names[n] || rest[size] != '\0') continue;
        found[n] = symbol.st_value;
        --missing;
      }
    }
  }
  return found;
}

void ElfFile::ForEachFunction(const std::function<void(const Function&)>& visit) const {
  if (tables_.empty()) return;
  const Symbols& table = tables_.front();
  for (uint64_t i = 0; i < table.count; ++i) {
    Elf64_Sym symbol;
    if (!At(table.begin + i * sizeof(symbol), &symbol)) break;
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
    visit({symbol.st_value, symbol.st_size, Name(table, symbol.st_name)});
  }
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
