#include "cli/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace warpscope::cli {
namespace {

bool IsEarlierOne(const std::string& path, std::string_view start) {
  if (start.empty()) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(start.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  return head.empty() ? file.eof() : head == start;
}

}  // namespace

Status CheckFilePlace(const std::string& path, const std::vector<std::string>& inputs, const FilePlace& place) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& why) { return Status(StatusCode::kInvalidArgument, path + ": " + why); };
  std::error_code error;
  for (const std::string& input : inputs) {
    if (fs::equivalent(input, path, error))
      return refuse(fmt::format("is the input itself. Give another name with {}.", place.flag));
  }
  const fs::file_status there = fs::symlink_status(path, error);
  if (!fs::exists(there)) return Status::Ok();
  if (!fs::is_regular_file(there))
    return refuse(fmt::format("is no plain file. Give a file's name with {}.", place.flag));
  if (place.force || IsEarlierOne(path, place.own_start)) return Status::Ok();
  if (!place.own_start.empty())
    return refuse(
        fmt::format("exists already and is no earlier result of this kind. Give another name with {}.", place.flag));
  return refuse(fmt::format("exists already. Give another name with {}, or --force to replace it.", place.flag));
}

Status WriteWholeFile(const std::string& path, std::string_view text) {
  const std::string part = path + ".part" + std::to_string(getpid());
  std::error_code error;
  {
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (file.good()) std::filesystem::rename(part, path, error);
    else error = std::make_error_code(std::errc::io_error);
  }
  if (!error) return Status::Ok();
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  return {StatusCode::kOutput, path + ": cannot be written. Is there such a folder, and may it be written to?"};
}

}  // namespace warpscope::cli
