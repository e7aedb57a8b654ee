#include "doctor/read/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text_decoder.h"
#include "base/text_kind.h"
#include "base/word_set.h"
#include "doctor/inputs.h"
#include "doctor/physical.h"
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

// The words by which each reader, a bit, knows its lines.
const WordSet& Marks() {
  static const WordSet kMarks = [] {
    std::vector<std::pair<std::string_view, uint64_t>> words;
    const std::vector<Reader> readers = MakeReaders();
    for (size_t i = 0; i < readers.size(); ++i) {
      for (const std::string_view word : readers[i].lines->Marks()) words.emplace_back(word, uint64_t{1} << i);
    }
    return WordSet(words);
  }();
  return kMarks;
}

// A line that the kernel wrote, as dmesg and journals print it: "[   12.345678] ", "Mar 10 10:00:00 host kernel: ".
// What it tells of faults the scanner knows; programs do not write such.
bool IsOfKernel(std::string_view line) {
  constexpr size_t kHead = 120;
  if (line.starts_with('[')) {
    const size_t close = line.find_first_not_of(" 0123456789.", 1);
    return close != std::string_view::npos && close > 5 && line[close] == ']' &&
           line.substr(1, close).find('.') != std::string_view::npos;
  }
  return line.substr(0, kHead).find(" kernel: ") != std::string_view::npos;
}

class LineTaker {
 public:
  LineTaker(Machine* machine, explain::Reader* errors) : machine_(machine), errors_(errors), readers_(MakeReaders()) {}

  // Whole lines; the last one may lack its end.
  void Take(std::string_view text) {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = text.substr(begin, end - begin);
      begin = end + 1;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      const bool taken = Offer(line.substr(0, read::LineReader::kMostLine));
      // What nobody took may hold errors of programs; an empty line keeps the count.
      if (errors_ == nullptr) continue;
      if (!taken && !IsOfKernel(line)) errors_->Feed(line);
      errors_->Feed("\n");
    }
  }

  // To those readers that it may concern. True if one took it for itself.
  bool Offer(std::string_view line) {
    const uint64_t marked = Marks().In(line) | open_;
    bool taken = false;
    for (size_t i = 0; i < readers_.size(); ++i) {
      Reader& reader = readers_[i];
      const uint64_t bit = uint64_t{1} << i;
      if ((marked & bit) == 0 && !reader.lines->Begins(line)) continue;
      const bool is_taken = reader.lines->Line(line, *machine_);
      open_ = reader.lines->IsOpen() ? open_ | bit : open_ & ~bit;
      reader.taken += is_taken ? 1 : 0;
      taken = taken || (is_taken && !reader.lines->MayBeError());
    }
    return taken;
  }

  // Titles of those that took something.
  std::vector<std::string> End() {
    std::vector<std::string> told;
    for (Reader& reader : readers_) {
      reader.lines->End(*machine_);
      if (reader.taken > 0 && !reader.title.empty()) told.emplace_back(reader.title);
    }
    return told;
  }

 private:
  Machine* machine_;
  explain::Reader* errors_;
  std::vector<Reader> readers_;
  uint64_t open_ = 0;  // readers, as bits, that want every line
};

std::string Mebibytes(uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

// Of rocm-smi and amd-smi, of which no reader takes a part. "[   12.345678] usb" is the kernel's.
bool IsCutJson(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank), end = text.find_last_not_of(kBlank);
  if (begin == std::string_view::npos || text[end] == '}' || text[end] == ']') return false;
  const size_t inside = text.find_first_not_of(kBlank, begin + 1);
  const char first = inside == std::string_view::npos ? '{' : text[inside];
  return (text[begin] == '{' && (first == '"' || first == '{')) ||
         (text[begin] == '[' && (first == '{' || first == '['));
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
  std::vector<std::string> monitors;  // files with readings of devices that were taken
  uint64_t events = 0;
  bool has_logs = false, has_errors = false;
};

FactFiles::FactFiles(bool keeps_texts, const Limits& limits)
    : parts_(std::make_unique<Parts>()), keeps_texts_(keeps_texts), limits_(limits) {
  parts_->scanner = std::make_unique<faults::Scanner>(&parts_->log_machine, [this](faults::Event event) {
    ++parts_->events;
    parts_->folder.Add(std::move(event));
  });
}
FactFiles::~FactFiles() = default;

