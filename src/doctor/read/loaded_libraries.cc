// ldconfig -p, ls -l of libraries, and /proc/PID/maps: which libraries there are, which are loaded, in which version.
#include <algorithm>

#include "doctor/read/line_reader.h"

namespace warpscope::doctor::read {
namespace {

constexpr std::string_view kStarts[] = {"libcuda.so",  "libnvidia-ml.so", "libcudart.so",
                                        "libcupti.so", "libcudnn.so",     "libnccl.so"};

// The library's name in a path, "" if it is none of those that matter.
std::string_view FileIn(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view start : kStarts) {
    if (file.starts_with(start)) return file;
  }
  return {};
}

std::string_view VersionOf(std::string_view file) {
  const size_t so = file.find(".so.");
  const std::string_view version = so == std::string_view::npos ? std::string_view() : file.substr(so + 4);
  return version.find('.') == std::string_view::npos ? std::string_view() : version;
}

// "libcuda.so.550.54" is asked for as libcuda.so.1.
std::string AskedName(std::string_view file) {
  if (file.starts_with("libcuda.so")) return "libcuda.so.1";
  if (file.starts_with("libnvidia-ml.so")) return "libnvidia-ml.so.1";
  const size_t so = file.find(".so.");
  return std::string(so == std::string_view::npos ? file : file.substr(0, file.find('.', so + 4)));
}

class LoadedLibraries final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"(libc6", "libcuda.so", "libnvidia-ml.so", "libcudart.so", "libcupti.so", "libcudnn.so", "libnccl.so"};
  }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    // "	libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1".
    if (const size_t arrow = text.find(") => ");
        arrow != std::string_view::npos && text.find("(libc6") != std::string_view::npos) {
      if (!machine.libraries) machine.libraries.emplace();
      const std::string_view path = text.substr(arrow + 5);
      if (!FileIn(path).empty() && text.find("x86-64") != std::string_view::npos)
        Add(path, "loader cache", true, machine);
      else if (!FileIn(path).empty() && text.find("AArch64") != std::string_view::npos)
        Add(path, "loader cache", true, machine);
      return true;
    }
    // "lrwxrwxrwx 1 root root 20 ... libcuda.so.1 -> libcuda.so.550.54.14".
    if (const size_t arrow = text.find(" -> "); arrow != std::string_view::npos) {
      const std::vector<std::string_view> before = Words(text.substr(0, arrow));
      const std::string_view name = before.empty() ? std::string_view() : FileIn(before.back()),
                             target = FileIn(text.substr(arrow + 4));
      if (name.empty() || target.empty()) return false;
      if (name == "libcuda.so.1" || name == "libnvidia-ml.so.1") Version(VersionOf(target), machine);
      return true;
    }
    // "7f00-7f10 r-xp 00000000 08:01 1 /opt/cuda/lib64/stubs/libcuda.so.1".
    const std::vector<std::string_view> words = Words(text);
    const bool is_map =
        words.size() >= 6 && words[0].find('-') != std::string_view::npos && words[1].size() == 4 && words[1][0] == 'r';
    if (!is_map || FileIn(words[5]).empty()) return false;
    if (!machine.libraries) machine.libraries.emplace();
    Add(words[5], "loaded", true, machine);
    return true;
  }

 private:
  static void Version(std::string_view version, Machine& machine) {
    if (version.empty()) return;
    machine.library_version = std::string(version.substr(0, 32));
  }

  static void Add(std::string_view path, const char* place, bool is_chosen, Machine& machine) {
    const std::string_view file = FileIn(path);
    const std::string name = AskedName(file);
    const bool known = std::any_of(machine.libraries->begin(), machine.libraries->end(),
                                   [&](const Library& one) { return one.path == path; });
    if (known || machine.libraries->size() >= kMostEntries) return;
    const bool taken = std::any_of(machine.libraries->begin(), machine.libraries->end(),
                                   [&](const Library& one) { return one.name == name && one.is_chosen; });
    machine.libraries->push_back(
        {name, std::string(path), place, std::string(VersionOf(file)), is_chosen && !taken, FileState::kWhole});
  }
};

}  // namespace

std::unique_ptr<LineReader> Make_loaded_libraries() { return std::make_unique<LoadedLibraries>(); }

}  // namespace warpscope::doctor::read
