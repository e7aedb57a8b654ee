// warpscope doctor [-- PROGRAM ARGUMENTS...]
// warpscope doctor capture [-- PROGRAM ARGUMENTS...]
#include "doctor/doctor.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/io.h"
#include "cli/table_command.h"
#include "device/cuda_probe.h"
#include "device/kernel_log.h"
#include "device/nvml.h"
#include "doctor/bundle/bundle.h"
#include "doctor/probe/probe.h"
#include "doctor/read/read.h"
#include "record/launch.h"
#include "record/preflight.h"
#include "report/doctor_report.h"
#include "report/table_report.h"
#include "view/table.h"

namespace warpscope::cli {
namespace {

constexpr Example kExamples[] = {
    {"warpscope doctor", "this machine from the PCI bus to the frameworks, and the health of its devices"},
    {"warpscope doctor -- python train.py", "the same, with the Python that this program would use"},
    {"warpscope doctor --from smi.xml --log dmesg.txt --lspci lspci.txt", "another machine, by what was printed there"},
    {"warpscope doctor --bug-report nvidia-bug-report.log.gz", "the same from a bug report"},
    {"warpscope doctor --bundle support.tar.gz", "an archive for support, without secrets and names"},
    {"warpscope doctor capture -- python train.py",
     "what would keep this program from being recorded here, and the fix"},
    {"warpscope doctor capture --maps /proc/4711/maps", "which libcuda and libcupti a running program has loaded"},
    {"warpscope doctor capture --smi smi.txt", "the driver of another machine, from what nvidia-smi -q printed there"},
};

constexpr Flag kFlags[] = {
    {"--from", 0, FlagType::kTexts, "FILE",
     "judge another machine by what was printed there (nvidia-smi -q -x, rocm-smi, lsmod, ls -l /dev ...); may be "
     "repeated",
     ""},
    {"--log", 0, FlagType::kTexts, "FILE", "its kernel log (dmesg, journal), or a log of a program; may be repeated",
     ""},
    {"--lspci", 0, FlagType::kTexts, "FILE", "what lspci -vv printed there", ""},
    {"--bug-report", 0, FlagType::kTexts, "FILE", "its nvidia-bug-report.log, also .gz", ""},
    {"--bundle", 0, FlagType::kFile, "FILE",
     "also write a tar.gz for support: report, inputs, logs; secrets, host and user names masked", ""},
    {"--all", 'a', FlagType::kSwitch, "", "every step in full, also those in order", ""},
    {"--output", 'o', FlagType::kFile, "NAME", "where the run would be written (default: here)", ""},
    {"--maps", 0, FlagType::kFile, "FILE", "judge this /proc/PID/maps alone: stubs, two versions of CUPTI", ""},
    {"--smi", 0, FlagType::kFile, "FILE", "judge the driver in this output of nvidia-smi alone", ""},
};

view::Table TableOf(const std::vector<record::Check>& checks) {
  using view::Kind;
  view::Table table;
  table.name = "doctor";
  table.title = "What a recording here needs";
  table.columns = {{"state", "state", Kind::kText},
                   {"check", "check", Kind::kText},
                   {"evidence", "evidence", Kind::kName, view::kDataOnly},
                   {"next", "next step", Kind::kName, view::kDataOnly},
                   {"because_of", "because of", Kind::kText, view::kDataOnly},
                   {"concerns_timeline", "concerns the timeline", Kind::kText, view::kDataOnly},
                   {"finding", "finding", Kind::kSentence}};
  for (const auto state : {record::CheckState::kFailure, record::CheckState::kWarning, record::CheckState::kUnknown,
                           record::CheckState::kOk}) {
    for (const record::Check& check : checks) {
      if (check.state != state) continue;
      std::string finding = check.evidence;
      if (!check.because_of.empty()) finding += fmt::format(" (because of {})", check.because_of);
      if (!check.next.empty()) finding += ". Next: " + check.next;
      table.rows.push_back({view::Text(NameOf(check.state)), view::Text(check.id), view::Text(check.evidence),
                            view::Text(check.next), view::Text(check.because_of),
                            view::Text(check.concerns_timeline ? "yes" : "no"), view::Text(finding)});
    }
  }
  const size_t failures = CountOf(checks, record::CheckState::kFailure);
  const size_t warnings = CountOf(checks, record::CheckState::kWarning);
  const std::string counts = fmt::format("{} checks: {} failed, {} with a warning, {} unknown.", checks.size(),
                                         failures, warnings, CountOf(checks, record::CheckState::kUnknown));
  const bool nothing_known = CountOf(checks, record::CheckState::kUnknown) == checks.size();
  table.summary = {failures > 0    ? "A recording here would not work as it should."
                   : nothing_known ? "Nothing here tells whether a recording would work."
                                   : "Nothing seen here keeps a recording from working.",
                   counts};
  return table;
}

Result<std::string> TextOf(const std::string& path) {
  constexpr size_t kMostBytes = 16u << 20;
  auto text = record::RealSystem().Read(path, kMostBytes);
  if (!text) return Status(StatusCode::kNotFound, path + ": cannot be read as a file");
  return *std::move(text);
}

struct Looked {
  doctor::Machine machine;
  std::vector<std::pair<std::string, std::string>> texts;  // for a bundle
};

// This machine.
Looked Look(const Args& args) {
  Looked looked;
  const record::RealSystem system;
  const device::CudaAnswer cuda = device::AskCuda();
  const auto nvml = doctor::OpenNvml(system);
  doctor::ProbeRequest request;
  request.program = args.operands();
  request.nvml = nvml.ok() ? &nvml.value() : nullptr;
  request.nvml_status = nvml.status();
  request.cuda = &cuda;
  looked.machine = doctor::Probe(system, request);
  if (!args.Has("--bundle")) return looked;
  std::string log;
  constexpr size_t kMostLog = 32u << 20;
  const auto read = device::ReadKernelLog([&](std::string_view bytes) {
    if (log.size() < kMostLog) log.append(bytes);
  });
  looked.texts.emplace_back("kernel_log", read.ok() ? doctor::GpuLines(log) : read.status().message() + "\n");
  return looked;
}

// What files of another machine tell, or this one.
Result<Looked> LookAt(const Args& args) {
  std::vector<std::string> files;
  for (const char* flag : {"--from", "--lspci", "--bug-report", "--log"}) {
    for (std::string& path : args.Texts(flag)) files.push_back(std::move(path));
  }
  if (files.empty()) return Look(args);
  if (!args.operands().empty())
    return Status(StatusCode::kInvalidArgument, "a program is looked at on this machine: give it without files");
  doctor::FactFiles reader(args.Has("--bundle"));
  for (const std::string& path : files) WS_RETURN_IF_ERROR(reader.AddFile(path));
  return Looked{reader.Finish(), reader.texts()};
}

Status WriteBundle(const std::string& path, Looked looked, const doctor::Diagnosis& diagnosis, Io& io) {
  const record::RealSystem system;
  doctor::BundleRequest request;
  request.report_text = report::DoctorText(looked.machine, diagnosis, report::Terminal(), {.all = true});
  request.report_json = report::DoctorJson(looked.machine, diagnosis);
  request.texts = std::move(looked.texts);
  request.system = looked.machine.is_live ? &system : nullptr;
  const doctor::Bundle bundle = doctor::MakeBundle(request);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wbx"), &std::fclose);
  if (!file) return {StatusCode::kOutput, path + ": cannot be made; is there such a file already, or no such folder?"};
  if (WriteAll(file.get(), bundle.bytes) != Written::kAll || std::fflush(file.get()) != 0)
    return {StatusCode::kOutput, path + ": cannot be written; is the disk full?"};
  io.err += Message(
      path,
      fmt::format("{} files, {} places masked. Look through it before you pass it on.", bundle.files, bundle.hidden),
      io.terminal);
  return Status::Ok();
}

Status RunChain(const Args& args, Io& io) {
  for (const char* flag : {"--output", "--maps", "--smi", "--csv", "--limit", "--match", "--sort", "--wide"}) {
    if (args.Has(flag))
      return {StatusCode::kInvalidArgument, fmt::format("{} goes with warpscope doctor capture", flag)};
  }
  WS_ASSIGN_OR_RETURN(Looked looked, LookAt(args));
  const doctor::Diagnosis diagnosis = doctor::Diagnose(looked.machine);
  io.out += args.Has("--json") ? report::DoctorJson(looked.machine, diagnosis)
                               : report::DoctorText(looked.machine, diagnosis, io.terminal, {.all = args.Has("--all")});
  if (const auto path = args.Text("--bundle")) WS_RETURN_IF_ERROR(WriteBundle(*path, std::move(looked), diagnosis, io));
  if (diagnosis.exit_code != 0) io.exit_code = diagnosis.exit_code;
  return Status::Ok();
}

Status RunCapture(const Args& args, Io& io) {
  const auto maps = args.Text("--maps"), smi = args.Text("--smi");
  std::vector<record::Check> checks;
  if (maps) {
    WS_ASSIGN_OR_RETURN(const std::string text, TextOf(*maps));
    checks.push_back(record::CheckMaps(text));
  }
  if (smi) {
    WS_ASSIGN_OR_RETURN(const std::string text, TextOf(*smi));
    checks.push_back(record::CheckSmi(text));
  }
  if (!maps && !smi) {
    const auto nvml = device::Nvml::OpenTried();
    record::PreflightRequest request;
    request.program.assign(args.operands().begin() + 1, args.operands().end());
    request.output = args.Text("--output").value_or("");
    request.agent = record::FindAgent();
    checks = record::RunPreflight(record::RealSystem(),
                                  record::DeviceStateOf(nvml.ok() ? &nvml.value() : nullptr, nvml.status()), request);
  }
  const view::Table table = TableOf(checks);
  const bool as_data = args.Has("--json") || args.Has("--csv") || args.Has("--limit");
  if (as_data || args.Has("--match") || args.Has("--sort")) WS_RETURN_IF_ERROR(PrintTable(table, args, io));
  else io.out += report::TableText(table, io.terminal, {.limit = 0, .wide = args.Has("--wide")});  // all of it
  if (CountOf(checks, record::CheckState::kFailure) > 0) io.exit_code = 1;
  return Status::Ok();
}

Status RunDoctor(const Args& args, Io& io) {
  const bool is_capture = !args.operands().empty() && args.operands()[0] == "capture";
  return is_capture ? RunCapture(args, io) : RunChain(args, io);
}

}  // namespace

namespace commands {
extern const Command kDoctor;
const Command kDoctor = {
    .name = "doctor",
    .summary = "Is this machine fit for GPU work: the first broken layer, and the health of its devices",
    .group = Group::kVerdict,
    .operands = "[capture] [-- PROGRAM ARGUMENTS...]",
    .details =
        "Walks from the PCI device over driver, device files, libraries and CUDA to the installed frameworks, and "
        "stops "
        "nowhere: every step has a state, what was seen, and the one next step. The first broken layer is named as the "
        "cause, failures behind it as its consequences. Frameworks are found by their files, none is imported; CUDA is "
        "asked in a child process. Nothing is changed. Exit code: 0 in order, 10 warnings, 11 a layer is broken, 12 a "
        "device must be reset, repaired or replaced, 1 nothing could be judged.\n"
        "With files of another machine (--from, --log, --lspci, --bug-report) nothing is looked at here; each is "
        "recognised "
        "by what it holds, whatever the flag.\n"
        "With `capture`: what would keep a recording of PROGRAM from working here, and the exact fix; `warpscope "
        "record` "
        "makes the same checks. Exit code there: 0 without a failure, 1 with one.",
    .examples = kExamples,
    .shared = kJson | kTable,
    .flags = kFlags,
    .run = RunDoctor,
};
}  // namespace commands
}  // namespace warpscope::cli
