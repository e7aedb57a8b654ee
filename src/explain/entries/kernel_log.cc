// Lines of the kernel's log that no entry of its own knows: the catalogue of faults answers.
#include "explain/explain.h"
#include "faults/catalogue.h"
#include "faults/one_line.h"

namespace warpscope::explain {
namespace {

std::string Filled(std::string_view command, const faults::Event& event) {
  std::string out(command);
  const std::string device = event.device ? faults::TextOf(*event.device) : "ADDRESS";
  for (size_t at = out.find("{gpu}"); at != std::string::npos; at = out.find("{gpu}", at + device.size()))
    out.replace(at, 5, device);
  return out;
}

// The worst of the lines that were kept, the first of those that are as bad.
void WorkKernelLine(std::span<const Match> matches, Answer* answer) {
  faults::OneLine reader;
  std::optional<faults::Event> worst;
  for (const Match& match : matches) {
    auto event = reader.Read(std::string_view(match.window).substr(0, match.own_bytes));
    if (event && (!worst || event->severity > worst->severity)) worst = std::move(event);
  }
  if (!worst) return;
  const faults::Entry& entry = *worst->entry;
  answer->headline = std::string(entry.title) + ".";
  answer->meaning = entry.meaning;
  const auto causes = faults::Split(entry.causes, '|');
  answer->cause = causes.empty() ? std::string() : std::string(causes[0]) + ".";
  if (worst->device) answer->facts.push_back({"device", "device", faults::TextOf(*worst->device), 0});
  if (worst->code != 0) answer->facts.push_back({"number", "number", std::to_string(worst->code), double(worst->code)});
  answer->checks.clear();
  for (const std::string_view id : faults::Split(entry.checks, ' ')) {
    if (const faults::Check* check = faults::FindCheck(id))
      answer->checks.push_back({std::string(check->text), Filled(check->command, *worst)});
  }
  answer->checks.push_back({"All lines in order, by device?", "warpscope faults FILE"});
  answer->fixes.clear();
  for (const faults::Step& step : faults::StepsOf(worst->action, faults::VendorOf(entry.family)))
    answer->fixes.emplace_back(step.text);
  if (answer->fixes.empty()) answer->fixes.emplace_back("Follow what warpscope faults says for it.");
  answer->source = entry.source;
}

constexpr Entry kEntries[] = {
    {"kernel.log", "The kernel's log tells a fault", "nvidia-nvswitch{n}: SXid ({*}): {n}, Non-fatal", Role::kRoot,
     "kernel_log", "A driver or the kernel reported a fault of a device.", "See the line.",
     "All lines in order, by device? $ warpscope faults FILE", "Follow what warpscope faults says for it.", "",
     "warpscope faults --catalogue", WorkKernelLine},
    {"kernel.log_machine", "The kernel's log tells a fault of the machine",
     "nvidia-nvswitch{n}: SXid ({*}): {n}, Fatal", Role::kMachine, "kernel_log",
     "A driver or the kernel reported a fault of a device.", "See the line.",
     "All lines in order, by device? $ warpscope faults FILE", "Follow what warpscope faults says for it.", "",
     "warpscope faults --catalogue", WorkKernelLine},
};

}  // namespace

extern const std::span<const Entry> kKernelLog;
const std::span<const Entry> kKernelLog = kEntries;

}  // namespace warpscope::explain
