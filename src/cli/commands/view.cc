// warpscope view FILE...
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "cli/command.h"
#include "cli/open_browser.h"
#include "cli/report_page.h"
#include "cli/served_report.h"
#include "serve/loopback.h"
#include "serve/token.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope view run1", "opens the report of a run of any size in the browser; ctrl-C ends it"},
    {"warpscope view trace.json.gz --no-open", "prints the address only"},
    {"warpscope view run1 --port 8421 --no-open",
     "for `ssh -L 8421:127.0.0.1:8421 MACHINE`: then open the address here"},
};

constexpr Flag kFlags[] = {
    {"--port", 0, FlagType::kCount, "N", "listen on this port (default: a free one)", ""},
    {"--no-open", 0, FlagType::kSwitch, "", "start no browser", ""},
    {"--rank", 0, FlagType::kCount, "N", "judge this rank", ""},
    {"--against", 0, FlagType::kFile, "BEFORE", "add what became of the step since this earlier recording", ""},
    {"--step-ms", 0, FlagType::kNumber, "MS", "the step time without a profiler, in ms, if you know it", ""},
    {"--page", 0, FlagType::kFile, "FILE", "show this page instead of the built-in one", ""},
};

std::atomic<serve::LoopbackServer*> running = nullptr;

void OnSignal(int) {
  if (serve::LoopbackServer* server = running.load()) server->Stop();
}

// SIGINT and SIGTERM end the server while this lives.
class StopsOnSignal {
 public:
  explicit StopsOnSignal(serve::LoopbackServer* server) {
    running = server;
    struct sigaction action {};
    action.sa_handler = OnSignal;
    ::sigaction(SIGINT, &action, &old_interrupt_);
    ::sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~StopsOnSignal() {
    ::sigaction(SIGINT, &old_interrupt_, nullptr);
    ::sigaction(SIGTERM, &old_terminate_, nullptr);
    running = nullptr;
  }
  StopsOnSignal(const StopsOnSignal&) = delete;
  StopsOnSignal& operator=(const StopsOnSignal&) = delete;

 private:
  struct sigaction old_interrupt_ {
  }, old_terminate_{};
};

Status RunView(const Args& args, Io& io) {
  const std::vector<std::string>& paths = args.operands();
  if (paths.empty()) return {StatusCode::kInvalidArgument, "no file given; for example: warpscope view trace.json.gz"};
  const uint64_t port = args.Count("--port").value_or(0);
  if (port > UINT16_MAX) return {StatusCode::kInvalidArgument, "--port takes 1 to 65535"};
  WS_ASSIGN_OR_RETURN(const std::string page_text, PageText(args));
  WS_ASSIGN_OR_RETURN(std::string token, serve::MakeToken());
  WS_ASSIGN_OR_RETURN(ReportContent content, LoadReport(paths, args, io));
  if (const auto other = args.Text("--against")) WS_RETURN_IF_ERROR(AddComparison(*other, args, io, &content));
  WS_ASSIGN_OR_RETURN(const auto report, ServedReport::Make(content, page_text, std::move(token)));
  if (io.progress) io.progress(1);
  WS_ASSIGN_OR_RETURN(const auto server,
                      serve::LoopbackServer::Open(static_cast<uint16_t>(port),
                                                  [&](std::string_view target) { return report->Handle(target); }));
  const StopsOnSignal stops(server.get());
  const std::string address = fmt::format("http://127.0.0.1:{}/{}/", server->port(), report->token());
  // At once: what a command leaves in `io` is printed when it has ended.
  if (WriteAll(stdout, fmt::format("{}\nThe address is a secret of this run: who has it, on this machine, sees the "
                                   "report. Ctrl-C ends it.\n",
                                   address)) == Written::kFailed)
    return {StatusCode::kOutput, "the address cannot be printed"};
  std::fflush(stdout);
  if (!args.Has("--no-open")) OpenBrowser(address);
  server->Run();
  return Status::Ok();
}

}  // namespace

namespace commands {
extern const Command kView;
const Command kView = {
    .name = "view",
    .summary = "Show the report of a recording of any size in the browser, from this machine",
    .group = Group::kExchange,
    .operands = "FILE...",
    .details =
        "The page of `warpscope report`, served on 127.0.0.1 until ctrl-C: the timeline is paged from the recording, "
        "so nothing is left out however large it is. The address holds a random secret; a browser started from here "
        "gets it on its command line, which other users of the machine may see: there use --no-open. --against adds "
        "the comparison with an earlier recording.",
    .examples = kExamples,
    .shared = kInput | kLang,
    .flags = kFlags,
    .run = RunView,
};
}  // namespace commands
}  // namespace warpscope::cli
