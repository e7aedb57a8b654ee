// Frameworks by their files: version, what they were built for, architectures. Nothing is imported.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/probe/probe.h"

namespace warpscope::doctor {
namespace {

constexpr size_t kMostBytes = 64u << 10;

const record::Package* Find(const std::vector<record::Package>& packages, std::string_view name) {
  const auto found = std::find_if(packages.begin(), packages.end(), [&](const auto& one) { return one.name == name; });
  return found == packages.end() ? nullptr : &*found;
}

// The value that begins at `begin` on its line: up to what ends a word or a quoted text.
std::string ValueAt(const std::string& text, size_t begin) {
  const size_t line_end = std::min(text.find('\n', begin), text.size());
  begin = text.find_first_not_of(" ,:'\"", begin);
  if (begin == std::string::npos || begin >= line_end) return {};
  return text.substr(begin, std::min(text.find_first_of("'\",)]} \n\r", begin), text.size()) - begin);
}

// The word behind a key in Python text: an assignment "cuda: Optional[str] = '13.0'", or a pair "('cuda_version',
// '12.5.1')". "None" and "False" are kept as they stand; "" if the key is not there.
std::string PythonValue(const std::string& text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const size_t end = std::min(text.find('\n', at), text.size()), equals = text.find('=', at);
    const char after = at + key.size() < text.size() ? text[at + key.size()] : '\n';
    const bool is_name = (at == 0 || text[at - 1] == '\n') && (after == ' ' || after == ':' || after == '=');
    if (is_name && equals < end) return ValueAt(text, equals + 1);
  }
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    const size_t at = text.find(quoted);
    if (at != std::string::npos) return ValueAt(text, at + quoted.size());
  }
  return {};
}

// The items of a list behind a key: "'cuda_compute_capabilities', ['sm_60', 'compute_90']".
std::vector<std::string> PythonList(const std::string& text, std::string_view key) {
  std::vector<std::string> items;
  const size_t at = text.find(key), open = at == std::string::npos ? at : text.find('[', at);
  const size_t close = open == std::string::npos ? open : text.find(']', open);
  if (close == std::string::npos || open - at > 40) return items;
  for (std::string item : record::Split(text.substr(open + 1, close - open - 1), ',')) {
    std::erase_if(item, [](char c) { return c == '\'' || c == '"' || c == ' '; });
    if (!item.empty()) items.push_back(std::move(item));
  }
  return items;
}

bool IsSet(const std::string& value) { return !value.empty() && value != "None" && value != "False"; }

std::string FolderWith(const record::System& system, const record::Python& python, const std::string& path) {
  for (const std::string& folder : python.folders) {
    if (system.Exists(folder + path)) return folder;
  }
  return {};
}

void Torch(const record::System& system, const record::Python& python, std::vector<Framework>& all) {
  const std::string folder = FolderWith(system, python, "/torch/version.py");
  if (folder.empty()) return;
  const std::string text = system.Read(folder + "/torch/version.py", kMostBytes).value_or("");
  Framework one;
  one.id = "torch", one.title = "PyTorch", one.folder = folder;
  one.version = PythonValue(text, "__version__");
  const std::string cuda = PythonValue(text, "cuda"), hip = PythonValue(text, "hip"), xpu = PythonValue(text, "xpu");
  if (IsSet(cuda)) one.build = Build::kCuda, one.cuda = cuda;
  else if (IsSet(hip)) one.build = Build::kRocm;
  else if (IsSet(xpu)) one.build = Build::kXpu;
  else one.build = Build::kCpu;
  if (one.build == Build::kCuda) {
    one.archs = ArchsInText(system, folder + "/torch/lib/libtorch_python.so");
    if (one.archs.empty()) one.archs = ArchsInLibrary(system, folder + "/torch/lib/libtorch_cuda.so");
  }
  all.push_back(std::move(one));
}

