#include "store/run_place.h"

#include <filesystem>
#include <vector>

#include "store/manifest.h"

namespace warpscope::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifestFolder = "manifest";

// How many folders from the file's own upwards are "key=value".
size_t PartitionDepth(const fs::path& folder) {
  size_t depth = 0;
  for (fs::path at = folder; at.filename().string().find('=') != std::string::npos; at = at.parent_path()) ++depth;
  return depth;
}

// `path` without its last `count` parts.
fs::path Up(fs::path path, size_t count) {
  for (; count > 0; --count) path = path.parent_path();
  return path;
}

}  // namespace

std::string RunPlace::RelativePath(std::string_view table, std::string_view file) const {
  fs::path path;
  if (!partition.empty()) path = fs::path(table) / partition;
  return (path / file).string();
}

std::string RunPlace::ManifestFile() const { return RelativePath(kManifestFolder, kManifestFile); }

Result<RunPlace> FindRun(const std::string& file, const std::string& shown) {
  std::error_code error;
  const fs::path folder = fs::absolute(file, error).lexically_normal().parent_path();
  const size_t depth = PartitionDepth(folder);
  const fs::path shown_folder = fs::path(shown).parent_path();
  RunPlace place{folder.string(), "", shown_folder.empty() ? "." : shown_folder.string()};
  // A run folder may itself lie in a folder that is named like a partition.
  const bool in_tree =
      depth > 0 && (Up(folder, depth).filename() == kManifestFolder || !fs::exists(folder / kManifestFile, error));
  if (in_tree) {
    place.partition = fs::relative(folder, Up(folder, depth), error).string();
    place.folder = place.name = Up(folder, depth + 1).string();
  }
  if (fs::exists(fs::path(place.folder) / place.ManifestFile(), error)) return place;
  return Status(StatusCode::kUnsupported,
                shown +
                    ": byte 0: a Parquet file that belongs to no Warpscope run: there is no manifest.json beside it. "
                    "Name a folder that `warpscope convert --to parquet` wrote.");
}

std::string PartitionValue(std::string_view text) {
  std::string out;
  for (const char ch : text) {
    const bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '.' ||
                       ch == '_' || ch == '-';
    out += plain ? ch : '_';
  }
  if (out.empty() || out.find_first_not_of('.') == std::string::npos) return "unknown";
  return out;
}

}  // namespace warpscope::store
