#include "export/place.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace warpscope::exporting {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKnownEndings[] = {".gz",   ".zst", ".json",     ".trace",   ".pt",     ".sqlite", ".db",
                                              ".csv",  ".txt", ".pb",       ".ncu-rep", ".xplane", ".tar",    ".tgz",
                                              ".html", ".log", ".nsys-rep", ".qdrep",   ".parquet"};

Status Refuse(const Place& place, const std::string& why) {
  return {StatusCode::kInvalidArgument, place.path + ": " + why};
}

bool HasEnding(const std::string& name, std::string_view endings) {
  while (!endings.empty()) {
    const size_t bar = std::min(endings.find('|'), endings.size());
    if (bar > 0 && name.ends_with(endings.substr(0, bar))) return true;
    endings.remove_prefix(std::min(bar + 1, endings.size()));
  }
  return false;
}

// The first thing in the folder that an exporter of these endings did not write; "" if all is its own.
std::string ForeignFile(const fs::path& folder, std::string_view endings) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const fs::file_status status = it->symlink_status(error);
    if (fs::is_directory(status)) continue;
    if (!fs::is_regular_file(status) || !HasEnding(it->path().filename(), endings)) return it->path().string();
  }
  return error ? folder.string() : "";
}

Status CheckFolder(const Exporter& exporter, const Place& place) {
  if (fs::is_symlink(place.path)) return Refuse(place, "is a symbolic link. Give the folder itself with -o.");
  const std::string foreign = ForeignFile(place.path, exporter.folder_endings);
  if (foreign.empty()) return Status::Ok();
  return Refuse(place, "holds other files (" + foreign + "), so it is not replaced. Give another folder with -o.");
}

}  // namespace

std::string DefaultOutput(const std::vector<std::string>& inputs, std::string_view suffix) {
  std::string name = "run";
  if (inputs.size() == 1 && inputs[0] != "-") {
    std::error_code error;
    fs::path path = fs::absolute(inputs[0], error).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    name = path.filename().string();
    for (bool cut = true; cut;) {
      cut = false;
      for (const std::string_view ending : kKnownEndings) {
        if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
        name.resize(name.size() - ending.size());
        cut = true;
      }
    }
    if (name.empty() || name == "." || name == "..") name = "run";
  }
  return name + std::string(suffix);
}

Status CheckPlace(const Exporter& exporter, const Place& place) {
  std::error_code error;
  for (const std::string& input : place.inputs) {
    if (input != "-" && fs::equivalent(input, place.path, error))
      return Refuse(place, "is the input itself. Give another name with -o.");
  }
  const fs::file_status status = fs::symlink_status(place.path, error);
  if (!fs::exists(status)) return Status::Ok();
  if (fs::is_directory(status) != (exporter.layout == Layout::kFolder)) {
    return Refuse(place, fs::is_directory(status) ? "is a folder. Give a file's name with -o."
                                                  : "is no folder. Give a folder's name with -o.");
  }
  if (!fs::is_directory(status) && !fs::is_regular_file(status))
    return Refuse(place, "is a device, a pipe or a link, which is not replaced. Give a file's name with -o.");
  if (!place.replace) return Refuse(place, "exists already. Give another name with -o, or --force to replace it.");
  return exporter.layout == Layout::kFolder ? CheckFolder(exporter, place) : Status::Ok();
}

Result<Written> WriteTo(const Exporter& exporter, const model::Trace& trace, const Place& place,
                        const Options& options) {
  WS_RETURN_IF_ERROR(CheckPlace(exporter, place));
  const bool folder = exporter.layout == Layout::kFolder;
  fs::path target(place.path);
  if (!target.has_filename()) target = target.parent_path();  // "out/"
  const fs::path temporary = target.string() + ".part" + std::to_string(::getpid());
  std::error_code error;
  fs::remove_all(temporary, error);
  if (folder && !fs::create_directories(temporary, error)) {
    return Status(StatusCode::kOutput,
                  place.path + ": the folder cannot be made: " + error.message() + ". Give another place with -o.");
  }
  Options with_place = options;
  with_place.place = place.path;
  auto written = exporter.write(trace, temporary.string(), with_place);
  if (written.ok()) {
    if (folder) fs::remove_all(target, error);
    fs::rename(temporary, target, error);
    if (error) {
      written = Status(StatusCode::kOutput,
                       place.path + ": cannot be put in place: " + error.message() + ". Give another place with -o.");
    }
  }
  if (written.ok()) return written;
  fs::remove_all(temporary, error);
  // The user gave another name than the one that was written to.
  std::string why = written.status().message();
  if (const size_t at = why.find(temporary.string()); at != std::string::npos)
    why.replace(at, temporary.string().size(), place.path);
  return Status(written.status().code(), why);
}

}  // namespace warpscope::exporting
