#include "record/native/symbolize.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include "record/host/elf_file.h"
#include "record/host/proc_files.h"
#include "record/native/debug_line.h"
#include "record/native/elf_sections.h"

namespace warpscope::record::native {
namespace {

using host::ElfFile;

constexpr uint64_t kMostLineBytes = uint64_t{256} << 20, kMostMapBytes = uint64_t{64} << 20;
constexpr size_t kMostNameBytes = 8192;

// Of several symbols of one function: the shortest that does not hide itself; then the first in the alphabet.
bool IsBetter(std::string_view a, std::string_view b) {
  const auto hidden = [](std::string_view name) { return name.starts_with("_") && !name.starts_with("_Z"); };
  if (hidden(a) != hidden(b)) return hidden(b);
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

void NameBySymbols(const ElfFile& elf, const std::vector<uint64_t>& addresses,
                   std::map<uint64_t, FunctionName>* names) {
  struct Best {
    bool exact = false;
    uint64_t begin = 0;
    std::string name;
  };
  std::map<uint64_t, Best> best;
  // Functions of a hostile file all hold every address: what is compared is counted.
  constexpr size_t kMostCompared = 20'000'000;
  size_t compared = 0;
  elf.ForEachFunction([&](const ElfFile::Function& function) {
    if (function.name.empty()) return;
    uint64_t end = 0;
    if (__builtin_add_overflow(function.address, std::max<uint64_t>(function.size_bytes, 1), &end)) return;
    auto it = std::lower_bound(addresses.begin(), addresses.end(), function.address);
    for (; it != addresses.end() && *it < end && compared < kMostCompared; ++it, ++compared) {
      Best& kept = best[*it];
      const bool exact = *it == function.address;
      const bool nearer = kept.name.empty() || (exact != kept.exact ? exact : function.address > kept.begin);
      const bool same = !kept.name.empty() && exact == kept.exact && function.address == kept.begin;
      if (nearer || (same && IsBetter(function.name, kept.name)))
        kept = {exact, function.address, std::string(function.name)};
    }
  });
  for (const auto& [address, kept] : best) {
    FunctionName& name = (*names)[address];
    if (name.name.empty()) name.name = kept.name;
  }
}

std::string Shown(const std::string& file) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string() + "/";
  std::string path = std::filesystem::path(file).lexically_normal().string();
  if (!error && path.starts_with(folder)) path.erase(0, folder.size());
  return path;
}

void NameByLines(const ByteSource& bytes, const std::vector<uint64_t>& addresses,
                 std::map<uint64_t, FunctionName>* names) {
  const ElfSections sections(bytes);
  const std::string line = sections.Contents(".debug_line", kMostLineBytes);
  if (line.empty()) return;
  const std::string line_strings = sections.Contents(".debug_line_str", kMostLineBytes),
                    strings = sections.Contents(".debug_str", kMostLineBytes);
  for (const auto& [address, source] : FindLines({line, line_strings, strings}, addresses)) {
    FunctionName& name = (*names)[address];
    if (name.line != 0) continue;
    name.file = Shown(source.file);
    name.line = source.line;
  }
}

void NameByDebugFile(const std::string& path, const std::vector<uint64_t>& addresses,
                     std::map<uint64_t, FunctionName>* names) {
  if (const auto elf = ElfFile::Open(path)) NameBySymbols(*elf, addresses, names);
  if (const auto bytes = ByteSource::OfFile(path)) NameByLines(*bytes, addresses, names);
}

// The map that a compiler at run time has left for profilers; only one of this user (or any for root), since others may
// put what they like into the folder.
std::string ReadGeneratedMap(const std::string& pid) {
  const std::string path = "/tmp/perf-" + pid + ".map";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) return {};
  struct stat facts {};
  std::string text;
  if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && (::geteuid() == 0 || facts.st_uid == ::geteuid())) {
    text.resize(static_cast<size_t>(std::min<uint64_t>(static_cast<uint64_t>(facts.st_size), kMostMapBytes)));
    const ssize_t got = ::pread(file, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  }
  ::close(file);
  return text;
}

}  // namespace

std::map<uint64_t, FunctionName> NamesOf(const Module& module, const std::vector<uint64_t>& addresses) {
  std::map<uint64_t, FunctionName> names;
  constexpr std::string_view kGenerated = "[anonymous ";
  if (module.path.starts_with(kGenerated)) {
    const std::string pid = module.path.substr(kGenerated.size(), module.path.size() - kGenerated.size() - 1);
    return NamesOfGenerated(ReadGeneratedMap(pid), addresses);
  }
  if (module.file == nullptr) return names;
  const ByteSource& bytes = module.file->bytes();
  const auto elf = bytes.descriptor() < 0 ? ElfFile::FromBytes(KernelCode())
                                          : ElfFile::Open("/proc/self/fd/" + std::to_string(bytes.descriptor()));
  if (elf != nullptr) NameBySymbols(*elf, addresses, &names);
  NameByLines(bytes, addresses, &names);
  const std::string id = ElfSections(bytes).BuildId();
  constexpr size_t kFolderChars = 2;
  if (id.size() > kFolderChars)
    NameByDebugFile("/usr/lib/debug/.build-id/" + id.substr(0, kFolderChars) + "/" + id.substr(kFolderChars) + ".debug",
                    addresses, &names);
  return names;
}

std::map<uint64_t, FunctionName> NamesOfGenerated(std::string_view text, const std::vector<uint64_t>& addresses) {
  // Ranges of a hostile map all hold every address: what is given names is counted, not the lines.
  constexpr size_t kMostNamings = 20'000'000;
  std::vector<std::string_view> found(addresses.size());
  size_t namings = 0;
  while (!text.empty() && namings < kMostNamings) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    uint64_t begin = 0, size = 0;
    const char *at = line.data(), *end = at + line.size();
    const auto first = std::from_chars(at, end, begin, 16);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != ' ') continue;
    const auto second = std::from_chars(first.ptr + 1, end, size, 16);
    if (second.ec != std::errc() || second.ptr == end || *second.ptr != ' ' || size > UINT64_MAX - begin) continue;
    const std::string_view name(second.ptr + 1,
                                static_cast<size_t>(std::min<ptrdiff_t>(end - second.ptr - 1, kMostNameBytes)));
    const auto it = std::lower_bound(addresses.begin(), addresses.end(), begin);
    for (auto i = static_cast<size_t>(it - addresses.begin()); i < addresses.size() && addresses[i] < begin + size; ++i)
      found[i] = name, ++namings;
  }
  std::map<uint64_t, FunctionName> names;
  for (size_t i = 0; i < addresses.size(); ++i) {
    std::string name(found[i]);
    std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
    if (!name.empty()) names[addresses[i]].name = std::move(name);
  }
  return names;
}

}  // namespace warpscope::record::native