void TensorFlow(const record::System& system, const record::Python& python,
                const std::vector<record::Package>& packages, std::vector<Framework>& all) {
  const std::string path = "/tensorflow/python/platform/build_info.py";
  const std::string folder = FolderWith(system, python, path);
  Framework one;
  one.id = "tensorflow", one.title = "TensorFlow", one.folder = folder;
  const record::Package* package = nullptr;
  for (const char* name : {"tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-rocm"}) {
    if (package == nullptr) package = Find(packages, name);
  }
  if (package == nullptr && folder.empty()) return;
  if (package != nullptr) one.version = package->version;
  const std::string text = system.Read(folder + path, kMostBytes).value_or("");
  if (PythonValue(text, "is_cuda_build") == "True") one.build = Build::kCuda;
  else if (PythonValue(text, "is_rocm_build") == "True") one.build = Build::kRocm;
  else if (!text.empty() || (package != nullptr && package->name == "tensorflow-cpu")) one.build = Build::kCpu;
  one.cuda = PythonValue(text, "cuda_version"), one.cudnn = PythonValue(text, "cudnn_version");
  one.archs = PythonList(text, "cuda_compute_capabilities");
  one.package = "pip install 'tensorflow[and-cuda]'";
  all.push_back(std::move(one));
}

void Jax(const std::vector<record::Package>& packages, std::vector<Framework>& all) {
  const record::Package* jaxlib = Find(packages, "jaxlib");
  const record::Package* jax = Find(packages, "jax");
  if (jaxlib == nullptr && jax == nullptr) return;
  Framework one;
  one.id = "jax", one.title = "JAX", one.version = (jax != nullptr ? jax : jaxlib)->version;
  one.folder = (jax != nullptr ? jax : jaxlib)->folder;
  one.build = Build::kCpu;
  one.package = "pip install 'jax[cuda13]' (or cuda12)";
  for (const record::Package& package : packages) {
    // "jax-cuda12-plugin": kernels of JAX live in plugins since 0.4.26; before, jaxlib's version told
    // ("+cuda12.cudnn89").
    if (package.name.starts_with("jax-cuda"))
      one.build = Build::kCuda, one.cuda = package.name.substr(8, package.name.find('-', 8) - 8);
    if (package.name.starts_with("jax-rocm")) one.build = Build::kRocm;
  }
  if (jaxlib != nullptr) {
    if (const size_t at = jaxlib->version.find("+cuda"); at != std::string::npos)
      one.build = Build::kCuda, one.cuda = jaxlib->version.substr(at + 5, jaxlib->version.find('.', at) - at - 5);
  }
  all.push_back(std::move(one));
}

void Paddle(const record::System& system, const record::Python& python, const std::vector<record::Package>& packages,
            std::vector<Framework>& all) {
  const std::string path = "/paddle/version/__init__.py";
  const std::string folder = FolderWith(system, python, path);
  const record::Package* gpu = Find(packages, "paddlepaddle-gpu");
  const record::Package* cpu = Find(packages, "paddlepaddle");
  if (folder.empty() && gpu == nullptr && cpu == nullptr) return;
  const std::string text = system.Read(folder + path, kMostBytes).value_or("");
  Framework one;
  one.id = "paddle", one.title = "PaddlePaddle", one.folder = folder;
  one.version = PythonValue(text, "full_version");
  if (one.version.empty() && (gpu != nullptr || cpu != nullptr)) one.version = (gpu != nullptr ? gpu : cpu)->version;
  const std::string cuda = PythonValue(text, "cuda_version");
  const bool with_gpu = PythonValue(text, "with_gpu") == "ON" || (IsSet(cuda) && cuda != "False");
  if (with_gpu || (text.empty() && gpu != nullptr)) one.build = Build::kCuda, one.cuda = IsSet(cuda) ? cuda : "";
  else one.build = Build::kCpu;
  one.cudnn = PythonValue(text, "cudnn_version");
  one.package = "pip install paddlepaddle-gpu";
  if (one.build == Build::kCuda) one.archs = ArchsInLibrary(system, folder + "/paddle/base/libpaddle.so");
  all.push_back(std::move(one));
}

}  // namespace

void ProbeFrameworks(const record::System& system, const std::optional<record::Python>& python, Machine& machine) {
  machine.frameworks.emplace();
  if (!python) return;
  const std::vector<record::Package> packages = record::PackagesOf(system, *python);
  Torch(system, *python, *machine.frameworks);
  TensorFlow(system, *python, packages, *machine.frameworks);
  Jax(packages, *machine.frameworks);
  Paddle(system, *python, packages, *machine.frameworks);
}

}  // namespace warpscope::doctor
