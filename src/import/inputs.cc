#include "import/inputs.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace warpscope::import {
namespace {

namespace fs = std::filesystem;

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool NamedLikeTrace(std::string_view name) {
  if (name.empty() || name.front() == '.') return false;
  return EndsWith(name, ".json") || EndsWith(name, ".gz") || EndsWith(name, ".tgz") ||
         name.find(".json.") != std::string_view::npos;
}

Result<std::vector<InputFile>> ListFolder(const std::string& folder) {
  std::error_code error;
  std::vector<InputFile> files;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    const std::string path = it->path().string();
    if (it->is_regular_file(ignored) && NamedLikeTrace(it->path().filename().string()))
      files.push_back({path, RankInName(path)});
  }
  if (error)
    return Status(StatusCode::kIo,
                  folder + ": the folder cannot be listed: " + error.message() + ". Check its permissions.");
  if (files.empty()) {
    return Status(StatusCode::kNotFound,
                  folder + ": the folder holds no .json or .json.gz file. Name the folder with one trace a rank.");
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
