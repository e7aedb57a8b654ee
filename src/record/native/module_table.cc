#include "record/native/module_table.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace warpscope::record::native {

std::string_view KernelCode() {
  const auto* begin = reinterpret_cast<const char*>(::getauxval(AT_SYSINFO_EHDR));
  if (begin == nullptr) return {};
  Elf64_Ehdr header;
  __builtin_memcpy(&header, begin, sizeof(header));
  const uint64_t size = header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize;  // its sections come last
  constexpr uint64_t kMostBytes = 1u << 16;
  return {begin, static_cast<size_t>(std::min(size, kMostBytes))};
}

uint32_t ModuleTable::Of(const std::string& path, const std::string& open_path) {
  std::string key = path;
  struct stat facts {};
  const bool is_file = !open_path.empty() && ::stat(open_path.c_str(), &facts) == 0;
  if (is_file) key += '\0' + std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino);
  if (const auto it = numbers_.find(key); it != numbers_.end()) return it->second;
  if (modules_.size() >= kMostModules) return kNone;
  Module module;
  module.path = path;
  if (path == "[vdso]") {
    module.file = ModuleFile::Open(ByteSource::OfBytes(KernelCode()));
  } else if (is_file && open_ < kMostOpen) {
    module.file = ModuleFile::Open(ByteSource::OfFile(open_path));
    open_ += module.file != nullptr ? 1 : 0;
  }
  modules_.push_back(std::move(module));
  return numbers_[key] = static_cast<uint32_t>(modules_.size() - 1);
}

}  // namespace warpscope::record::native
