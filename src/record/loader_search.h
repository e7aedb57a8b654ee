// LoaderSearch: which file the dynamic loader would take for a library's name in a program started from here, and every
// other one that lies on its way. Follows ld.so(8): LD_LIBRARY_PATH, the cache, the usual folders; RPATHs of single
// programs are not known. [one thread]
#pragma once

#include <string>
#include <vector>

#include "record/system.h"

namespace warpscope::record {

struct FoundLibrary {
  std::string path;   // as it would be opened
  std::string place;  // "LD_LIBRARY_PATH", "loader cache", "system folder", "toolkit folder", "Python package", a
                      // variable's name
};

// Entries of /etc/ld.so.cache: library name and path, in the cache's order. Empty for bytes of another format.
std::vector<std::pair<std::string, std::string>> ReadLoaderCache(const std::string& bytes);

class LoaderSearch {
 public:
  explicit LoaderSearch(const System& system);

  // What dlopen(name) takes; absent if it would fail.
  std::optional<FoundLibrary> Find(const std::string& name) const;
  // Every file whose name begins with `start` ("libcupti.so") in those places; one file once, under its first path.
  std::vector<FoundLibrary> All(const std::string& start) const;
  const std::vector<std::string>& named_folders() const { return named_folders_; }  // of LD_LIBRARY_PATH

 private:
  const System& system_;
  std::vector<std::string> named_folders_;
  std::vector<std::pair<std::string, std::string>> cache_;
};

// The first number behind "libcupti.so." or "libcudart.so." of a name: 13; also of "libcupti.so.2025.3.1" by the
// release's year (2025.3 belongs to CUDA 13). Absent if the name does not tell.
std::optional<unsigned> CudaMajorOf(const std::string& file_name);

// Whether a path lies in a folder of stubs, whose libraries exist only for linking.
bool IsStub(const std::string& path);

}  // namespace warpscope::record
