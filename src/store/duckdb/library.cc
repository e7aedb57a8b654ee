// Load(): finds libduckdb.so and fills the table of functions.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "store/duckdb/api.h"

namespace warpscope::store::duckdb {
namespace {

namespace fs = std::filesystem;

constexpr char kFile[] = "libduckdb.so";

std::vector<std::string> Candidates() {
  if (const char* named = std::getenv("WARPSCOPE_DUCKDB"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> paths;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path folder = program.parent_path();
    paths.push_back((folder.parent_path() / "lib/warpscope" / kFile).string());
    // Only a program that stands in its build folder looks into the cache beside it.
    if (fs::exists(folder.parent_path() / "CMakeCache.txt", error))
      paths.push_back((folder.parent_path().parent_path() / "duckdb" / kFile).string());
  }
  paths.emplace_back(kFile);
  return paths;
}

Status Missing(const std::vector<std::string>& tried, const std::string& last_error) {
  std::string message =
      "SQL and Parquet need DuckDB's library, which is not installed; everything else works. Looked for";
  for (const std::string& path : tried) message += " " + path + (&path == &tried.back() ? "" : ",");
  message +=
      " (" + last_error +
      "). In the source folder `./dev duckdb` fetches it; or set WARPSCOPE_DUCKDB to the path of a libduckdb.so.";
  return {StatusCode::kNotFound, message};
}

Result<const c::Api*> LoadOnce() {
  static c::Api api;
  const std::vector<std::string> paths = Candidates();
  void* library = nullptr;
  std::string error, found;
  for (const std::string& path : paths) {
    library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      found = path;
      break;
    }
    std::error_code ignored;
    const char* words = ::dlerror();
    // Of several the reason of a file that exists says more than that others do not.
    if (words != nullptr && (error.empty() || fs::exists(path, ignored))) error = words;
  }
  if (library == nullptr) return Missing(paths, error);
  std::string missing;
#define WS_DUCKDB(result, name, arguments)                                            \
  api.name = reinterpret_cast<decltype(api.name)>(::dlsym(library, "duckdb_" #name)); \
  if (api.name == nullptr && missing.empty()) missing = "duckdb_" #name;
#include "store/duckdb/api.def"
#undef WS_DUCKDB
  if (missing.empty()) return &api;
  return Status(StatusCode::kUnsupported,
                found + ": this DuckDB" +
                    (api.library_version != nullptr ? std::string(" ") + api.library_version() : "") + " lacks " +
                    missing + "; version 1.2 or newer is needed. `./dev duckdb` fetches one.");
}

}  // namespace

Result<const c::Api*> Load() {
  static const Result<const c::Api*> loaded = LoadOnce();
  return loaded;
}

}  // namespace warpscope::store::duckdb