// What follows the part of a file that is held as a whole: read once, its end is kept.
struct FactFiles::Rest {
  import::ByteSource* source;
  size_t tail_bytes;
  TextDecoder decoder;  // that decoded the head
  std::string tail;     // decoded, from the beginning of a line on
  uint64_t bytes = 0;   // of the file, with its head
  bool is_stopped = false;

  // Hands every piece to `take`.
  template <typename Taker>
  Status Read(const Taker& take) {
    std::string buffer(1u << 20, '\0');
    bool is_cut = true;  // the tail begins within a line, for the head ends somewhere
    while (bytes < kMostLogBytes) {
      WS_ASSIGN_OR_RETURN(const size_t size, source->Read(buffer.data(), buffer.size()));
      if (size == 0) break;
      bytes += size;
      const std::string_view text = decoder.Decode(std::string_view(buffer).substr(0, size));
      take(text);
      tail += text;
      if (tail.size() > 2 * tail_bytes) tail.erase(0, tail.size() - tail_bytes), is_cut = true;
    }
    is_stopped = bytes >= kMostLogBytes;
    if (tail.size() > tail_bytes) tail.erase(0, tail.size() - tail_bytes), is_cut = true;
    if (is_cut) tail.erase(0, std::min(tail.find('\n'), tail.size() - 1) + 1);
    return Status::Ok();
  }
};

Status FactFiles::AddFile(const std::string& path) {
  WS_ASSIGN_OR_RETURN(auto file, import::OpenFile(path));
  auto peeked = std::make_unique<import::PeekSource>(std::move(file));
  WS_ASSIGN_OR_RETURN(const std::string_view start, peeked->Peek(4096));
  std::unique_ptr<import::ByteSource> source = std::move(peeked);
  if (import::LooksLikeGzip(start)) source = import::OpenGzip(std::move(source));
  std::string head, buffer(1u << 16, '\0');
  Rest rest{source.get(), limits_.tail_bytes, {}, {}, 0, false};
  bool is_whole = false;
  while (!is_whole && head.size() < limits_.head_bytes) {
    WS_ASSIGN_OR_RETURN(const size_t size, source->Read(buffer.data(), buffer.size()));
    head.append(buffer, 0, size);
    is_whole = size == 0;
  }
  rest.bytes = head.size();
  const std::string name = path == "-" ? "standard input" : path;
  WS_RETURN_IF_ERROR(Take(head, name, is_whole ? nullptr : &rest));
  if (source->cut_short()) parts_->machine.gaps.push_back(name + ": is cut short: its compressed data lack their end");
  if (!keeps_texts_) return Status::Ok();
  if (!rest.tail.empty())
    head += fmt::format(
        "\n... {} MiB of the file are left out here ...\n{}",
        (rest.bytes - head.size() - std::min<uint64_t>(rest.tail.size(), rest.bytes - head.size())) >> 20, rest.tail);
  texts_.emplace_back(path, std::move(head));
  return Status::Ok();
}

void FactFiles::AddText(std::string_view bytes, const std::string& name) {
  static_cast<void>(Take(bytes, name, nullptr));  // nothing is left to read that could fail
}

