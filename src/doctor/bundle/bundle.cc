#include "doctor/bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "doctor/bundle/archive.h"
#include "doctor/bundle/masker.h"
#include "record/environment.h"
#include "record/redact.h"

namespace warpscope::doctor {
namespace {

constexpr size_t kMostText = 16u << 20;

// Files of the machine that tell its driver; none of them names a person.
constexpr std::array kFiles = {"/proc/driver/nvidia/version",
                               "/proc/driver/nvidia/params",
                               "/proc/modules",
                               "/proc/cmdline",
                               "/proc/meminfo",
                               "/etc/os-release",
                               "/proc/sys/kernel/osrelease",
                               "/sys/fs/cgroup/cpu.max"};

// "logs/dmesg.txt" of "/home/me/logs/dmesg.txt": the last part, made safe and told apart.
std::string SafeName(const std::string& path, std::set<std::string>& taken) {
  std::string name = record::BaseName(path);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        return std::string_view("/\\:*?\"<>| ").find(c) != std::string_view::npos ||
               static_cast<unsigned char>(c) < 0x20;
      },
      '_');
  constexpr size_t kLongest = 60;
  if (name.ends_with(".gz")) name.resize(name.size() - 3);  // it is inflated
  if (name.size() > kLongest) name = name.substr(name.size() - kLongest);
  if (name.empty() || name == "." || name == "..") name = "input";
  std::string unique = name;
  for (int i = 2; !taken.insert(unique).second; ++i) unique = fmt::format("{}.{}", name, i);
  return unique;
}

// "gpu-7-maria.log": the whole, then each word between dashes, dots and bars.
std::string MaskedName(std::string_view name, Masker& masker) {
  const auto masked = [&](std::string_view text) {
    std::string hidden = masker.Masked(text);
    while (hidden.ends_with('\n')) hidden.pop_back();
    return hidden;
  };
  const std::string whole = masked(name);
  std::string words;
  for (size_t begin = 0; begin <= whole.size();) {
    const size_t end = std::min(whole.find_first_of("-_.", begin), whole.size());
    words += masked(std::string_view(whole).substr(begin, end - begin));
    if (end < whole.size()) words += whole[end];
    begin = end + 1;
  }
  return words;
}

std::string Variables(const record::System& system) {
  std::string text;
  for (const auto& [name, value] : system.Variables()) {
    if (record::IsShownVariable(name)) text += name + "=" + record::RedactedValue(name, value) + "\n";
  }
  return text;
}

}  // namespace

std::string GpuLines(std::string_view log) {
  constexpr std::array<std::string_view, 20> kWords = {
      "nvrm",  "nvidia",         "nouveau",        "xid",      "amdgpu",
      "kfd",   "i915",           " xe ",           "davinci",  "pcieport",
      "aer:",  "pcie bus error", "out of memory",  "oom-kill", "oom_reaper",
      "iommu", "mce:",           "hardware error", "nvswitch", "libcuda"};
  std::string lines;
  for (size_t begin = 0; begin < log.size();) {
    const size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view line = log.substr(begin, end - begin);
    begin = end + 1;
    const std::string lower = record::Lower(std::string(line.substr(0, 1024)));
    if (std::any_of(kWords.begin(), kWords.end(),
                    [&](std::string_view word) { return lower.find(word) != std::string::npos; }))
      lines.append(line).push_back('\n');
  }
  return lines;
}

Bundle MakeBundle(const BundleRequest& request) {
  Masker masker;
  if (request.system != nullptr) {
    masker.AddHost(record::FirstLineOf(*request.system, "/proc/sys/kernel/hostname"));
    for (const char* name : {"USER", "LOGNAME", "SUDO_USER"})
      masker.AddUser(request.system->Variable(name).value_or(""));
    masker.AddUser(record::BaseName(request.system->Variable("HOME").value_or("")));
  }
  std::vector<ArchiveFile> files = {{"report.txt", request.report_text}, {"report.json", request.report_json}};
  std::set<std::string> taken;
  for (const auto& [name, text] : request.texts) {
    const size_t from = text.size() > kMostText ? text.find('\n', text.size() - kMostText) : 0;
    files.push_back({"files/" + SafeName(name, taken), from == std::string::npos ? std::string() : text.substr(from)});
  }
  if (request.system != nullptr) {
    for (const char* path : kFiles) {
      if (const auto text = request.system->Read(path, 256u << 10))
        files.push_back({"machine" + std::string(path), *text});
    }
    files.push_back({"machine/variables", Variables(*request.system)});
  }
  for (const ArchiveFile& file : files) masker.Learn(file.text);
  for (ArchiveFile& file : files) file.text = masker.Masked(file.text);
  // People name their files after hosts and themselves.
  constexpr std::string_view kGiven = "files/";
  std::set<std::string> names;
  for (ArchiveFile& file : files) {
    if (!file.name.starts_with(kGiven)) continue;
    file.name = std::string(kGiven) + SafeName(MaskedName(file.name.substr(kGiven.size()), masker), names);
  }
  std::string about =
      "What `warpscope doctor --bundle` wrote. Secrets, names of hosts and people, serial numbers, UUIDs and network\n"
      "addresses are masked: the same word has the same mask in every file. Look through it before you pass it on.\n\n";
  for (const ArchiveFile& file : files) about += fmt::format("{}  {} bytes\n", file.name, file.text.size());
  about += fmt::format("\n{} places were masked.\n", masker.hidden_count());
  files.insert(files.begin(), {"README.txt", about});
  for (ArchiveFile& file : files) file.name.insert(0, "warpscope-bundle/");
  return {MakeTarGz(files), files.size(), masker.hidden_count()};
}

}  // namespace warpscope::doctor
