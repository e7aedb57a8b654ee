// warpscope faults [LOG...]
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/io.h"
#include "cli/loaded.h"
#include "cli/text_source.h"
#include "device/kernel_log.h"
#include "faults/burst.h"
#include "faults/report.h"
#include "faults/scan_text.h"
#include "faults/scanner.h"
#include "report/faults_report.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope faults", "this machine's kernel log, where it may be read"},
    {"sudo dmesg -T | warpscope faults -", "the same as root"},
    {"warpscope faults nvidia-bug-report.log.gz", "a bug report from another machine"},
    {"warpscope faults dmesg.txt --lspci lspci.txt", "PCIe errors mapped to the GPU below the port"},
    {"warpscope faults journal.txt --run run", "which step of a recorded run each fault hit"},
    {"warpscope faults --code 79", "what Xid 79 means, what causes it, what to check and do"},
    {"warpscope faults --search \"nvlink fatal\"", "catalogue entries that speak of it"},
};

constexpr Flag kFlags[] = {
    {"--all", 'a', FlagType::kSwitch, "", "every fault in full and the whole timeline", ""},
    {"--lspci", 0, FlagType::kFile, "FILE", "what lspci printed there (-vv, -tv, -nn): which GPU is below which port",
     ""},
    {"--run", 0, FlagType::kFile, "RUN", "a recording: which of its steps each fault hit", ""},
    {"--zone", 0, FlagType::kText, "+HH:MM", "zone of log lines that tell none (default: this machine's)", ""},
    {"--code", 0, FlagType::kText, "CODE", "look up instead: 79, sxid-20034, aer-fatal", ""},
    {"--search", 0, FlagType::kText, "TEXT", "look up instead: entries that hold all these words", ""},
    {"--catalogue", 0, FlagType::kSwitch, "", "look up instead: every entry", ""},
};

// Severity to exit code; 1 to 4 are those of failures (docs/commands.md).
int ExitCodeOf(const faults::Report& report) {
  // An empty log must not pass a check: nothing was judged.
  uint64_t lines = 0;
  for (const faults::LogFacts& log : report.logs) lines += log.lines;
  if (lines == 0) return 1;
  switch (report.severity) {
    case faults::Severity::kInfo: return 0;
    case faults::Severity::kWarning: return 10;
    case faults::Severity::kError: return 11;
    case faults::Severity::kCritical: return 12;
  }
  return 0;
}

Status ScanFile(const std::string& path, faults::Scanner& scanner) {
  scanner.BeginLog(path == "-" ? "standard input" : path);
  WS_RETURN_IF_ERROR(ReadText(path, [&](std::string_view bytes) { scanner.Feed(bytes); }));
  scanner.EndLog();
  return Status::Ok();
}

// "+02:00", "-5", "Z" -> nanoseconds of local time less UTC.
Result<int64_t> ZoneOf(const std::string& text) {
  constexpr int64_t kMinute = 60'000'000'000;
  const Status bad(StatusCode::kInvalidArgument, "--zone: expected +HH:MM, as in --zone +02:00");
  if (text == "Z" || text == "UTC") return int64_t{0};
  int hours = 0, minutes = 0;
  const size_t colon = text.find(':');
  const std::string_view all = text;
  const std::string_view first = all.substr(0, colon),
                         second = colon == std::string::npos ? "0" : all.substr(colon + 1);
  const size_t sign = first.starts_with('+') || first.starts_with('-') ? 1 : 0;
  const auto ok = [](std::string_view digits, int* to) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *to);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  constexpr int kMostHours = 14, kMostMinutes = 59;  // zones of the world
  if (!ok(first.substr(sign), &hours) || !ok(second, &minutes) || hours > kMostHours || minutes > kMostMinutes ||
      hours < 0 || minutes < 0)
    return bad;
  return (first.starts_with('-') ? -1 : 1) * (hours * 60 + minutes) * kMinute;
}

