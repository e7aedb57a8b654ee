// Order: the answer, each fault with what to do, the timeline of each device, what was not understood.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/faults_report.h"
#include "report/text.h"

namespace warpscope::report {
namespace {

constexpr size_t kShownIncidents = 3;  // in full, without --all
constexpr size_t kShownTimeline = 12;  // lines a device, likewise
constexpr size_t kShownFollowers = 6;
constexpr std::string_view kIndent = "   ";
constexpr std::string_view kInner = "             ";

Ink InkOf(faults::Severity severity) {
  switch (severity) {
    case faults::Severity::kInfo: return Ink::kDim;
    case faults::Severity::kWarning: return Ink::kWarn;
    case faults::Severity::kError:
    case faults::Severity::kCritical: return Ink::kBad;
  }
  return Ink::kPlain;
}

std::string CountOf(uint64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

class FaultsPrinter {
 public:
  FaultsPrinter(const faults::Report& report, const Terminal& terminal, const FaultsOptions& options)
      : report_(report), terminal_(terminal), options_(options) {}

  std::string Print() {
    AppendWrapped(out_, terminal_, "", "", Say(report_.answer), Ink::kBold);
    Logs();
    if (options_.run != nullptr) Run(*options_.run);
    size_t number = 0;
    for (const faults::Incident& incident : report_.incidents) {
      ++number;
      const bool in_full = options_.all || (number <= kShownIncidents && incident.severity > faults::Severity::kInfo);
      Heading(number, incident);
      if (in_full) {
        Whole(incident);
      } else if (incident.severity > faults::Severity::kInfo) {
        Row("When", When(incident));
        Row("Must act", fmt::format("{}: {}", Actors(incident), Say(faults::TitleOf(incident.action()))));
      }
    }
    if (!options_.all && number > kShownIncidents)
      AppendWrapped(out_, terminal_, "", "", Say("--all shows every fault with causes, checks and commands."),
                    Ink::kDim);
    Timeline();
    if (!report_.notes.empty()) {
      out_ += '\n';
      for (const std::string& note : report_.notes) AppendWrapped(out_, terminal_, "", "", Say(note), Ink::kDim);
    }
    return std::move(out_);
  }

 private:
  std::string Say(std::string_view english) const { return terminal_.Say(english); }
  // "the application, then the machine".
  std::string Actors(const faults::Incident& incident) const { return Say(faults::ActorOf(incident)); }

  void Row(std::string_view label, std::string_view text, Ink ink = Ink::kPlain) {
    const std::string first =
        std::string(kIndent) + PadRight(label.empty() ? std::string() : Say(label), kInner.size() - kIndent.size());
    AppendWrapped(out_, terminal_, first, kInner, text, ink);
  }
  void Command(std::string_view command) {
    if (!command.empty())
      AppendWrapped(out_, terminal_, std::string(kInner) + "   $ ", std::string(kInner) + "     ", command,
                    Ink::kCommand);
  }

  void Numbered(std::string_view label, size_t number, std::string_view text) {
    Row(number == 1 ? label : "", fmt::format("{}. {}", number, Say(text)));
  }

  void Logs() {
    std::string line;
    for (const faults::LogFacts& log : report_.logs) {
      if (!line.empty()) line += ", ";
      line += log.name + Say(fmt::format(" ({} lines", log.lines));
      if (log.first.clock != faults::Clock::kNone)
        line += Say(fmt::format(", {} to {}", faults::TextOf(log.first), faults::TextOf(log.last)));
      if (log.boots > 1) line += Say(fmt::format(", {} starts of the machine", log.boots));
      line += ")";
    }
    if (!report_.machine.nvidia_version.empty())
      line += fmt::format(" {} NVIDIA driver {}{}", terminal_.dot(), report_.machine.nvidia_version,
                          report_.machine.nvidia_is_open.value_or(false) ? " (open modules)" : "");
    AppendWrapped(out_, terminal_, "", "", line, Ink::kDim);
  }

  void Run(const faults::RunJoin& join) {
    out_ += '\n';
    AppendWrapped(out_, terminal_, "", "",
                  Say(join.hits.empty() ? fmt::format("No fault came near the run {}", join.run.name)
                                        : fmt::format("Beside the run {}", join.run.name)),
                  Ink::kBold);
    size_t shown = 0;
    for (const faults::RunHit& hit : join.hits) {
      if (++shown > kShownTimeline && !options_.all) continue;
      const faults::Burst& burst = report_.bursts[hit.burst];
      std::string text =
          fmt::format("{} ({}): {}", Say(faults::NameOf(burst)), Place(burst), Say(faults::PlaceOf(hit, join.run)));
      if (burst.count > 1) text += Say(fmt::format(", {} times from then on", burst.count));
      if (hit.is_own_process) text += Say(", a process of the run");
      const bool during = hit.relation == faults::RunHit::Relation::kDuring;
      AppendWrapped(out_, terminal_, kIndent, std::string(kIndent) + "  ", text,
                    during ? InkOf(burst.first.severity) : Ink::kPlain);
    }
    if (!options_.all && shown > kShownTimeline)
      AppendWrapped(out_, terminal_, kIndent, kIndent,
                    Say(fmt::format("and {} more; --all shows them", shown - kShownTimeline)), Ink::kDim);
    for (const std::string& note : join.notes) AppendWrapped(out_, terminal_, kIndent, kIndent, Say(note), Ink::kDim);
  }

  void Heading(size_t number, const faults::Incident& incident) {
    const faults::Burst& root = Root(incident);
    out_ += '\n';
    std::string title = Say(faults::NameOf(root));
    if (faults::NameOf(root) != root.first.entry->title) title += fmt::format(", {}", Say(root.first.entry->title));
    const std::string first = fmt::format("{}. ", number);
    AppendWrapped(out_, terminal_, first, kIndent,
                  fmt::format("{}: {} ({})", Say(faults::NameOf(incident.severity)), title, Places(incident)),
                  InkOf(incident.severity));
  }

  std::string Place(const faults::Burst& burst) const { return Say(faults::PlaceOf(burst, report_.machine)); }
  std::string Places(const faults::Incident& incident) const {
    std::vector<std::string> places;
    for (const size_t at : incident.roots) {
      std::string place = Place(report_.bursts[at]);
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(std::move(place));
    }
    std::string text;
    for (const std::string& place : places) text += (text.empty() ? "" : ", ") + place;
    return text;
  }

  void Whole(const faults::Incident& incident) {
    const faults::Entry& entry = *Root(incident).first.entry;
    Row("When", When(incident));
    if (const std::string programs = Programs(incident); !programs.empty()) Row("Programs", programs);
    if (const std::string links = Links(incident); !links.empty()) Row("Links", links);
    Row("Means", Say(entry.meaning));
    bool is_first = true;
    for (const std::string& detail : Root(incident).first.details) {
      Row(is_first ? "Decoded" : "", Say(detail));
      is_first = false;
    }
    Row("Must act", Actors(incident), Ink::kBold);
    Steps("Do", faults::StepsOf(incident, report_));
    for (const std::string& note : incident.notes) Row("Note", Say(note));
    size_t number = 0;
    for (const std::string_view cause : faults::Split(entry.causes, '|')) Numbered("Likely", ++number, cause);
    Steps("Check", faults::ChecksOf(incident, report_));
    Followers(incident);
    Row("Line", Root(incident).first.text, Ink::kDim);
  }

  void Steps(std::string_view label, const std::vector<faults::NamedStep>& steps) {
    size_t number = 0;
    for (const faults::NamedStep& step : steps) {
      Numbered(label, ++number, step.text);
      Command(step.command);
    }
  }

  std::string When(const faults::Incident& incident) const {
    const faults::Burst& first = Root(incident);
    const faults::Burst& last = report_.bursts[incident.roots.back()];
    const std::string from = faults::TextOf(first.first.time), to = faults::TextOf(last.last_time);
    std::string text = from.empty() ? Say("no time in the log") : Say(from);
    if (to != from && !to.empty()) text += Say(fmt::format(" to {}", to));
    text += ", " + Say(CountOf(incident.count));
    if (incident.occurrences > 1) text += Say(fmt::format(" in {} occurrences", incident.occurrences));
    text += Say(fmt::format(" (line {} of {})", first.first.line, report_.logs[first.first.log].name));
    return text;
  }

  std::string Programs(const faults::Incident& incident) const {
    std::vector<faults::Program> programs;
    uint64_t more = 0;
    const auto add = [&](size_t at) {
      for (const faults::Program& program : report_.bursts[at].programs) {
        if (std::find(programs.begin(), programs.end(), program) == programs.end()) programs.push_back(program);
      }
      more += report_.bursts[at].programs_left_out;
    };
    for (const size_t at : incident.roots) add(at);
    if (programs.empty()) {  // exceptions of kernels name no program; the clean-up after them does
      for (const size_t at : incident.followers) add(at);
    }
    constexpr size_t kMost = 6;
    std::string text;
    for (size_t at = 0; at < programs.size() && at < kMost; ++at) {
      if (at > 0) text += ", ";
      text += programs[at].name.empty() ? Say("process") : programs[at].name;
      if (programs[at].pid != 0) text += fmt::format(" {}", programs[at].pid);
    }
    if (programs.size() > kMost) more += programs.size() - kMost;
    if (more > 0) text += Say(fmt::format(" and {} more", more));
    return text;
  }

  std::string Links(const faults::Incident& incident) const {
    std::set<int64_t> links;
    for (const size_t at : incident.roots)
      links.insert(report_.bursts[at].links.begin(), report_.bursts[at].links.end());
    constexpr size_t kMostText = 70;
    std::string text;
    for (const int64_t link : links) {
      if (text.size() < kMostText) text += (text.empty() ? "" : ", ") + std::to_string(link);
    }
    return text;
  }

  void Followers(const faults::Incident& incident) {
    struct Sum {
      uint64_t count = 0;
      std::string title;
      std::vector<std::string> places;
    };
    std::map<std::string, Sum> sums;
    std::vector<std::string> order;
    for (const size_t at : incident.followers) {
      const faults::Burst& burst = report_.bursts[at];
      const std::string name = faults::NameOf(burst);
      Sum& sum = sums[name];
      if (sum.count == 0) order.push_back(name);
      sum.count += burst.count;
      sum.title = burst.first.entry->title;
      const std::string place = Place(burst);
      if (std::find(sum.places.begin(), sum.places.end(), place) == sum.places.end()) sum.places.push_back(place);
    }
    for (size_t at = 0; at < order.size() && (options_.all || at < kShownFollowers); ++at) {
      const Sum& sum = sums[order[at]];
      std::string text = fmt::format("{} {}", Say(order[at]), Say(CountOf(sum.count)));
      text += Say(sum.places.size() == 1 ? fmt::format(" on {}", sum.places[0])
                                         : fmt::format(" on {} devices", sum.places.size()));
      if (sum.title != order[at]) text += ": " + Say(sum.title);
      Row(at == 0 ? "Followed" : "", text);
    }
  }

  void Timeline() {
    std::map<std::string, std::vector<size_t>> devices;
    for (size_t at = 0; at < report_.bursts.size(); ++at) devices[Place(report_.bursts[at])].push_back(at);
    if (report_.bursts.size() < 2) return;
    out_ += '\n';
    AppendWrapped(out_, terminal_, "", "", Say("Timeline"), Ink::kBold);
    for (const auto& [device, bursts] : devices) {
      AppendWrapped(out_, terminal_, "", "", device);
      const size_t shown = options_.all ? bursts.size() : std::min(bursts.size(), kShownTimeline);
      for (size_t at = 0; at < shown; ++at) {
        const faults::Burst& burst = report_.bursts[bursts[at]];
        std::string when = faults::TextOf(burst.first.time);
        when = Say(when.empty() ? fmt::format("line {}", burst.first.line) : when);
        const std::string name = faults::NameOf(burst);
        std::string text = Say(name);
        if (burst.count > 1) text = fmt::format("{} x {}", burst.count, text);
        if (name.find(burst.first.entry->title) == std::string::npos) text += ": " + Say(burst.first.entry->title);
        AppendWrapped(out_, terminal_, std::string(kIndent) + PadRight(when, 28) + " ",
                      std::string(kIndent.size() + 29, ' '), text, InkOf(burst.first.severity));
      }
      if (shown < bursts.size())
        AppendWrapped(out_, terminal_, kIndent, kIndent,
                      Say(fmt::format("and {} more; --all shows them", bursts.size() - shown)), Ink::kDim);
    }
  }

  const faults::Burst& Root(const faults::Incident& incident) const { return report_.bursts[incident.roots.front()]; }

  const faults::Report& report_;
  const Terminal& terminal_;
  FaultsOptions options_;
  std::string out_;
};

}  // namespace

std::string FaultsText(const faults::Report& report, const Terminal& terminal, const FaultsOptions& options) {
  return FaultsPrinter(report, terminal, options).Print();
}

std::string EntriesText(std::span<const faults::Entry* const> entries, const Terminal& terminal) {
  std::string out;
  for (const faults::Entry* entry : entries) {
    if (!out.empty()) out += '\n';
    std::string title = std::string(entry->id) + ": " + terminal.Say(entry->title);
    AppendWrapped(out, terminal, "", "", title, Ink::kBold);
    const auto row = [&](std::string_view label, std::string_view text, Ink ink = Ink::kPlain) {
      const std::string first = std::string(kIndent) + PadRight(label.empty() ? std::string() : terminal.Say(label),
                                                                kInner.size() - kIndent.size());
      if (!text.empty()) AppendWrapped(out, terminal, first, kInner, text, ink);
    };
    row("Name", entry->name);
    row("Severity", terminal.Say(faults::NameOf(entry->severity)), InkOf(entry->severity));
    row("Concerns", terminal.Say(faults::NameOf(entry->scope)));
    row("Means", terminal.Say(entry->meaning));
    row("Must act", fmt::format("{}: {}", terminal.Say(faults::ActorOf(entry->action)),
                                terminal.Say(faults::TitleOf(entry->action))));
    const auto numbered = [&](std::string_view label, size_t number, std::string_view text) {
      row(number == 1 ? label : "", fmt::format("{}. {}", number, terminal.Say(text)));
    };
    const auto command = [&](std::string_view text) {
      if (text.empty()) return;
      std::string filled(text);
      for (size_t at = filled.find("{gpu}"); at != std::string::npos; at = filled.find("{gpu}"))
        filled.replace(at, 5, "ADDRESS");
      AppendWrapped(out, terminal, std::string(kInner) + "   $ ", std::string(kInner) + "     ", filled, Ink::kCommand);
    };
    size_t number = 0;
    for (const faults::Step& step : faults::StepsOf(entry->action, faults::VendorOf(entry->family))) {
      numbered("Do", ++number, step.text);
      command(step.command);
    }
    number = 0;
    for (const std::string_view cause : faults::Split(entry->causes, '|')) numbered("Likely", ++number, cause);
    number = 0;
    for (const std::string_view id : faults::Split(entry->checks, ' ')) {
      const faults::Check* check = faults::FindCheck(id);
      if (check == nullptr) continue;
      numbered("Check", ++number, check->text);
      command(check->command);
    }
    row("Source", entry->source, Ink::kDim);
  }
  return out;
}

}  // namespace warpscope::report
