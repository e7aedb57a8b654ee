#include "record/loader_search.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace warpscope::record {
namespace {

constexpr size_t kMostCacheBytes = 8u << 20;
constexpr const char* kSystemFolders[] = {
    "/lib/x86_64-linux-gnu",  "/usr/lib/x86_64-linux-gnu",  "/lib64", "/usr/lib64",
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib",   "/usr/lib"};

uint32_t NumberAt(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  if (at + sizeof(value) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

std::string TextAt(const std::string& bytes, size_t at) {
  if (at >= bytes.size()) return {};
  const size_t end = bytes.find('\0', at);
  return end == std::string::npos || end - at > 4096 ? std::string() : bytes.substr(at, end - at);
}

}  // namespace

// Layout: glibc's dl-cache.h, struct cache_file_new: magic and version (20 bytes), number of entries, length of the
// texts, 20 bytes more; entries of 24 bytes: flags, offsets of name and path, version, hardware capabilities.
std::vector<std::pair<std::string, std::string>> ReadLoaderCache(const std::string& bytes) {
  constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
  constexpr size_t kHeaderBytes = 48, kEntryBytes = 24;
  std::vector<std::pair<std::string, std::string>> entries;
  const size_t start = bytes.find(kMagic);
  if (start == std::string::npos) return entries;
  const std::string cache = bytes.substr(start);  // offsets count from here; an older table may stand before
  const size_t fits = cache.size() < kHeaderBytes ? 0 : (cache.size() - kHeaderBytes) / kEntryBytes;
  const size_t count = std::min<size_t>(NumberAt(cache, kMagic.size()), fits);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = kHeaderBytes + i * kEntryBytes;
    std::string name = TextAt(cache, NumberAt(cache, at + 4)), path = TextAt(cache, NumberAt(cache, at + 8));
    if (!name.empty() && !path.empty()) entries.emplace_back(std::move(name), std::move(path));
  }
  return entries;
}

LoaderSearch::LoaderSearch(const System& system) : system_(system) {
  std::string path = system.Variable("LD_LIBRARY_PATH").value_or("");
  std::replace(path.begin(), path.end(), ';', ':');  // ld.so takes both
  named_folders_ = Split(path, ':');
  cache_ = ReadLoaderCache(system.Read("/etc/ld.so.cache", kMostCacheBytes).value_or(""));
}

std::optional<FoundLibrary> LoaderSearch::Find(const std::string& name) const {
  for (const std::string& folder : named_folders_) {
    if (system_.Exists(folder + "/" + name)) return FoundLibrary{folder + "/" + name, "LD_LIBRARY_PATH"};
  }
  for (const auto& [cached, path] : cache_) {
    if (cached == name && system_.Exists(path)) return FoundLibrary{path, "loader cache"};
  }
  for (const char* folder : kSystemFolders) {
    const std::string path = std::string(folder) + "/" + name;
    if (system_.Exists(path)) return FoundLibrary{path, "system folder"};
  }
  return std::nullopt;
}

std::vector<FoundLibrary> LoaderSearch::All(const std::string& start) const {
  std::vector<FoundLibrary> found;
  std::set<std::string> seen;
  const auto add = [&](const std::string& path, const char* place) {
    const std::string real = system_.RealPath(path);
    if (!real.empty() && seen.insert(real).second) found.push_back({path, place});
  };
  for (const std::string& folder : named_folders_) {
    for (const std::string& name : system_.List(folder)) {
      if (name.rfind(start, 0) == 0) add(folder + "/" + name, "LD_LIBRARY_PATH");
    }
  }
  for (const auto& [name, path] : cache_) {
    if (name.rfind(start, 0) == 0) add(path, "loader cache");
  }
  for (const char* folder : kSystemFolders) {
    const std::string path = std::string(folder) + "/" + start;
    if (system_.Exists(path)) add(path, "system folder");
  }
  return found;
}

std::optional<unsigned> CudaMajorOf(const std::string& file_name) {
  const size_t so = file_name.find(".so.");
  if (so == std::string::npos) return std::nullopt;
  const std::vector<std::string> parts = Split(file_name.substr(so + 4), '.');
  const auto first = parts.empty() ? std::nullopt : NumberIn(parts[0]);
  if (!first) return std::nullopt;
  constexpr uint64_t kFirstYear = 2000;
  if (*first < kFirstYear) return static_cast<unsigned>(*first);
  // Releases of CUPTI by CUDA version (developer.nvidia.com/cupti-history): 2022.4 came with 12.0, 2025.3 with 13.0.
  const uint64_t minor = parts.size() < 2 ? 0 : NumberIn(parts[1]).value_or(0);
  const uint64_t release = *first * 100 + minor;
  return release >= 202503 ? 13 : release >= 202204 ? 12 : 11;
}

bool IsStub(const std::string& path) { return path.find("/stubs/") != std::string::npos; }

}  // namespace warpscope::record
