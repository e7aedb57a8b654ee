#include "import/foreign_text.h"

#include <algorithm>
#include <string>

namespace warpscope::import {
namespace {

constexpr size_t kLookedAtBytes = size_t{64} << 10;

bool Has(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }
bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

template <typename F>
bool AnyLine(std::string_view text, size_t max_lines, const F& matches) {
  for (size_t begin = 0, line = 0; begin < text.size() && line < max_lines; ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (matches(text.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

// "0001:00:00.0 3D controller [0302]: ..." or "06:00.0 VGA compatible controller: ...".
bool IsPciLine(std::string_view line) {
  size_t at = 0;
  const auto hex = [&](size_t count) {
    const size_t begin = at;
    while (at < line.size() && at - begin < count && IsHex(line[at])) ++at;
    return at - begin == count;
  };
  const auto mark = [&](char c) { return at < line.size() && line[at] == c && ++at > 0; };
  if (line.size() > 12 && line[4] == ':' && (!hex(4) || !mark(':'))) return false;
  return hex(2) && mark(':') && hex(2) && mark('.') && hex(1) && mark(' ') && Has(line.substr(at), ": ");
}

// "[    2.608284] ...", "<6>[ ...", "[Thu Jul 18 16:03:50 2024] ...", "kern  :warn  : 2025-...",
// "6,3964,206764307,-;..."
bool IsKernelLine(std::string_view line) {
  if (line.size() > 4 && line[0] == '<' && IsDigit(line[1]))
    line.remove_prefix(std::min(line.find('>') + 1, line.size()));
  if (line.substr(0, 5) == "kern ") return Has(line, ":");
  if (line.size() > 12 && line[0] == '[') {
    const std::string_view inside = line.substr(1, std::min(line.find(']'), line.size()) - 1);
    const bool seconds = !inside.empty() && Has(inside, ".") && std::all_of(inside.begin(), inside.end(), [](char c) {
      return IsDigit(c) || c == '.' || c == ' ';
    });
    const bool date = inside.size() == 24 && inside[13] == ':' && inside[16] == ':';
    return seconds || date;
  }
  const size_t semicolon = line.find(",-;");
  return semicolon != std::string_view::npos && semicolon < 60 && IsDigit(line[0]);
}

constexpr std::string_view kFaults =
    "`warpscope faults FILE` reads it and says which device failed, why and who must act; `warpscope doctor --log "
    "FILE` "
    "judges the machine with it. A timeline (torch.profiler, nsys) says where a program's time goes.";

}  // namespace

std::optional<ForeignText> NameForeignText(std::string_view head) {
  const std::string_view text = head.substr(0, kLookedAtBytes);
  if (Has(text.substr(0, 4096), "NVIDIA bug report log")) {
    return ForeignText{"an nvidia-bug-report log (a collection of many tools' outputs)",
                       "It is not read as a whole. Give the part that nvidia-smi -q printed, or a timeline."};
  }
  if (Has(text, "    Section: ") && Has(text, ", Context ") && Has(text, ", Stream ")) {
    return ForeignText{
        "a page that Nsight Compute printed for people",
        "Give the report itself (.ncu-rep), or print it as data: ncu --import REPORT.ncu-rep --csv --page raw"};
  }
  if (text.substr(0, 4) == "CA '" && Has(text, "Port ")) {
    return ForeignText{
        "the output of ibstat (state of InfiniBand ports)",
        "It says nothing about the time of a program. Record the ranks with torch.profiler and give their traces."};
  }
  if (AnyLine(text, 3, [](std::string_view line) { return IsPciLine(line); })) {
    return ForeignText{
        "a list of PCI devices (lspci)",
        "It says nothing about the time of a program. Give what nvidia-smi -q prints to see the link of each GPU."};
  }
  if (Has(text, "DCGM_FI_") && Has(text, "gauge,")) {
    return ForeignText{"a list of fields for dcgm-exporter (its configuration), not what it measured",
                       "Give a scrape of the exporter: curl -s localhost:9400/metrics > dcgm.txt"};
  }
  const bool fabric = AnyLine(text, 20, [](std::string_view line) {
    return Has(line, "] [tid ") && (Has(line, "[INFO]") || Has(line, "[ERROR]") || Has(line, "[WARNING]"));
  });
  if (fabric) return ForeignText{"a log of NVIDIA's Fabric Manager (NVSwitch)", kFaults};
  if (Has(text, "NVRM: Xid") || Has(text, "SXid (PCI") || Has(text, "NVRM: GPU"))
    return ForeignText{"a kernel log with error reports of an NVIDIA driver (Xid)", kFaults};
  if (AnyLine(text, 20, [](std::string_view line) { return IsKernelLine(line); }))
    return ForeignText{"a kernel log (dmesg)", kFaults};
  return std::nullopt;
}

}  // namespace warpscope::import
