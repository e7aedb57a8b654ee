#include "faults/scanner.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/word_set.h"
#include "faults/carrier.h"
#include "faults/parsers.h"
#include "faults/scan_text.h"

namespace warpscope::faults {
namespace {

// Clocks that run from the start of the machine go back only when it starts again; printing is a little out of order.
constexpr int64_t kBootStepBackNs = 30'000'000'000;

// Parsers, as bits.
constexpr uint64_t kTree = 1, kNvidia = 2, kSwitch = 4, kPatterns = 8, kPcie = 16, kHost = 32, kLspci = 64,
                   kWindows = 128;

// A line without one of its words, in whatever case, is none of a parser's, but for those that begin as its own do.
const WordSet& Marks() {
  static const WordSet kMarks = [] {
    std::vector<std::pair<std::string_view, uint64_t>> words;
    const auto add = [&](uint64_t bit, std::initializer_list<std::string_view> all) {
      for (const std::string_view word : all) words.emplace_back(word, bit);
    };
    add(kTree, {"nvidia", "amdgpu", "i915", "xe ", "pci "});
    add(kNvidia, {"NVRM", "Xid (", "nv_get_p2p"});
    add(kSwitch, {"SXid (", "detected NVSwitch"});
    add(kPcie, {"EEH: ", "PCIe Bus Error", "AER: ", "pciehp", "DPC: ", "inaccessible", "IO_PAGE_FAULT",
                "DMAR:", "[Hardware Error]"});
    add(kHost, {"soft lockup", "systemd-oomd", "EDAC ", "Machine Check Exception", "ut of memory: Kill",
                "Killed process ", "segfault at ", "general protection fault", "INFO: task ", "[Hardware Error]"});
    add(kLspci, {"-[", "+-", "\\-"});
    add(kWindows,
        {"LiveKernelEvent", "nvlddmkm",    "WHEA-Logger", "stopped responding", "VIDEO_TDR",    "bugcheck", "Event ID",
         "EventID",         "TimeCreated", "Date:",       "0x00000116 (",       "0x00000117 (", "Datum:",   "日期",
         "日付:",           "날짜:",       "Fecha:",      "amdkmdag",           "amdwddmg",     "igdkmd"});
#define WS_PATTERN(entry, driver, part, further) words.emplace_back(part, kPatterns);
#define WS_PATTERN_MORE(entry, driver, part, further) words.emplace_back(part, kPatterns);
#include "faults/patterns.def"
#undef WS_PATTERN
#undef WS_PATTERN_MORE
    return WordSet(words);
  }();
  return kMarks;
}

bool LooksLikeFailure(std::string_view message) {
  return (message.starts_with("NVRM: ") || message.starts_with("nvidia-nvswitch") ||
          message.starts_with("nvidia-nvlink")) &&
         (HasNoCase(message, "fail") || HasNoCase(message, "error") || HasNoCase(message, "timeout") ||
          HasNoCase(message, "fatal"));
}

}  // namespace

Event ParseContext::Make(const Entry* entry, std::string_view text) {
  Event event;
  event.entry = entry;
  event.code = entry->code;
  event.severity = entry->severity;
  event.action = entry->action;
  event.text = Trim(text).substr(0, Event::kMostText);
  return event;
}

struct Scanner::Parts {
  ParseContext context;
  Sink sink;
  Carrier carrier;
  NvidiaParser nvidia;
  PcieParser pcie;
  HostParser host;
  WindowsParser windows;
  LogTime now;  // of the line that is read
  int64_t last_boot_ns = 0;

  // Which parsers the line may concern, as bits.
  uint64_t Concerned(std::string_view message, std::string_view whole) const {
    uint64_t bits = Marks().In(whole);
    // journalctl's JSON may write a message as numbers; it is decoded elsewhere then.
    const bool is_inside = message.data() >= whole.data() && message.data() <= whole.data() + whole.size();
    if (!is_inside) bits |= Marks().In(message);
    if (windows.IsOpen() || WindowsParser::Begins(whole)) bits |= kWindows;
    if (PciTree::Begins(whole)) bits |= kLspci;
    return bits;
  }

