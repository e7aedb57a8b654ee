// RunPlace: where the files of one run lie. Two layouts:
//   a run folder:  RUN/manifest.json, RUN/TABLE.parquet
//   in a tree:     TREE/manifest/PARTITION/manifest.json, TREE/TABLE/PARTITION/TABLE.parquet, where PARTITION is
//                  run=NAME/host=NAME/rank=N, so that any engine reads a table of all runs as one partitioned table
// [MT] Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::store {

struct RunPlace {
  std::string folder;     // RUN or TREE
  std::string partition;  // "" for a run folder
  std::string name;       // of the folder, as the user wrote it, for messages

  std::string RelativePath(std::string_view table, std::string_view file) const;
  std::string TableFile(std::string_view table) const { return RelativePath(table, std::string(table) + ".parquet"); }
  std::string ManifestFile() const;
};

// The run that `file` belongs to: its manifest or one of its tables. `shown`: how messages name the file.
Result<RunPlace> FindRun(const std::string& file, const std::string& shown);

// Letters, digits, '.', '_' and '-' stay, everything else becomes '_'; "" becomes "unknown".
std::string PartitionValue(std::string_view text);

}  // namespace warpscope::store
