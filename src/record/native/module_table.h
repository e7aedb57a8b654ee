// ModuleTable: the executables and libraries that the recorded processes run, each opened once.
// [one thread] Bounded; keeps a descriptor a module.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/native/module_file.h"

namespace warpscope::record::native {

struct Module {
  std::string path;                  // as the process names it; "[anonymous PID]" for code without a file
  std::unique_ptr<ModuleFile> file;  // null: none, or it cannot be read
};

class ModuleTable {
 public:
  static constexpr size_t kMostModules = 1024, kMostOpen = 512;

  // `open_path`: how the launcher reaches the file; "" if it is none. kNone if there are too many.
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t Of(const std::string& path, const std::string& open_path);
  const Module& at(uint32_t number) const { return modules_[number]; }
  size_t size() const { return modules_.size(); }

 private:
  std::vector<Module> modules_;
  std::unordered_map<std::string, uint32_t> numbers_;  // by path, device and inode
  size_t open_ = 0;
};

// The code that the kernel maps into every process (vDSO): this process's own.
std::string_view KernelCode();

}  // namespace warpscope::record::native
