#include "record/system.h"

#include <cctype>
#include <charconv>

namespace warpscope::record {
namespace {

constexpr size_t kMostValueBytes = 4096;
constexpr const char* kBlank = " \t\r\n";

}  // namespace

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string FirstLineOf(const System& system, const std::string& path) {
  const auto text = system.Read(path, kMostValueBytes);
  return text ? Trimmed(text->substr(0, text->find('\n'))) : std::string();
}

std::string ValueIn(const System& system, const std::string& path, const std::string& key, char separator) {
  const auto text = system.Read(path);
  if (!text) return {};
  for (const std::string& line : Split(*text, '\n')) {
    const size_t at = line.find(separator);
    if (line.rfind(key, 0) != 0 || at == std::string::npos) continue;
    std::string value = Trimmed(line.substr(at + 1, kMostValueBytes));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return value;
  }
  return {};
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::optional<uint64_t> NumberIn(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string ContainerKind(const System& system) {
  if (system.Variable("KUBERNETES_SERVICE_HOST")) return "kubernetes";
  if (system.Exists("/.dockerenv")) return "docker";
  if (system.Exists("/run/.containerenv")) return "podman";
  if (system.Exists("/.singularity.d")) return "apptainer";
  const std::string named = Lower(system.Variable("container").value_or(""));
  if (named == "lxc" || named == "podman" || named == "docker") return named;
  const std::string groups = system.Read("/proc/1/cgroup").value_or("") + system.Read("/proc/self/cgroup").value_or("");
  for (const auto& [word, kind] : {std::pair{"kubepods", "kubernetes"},
                                   {"libpod", "podman"},
                                   {"docker", "docker"},
                                   {"containerd", "container"},
                                   {"lxc", "lxc"}}) {
    if (groups.find(word) != std::string::npos) return kind;
  }
  return named.empty() ? std::string() : "container";
}

bool IsWsl(const System& system) {
  return Lower(FirstLineOf(system, "/proc/sys/kernel/osrelease")).find("microsoft") != std::string::npos;
}

}  // namespace warpscope::record
