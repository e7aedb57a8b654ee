// Manifest: manifest.json of a run folder. It says that the folder is a run, in which version, and how many rows each
// table has. It names no files: table NAME is always NAME.parquet.
// [MT] Values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::store {

inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kRunFormat = "warpscope-run";
inline constexpr int64_t kRunVersion = 1;  // raised when an old reader would misread; columns are added without

struct Manifest {
  int64_t version = kRunVersion;
  std::map<std::string, uint64_t, std::less<>> rows;  // by table; a table without rows has no file

  uint64_t RowsOf(std::string_view table) const {
    const auto it = rows.find(table);
    return it == rows.end() ? 0 : it->second;
  }
};

std::string ToJson(const Manifest& manifest);
// `path` is for messages. kUnsupported for a newer version, kCorrupt for anything that is no manifest.
Result<Manifest> ParseManifest(std::string_view json, const std::string& path);
// By the first bytes of a file.
bool LooksLikeManifest(std::string_view head);

}  // namespace warpscope::store
