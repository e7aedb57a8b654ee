// FakeSystem: a machine made by hand for tests: files and links by path, variables, processes.
// [one thread]
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "record/system.h"

namespace warpscope::record::testing {

class FakeSystem final : public System {
 public:
  std::map<std::string, std::string> files;  // path -> content
  std::map<std::string, std::string> links;  // path -> what RealPath() gives for it
  std::map<std::string, FileInfo> infos;     // where a plain readable file does not suffice
  std::map<std::string, std::string> variables;
  std::map<std::string, int> open_errors;  // errno by path
  std::optional<uint64_t> free_bytes = uint64_t{1} << 40;
  std::string working_folder = "/home/me";
  int parent_pid = 1;
  int perf_event_error = 0;

  // An executable ELF file for x86-64: 64 bit, with an interpreter, as compilers make them.
  void AddProgram(const std::string& path, bool is_64_bit = true, bool is_dynamic = true) {
    std::string elf(128, '\0');
    elf.replace(0, 4,
                "\x7f"
                "ELF");
    elf[4] = is_64_bit ? 2 : 1;
    elf[5] = 1;                    // little-endian
    elf[16] = 2;                   // executable
    elf[18] = is_64_bit ? 62 : 3;  // machine
    elf[32] = 64;                  // program headers
    elf[54] = 56, elf[56] = 1;     // one of 56 bytes
    elf[64] = is_dynamic ? 3 : 1;  // PT_INTERP or PT_LOAD
    files[path] = elf;
    infos[path] = {.is_regular = true, .is_executable = true, .size_bytes = elf.size()};
  }
  void AddScript(const std::string& path, const std::string& text) {
    files[path] = text;
    infos[path] = {.is_regular = true, .is_executable = true, .size_bytes = text.size()};
  }

  std::optional<std::string> Read(const std::string& path, size_t most_bytes) const override {
    const auto it = files.find(Target(path));
    return it == files.end() ? std::nullopt : std::optional(it->second.substr(0, most_bytes));
  }
  std::optional<std::string> ReadAt(const std::string& path, uint64_t offset, size_t size) const override {
    const auto it = files.find(Target(path));
    if (it == files.end()) return std::nullopt;
    return offset >= it->second.size() ? std::string() : it->second.substr(offset, size);
  }
  int OpenError(const std::string& path) const override {
    const auto it = open_errors.find(path);
    return it == open_errors.end() ? 0 : it->second;
  }
  std::optional<FileInfo> Stat(const std::string& path) const override {
    const std::string target = Target(path);
    if (const auto it = infos.find(target); it != infos.end()) return it->second;
    if (files.contains(target)) return FileInfo{.is_regular = true, .is_writable = true};
    if (!List(target).empty() || target == working_folder || target == "/")
      return FileInfo{.is_folder = true, .is_executable = true, .is_writable = true};
    return std::nullopt;
  }
  std::vector<std::string> List(const std::string& folder) const override {
    std::set<std::string> names;
    const std::string start = folder == "/" ? "/" : folder + "/";
    const auto collect = [&](const auto& map) {
      for (const auto& [path, value] : map) {
        if (path.rfind(start, 0) == 0 && path.size() > start.size())
          names.insert(path.substr(start.size(), path.find('/', start.size()) - start.size()));
      }
    };
    collect(files), collect(infos), collect(links);
    return {names.begin(), names.end()};
  }
  std::string RealPath(const std::string& path) const override {
    const std::string target = Target(path);
    return Stat(target) ? target : std::string();
  }
  std::optional<std::string> Variable(const std::string& name) const override {
    const auto it = variables.find(name);
    return it == variables.end() ? std::nullopt : std::optional(it->second);
  }
  std::vector<std::pair<std::string, std::string>> Variables() const override {
    return {variables.begin(), variables.end()};
  }
  std::optional<uint64_t> FreeBytes(const std::string&) const override { return free_bytes; }
  std::string WorkingFolder() const override { return working_folder; }
  int ParentPid() const override { return parent_pid; }
  int PerfEventError() const override { return perf_event_error; }

 private:
  std::string Target(const std::string& path) const {
    const auto it = links.find(path);
    return it == links.end() ? path : it->second;
  }
};

}  // namespace warpscope::record::testing