// The zone of this machine at a moment, and when it started (its kernel's log counts from there).
faults::ClockShift ShiftOf(int64_t epoch_ns, bool is_own_log) {
  constexpr int64_t kSecond = 1'000'000'000;
  faults::ClockShift shift;
  const auto seconds = static_cast<std::time_t>(epoch_ns / kSecond);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  shift.zone_ns = parts.tm_gmtoff * kSecond;
  timespec real{}, running{};
  if (is_own_log && ::clock_gettime(CLOCK_REALTIME, &real) == 0 && ::clock_gettime(CLOCK_MONOTONIC, &running) == 0)
    shift.boot_epoch_ns = (real.tv_sec - running.tv_sec) * kSecond + (real.tv_nsec - running.tv_nsec);
  return shift;
}

Result<faults::RunJoin> Join(const std::string& path, const faults::Report& report, const Args& args, Io& io) {
  WS_ASSIGN_OR_RETURN(const Loaded loaded, LoadWhole({path}, args, io));
  faults::Run run;
  run.name = path;
  // Logs tell the time on the clock, breaks of the recording included.
  const auto clock = [&](int64_t begin_ns, int64_t end_ns) {
    return std::pair(model::RecorderTime(*loaded.trace, begin_ns, true), model::RecorderTime(*loaded.trace, end_ns));
  };
  std::tie(run.begin_ns, run.end_ns) = clock(loaded.steps.recorded_begin_ns, loaded.steps.recorded_end_ns);
  constexpr int64_t kYear2001 = 978'307'200'000'000'000;  // earlier times count from the start of the recording
  if (run.begin_ns < kYear2001)
    return Status(StatusCode::kUnsupported,
                  path + ": this recording does not tell when it was made, so faults cannot be placed in it");
  for (const analysis::Step& step : loaded.steps.steps) {
    const auto [begin_ns, end_ns] = clock(step.begin_ns, std::max(step.end_ns, step.gpu_end_ns));
    run.steps.push_back({step.label, begin_ns, end_ns});
  }
  for (const model::Process& process : loaded.trace->processes) {
    if (process.pid > 0) run.pids.insert(static_cast<uint64_t>(process.pid));
  }
  faults::ClockShift shift = ShiftOf(run.begin_ns, args.operands().empty());
  if (const auto zone = args.Text("--zone")) {
    WS_ASSIGN_OR_RETURN(shift.zone_ns, ZoneOf(*zone));
  }
  return faults::JoinRun(report, std::move(run), shift);
}

Status Scan(const Args& args, Io& io) {
  faults::MachineFacts machine;
  faults::BurstFolder folder;
  std::vector<faults::LogFacts> logs;
  {
    faults::Scanner scanner(&machine, [&](faults::Event event) { folder.Add(std::move(event)); });
    if (args.operands().empty()) {
      scanner.BeginLog("kernel log");
      WS_ASSIGN_OR_RETURN(const std::string name,
                          device::ReadKernelLog([&](std::string_view bytes) { scanner.Feed(bytes); }));
      scanner.EndLog();
    }
    for (const std::string& path : args.operands()) WS_RETURN_IF_ERROR(ScanFile(path, scanner));
    logs = scanner.logs();
  }
  if (const auto lspci = args.Text("--lspci")) {
    faults::Scanner scanner(&machine, [](faults::Event) {});
    WS_RETURN_IF_ERROR(ScanFile(*lspci, scanner));
  }
  std::vector<faults::Burst> bursts = folder.Take();
  const faults::Report report = faults::MakeReport(std::move(bursts), std::move(logs), std::move(machine),
                                                   folder.repeated_count(), folder.folded_late_count());
  const int exit_code = ExitCodeOf(report);
  std::optional<faults::RunJoin> join;
  if (const auto run = args.Text("--run")) {
    WS_ASSIGN_OR_RETURN(join, Join(*run, report, args, io));
  }
  const faults::RunJoin* beside = join ? &*join : nullptr;
  io.out += args.Has("--json") ? report::FaultsJson(report, exit_code, beside)
                               : report::FaultsText(report, io.terminal, {.all = args.Has("--all"), .run = beside});
  if (exit_code != 0) io.exit_code = exit_code;
  return Status::Ok();
}

