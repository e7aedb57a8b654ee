// warpscope ctl RUN start|stop|freeze|status
#include <fmt/format.h>

#include <algorithm>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/io.h"
#include "record/control.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope ctl run1 start", "begins a recording that record --wait prepared, or one that was stopped"},
    {"warpscope ctl run1 freeze", "keeps what the ring of record --ring holds, and stops"},
    {"warpscope ctl run1 status", "every recorded process: what it does, what it wrote and lost"},
};

std::string_view StateName(const record::RecordedProcess& process) {
  switch (process.state) {
    case wire::kStateWaiting: return "waiting";
    case wire::kStateRecording: return "recording";
    case wire::kStatePaused: return "paused";
    case wire::kStateEnded: return "ended";
    case wire::kStateFailed: return "cannot record";
    default: return "unknown";
  }
}

std::string StatusText(const record::ControlFile& control) {
  const auto processes = control.Processes();
  if (processes.empty())
    return control.is_running() ? fmt::format("running, no process has used CUDA so far: {}\n", control.Awaits())
                                : "ended; no process of this run used CUDA\n";
  std::string text =
      fmt::format("{:>10}  {:<5}  {:<13}  {:>12}  {:>8}  {:>12}\n", "pid", "alive", "state", "rows", "lost", "bytes");
  for (const record::RecordedProcess& process : processes) {
    text += fmt::format("{:>10}  {:<5}  {:<13}  {:>12}  {:>8}  {:>12}\n", process.pid, process.alive ? "yes" : "no",
                        StateName(process), process.rows, process.lost, process.bytes);
  }
  return text;
}

Status RunCtl(const Args& args, Io& io) {
  if (args.operands().size() != 2)
    return {StatusCode::kInvalidArgument,
            "expected a run folder and start, stop, freeze or status; see: warpscope ctl --help"};
  const std::string& word = args.operands()[1];
  wire::Command command = wire::kCommandNone;
  if (word == "start") command = wire::kCommandStart;
  else if (word == "stop") command = wire::kCommandStop;
  else if (word == "freeze") command = wire::kCommandFreeze;
  else if (word != "status")
    return {StatusCode::kInvalidArgument, fmt::format("{}: expected start, stop, freeze or status", word)};
  WS_ASSIGN_OR_RETURN(record::ControlFile control, record::ControlFile::Open(args.operands()[0]));
  if (command == wire::kCommandFreeze && !control.is_ring())
    return {StatusCode::kInvalidArgument, "this run keeps everything; freeze is for record --ring"};
  if (command == wire::kCommandNone) {
    io.out += StatusText(control);
    return Status::Ok();
  }
  if (!control.is_running()) return {StatusCode::kUnsupported, "this run has ended"};
  control.Send(command);
  const auto processes = control.Processes();
  if (std::none_of(processes.begin(), processes.end(), [](const auto& process) { return process.alive; }))
    io.Warn("no process of this run uses CUDA now; the next one will obey");
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kCtl;
const Command kCtl = {
    .name = "ctl",
    .summary = "Start, stop, freeze or watch a running recording",
    .group = Group::kVerdict,
    .operands = "RUN start|stop|freeze|status",
    .details =
        "RUN is the folder that `warpscope record` made. All processes of the run obey within 20 ms, also those that "
        "outlived "
        "the recorder; a process that begins later does what was asked last. Without ring there is nothing to freeze.",
    .examples = kExamples,
    .shared = 0,
    .flags = {},
    .run = RunCtl,
};
}  // namespace commands
}  // namespace warpscope::cli
