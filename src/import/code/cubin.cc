#include "import/code/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace warpscope::import::code {
namespace {

constexpr size_t kMostSections = 1u << 20, kMostNameBytes = 1u << 16;

template <typename Value>
bool At(std::string_view bytes, uint64_t offset, Value* value) {
  if (offset > bytes.size() || sizeof(Value) > bytes.size() - offset) return false;
  std::memcpy(value, bytes.data() + offset, sizeof(Value));
  return true;
}

std::string_view Part(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size()) return {};
  return bytes.substr(offset, std::min<uint64_t>(size, bytes.size() - offset));
}

// Names are bounded: the end of a hostile one may be far away.
std::string_view NameAt(std::string_view names, uint32_t at) {
  if (at >= names.size()) return {};
  const std::string_view rest = names.substr(at, kMostNameBytes);
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

}  // namespace

std::unique_ptr<Cubin> Cubin::FromBytes(std::string_view bytes) {
  auto cubin = std::make_unique<Cubin>();
  return cubin->Read(bytes) ? std::move(cubin) : nullptr;
}

bool Cubin::Read(std::string_view bytes) {
  Elf64_Ehdr header;
  if (!At(bytes, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  // Many functions make many sections: their number then stands in the first one.
  Elf64_Shdr first;
  if (!At(bytes, header.e_shoff, &first)) return false;
  const uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  const uint64_t names_index = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  std::vector<uint32_t> names;
  for (uint64_t i = 0; i < std::min<uint64_t>(count, kMostSections); ++i) {
    Elf64_Shdr section;
    if (!At(bytes, header.e_shoff + i * sizeof(section), &section)) break;
    const bool has_bytes = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    sections_.push_back({{},
                         has_bytes ? Part(bytes, section.sh_offset, section.sh_size) : std::string_view(),
                         section.sh_type,
                         section.sh_link,
                         section.sh_info});
    names.push_back(section.sh_name);
  }
  if (names_index < sections_.size()) {
    for (size_t i = 0; i < sections_.size(); ++i) sections_[i].name = NameAt(sections_[names_index].bytes, names[i]);
  }
  ReadSymbols();
  return true;
}

void Cubin::ReadSymbols() {
  for (const Header& table : sections_) {
    if (table.type != SHT_SYMTAB || table.link >= sections_.size()) continue;
    symbol_names_ = sections_[table.link].bytes;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      At(table.bytes, at, &symbol);
      symbols_.push_back({symbol.st_name, symbol.st_shndx, symbol.st_value, ELF64_ST_TYPE(symbol.st_info) == STT_FUNC});
    }
    break;
  }
  for (uint32_t i = 0; i < symbols_.size(); ++i) {
    if (!symbols_[i].is_function || symbols_[i].section >= sections_.size()) continue;
    if (const std::string_view name = NameAt(symbol_names_, symbols_[i].name); !name.empty())
      function_of_.emplace(name, i);
  }
}

std::string_view Cubin::Section(std::string_view name) const {
  for (const Header& section : sections_) {
    if (section.name == name) return section.bytes;
  }
  return {};
}

std::optional<Cubin::Function> Cubin::Find(std::string_view name) const {
  const auto it = function_of_.find(name);
  if (it == function_of_.end()) return std::nullopt;
  const Symbol& symbol = symbols_[it->second];
  return Function{symbol.section, it->second, symbol.value};
}

std::unordered_map<uint64_t, Cubin::Target> Cubin::Relocations(std::string_view section_name) const {
  std::unordered_map<uint64_t, Target> targets;
  for (const Header& table : sections_) {
    const bool has_addend = table.type == SHT_RELA;
    if ((!has_addend && table.type != SHT_REL) || SectionName(table.info) != section_name) continue;
    const size_t row = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t at = 0; at + row <= table.bytes.size(); at += row) {
      Elf64_Rela entry{};
      std::memcpy(&entry, table.bytes.data() + at, row);
      const uint64_t number = ELF64_R_SYM(entry.r_info);
      if (number >= symbols_.size()) continue;
      const Symbol& symbol = symbols_[number];
      targets[entry.r_offset] = {symbol.section,
                                 symbol.value + (has_addend ? static_cast<uint64_t>(entry.r_addend) : 0)};
    }
  }
  return targets;
}

}  // namespace warpscope::import::code
