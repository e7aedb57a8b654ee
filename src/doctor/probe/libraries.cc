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

uint64_t NumberAt(const std::string& bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size && at + i < bytes.size(); ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

// Whether segments of an ELF file of 64 bits lie beyond its end (System V ABI: program headers of 56 bytes, type at 0,
// offset at 8, size in the file at 32).
bool ReachesBeyond(const record::System& system, const std::string& path, const std::string& head,
                   uint64_t file_bytes) {
  constexpr size_t kSegmentBytes = 56, kMostSegments = 128;
  const uint64_t table = NumberAt(head, 32, 8), count = std::min<uint64_t>(NumberAt(head, 56, 2), kMostSegments);
  if (table >= file_bytes || count * kSegmentBytes > file_bytes - table) return true;
  const std::string segments = system.ReadAt(path, table, count * kSegmentBytes).value_or("");
  constexpr uint64_t kLoad = 1;
  for (size_t at = 0; at + kSegmentBytes <= segments.size(); at += kSegmentBytes) {
    const uint64_t offset = NumberAt(segments, at + 8, 8), bytes = NumberAt(segments, at + 32, 8);
    if (NumberAt(segments, at, 4) == kLoad && (offset > file_bytes || bytes > file_bytes - offset)) return true;
  }
  return false;
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
  const auto info = system.Stat(path);
  if (!info || info->size_bytes == 0) return FileState::kWhole;
  return ReachesBeyond(system, path, *head, info->size_bytes) ? FileState::kTooShort : FileState::kWhole;
}

Result<device::Nvml> OpenNvml(const record::System& system) {
  // A cut library crashes whoever loads it, which the loader does not see.
  const auto found = record::LoaderSearch(system).Find("libnvidia-ml.so.1");
  const bool is_named = !system.Variable("WARPSCOPE_NVML").value_or("").empty();
  if (found && !is_named && StateOfLibrary(system, found->path) != FileState::kWhole)
    return Status(
        StatusCode::kIo,
        fmt::format("{} ({}) is no library that can be loaded here: not ELF, too short, or for another processor",
                    found->path, found->place));
  return device::Nvml::OpenTried();
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