// "    ... a fatal error of the switch ..." of the text of an entry that holds the word; "" where none does.
std::string Excerpt(const faults::Entry& entry, std::string_view word) {
  constexpr size_t kSide = 36;
  for (const std::string_view text : {entry.name, entry.meaning, entry.causes}) {
    const auto found = std::search(text.begin(), text.end(), word.begin(), word.end(),
                                   [](char a, char b) { return faults::Lower(a) == faults::Lower(b); });
    if (found == text.end()) continue;
    const auto at = static_cast<size_t>(found - text.begin());
    const size_t blank = at > kSide ? text.find(' ', at - kSide) : std::string_view::npos;
    const size_t begin = at <= kSide ? 0 : std::min(blank == std::string_view::npos ? at : blank + 1, at);
    size_t end = std::min(text.size(), at + word.size() + kSide);
    if (end < text.size()) end = std::max(text.substr(0, end).rfind(' '), at + word.size());
    return fmt::format("    {}{}{}\n", begin > 0 ? "... " : "", text.substr(begin, end - begin),
                       end < text.size() ? " ..." : "");
  }
  return {};
}

Status RunFaults(const Args& args, Io& io) {
  // A wrong one is told also where nothing needs it.
  if (const auto zone = args.Text("--zone")) WS_RETURN_IF_ERROR(ZoneOf(*zone).status());
  const auto code = args.Text("--code"), search = args.Text("--search");
  if (!code && !search && !args.Has("--catalogue")) return Scan(args, io);
  if (!args.operands().empty())
    return {StatusCode::kInvalidArgument, "--code, --search and --catalogue look up the catalogue and take no log"};
  std::vector<const faults::Entry*> entries;
  if (code) entries = faults::FindCode(*code);
  else if (search) entries = faults::SearchCatalogue(*search);
  else entries = faults::SearchCatalogue("");
  if (entries.empty())
    return {StatusCode::kNotFound,
            code ? fmt::format("the catalogue has no '{}'; see: warpscope faults --catalogue", *code)
                 : fmt::format("no entry of the catalogue holds all words of '{}'", *search)};
  if (args.Has("--json")) {
    io.out += report::EntriesJson(entries);
  } else if (entries.size() > 4 && !args.Has("--all")) {
    for (const faults::Entry* entry : entries) {
      const std::string line =
          fmt::format("{:<26} {:<9} {}\n", entry->id, faults::NameOf(entry->severity), entry->title.substr(0, 62));
      io.out += line;
      // Where the words stand that this line does not show.
      for (const std::string_view word : faults::Split(search ? std::string_view(*search) : "", ' ')) {
        if (!faults::HasNoCase(line, word)) io.out += Excerpt(*entry, word);
      }
    }
    io.out += fmt::format("{} entries; one in full: warpscope faults --code ID\n", entries.size());
  } else {
    io.out += report::EntriesText(entries, io.terminal);
  }
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kFaults;
const Command kFaults = {
    .name = "faults",
    .summary = "What a kernel log says about GPUs: faults, their root, who must act and what to do",
    .group = Group::kWithoutFile,
    .operands = "[LOG...]",
    .details =
        "Reads dmesg, journalctl, syslog, /dev/kmsg, nvidia-bug-report.log (also .gz), Fabric Manager's log and "
        "Windows "
        "event text: NVIDIA Xids and SXids of all years, GPUs that fell off the bus, GSP time-outs, PCIe errors, OOM "
        "kills, "
        "AMD, Intel and Ascend errors. Repeats are counted, consequences stand under their root (Xid 45 under what "
        "came "
        "before it). The first lines answer: what happened, to which GPU, when, who must act, what to do.\n"
        "Without a LOG: this machine's own kernel log. Exit code: 0 nothing or only information, 10 warnings, 11 work "
        "was "
        "lost, 12 a device, link or machine is unusable until someone acts; 1 the logs are empty.",
    .examples = kExamples,
    .shared = kJson | kLang,
    .flags = kFlags,
    .run = RunFaults,
};
}  // namespace commands
}  // namespace warpscope::cli
