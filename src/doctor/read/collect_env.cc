// Versions of frameworks: PyTorch's collect_env, pip list and freeze, what torch prints of its architectures, and short
// notes ("torch.version.cuda: None").
#include <algorithm>

#include "doctor/read/framework_notes.h"
#include "doctor/read/line_reader.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

class CollectEnv final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"torch",      "CUDA used", "ROCM used", "Is CUDA",         "sm_", "compute_", "capability", "device",
            "tensorflow", "jax",       "paddle",    "driver version:", "GPU "};
  }
  bool IsOpen() const override { return !shown_.empty() || awaits_range_; }
  bool MayBeError() const override { return is_warning_; }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    is_warning_ = false;
    if (text.empty()) return false;
    return Shown(text, machine) || Torch(text, machine) || Range(text, machine) || Archs(text, machine) ||
           Installed(text, machine) || Devices(text, machine);
  }

  void End(Machine& machine) override {
    // A device of which only the capability is told.
    if (capability_ && machine.gpus.empty()) {
      machine.gpus.emplace_back();
      machine.gpus.back().name = device_;
    }
    for (Gpu& gpu : machine.gpus) {
      const bool is_it =
          capability_ && (device_.empty() || gpu.name.empty() || gpu.name.find(device_) != std::string::npos ||
                          device_.find(gpu.name) != std::string::npos);
      if (is_it && !gpu.compute_major) gpu.compute_major = capability_->first, gpu.compute_minor = capability_->second;
    }
  }

 private:
  bool Torch(std::string_view text, Machine& machine) {
    for (const std::string_view key : {"PyTorch version:", "torch.__version__:", "torch.__version__ ="}) {
      if (const auto value = Behind(text, key)) {
        SetTorchVersion(TorchOf(machine), Unquoted(*value));
        return true;
      }
    }
    for (const std::string_view key :
         {"CUDA used to build PyTorch:", "torch.version.cuda:", "torch.version.cuda =", "torch.version.cuda"}) {
      const auto value = Behind(text, key);
      if (!value || (key == "torch.version.cuda" && value->size() > 8)) continue;
      // Alone it is what somebody typed: the answer stands in the next line.
      if (key == "torch.version.cuda" && value->find_first_of("0123456789N") == std::string_view::npos) return false;
      SetTorchCuda(TorchOf(machine), IsNone(*value) ? *value : Unquoted(*value));
      return true;
    }
    if (const auto value = Behind(text, "ROCM used to build PyTorch:")) {
      if (!IsNone(*value)) TorchOf(machine).build = Build::kRocm;
      return true;
    }
    for (const std::string_view key :
         {"Is CUDA available:", "torch.cuda.is_available():", "torch.cuda.is_available() ="}) {
      if (const auto value = Behind(text, key)) {
        TorchOf(machine).is_available = value->starts_with("True") || value->starts_with("Yes");
        return true;
      }
    }
    if (text.find("Torch not compiled with CUDA enabled") != std::string_view::npos) {
      Framework& torch = TorchOf(machine);
      if (torch.build == Build::kUnknown) torch.build = Build::kCpu;
      return true;
    }
    return false;
  }

  // pip show: "Name: torch", "Version: 2.5.1+cpu".
  bool Shown(std::string_view text, Machine& machine) {
    constexpr std::string_view kName = "Name: ", kVersion = "Version: ";
    if (text.starts_with(kName)) {
      shown_ = std::string(Trim(text.substr(kName.size())).substr(0, 40));
      return false;
    }
    const std::string name = std::move(shown_);
    shown_.clear();
    return !name.empty() && text.starts_with(kVersion) &&
           TakeInstalled(name, Trim(text.substr(kVersion.size())), machine);
  }

  // "Found GPU0 NVIDIA RTX 5090 which is of cuda capability 12.0.", "Minimum and Maximum cuda capability supported by
  // this version of PyTorch is" and in the next line "(5.0) - (9.0)"; "The minimum cuda capability supported by this
  // library is 3.7.".
  bool Range(std::string_view text, Machine& machine) {
    const std::string lower = Lower(text);
    if (awaits_range_) {
      awaits_range_ = false;
      const std::vector<std::string_view> words = Words(text);
      if (words.size() == 3 && words[1] == "-") {
        Framework& torch = TorchOf(machine);
        torch.least = Capability(words[0]), torch.most = Capability(words[2]);
        return is_warning_ = true;
      }
    }
    if (lower.starts_with("minimum and maximum cuda capability")) return awaits_range_ = is_warning_ = true;
    if (const auto least = Behind(lower, "minimum cuda capability supported by this library is")) {
      TorchOf(machine).least = Capability(*least);
      return is_warning_ = true;
    }
    const size_t of = lower.find(" which is of cuda capability ");
    if (of == std::string::npos) return false;
    size_t name = lower.find("found gpu");
    name = name < of ? lower.find(' ', name + 9) : std::string::npos;
    const auto capability = Capability(Trim(text.substr(of)).substr(28));
    if (capability && name < of) {
      capability_ = {*capability / 10, *capability % 10};
      device_ = std::string(Trim(text.substr(name, of - name)).substr(0, 80));
    }
    return is_warning_ = true;
  }

  // "12.0", "(5.0)" as 120 and 50.
  static std::optional<int> Capability(std::string_view text) {
    const size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos) return std::nullopt;
    const std::string version = VersionIn(text.substr(digit));
    const size_t point = version.find('.');
    if (point == std::string::npos) return std::nullopt;
    const auto major = Count(std::string_view(version).substr(0, point)), minor = Count(version.substr(point + 1));
    constexpr uint64_t kMostMajor = 20;
    if (!major || !minor || *major > kMostMajor || *minor > 9) return std::nullopt;
    return static_cast<int>(*major * 10 + *minor);
  }

  // "The current PyTorch install supports CUDA capabilities sm_50 sm_60 ... sm_90.", "['sm_50', ..., 'sm_90']", and the
  // device: "RTX 5090 with CUDA capability sm_120 is not compatible", "device 12.0", "(12, 0)".
  bool Archs(std::string_view text, Machine& machine) {
    const std::vector<std::string> archs = ArchsIn(text);
    const std::string lower = Lower(text);
    bool took = false;
    if (const size_t at = lower.find("with cuda capability sm_"); at != std::string::npos) {
      const auto found = ArchsIn(text.substr(at, 40));
      if (!found.empty()) Capability(found[0].substr(3), text.substr(0, at));
      took = true;
    } else if (archs.size() >= 2 || (archs.size() == 1 && (lower.find("arch") != std::string::npos ||
                                                           lower.find("capabilities") != std::string::npos))) {
      Framework& torch = TorchOf(machine);
      if (torch.archs.size() < archs.size()) torch.archs = archs;
      if (torch.build == Build::kUnknown) torch.build = Build::kCuda;
      took = true;
    }
    for (const std::string_view key : {"capability", "device"}) {
      const size_t at = lower.find(key);
      if (at == std::string::npos || capability_) continue;
      std::string_view rest = text.substr(at + key.size(), 30);
      const size_t digit = rest.find_first_of("0123456789");
      // Only ", : = (" and blanks may stand between.
      if (digit == std::string_view::npos ||
          rest.substr(0, digit).find_first_not_of(" :=(\t") != std::string_view::npos)
        continue;
      rest.remove_prefix(digit);
      const size_t end = rest.find_first_not_of("0123456789");
      if (end == std::string_view::npos || (rest[end] != '.' && rest[end] != ',')) continue;
      const auto major = Count(rest.substr(0, end));
      const std::string_view behind = Trim(rest.substr(end + 1));
      const auto minor = Count(behind.substr(0, behind.find_first_not_of("0123456789")));
      constexpr uint64_t kMostMajor = 20;
      const bool is_capability = major && minor && *major >= 3 && *major <= kMostMajor && *minor <= 9;
      if (!is_capability) continue;
      capability_ = {static_cast<int>(*major), static_cast<int>(*minor)};
      // llama.cpp: "Device 0: NVIDIA GeForce GTX 750 Ti, compute capability 5.0, VMM: yes".
      if (const size_t comma = lower.find(", compute capability"); comma != std::string::npos) {
        const size_t colon = text.find(": ");
        if (colon < comma) device_ = std::string(text.substr(colon + 2, std::min<size_t>(comma - colon - 2, 80)));
      }
      is_warning_ =
          is_warning_ || lower.find("compat") != std::string::npos || lower.find("support") != std::string::npos;
      took = true;
    }
    return took;
  }

  // "120" of sm_120, with what stands before it: the device's name, behind its number.
  void Capability(std::string_view digits, std::string_view before) {
    const auto number = Count(digits.substr(0, digits.find_first_not_of("0123456789")));
    if (!number || *number < 30 || *number > 999) return;
    capability_ = {static_cast<int>(*number / 10), static_cast<int>(*number % 10)};
    const size_t at = before.find("NVIDIA ");
    if (at != std::string_view::npos) device_ = std::string(Trim(before.substr(at)).substr(0, 80));
  }

  // "[pip3] torch==2.2.0+cpu", "torch 2.2.0+cpu", "torch==2.2.0", "tensorflow-cpu   2.18.0".
  bool Installed(std::string_view text, Machine& machine) {
    if (text.starts_with("[pip") || text.starts_with("[conda]")) text = Trim(text.substr(text.find(']') + 1));
    size_t end = text.find("==");
    std::string_view name, version;
    if (end != std::string_view::npos) name = text.substr(0, end), version = Trim(text.substr(end + 2));
    else {
      const std::vector<std::string_view> words = Words(text);
      if (words.size() < 2 || words.size() > 4) return false;
      name = words[0], version = words[1];
      if (name == "PyTorch") name = "torch";
      if (name == "TensorFlow") name = "tensorflow";
      // A third column of conda, not a folder of pip.
      const bool is_conda = words.size() >= 3 && words[2].find('/') == std::string_view::npos;
      if (is_conda && name == "pytorch-mutex") TorchOf(machine).build = words[2] == "cpu" ? Build::kCpu : Build::kCuda;
      if (is_conda) return TakeInstalled(name, version, machine, words[2]);
    }
    return TakeInstalled(name, version, machine);
  }

  bool Devices(std::string_view text, Machine& machine) {
    if (const auto driver = Behind(text, "Nvidia driver version:")) {
      // collect_env asks nvidia-smi for it, so that answers.
      if (!IsNone(*driver) && machine.driver_version.empty()) {
        machine.driver_version = VersionIn(*driver);
        if (!machine.management && !machine.driver_version.empty()) machine.management = Management{true, "", false};
      }
      return true;
    }
    const bool heading = text.starts_with("GPU models and configuration:");
    const std::string_view row = heading ? Trim(text.substr(29)) : text;
    // "GPU 0: NVIDIA GeForce RTX 4090"; of nvidia-smi -L with the UUID behind it.
    if (row.starts_with("GPU ") && row.find(": ") != std::string_view::npos) {
      const auto index = Count(row.substr(4, row.find(':') - 4));
      if (!index || *index > 4096) return heading;
      Gpu gpu;
      gpu.index = static_cast<unsigned>(*index);
      const size_t begin = row.find(": ") + 2, end = std::min(row.find(" (UUID"), row.size());
      if (end <= begin) return heading;
      gpu.name = std::string(row.substr(begin, std::min<size_t>(end - begin, 80)));
      if (const auto uuid = Behind(row, "(UUID: "); uuid && uuid->size() <= 64)
        gpu.uuid = uuid->substr(0, uuid->find(')'));
      const auto known = std::find_if(machine.gpus.begin(), machine.gpus.end(),
                                      [&](const Gpu& one) { return one.index == gpu.index; });
      const bool is_new = known == machine.gpus.end();
      if (!is_new && known->uuid.empty()) known->uuid = gpu.uuid;
      if (is_new) machine.gpus.push_back(std::move(gpu));
      return heading || is_new;
    }
    return heading;
  }

  std::optional<std::pair<int, int>> capability_;
  std::string device_;
  std::string shown_;  // the package of which pip show tells
  bool awaits_range_ = false, is_warning_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_collect_env() { return std::make_unique<CollectEnv>(); }

}  // namespace warpscope::doctor::read
