// Where baselines lie: one file each, NAME.json, in .warpscope/baselines of the repository around the working folder
// (the working folder itself outside of one), or in a folder that the user names. [one thread]
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "baseline/baseline.h"

namespace warpscope::baseline {

// Letters, digits, '.', '_' and '-', not first '.' or '-', at most 100: a name is a file's name everywhere and cannot
// lead out of the folder. kInvalidArgument says so.
Status CheckName(const std::string& name);

// Held while a baseline is read, changed and written: what several processes add at once is all kept. Let go with the
// object, or when the process ends however it does.
class StoreLock {
 public:
  StoreLock(int file, std::string path) : file_(file), path_(std::move(path)) {}
  StoreLock(StoreLock&& other) noexcept : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  StoreLock& operator=(StoreLock&&) = delete;
  ~StoreLock();

 private:
  int file_;
  std::string path_;
};

class Store {
 public:
  // `folder`: "" for the repository's.
  explicit Store(std::string folder);

  const std::string& folder() const { return folder_; }
  std::string PathOf(const std::string& name) const;
  bool Has(const std::string& name) const;
  // kNotFound lists what there is.
  Status Require(const std::string& name) const;
  // Makes the folder. Waits while another process holds it; kIo after a minute of that.
  Result<StoreLock> Lock(const std::string& name) const;

  // kNotFound lists what there is.
  Result<Baseline> Load(const std::string& name, analysis::Words* words) const;
  // Replaces a file of that name as a whole, or leaves it as it was. Makes the folder. Whoever read the file before
  // holds the lock since.
  Status Save(const Baseline& baseline, const analysis::Words& words) const;
  Status Remove(const std::string& name) const;
  // Sorted; every file with a name that could be a baseline's.
  std::vector<std::string> Names() const;

 private:
  std::string folder_;
};

// From any file. kNotFound, kIo (too large, or not readable), or as Parse().
Result<Baseline> LoadFile(const std::string& path, analysis::Words* words);
// Whether `path` is a regular file that begins as a baseline does.
bool IsBaselineFile(const std::string& path);

}  // namespace warpscope::baseline
