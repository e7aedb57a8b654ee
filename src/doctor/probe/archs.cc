// For which architectures a library holds GPU code.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "doctor/probe/probe.h"

namespace warpscope::doctor {
namespace {

template <typename N>
N At(const std::string& bytes, size_t at) {
  N value = 0;
  if (at + sizeof(N) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(N));
  return value;
}

struct Place {
  uint64_t offset = 0, size = 0;
};

// The section .nv_fatbin of an ELF file of 64 bits (System V ABI: header 64 bytes, section headers of 64).
std::optional<Place> FatbinSection(const record::System& system, const std::string& path) {
  constexpr size_t kHeaderBytes = 64, kSectionBytes = 64, kMostSections = 4096, kMostNames = 1u << 20;
  const std::string head = system.ReadAt(path, 0, kHeaderBytes).value_or("");
  if (head.size() < kHeaderBytes || std::memcmp(head.data(), "\177ELF\2", 5) != 0) return std::nullopt;
  const uint64_t table = At<uint64_t>(head, 40);
  const size_t count = At<uint16_t>(head, 60), names_at = At<uint16_t>(head, 62);
  if (At<uint16_t>(head, 58) != kSectionBytes || count == 0 || count > kMostSections || names_at >= count)
    return std::nullopt;
  const std::string sections = system.ReadAt(path, table, count * kSectionBytes).value_or("");
  if (sections.size() < count * kSectionBytes) return std::nullopt;
  const auto place = [&](size_t section) {
    return Place{At<uint64_t>(sections, section * kSectionBytes + 24),
                 At<uint64_t>(sections, section * kSectionBytes + 32)};
  };
  const Place names_place = place(names_at);
  const std::string names =
      system.ReadAt(path, names_place.offset, std::min<uint64_t>(names_place.size, kMostNames)).value_or("");
  for (size_t i = 0; i < count; ++i) {
    const size_t name = At<uint32_t>(sections, i * kSectionBytes);
    if (name < names.size() && std::strncmp(names.c_str() + name, ".nv_fatbin", names.size() - name) == 0)
      return place(i);
  }
  return std::nullopt;
}

}  // namespace

// Layout, as cuobjdump and LLVM read it: containers of a 16-byte header (magic, version, header size, size of all
// entries); an entry tells its kind (1 PTX, 2 binary) at 0, header size at 4, payload size at 8, capability at 28.
std::vector<std::string> ArchsInLibrary(const record::System& system, const std::string& path) {
  constexpr uint32_t kMagic = 0xBA55ED50;
  constexpr size_t kContainerBytes = 16, kEntryBytes = 64, kMostReads = 20000, kAlign = 8;
  const auto section = FatbinSection(system, path);
  std::set<std::pair<bool, uint32_t>> found;  // PTX behind binaries
  uint64_t at = 0;
  size_t reads = 0;
  while (section && at + kContainerBytes <= section->size && reads < kMostReads) {
    const std::string container = system.ReadAt(path, section->offset + at, kContainerBytes).value_or("");
    ++reads;
    if (container.size() < kContainerBytes) break;
    if (At<uint32_t>(container, 0) != kMagic) {
      at += kAlign;
      continue;
    }
    const uint64_t size = At<uint64_t>(container, 8),
                   begin = at + std::max<uint16_t>(At<uint16_t>(container, 6), kContainerBytes);
    if (size > section->size || begin > section->size) break;
    uint64_t entry = begin;
    while (entry + kEntryBytes <= begin + size && reads < kMostReads) {
      const std::string head = system.ReadAt(path, section->offset + entry, kEntryBytes).value_or("");
      ++reads;
      if (head.size() < kEntryBytes) break;
      const uint16_t kind = At<uint16_t>(head, 0);
      const uint32_t header = At<uint32_t>(head, 4), payload = At<uint32_t>(head, 8),
                     capability = At<uint32_t>(head, 28);
      if (header < 32 || (kind != 1 && kind != 2)) break;
      constexpr uint32_t kLeast = 10, kMost = 999;
      if (capability >= kLeast && capability <= kMost) found.insert({kind == 1, capability});
      entry += static_cast<uint64_t>(header) + payload;
    }
    at = (begin + size + kAlign - 1) / kAlign * kAlign;
  }
  std::vector<std::string> archs;
  for (const auto& [is_ptx, capability] : found)
    archs.push_back((is_ptx ? "compute_" : "sm_") + std::to_string(capability));
  return archs;
}

std::vector<std::string> ArchsInText(const record::System& system, const std::string& path) {
  constexpr size_t kChunk = 1u << 20, kOverlap = 512;
  constexpr uint64_t kMostBytes = uint64_t{256} << 20;
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ' '; };
  std::vector<std::string> best;
  for (uint64_t offset = 0; offset < kMostBytes; offset += kChunk - kOverlap) {
    const std::string bytes = system.ReadAt(path, offset, kChunk).value_or("");
    for (size_t at = bytes.find("sm_"); at != std::string::npos;) {
      size_t end = at;
      while (end < bytes.size() && is_part(bytes[end])) ++end;
      std::vector<std::string> words;
      for (const std::string& word : record::Split(bytes.substr(at, end - at), ' ')) {
        const size_t digits = word.starts_with("sm_") ? 3 : word.starts_with("compute_") ? 8 : std::string::npos;
        if (digits >= word.size() || std::isdigit(static_cast<unsigned char>(word[digits])) == 0 ||
            word.size() > digits + 4)
          break;
        words.push_back(word);
      }
      if (words.size() > best.size()) best = std::move(words);
      at = bytes.find("sm_", std::max(end, at + 3));
    }
    if (bytes.size() < kChunk) break;
  }
  constexpr size_t kFewest = 2;  // one alone may be part of any message
  return best.size() >= kFewest ? best : std::vector<std::string>();
}

}  // namespace warpscope::doctor
