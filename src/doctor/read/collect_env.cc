// Versions of frameworks: PyTorch's collect_env, pip list and freeze, what torch prints of its architectures, and short
// notes ("torch.version.cuda: None").
#include <algorithm>
#include <cctype>

#include "doctor/read/line_reader.h"
#include "doctor/words.h"

namespace warpscope::doctor::read {
namespace {

bool IsNone(std::string_view value) {
  return value == "None" || value == "N/A" || value.empty() || value == "Could not collect";
}

// All "sm_90", "compute_90" of a text; a suffix "a" or "f" is kept.
std::vector<std::string> ArchsIn(std::string_view text) {
  std::vector<std::string> archs;
  for (const std::string_view start : {"sm_", "compute_"}) {
    for (size_t at = text.find(start); at != std::string_view::npos && archs.size() < 64;
         at = text.find(start, at + 1)) {
      size_t end = at + start.size();
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
      if (end == at + start.size() || end > at + start.size() + 3) continue;
      if (end < text.size() && (text[end] == 'a' || text[end] == 'f')) ++end;
      archs.emplace_back(text.substr(at, end - at));
    }
  }
  return archs;
}

class CollectEnv final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override {
    return {"torch",      "CUDA used", "ROCM used", "Is CUDA",         "sm_", "compute_", "capability", "device",
            "tensorflow", "jax",       "paddle",    "driver version:", "GPU "};
  }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (text.empty()) return false;
    return Torch(text, machine) || Archs(text, machine) || Installed(text, machine) || Devices(text, machine);
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
  Framework& Get(Machine& machine, std::string_view id, std::string_view title) {
    if (!machine.frameworks) machine.frameworks.emplace();
    for (Framework& one : *machine.frameworks) {
      if (one.id == id) return one;
    }
    machine.frameworks->emplace_back();
    Framework& added = machine.frameworks->back();
    added.id = id, added.title = title;
    if (id == "torch")
      added.package =
          "pip install torch --index-url https://download.pytorch.org/whl/cu128 (or the one for your driver)";
    return added;
  }

  static void SetTorchVersion(Framework& torch, std::string_view version) {
    torch.version = std::string(version.substr(0, 40));
    const size_t plus = torch.version.find('+');
    if (plus == std::string::npos) return;
    // The local part of the version: "+cpu", "+cu121", "+rocm6.2", "+xpu".
    const std::string local = torch.version.substr(plus + 1);
    if (local.starts_with("cpu")) torch.build = Build::kCpu;
    else if (local.starts_with("rocm")) torch.build = Build::kRocm;
    else if (local.starts_with("xpu")) torch.build = Build::kXpu;
    else if (local.starts_with("cu") && local.size() >= 5 && std::isdigit(static_cast<unsigned char>(local[2])) != 0) {
      torch.build = Build::kCuda;
      if (torch.cuda.empty()) torch.cuda = local.substr(2, 2) + "." + local.substr(4, 1);
    }
  }

  bool Torch(std::string_view text, Machine& machine) {
    for (const std::string_view key : {"PyTorch version:", "torch.__version__:", "torch.__version__ ="}) {
      if (const auto value = Behind(text, key)) {
        SetTorchVersion(Get(machine, "torch", "PyTorch"), Unquoted(*value));
        return true;
      }
    }
    for (const std::string_view key :
         {"CUDA used to build PyTorch:", "torch.version.cuda:", "torch.version.cuda =", "torch.version.cuda"}) {
      const auto value = Behind(text, key);
      if (!value || (key == "torch.version.cuda" && value->size() > 8)) continue;
      Framework& torch = Get(machine, "torch", "PyTorch");
      const std::string_view cuda = Unquoted(*value);
      if (!IsNone(cuda)) torch.build = Build::kCuda, torch.cuda = std::string(cuda.substr(0, 16));
      else if (torch.build == Build::kUnknown || torch.build == Build::kCuda)
        torch.build = Build::kCpu, torch.cuda.clear();
      return true;
    }
    if (const auto value = Behind(text, "ROCM used to build PyTorch:")) {
      if (!IsNone(*value)) Get(machine, "torch", "PyTorch").build = Build::kRocm;
      return true;
    }
    for (const std::string_view key :
         {"Is CUDA available:", "torch.cuda.is_available():", "torch.cuda.is_available() ="}) {
      if (const auto value = Behind(text, key)) {
        Get(machine, "torch", "PyTorch").is_available = value->starts_with("True") || value->starts_with("Yes");
        return true;
      }
    }
    if (text.find("Torch not compiled with CUDA enabled") != std::string_view::npos) {
      Framework& torch = Get(machine, "torch", "PyTorch");
      if (torch.build == Build::kUnknown) torch.build = Build::kCpu;
      return true;
    }
    return false;
  }

