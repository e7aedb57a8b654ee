#include "record/native/elf_sections.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace warpscope::record::native {

ElfSections::ElfSections(const ByteSource& bytes) : bytes_(bytes) {
  constexpr uint64_t kMostSections = 4096;
  constexpr size_t kMostNamesBytes = 1u << 18;
  Elf64_Ehdr header;
  if (!bytes.Get(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_shoff > bytes.size_bytes())
    return;
  std::vector<Elf64_Shdr> heads;
  for (uint64_t i = 0; i < std::min<uint64_t>(header.e_shnum, kMostSections); ++i) {
    Elf64_Shdr head;
    if (!bytes.Get(header.e_shoff + i * sizeof(head), &head)) break;
    heads.push_back(head);
  }
  if (header.e_shstrndx >= heads.size()) return;
  const Elf64_Shdr& at = heads[header.e_shstrndx];
  const std::string names =
      bytes.Some(at.sh_offset, static_cast<size_t>(std::min<uint64_t>(at.sh_size, kMostNamesBytes)));
  for (const Elf64_Shdr& head : heads) {
    if (head.sh_name >= names.size() || head.sh_type == SHT_NOBITS) continue;
    sections_.push_back(
        {names.c_str() + head.sh_name, head.sh_offset, head.sh_size, head.sh_flags, head.sh_addr, head.sh_type});
  }
}

std::string ElfSections::Contents(std::string_view name, uint64_t most_bytes) const {
  for (const Section& section : sections_) {
    if (section.name != name) continue;
    if ((section.flags & SHF_COMPRESSED) != 0 || section.size_bytes > most_bytes) return {};
    return bytes_.Some(section.offset_bytes, static_cast<size_t>(section.size_bytes));
  }
  return {};
}

std::optional<ElfSections::Place> ElfSections::Find(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return Place{section.offset_bytes, section.address, section.size_bytes};
  }
  return std::nullopt;
}

std::string ElfSections::BuildId() const {
  constexpr uint64_t kMostBytes = 4096;
  const std::string note = Contents(".note.gnu.build-id", kMostBytes);
  Elf64_Nhdr head;
  constexpr size_t kNameBytes = 4;  // "GNU" and its end
  if (note.size() < sizeof(head) + kNameBytes) return {};
  std::memcpy(&head, note.data(), sizeof(head));
  constexpr size_t kMostIdBytes = 64;
  if (head.n_namesz != kNameBytes || head.n_type != NT_GNU_BUILD_ID || head.n_descsz > kMostIdBytes ||
      note.size() - sizeof(head) - kNameBytes < head.n_descsz)
    return {};
  std::string out;
  for (size_t i = 0; i < head.n_descsz; ++i) {
    const auto byte = static_cast<unsigned char>(note[sizeof(head) + kNameBytes + i]);
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

}  // namespace warpscope::record::native