Status FactFiles::Take(std::string_view head, const std::string& name, Rest* rest) {
  Machine& machine = parts_->machine;
  std::vector<std::string> told;
  const size_t known_gaps = machine.gaps.size(), known_impossible = machine.impossible.size();
  TextDecoder own;
  TextDecoder& decoder = rest == nullptr ? own : rest->decoder;
  std::string text(decoder.Decode(head));
  if (rest == nullptr) text += decoder.Finish();
  // The importers know UTF-16 by its mark alone; anything else they get as it is, for it may be a recording.
  const read::MonitorResult monitor = read::ReadMonitor(decoder.is_utf16() ? text : head, name, machine);
  if (!monitor.told.empty()) told.push_back(monitor.told);
  if (monitor.is_recording) {
    machine.inputs.push_back(
        fmt::format("{}: {}; {}. Open it: warpscope {}", name, monitor.told, kRecordingTells, name));
    return Status::Ok();
  }
  if (monitor.differs_by.empty()) {
    if (!monitor.told.empty()) parts_->monitors.push_back(name);
  } else {
    machine.conflicts.push_back(fmt::format(
        "{} is of another machine, or of another state of it, than {}: {}; judged is what was given first", name,
        parts_->monitors.empty() ? "what was told before" : Joined(parts_->monitors, 2), monitor.differs_by));
    if (monitor.is_whole) {
      machine.inputs.push_back(
          fmt::format("{}: {}; left out, for it is of another machine or state", name, monitor.told));
      return Status::Ok();
    }
  }
  if (const BinaryKind kind = BinaryKindOf(text); kind && monitor.told.empty()) {
    machine.inputs.push_back(fmt::format("{}: {}{}: {}", name, kind.what,
                                         kind.next.empty() ? "" : fmt::format(" ({})", kind.next), kNothingKnown));
    return Status::Ok();
  }
  // Faults first: in what is a kernel's log the words of errors are the kernel's.
  const uint64_t before = parts_->events;
  faults::Scanner& scanner = *parts_->scanner;
  scanner.BeginLog(name);
  scanner.Feed(text);
  if (rest != nullptr) {
    WS_RETURN_IF_ERROR(rest->Read([&](std::string_view piece) { scanner.Feed(piece); }));
  }
  scanner.EndLog();
  const uint64_t events = parts_->events - before;
  const bool has_times = scanner.logs().back().first.clock != faults::Clock::kNone;
  const bool takes_errors = events == 0 && !monitor.is_whole;
  const size_t known_errors = parts_->errors.recognised();
  LineTaker lines(&machine, takes_errors ? &parts_->errors : nullptr);
  lines.Take(text);
  if (rest != nullptr) lines.Take(rest->tail);
  for (std::string& title : lines.End()) told.push_back(std::move(title));
  RejectImpossible(machine);
  for (size_t i = known_impossible; i < machine.impossible.size(); ++i)
    machine.impossible[i] = name + ": " + machine.impossible[i];
  if (told.empty() && events == 0 && IsCutJson(text))
    machine.gaps.emplace_back("is JSON that is cut short: nothing of it can be read");
  for (size_t i = known_gaps; i < machine.gaps.size(); ++i) machine.gaps[i] = name + ": " + machine.gaps[i];
  if (takes_errors) parts_->errors.EndText();
  const bool has_errors = told.empty() && takes_errors && parts_->errors.recognised() > known_errors;
  const bool is_log = !monitor.is_whole && has_times && !has_errors;
  if (events > 0) told.push_back("a log with " + Plural(events, "line") + " of faults");
  if (told.empty() && has_times) told.emplace_back("a log without a fault of a GPU");
  if (told.empty() && has_errors) told.emplace_back("errors of a program");
  parts_->has_logs = parts_->has_logs || events > 0 || is_log;
  parts_->has_errors = parts_->has_errors || takes_errors;
  std::string input = fmt::format("{}: {}", name, ListOf(told));
  if (rest != nullptr && !told.empty()) {
    const uint64_t seen = head.size() + rest->tail.size();
    if (seen < rest->bytes)
      input += fmt::format("; of its {} the first {} and the last {} were looked at for facts{}",
                           Mebibytes(rest->bytes), Mebibytes(head.size()), Mebibytes(rest->tail.size()),
                           rest->is_stopped ? "" : ", all for faults of a kernel's log");
    if (rest->is_stopped) input += fmt::format("; what follows {} was not read", Mebibytes(kMostLogBytes));
  }
  machine.inputs.push_back(std::move(input));
  return Status::Ok();
}

Machine FactFiles::Finish() {
  Machine& machine = parts_->machine;
  const std::vector<faults::LogFacts> logs = parts_->scanner->logs();
  parts_->scanner.reset();
  if (machine.nvidia_version.empty()) machine.nvidia_version = parts_->log_machine.nvidia_version;
  const bool answers = machine.management && machine.management->works;
  if (machine.nvidia_version.empty() && !answers) machine.nvidia_version = machine.nvidia_file_version;
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
