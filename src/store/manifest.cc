#include "store/manifest.h"

#include <simdjson.h>

#include "base/version.h"

namespace warpscope::store {
namespace {

Status Corrupt(const std::string& path, std::string_view what) {
  return {StatusCode::kCorrupt,
          path + ": this manifest of a run folder " + std::string(what) + ". Convert the recording again."};
}

constexpr uint64_t kMaxRows = UINT32_MAX - 1;

}  // namespace

std::string ToJson(const Manifest& manifest) {
  std::string json = "{\n  \"format\": \"" + std::string(kRunFormat) +
                     "\",\n  \"version\": " + std::to_string(manifest.version) + ",\n  \"written_by\": \"warpscope " +
                     std::string(kVersion) + "\",\n  \"rows\": {";
  bool first = true;
  for (const auto& [table, rows] : manifest.rows) {
    json += std::string(first ? "" : ",") + "\n    \"" + table + "\": " + std::to_string(rows);
    first = false;
  }
  return json + "\n  }\n}\n";
}

Result<Manifest> ParseManifest(std::string_view json, const std::string& path) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  simdjson::dom::object rows;
  std::string_view format;
  Manifest manifest;
  if (parser.parse(simdjson::padded_string(json)).get(root) != simdjson::SUCCESS)
    return Corrupt(path, "is not valid JSON");
  if (root["format"].get(format) != simdjson::SUCCESS || format != kRunFormat)
    return Corrupt(path, "does not say that it is one");
  if (root["version"].get(manifest.version) != simdjson::SUCCESS || manifest.version < 1)
    return Corrupt(path, "has no version");
  if (manifest.version > kRunVersion) {
    return Status(StatusCode::kUnsupported, path + ": version " + std::to_string(manifest.version) +
                                                " of the run format; this warpscope reads up to version " +
                                                std::to_string(kRunVersion) + ". Use a newer warpscope.");
  }
  if (root["rows"].get(rows) != simdjson::SUCCESS) return Corrupt(path, "does not count its rows");
  for (const auto& field : rows) {
    uint64_t count = 0;
    if (field.value.get(count) != simdjson::SUCCESS || count > kMaxRows) return Corrupt(path, "counts impossible rows");
    manifest.rows[std::string(field.key)] = count;
  }
  return manifest;
}

bool LooksLikeManifest(std::string_view head) {
  constexpr size_t kFront = 200;
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '{') return false;
  return head.substr(first, kFront).find("\"" + std::string(kRunFormat) + "\"") != std::string_view::npos;
}

}  // namespace warpscope::store