  // False if no parser knows the line.
  bool Read(const LogLine& line, std::string_view whole, uint64_t bits) {
    if ((bits & kTree) != 0 && context.facts->pci.ReadKernelLine(line.message)) return true;
    if ((bits & kNvidia) != 0 && nvidia.Read(line, context)) return true;
    if ((bits & kSwitch) != 0 && ReadNvswitch(line, context)) return true;
    if ((bits & kPatterns) != 0 && ReadPatterns(line, context)) return true;
    if ((bits & kPcie) != 0 && pcie.Read(line, context)) return true;
    if ((bits & kHost) != 0 && host.Read(line, context)) return true;
    if ((bits & kLspci) != 0 && context.facts->pci.ReadLspciLine(whole)) return true;
    const bool may_be_windows = line.tag.empty() && line.time.clock != Clock::kBoot;
    return may_be_windows && (bits & kWindows) != 0 && windows.Read(whole, context);
  }
};

Scanner::Scanner(MachineFacts* facts, Sink sink) : parts_(std::make_unique<Parts>()) {
  parts_->context.facts = facts;
  parts_->sink = std::move(sink);
  parts_->context.emit = [this](Event event) {
    LogFacts& log = logs_.back();
    if (event.time.clock == Clock::kNone) event.time = parts_->now;
    if (event.line == 0) event.line = log.lines;
    event.log = static_cast<uint32_t>(logs_.size() - 1);
    event.boot = log.boots - 1;
    parts_->sink(std::move(event));
  };
}

Scanner::~Scanner() = default;

bool Scanner::MayConcern(std::string_view line) { return Marks().In(line) != 0; }

void Scanner::BeginLog(std::string name) {
  LogFacts log;
  log.name = std::move(name);
  logs_.push_back(std::move(log));
  parts_->carrier = {};
  parts_->nvidia = {};
  parts_->pcie = {};
  parts_->host = {};
  parts_->windows = {};
  parts_->now = {};
  parts_->last_boot_ns = 0;
  pending_.clear();
  is_cut_ = false;
  decoder_ = {};
}

void Scanner::Feed(std::string_view bytes) { Append(decoder_.Decode(bytes)); }

void Scanner::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    const size_t room = kMostLine - std::min(pending_.size(), kMostLine);
    pending_ += part.substr(0, room);
    is_cut_ |= part.size() > room;
    if (end == std::string_view::npos) return;
    Line(pending_);
    pending_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void Scanner::EndLog() {
  Append(decoder_.Finish());
  if (!pending_.empty()) Line(pending_);
  pending_.clear();
  parts_->windows.Flush(parts_->context);
}

void Scanner::Line(std::string_view line) {
  LogFacts& log = logs_.back();
  ++log.lines;
  if (is_cut_) ++log.cut_lines;
  is_cut_ = false;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return;
  parts_->context.line = log.lines;
  const auto read = parts_->carrier.Read(line);
  if (!read) return;
  // The kernel prints further lines of one message indented and without a time.
  const bool goes_on = read->time.clock == Clock::kNone && line.starts_with("    ") && !read->message.empty();
  if (!goes_on) parts_->now = read->time;
  const bool is_first = log.first.clock == Clock::kNone;
  if (read->time.clock != Clock::kNone) {
    if (log.first.clock == Clock::kNone) log.first = read->time;
    log.last = read->time;
  }
  if (read->time.clock == Clock::kBoot) {
    if (read->time.ns + kBootStepBackNs < parts_->last_boot_ns) ++log.boots;
    parts_->last_boot_ns = read->time.ns;
  } else if (read->message.starts_with("Linux version ") && !is_first) {
    ++log.boots;
  }
  const uint64_t concerned = parts_->Concerned(read->message, line);
  if (concerned != 0 && !parts_->Read(*read, line, concerned) && LooksLikeFailure(read->message)) {
    if (log.unknown_lines++ == 0) {
      log.first_unknown = read->message.substr(0, Event::kMostText);
      log.first_unknown_line = log.lines;
    }
  }
}

}  // namespace warpscope::faults
