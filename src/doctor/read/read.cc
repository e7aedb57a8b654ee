#include "doctor/read/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "doctor/inputs.h"
#include "doctor/probe/probe.h"
#include "doctor/read/line_reader.h"
#include "doctor/read/monitor.h"
#include "doctor/words.h"
#include "faults/scanner.h"
#include "import/container/byte_source.h"

namespace warpscope::doctor {
namespace {

struct Reader {
  std::unique_ptr<read::LineReader> lines;
  std::string_view title;
  uint64_t taken = 0;
};

std::vector<Reader> MakeReaders() {
  std::vector<Reader> readers;
#define WS_READER(file, title) readers.push_back({read::Make_##file(), title, 0});
#include "doctor/read/readers.def"
#undef WS_READER
  return readers;
}

// Bytes that are no text: UTF-16 becomes readable by leaving its zero bytes out.
std::string PlainText(std::string_view bytes) {
  std::string text(bytes);
  const size_t zeros = static_cast<size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(text.size(), 4096)), '\0'));
  if (zeros > 0) std::erase(text, '\0');
  return text;
}

std::string ListOf(const std::vector<std::string>& words) {
  return words.empty() ? std::string(kNothingKnown) : Joined(words, 8);
}

}  // namespace

struct FactFiles::Parts {
  Machine machine;
  faults::MachineFacts log_machine;
  faults::BurstFolder folder;
  std::unique_ptr<faults::Scanner> scanner;
  explain::Reader errors;
  uint64_t events = 0;
  bool has_logs = false, has_errors = false;
};

FactFiles::FactFiles(bool keeps_texts) : parts_(std::make_unique<Parts>()), keeps_texts_(keeps_texts) {
  parts_->scanner = std::make_unique<faults::Scanner>(&parts_->log_machine, [this](faults::Event event) {
    ++parts_->events;
    parts_->folder.Add(std::move(event));
  });
}
FactFiles::~FactFiles() = default;

Status FactFiles::AddFile(const std::string& path) {
  WS_ASSIGN_OR_RETURN(auto file, import::OpenFile(path));
  auto peeked = std::make_unique<import::PeekSource>(std::move(file));
  WS_ASSIGN_OR_RETURN(const std::string_view head, peeked->Peek(4096));
  std::unique_ptr<import::ByteSource> source = std::move(peeked);
  if (import::LooksLikeGzip(head)) source = import::OpenGzip(std::move(source));
  std::string text, buffer(1u << 16, '\0');
  while (text.size() < kMostBytes) {
    WS_ASSIGN_OR_RETURN(const size_t size, source->Read(buffer.data(), buffer.size()));
    if (size == 0) break;
    text.append(buffer, 0, size);
  }
  AddText(text, path == "-" ? "standard input" : path);
  if (keeps_texts_) texts_.emplace_back(path, text);
  if (text.size() >= kMostBytes) parts_->machine.inputs.back() += "; cut at 64 MiB";
  return Status::Ok();
}

void FactFiles::AddText(std::string_view bytes, const std::string& name) {
  Machine& machine = parts_->machine;
  std::vector<std::string> told;
  const read::MonitorResult monitor = read::ReadMonitor(bytes, name, machine);
  if (!monitor.told.empty()) told.push_back(monitor.told);
  if (monitor.is_recording) {
    machine.inputs.push_back(
        fmt::format("{}: {}; {}. Open it: warpscope {}", name, monitor.told, kRecordingTells, name));
    return;
  }
  const std::string text = PlainText(bytes);
  std::vector<Reader> readers = MakeReaders();
  std::string others;  // lines that nobody took: they may hold errors of programs
  constexpr size_t kMostOthers = 4u << 20;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    bool taken = false;
    for (Reader& reader : readers) {
      if (!reader.lines->Line(line.substr(0, read::LineReader::kMostLine), machine)) continue;
      ++reader.taken;
      taken = true;
    }
    if (!taken && others.size() < kMostOthers) others.append(line).push_back('\n');
  }
  for (Reader& reader : readers) {
    reader.lines->End(machine);
    if (reader.taken > 0) told.emplace_back(reader.title);
  }
  const uint64_t before = parts_->events;
  parts_->scanner->BeginLog(name);
  parts_->scanner->Feed(bytes);
  parts_->scanner->EndLog();
  const uint64_t events = parts_->events - before;
  const bool has_times = parts_->scanner->logs().back().first.clock != faults::Clock::kNone;
  const bool has_errors =
      told.empty() && events == 0 && !monitor.is_whole && !explain::Explain(others).findings.empty();
  const bool is_log = !monitor.is_whole && (has_times || has_errors);
  if (events > 0) told.push_back("a log with " + Plural(events, "line") + " of faults");
  if (told.empty() && has_times) told.emplace_back("a log without a fault of a GPU");
  if (told.empty() && has_errors) told.emplace_back("errors of a program");
  parts_->has_logs = parts_->has_logs || events > 0 || is_log;
  // Messages of programs: not in what is a kernel log, where the same words are the kernel's.
  if (events == 0 && !monitor.is_whole) {
    parts_->errors.Feed(others);
    parts_->has_errors = true;
  }
  machine.inputs.push_back(fmt::format("{}: {}", name, ListOf(told)));
}

Machine FactFiles::Finish() {
  Machine& machine = parts_->machine;
  const std::vector<faults::LogFacts> logs = parts_->scanner->logs();
  parts_->scanner.reset();
  if (machine.nvidia_version.empty()) machine.nvidia_version = parts_->log_machine.nvidia_version;
  if (!machine.nvidia_is_open) machine.nvidia_is_open = parts_->log_machine.nvidia_is_open;
  // What lspci told there names the GPU below a port that reports errors.
  for (const PciDevice& device : machine.pci ? *machine.pci : std::vector<PciDevice>()) {
    const auto address = faults::PciAt(device.address);
    if (address && device.is_gpu) parts_->log_machine.pci.AddGpu(*address, device.vendor, device.name);
  }
  if (parts_->has_logs) {
    machine.faults = faults::MakeReport(parts_->folder.Take(), logs, parts_->log_machine,
                                        parts_->folder.repeated_count(), parts_->folder.folded_late_count());
  }
  if (parts_->has_errors) {
    explain::Diagnosis errors = parts_->errors.Finish();
    // The same as the readers and links tell.
    std::erase_if(errors.findings, [&](const explain::Finding& one) {
      const bool by_nvml = machine.management && !machine.management->works && one.entry->group == "nvml";
      return by_nvml;
    });
    if (!errors.findings.empty()) machine.errors = std::move(errors);
  }
  if (!machine.management && std::any_of(machine.gpus.begin(), machine.gpus.end(), [](const Gpu& gpu) {
        return gpu.vendor == Vendor::kNvidia && !gpu.looks.empty();
      }))
    machine.management = Management{true, "", false};
  JoinCuda(machine);
  return std::move(machine);
}

}  // namespace warpscope::doctor
