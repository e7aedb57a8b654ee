// The kernel's side of the driver: /proc/driver/nvidia/version and params, lsmod and /proc/modules, modinfo, how the
// kernel was started, what it says of its IOMMU.
#include "doctor/read/line_reader.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

class KernelDriver final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"NVRM",   "kernel module",       "RmProfilingAdminOnly", "EnableGpuFirmware", "Module ",        " Live",
            "iommu",  "Default domain type", "Hypervisor detected",  "nvidia.ko",         "nvidia/version", "modinfo",
            "modules"};
  }
  bool IsOpen() const override { return in_list_ || in_file_ || asked_version_; }
  bool Line(std::string_view line, Machine& machine) override {
    if (File(line, machine)) return true;
    if (const auto words = Behind(line, "NVRM version:")) {
      machine.nvidia_version = VersionIn(*words);
      machine.nvidia_is_open = words->find("Open Kernel Module") != std::string_view::npos;
      return true;
    }
    if (line.find("NVRM: loading NVIDIA UNIX") != std::string_view::npos) {
      // What /proc told is how it is; a log may be of an earlier start.
      if (!machine.nvidia_version.empty() && !log_told_) return true;
      machine.nvidia_version = VersionIn(*Behind(line, "NVIDIA UNIX"));
      log_told_ = true;
      machine.nvidia_is_open = line.find("Open Kernel Module") != std::string_view::npos;
      return true;
    }
    if (const auto open = Behind(line, "Kernel module version:")) return Version(*open, machine);
    if (const auto named = Behind(line, "kernel module")) {
      // "kernel module 520.56.06, user space 525.85.12".
      if (const std::string version = VersionIn(named->substr(0, 24));
          !version.empty() && machine.nvidia_version.empty()) {
        machine.nvidia_version = version;
        if (const auto user = Behind(line, "user space")) machine.library_version = VersionIn(*user);
        return true;
      }
    }
    return Params(line, machine) || Module(line, machine) || Start(line, machine);
  }

 private:
  // modinfo nvidia: "filename: .../nvidia.ko", "version: 535.161.07"; the number alone behind a command that reads
  // /sys/module/nvidia/version, which is that of the loaded one.
  bool File(std::string_view line, Machine& machine) {
    const std::string_view text = Trim(line);
    if (text.find("/sys/module/nvidia/version") != std::string_view::npos) return asked_version_ = true;
    if (asked_version_) {
      asked_version_ = false;
      if (!text.empty() && VersionIn(text) == text) return Version(text, machine);
    }
    const bool is_question =
        text.find("modinfo") != std::string_view::npos && text.find("nvidia") != std::string_view::npos;
    if (is_question || (text.starts_with("filename:") && text.find("/nvidia.ko") != std::string_view::npos))
      return in_file_ = true;
    if (!in_file_) return false;
    if (const auto version = Behind(text, "version:"); version && text.starts_with("version:")) {
      machine.nvidia_file_version = VersionIn(*version);
      in_file_ = false;
      return true;
    }
    in_file_ = text.find(':') != std::string_view::npos;
    return false;
  }

  static bool Version(std::string_view text, Machine& machine) {
    const std::string version = VersionIn(text);
    if (version.empty()) return false;
    machine.nvidia_version = version;
    return true;
  }

  static bool Params(std::string_view line, Machine& machine) {
    if (!line.starts_with("RmProfilingAdminOnly:") && !line.starts_with("EnableGpuFirmware:")) return false;
    const size_t colon = line.find(':');
    machine.nvidia_params[std::string(line.substr(0, colon))] = std::string(Trim(line.substr(colon + 1)).substr(0, 20));
    return true;
  }

  // "nvidia              56823808  1234 nvidia_uvm,nvidia_modeset", "nvidia 56823808 1234 - Live 0x...": behind lsmod's
  // heading, or lines of /proc/modules, which tell "Live".
  bool Module(std::string_view line, Machine& machine) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() >= 3 && words[0] == "Module" && words[1] == "Size") {
      if (!machine.modules) machine.modules.emplace();
      return in_list_ = true;
    }
    const bool is_module =
        words.size() >= 3 &&
        words[0].find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
            std::string_view::npos &&
        Count(words[1]) && Count(words[2]);
    const bool is_live = is_module && words.size() >= 5 && words[4] == "Live";
    if (!is_module || (!in_list_ && !is_live)) {
      in_list_ = false;
      return false;
    }
    if (!machine.modules) machine.modules.emplace();
    if (machine.modules->size() < kMostEntries) machine.modules->insert(std::string(words[0]));
    return true;
  }

  static bool Start(std::string_view line, Machine& machine) {
    if (line.find("iommu=pt") != std::string_view::npos ||
        line.find("Default domain type: Passthrough") != std::string_view::npos) {
      machine.iommu_translates = false;
      return true;
    }
    if (line.find("Default domain type: Translated") != std::string_view::npos ||
        line.find("intel_iommu=on") != std::string_view::npos) {
      machine.iommu_translates = true;
      return true;
    }
    if (line.find("Hypervisor detected:") != std::string_view::npos) {
      machine.is_virtual = true;
      return true;
    }
    return false;
  }

  bool in_list_ = false, in_file_ = false, asked_version_ = false;
  bool log_told_ = false;  // the version is what a log told in this text
};

}  // namespace

std::unique_ptr<LineReader> Make_kernel_driver() { return std::make_unique<KernelDriver>(); }

}  // namespace warpscope::doctor::read
