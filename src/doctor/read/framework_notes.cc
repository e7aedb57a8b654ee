#include "doctor/read/framework_notes.h"

#include <algorithm>
#include <cctype>

#include "doctor/read/line_reader.h"

namespace warpscope::doctor::read {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "cuda12.1", "cuda_12.1", "cuda118", "cuda126" in the name of a conda build as "12.1", "11.8"; "" if there is none.
std::string CudaOfBuild(std::string_view build) {
  const size_t at = build.find("cuda");
  if (at == std::string_view::npos) return {};
  size_t begin = at + 4;
  if (begin < build.size() && build[begin] == '_') ++begin;
  size_t end = begin;
  while (end < build.size() && (IsDigit(build[end]) || build[end] == '.')) ++end;
  std::string digits(build.substr(begin, end - begin));
  constexpr size_t kWithoutPoint = 3;  // "118": eleven point eight
  if (digits.size() == kWithoutPoint && digits.find('.') == std::string::npos) digits.insert(2, ".");
  return digits;
}

}  // namespace

Framework& FrameworkOf(Machine& machine, std::string_view id, std::string_view title) {
  if (!machine.frameworks) machine.frameworks.emplace();
  for (Framework& one : *machine.frameworks) {
    if (one.id == id) return one;
  }
  machine.frameworks->emplace_back();
  machine.frameworks->back().id = id, machine.frameworks->back().title = title;
  return machine.frameworks->back();
}

Framework& TorchOf(Machine& machine) { return FrameworkOf(machine, "torch", "PyTorch"); }

void SetTorchVersion(Framework& torch, std::string_view version) {
  torch.version = std::string(version.substr(0, 40));
  const size_t plus = torch.version.find('+');
  if (plus == std::string::npos) return;
  const std::string local = torch.version.substr(plus + 1);
  if (local.starts_with("cpu")) torch.build = Build::kCpu;
  else if (local.starts_with("rocm")) torch.build = Build::kRocm;
  else if (local.starts_with("xpu")) torch.build = Build::kXpu;
  else if (local.starts_with("cu") && local.size() >= 5 && IsDigit(local[2])) {
    torch.build = Build::kCuda;
    if (torch.cuda.empty()) torch.cuda = local.substr(2, 2) + "." + local.substr(4, 1);
  }
}

void SetTorchCuda(Framework& torch, std::string_view cuda) {
  if (!IsNone(cuda)) {
    // Only a version tells one: a note may stand in its place.
    if (!IsDigit(cuda[0])) return;
    torch.build = Build::kCuda, torch.cuda = std::string(cuda.substr(0, 16));
  } else if (cuda != "Could not collect" && (torch.build == Build::kUnknown || torch.build == Build::kCuda)) {
    torch.build = Build::kCpu, torch.cuda.clear();
  }
}

bool TakeInstalled(std::string_view name, std::string_view version, Machine& machine, std::string_view build) {
  if (version.empty() || !IsDigit(version[0]) || version.find('.') == std::string_view::npos) return false;
  version = version.substr(0, 40);
  if (name == "torch" || name == "pytorch" || name == "pytorch-cpu" || name == "pytorch-gpu") {
    Framework& torch = TorchOf(machine);
    // pip tells more of it than conda.
    if (torch.version.empty() || name == "torch") SetTorchVersion(torch, version);
    if (name == "pytorch-cpu" || build.find("cpu") != std::string_view::npos) torch.build = Build::kCpu;
    if (const std::string cuda = CudaOfBuild(build); !cuda.empty()) torch.build = Build::kCuda, torch.cuda = cuda;
  } else if (name == "tensorflow" || name == "tensorflow-cpu" || name == "tensorflow-gpu") {
    Framework& one = FrameworkOf(machine, "tensorflow", "TensorFlow");
    one.version = version;
    if (name == "tensorflow-cpu") one.build = Build::kCpu, one.package = "pip install 'tensorflow[and-cuda]'";
  } else if (name == "jax" || name == "jaxlib") {
    FrameworkOf(machine, "jax", "JAX").version = version;
  } else if (name.starts_with("jax-cuda")) {
    Framework& one = FrameworkOf(machine, "jax", "JAX");
    one.build = Build::kCuda, one.cuda = std::string(name.substr(8, 2));
  } else if (name == "paddlepaddle" || name == "paddlepaddle-gpu") {
    Framework& one = FrameworkOf(machine, "paddle", "PaddlePaddle");
    one.version = version;
    one.build = name == "paddlepaddle" ? Build::kCpu : Build::kCuda;
    one.package = "pip install paddlepaddle-gpu";
  } else {
    return false;
  }
  return true;
}

bool IsNone(std::string_view value) {
  return value == "None" || value == "N/A" || value.empty() || value == "Could not collect";
}

std::string_view Unquoted(std::string_view value) {
  while (!value.empty() && (value.front() == '\'' || value.front() == '"')) value.remove_prefix(1);
  return value.substr(0, value.find_first_of("'\" ,"));
}

std::vector<std::string> ArchsIn(std::string_view text) {
  std::vector<std::string> archs;
  for (const std::string_view start : {"sm_", "compute_"}) {
    for (size_t at = text.find(start); at != std::string_view::npos && archs.size() < 64;
         at = text.find(start, at + 1)) {
      size_t end = at + start.size();
      while (end < text.size() && IsDigit(text[end])) ++end;
      if (end == at + start.size() || end > at + start.size() + 3) continue;
      if (end < text.size() && (text[end] == 'a' || text[end] == 'f')) ++end;
      archs.emplace_back(text.substr(at, end - at));
    }
  }
  return archs;
}

}  // namespace warpscope::doctor::read
