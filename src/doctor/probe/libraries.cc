// Which driver and runtime libraries a program started here would load.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "doctor/probe/probe.h"
#include "record/cupti_search.h"
#include "record/loader_search.h"

namespace warpscope::doctor {
namespace {

// The names that programs ask for, newest first.
constexpr std::array kNames = {"libcuda.so.1",      "libnvidia-ml.so.1", "libcudart.so.13",       "libcudart.so.12",
                               "libcudart.so.11.0", "libcupti.so.13",    "libcupti.so.12",        "libcupti.so.11.8",
                               "libcudnn.so.9",     "libcudnn.so.8",     "libnccl.so.2",          "libamdhip64.so.7",
                               "libamdhip64.so.6",  "libamdhip64.so",    "libhsa-runtime64.so.1", "libze_loader.so.1",
                               "libascendcl.so"};
constexpr std::array kPackagedStarts = {"libcudart.so", "libcupti.so", "libcudnn.so", "libnccl.so"};

// "libcuda.so.580.159.04" -> "580.159.04".
std::string VersionOfFile(const record::System& system, const std::string& path) {
  const std::string name = record::BaseName(system.RealPath(path));
  const size_t so = name.find(".so.");
  const std::string version = so == std::string::npos ? std::string() : name.substr(so + 4);
  return version.find('.') == std::string::npos ? std::string() : version;
}

// The name that a program asks for, of a file "libcudart.so.12.4.127": up to the first number.
std::string AskedName(const std::string& file) {
  const size_t so = file.find(".so.");
  if (so == std::string::npos) return file;
  return file.substr(0, file.find('.', so + 4));
}

}  // namespace

FileState StateOfLibrary(const record::System& system, const std::string& path) {
  if (system.RealPath(path).empty()) return FileState::kBrokenLink;
  constexpr size_t kHeaderBytes = 64;
  const auto head = system.ReadAt(path, 0, kHeaderBytes);
  if (!head) return FileState::kWhole;  // not ours to read: the loader's answer will tell
  if (head->size() < 4) return FileState::kTooShort;
  constexpr std::string_view kMagic = "\177ELF";
  if (!head->starts_with(kMagic)) return FileState::kNotElf;
  if (head->size() < kHeaderBytes) return FileState::kTooShort;
  constexpr size_t kClassAt = 4, kMachineAt = 18;
#if defined(__aarch64__)
  constexpr unsigned char kMachine = 183;  // EM_AARCH64
#else
  constexpr unsigned char kMachine = 62;  // EM_X86_64
#endif
  constexpr char k64Bit = 2;
  if ((*head)[kClassAt] != k64Bit || static_cast<unsigned char>((*head)[kMachineAt]) != kMachine)
    return FileState::kOtherProcessor;
  // The table of segments must lie within the file, or the loader says "file too short".
  uint64_t segments = 0;
  for (size_t i = 0; i < 8; ++i)
    segments |= static_cast<uint64_t>(static_cast<unsigned char>((*head)[32 + i])) << (8 * i);
  const auto size = system.Stat(path);
  return size && size->size_bytes > 0 && segments >= size->size_bytes ? FileState::kTooShort : FileState::kWhole;
}

void ProbeLibraries(const record::System& system, const std::optional<record::Python>& python, Machine& machine) {
  machine.libraries.emplace();
  const record::LoaderSearch loader(system);
  const auto add = [&](std::string name, const record::FoundLibrary& found, bool is_chosen) {
    for (const Library& known : *machine.libraries) {
      if (known.path == found.path) return;
    }
    machine.libraries->push_back({std::move(name), found.path, found.place, VersionOfFile(system, found.path),
                                  is_chosen, StateOfLibrary(system, found.path)});
  };
  for (const char* name : kNames) {
    if (const auto found = loader.Find(name)) add(name, *found, true);
  }
  std::vector<record::Package> packages;
  if (python) packages = record::PackagesOf(system, *python);
  for (const char* start : kPackagedStarts) {
    const auto packaged =
        python ? record::PackagedLibraries(system, *python, start) : std::vector<record::FoundLibrary>();
    for (const record::FoundLibrary& one : packaged) {
      const std::string name = AskedName(record::BaseName(one.path));
      const bool taken = std::any_of(machine.libraries->begin(), machine.libraries->end(),
                                     [&](const Library& known) { return known.name == name && known.is_chosen; });
      // A framework loads its own package's library unless LD_LIBRARY_PATH names another.
      add(name, one, !taken);
      Library& added = machine.libraries->back();
      // Files of packages end at the first number; the package tells the rest.
      const std::string part = name.substr(3, name.find('.') - 3);  // "cudart"
      for (const record::Package& package : packages) {
        const bool is_it = package.name.starts_with("nvidia-" + part) ||
                           package.name.starts_with("nvidia-cuda-" + part) ||
                           (part == "cudart" && package.name.starts_with("nvidia-cuda-runtime"));
        if (added.path == one.path && added.version.empty() && is_it) added.version = package.version;
      }
    }
    for (const record::FoundLibrary& one : loader.All(start)) add(AskedName(record::BaseName(one.path)), one, false);
  }
}

}  // namespace warpscope::doctor
