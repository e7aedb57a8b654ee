#include "import/nsys_rep/nsys_rep_importer.h"

#include <algorithm>

#include "import/nsys_rep/run_nsys.h"
#include "import/sqlite/sqlite_importer.h"

namespace warpscope::import::nsys_rep {
namespace {

constexpr std::string_view kMagic = "NVIDIA Tegra Profiler Report";
constexpr size_t kSearchBytes = 512;

Confidence Sniff(const Head& head) {
  return head.bytes.substr(0, kSearchBytes).find(kMagic) != std::string_view::npos ? Confidence::kYes : Confidence::kNo;
}

// "NVIDIA Tegra Profiler Report 2026@2@1@210..." (from 2023.4) -> "2026.2.1"; older reports say only "1".
std::string VersionOf(std::string_view head) {
  const size_t at = head.find(kMagic);
  if (at == std::string_view::npos) return {};
  std::string_view text = head.substr(at + kMagic.size());
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::string version;
  int parts = 1;
  for (const char c : text.substr(0, 32)) {
    if (c == '@' && ++parts <= 3) version += '.';
    else if (c >= '0' && c <= '9') version += c;
    else break;
  }
  while (!version.empty() && version.back() == '.') version.pop_back();
  return version.size() > 1 ? version : std::string();
}

std::string Quoted(const std::string& path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '_' || c == '-' || c == '+' || c == ',';
  });
  if (plain) return path;
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string ExportCommand(const std::string& path) {
  std::string name = path;
  for (const std::string_view ending : {".nsys-rep", ".qdrep", ".gz"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return "nsys export --type sqlite --output " + Quoted(name + ".sqlite") + " " + Quoted(path);
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  std::string head(kSearchBytes, '\0');
  WS_ASSIGN_OR_RETURN(const size_t size, bytes.Read(head.data(), head.size()));
  head.resize(size);
  const std::string version = VersionOf(head);
  const std::string what = path + ": byte 0: this is a report of Nsight Systems " +
                           (version.empty() ? std::string("2023.3 or older") : version) +
                           ", in a format that only nsys itself reads";
  const std::string advice = "Run: " + ExportCommand(path) + " and give the .sqlite file.";
  const std::string program = FindNsys();
  if (program.empty() || bytes.plain_path().empty())
    return Status(StatusCode::kUnsupported,
                  what + (program.empty() ? " (nsys is not on the PATH here). " : ". ") + advice);
  auto exported = RunNsysExport(program, bytes.plain_path());
  if (!exported.ok()) {
    return Status(StatusCode::kUnsupported,
                  what + ". nsys was run, but " + exported.status().message() +
                      ". An nsys older than the one that recorded cannot read it: use " +
                      (version.empty() ? std::string("that version") : "version " + version + " or newer") + ". " +
                      advice);
  }
  WS_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> database, OpenFile(exported->file()));
  const size_t first = trace->sources.size();
  WS_RETURN_IF_ERROR(sqlite::kImporter.read(*database, path, options, trace));
  if (trace->sources.size() > first && trace->sources[first].version.empty()) trace->sources[first].version = version;
  return Status::Ok();
}

}  // namespace

const Importer kImporter = {"nsys_rep", "Nsight Systems report", &Sniff, &Read};

}  // namespace warpscope::import::nsys_rep
