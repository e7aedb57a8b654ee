#include "import/inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

namespace warpscope::import {
namespace {

namespace fs = std::filesystem;

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

constexpr int kMaxDepth = 6;          // an Ascend run lies three folders deep, a cluster's two more
constexpr size_t kMaxFiles = 100000;  // in one folder; more is a wrong folder

bool NamedLikeRecording(std::string_view name) {
  constexpr std::string_view kEnds[] = {
      ".json",    ".gz",      ".tgz",   ".csv",      ".tsv",   ".txt",     ".xml",
      ".sqlite",  ".db",      ".dat",   ".pb",       ".proto", ".pftrace", ".perfetto-trace",
      ".capture", ".ncu-rep", ".qdrep", ".nsys-rep", ".dmon",  ".metrics", ".prom"};
  if (name.empty() || name.front() == '.') return false;
  return name.find(".json.") != std::string_view::npos ||
         std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) { return EndsWith(name, end); });
}

// A report whose export lies beside it tells the same once more.
void DropExported(std::vector<InputFile>& files) {
  std::set<std::string> exported;
  for (const InputFile& file : files) {
    if (EndsWith(file.path, ".sqlite")) exported.insert(file.path.substr(0, file.path.size() - 7));
  }
  std::erase_if(files, [&](const InputFile& file) {
    for (const std::string_view end : {".nsys-rep", ".qdrep"}) {
      if (EndsWith(file.path, end) && exported.contains(file.path.substr(0, file.path.size() - end.size())))
        return true;
    }
    return false;
  });
}

// The rank in the file's name, else in that of a folder between `folder` and the file.
std::optional<int64_t> RankInPath(const fs::path& file, const fs::path& folder) {
  auto rank = RankInName(file.string());
  for (fs::path at = file.parent_path(); !rank && at.has_relative_path() && at != folder; at = at.parent_path())
    rank = RankInName(at.string());
  return rank;
}

// Links to folders are not followed: the walk stays inside what was named, and ends.
Result<std::vector<InputFile>> ListFolder(const std::string& folder) {
  std::error_code error;
  std::vector<InputFile> files;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (it->is_directory(ignored)) {
      if (it.depth() + 1 >= kMaxDepth || name.front() == '.') it.disable_recursion_pending();
      continue;
    }
    if (!it->is_regular_file(ignored) || !NamedLikeRecording(name)) continue;
    files.push_back({it->path().string(), RankInPath(it->path(), folder), true});
    if (files.size() > kMaxFiles)
      return Status(StatusCode::kInvalidArgument, folder + ": the folder holds more than " + std::to_string(kMaxFiles) +
                                                      " files. Name the folder of one recording.");
  }
  if (error)
    return Status(StatusCode::kIo,
                  folder + ": the folder cannot be listed: " + error.message() + ". Check its permissions.");
  DropExported(files);
  if (files.empty()) {
    return Status(StatusCode::kNotFound,
                  folder +
                      ": the folder holds no file that is named like a recording (.json, .json.gz, .sqlite, .db, .csv, "
                      ".ncu-rep, .pb ...). Name the folder that the profiler wrote.");
  }
  std::sort(files.begin(), files.end(), [](const InputFile& a, const InputFile& b) {
    return std::tuple(a.rank_hint.value_or(INT64_MAX), a.path) < std::tuple(b.rank_hint.value_or(INT64_MAX), b.path);
  });
  return files;
}

}  // namespace

std::optional<int64_t> RankInName(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  for (size_t at = name.find("rank"); at != std::string::npos; at = name.find("rank", at + 1)) {
    size_t digit = at + 4;
    if (digit < name.size() && (name[digit] == '_' || name[digit] == '-')) ++digit;
    int64_t rank = 0;
    size_t end = digit;
    for (; end < name.size() && end - digit < 9 && name[end] >= '0' && name[end] <= '9'; ++end)
      rank = rank * 10 + (name[end] - '0');
    if (end > digit) return rank;
  }
  return std::nullopt;
}

Result<std::vector<InputFile>> ExpandInputs(const std::vector<std::string>& inputs) {
  std::vector<InputFile> files;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (input == "-" || !fs::is_directory(input, ignored)) {
      files.push_back({input, RankInName(input)});
      continue;
    }
    WS_ASSIGN_OR_RETURN(const std::vector<InputFile> inside, ListFolder(input));
    files.insert(files.end(), inside.begin(), inside.end());
  }
  if (files.empty())
    return Status(StatusCode::kInvalidArgument,
                  "no input file: name a trace, a folder of rank files, or - for standard input");
  return files;
}

}  // namespace warpscope::import