  static std::string_view Unquoted(std::string_view value) {
    while (!value.empty() && (value.front() == '\'' || value.front() == '"')) value.remove_prefix(1);
    return value.substr(0, value.find_first_of("'\" ,"));
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
      Framework& torch = Get(machine, "torch", "PyTorch");
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
    }
    if (version.empty() || std::isdigit(static_cast<unsigned char>(version[0])) == 0 ||
        version.find('.') == std::string_view::npos)
      return false;
    version = version.substr(0, 40);
    if (name == "torch") {
      SetTorchVersion(Get(machine, "torch", "PyTorch"), version);
    } else if (name == "tensorflow" || name == "tensorflow-cpu" || name == "tensorflow-gpu") {
      Framework& one = Get(machine, "tensorflow", "TensorFlow");
      one.version = version;
      if (name == "tensorflow-cpu") one.build = Build::kCpu, one.package = "pip install 'tensorflow[and-cuda]'";
    } else if (name == "jax" || name == "jaxlib") {
      Get(machine, "jax", "JAX").version = version;
    } else if (name.starts_with("jax-cuda")) {
      Framework& one = Get(machine, "jax", "JAX");
      one.build = Build::kCuda, one.cuda = std::string(name.substr(8, 2));
    } else if (name == "paddlepaddle" || name == "paddlepaddle-gpu") {
      Framework& one = Get(machine, "paddle", "PaddlePaddle");
      one.version = version;
      one.build = name == "paddlepaddle" ? Build::kCpu : Build::kCuda;
      one.package = "pip install paddlepaddle-gpu";
    } else {
      return false;
    }
    return true;
  }

  bool Devices(std::string_view text, Machine& machine) {
    if (const auto driver = Behind(text, "Nvidia driver version:")) {
      if (!IsNone(*driver)) machine.driver_version = VersionIn(*driver);
      return true;
    }
    const bool heading = text.starts_with("GPU models and configuration:");
    const std::string_view row = heading ? Trim(text.substr(29)) : text;
    // "GPU 0: NVIDIA GeForce RTX 4090"; of nvidia-smi -L with the UUID behind it, which its importer reads.
    if (row.starts_with("GPU ") && row.find(": ") != std::string_view::npos &&
        row.find("UUID") == std::string_view::npos) {
      const auto index = Count(row.substr(4, row.find(':') - 4));
      if (!index || *index > 4096) return heading;
      Gpu gpu;
      gpu.index = static_cast<unsigned>(*index);
      gpu.name = std::string(row.substr(row.find(": ") + 2, 80));
      const bool known =
          std::any_of(machine.gpus.begin(), machine.gpus.end(), [&](const Gpu& one) { return one.index == gpu.index; });
      if (!known) machine.gpus.push_back(std::move(gpu));
      return true;
    }
    return heading;
  }

  std::optional<std::pair<int, int>> capability_;
  std::string device_;
};

}  // namespace

std::unique_ptr<LineReader> Make_collect_env() { return std::make_unique<CollectEnv>(); }

}  // namespace warpscope::doctor::read
