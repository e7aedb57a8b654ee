#include "rules/program_words.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/host_label.h"
#include "rules/breakdown.h"

namespace warpscope::rules {
namespace {

bool HasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool SpeaksOfTorch(std::string_view text) {
  return HasAny(
      text, {"torch", "DataLoader", "model.", "numpy", "Python", "nn.", "autograd", "optimizer", ".item()", "tensor "});
}

// Statements of C end in semicolons; commands of the shell begin with a tool's name.
bool IsPythonCode(std::string_view code) {
  if (code.empty() || HasAny(code, {";", "//", "{"})) return false;
  return !HasAny(code.substr(0, code.find(' ')),
                 {"ncu", "nsys", "nvcc", "nvidia-smi", "warpscope", "numactl", "export"});
}

void StripPrefix(std::string& text) {
  for (const std::string_view prefix : {"In CUDA C++: ", "In C++: ", "Or "}) {
    if (text.substr(0, prefix.size()) != prefix) continue;
    text.erase(0, prefix.size());
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
}

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

void KeepUseful(std::vector<Action>& actions) {
  const auto foreign = [](const Action& action) { return SpeaksOfTorch(action.text) || SpeaksOfTorch(action.code); };
  if (!std::all_of(actions.begin(), actions.end(), foreign)) std::erase_if(actions, foreign);
  for (Action& action : actions) {
    if (SpeaksOfTorch(action.code) || IsPythonCode(action.code)) action.code.clear();
    StripPrefix(action.text);
  }
}

constexpr std::string_view kWithoutFrames =
    "the recording holds no Python frames, so it cannot say which line does it: record with "
    "torch.profiler.profile(..., with_stack=True)";
constexpr std::string_view kWithoutRanges =
    "nothing in the recording says what it does: put NVTX ranges (nvtxRangePush, nvtxRangePop) around the parts of the "
    "program and record again";

// What to record, in the tool that the user has at hand.
std::string RecordWithNsys(std::string text) {
  constexpr std::string_view kTorch = "torch.profiler.profile(";
  if (HasAny(text, {"profile_memory=True"}))
    return "nsys profile --cuda-memory-usage=true <program>, or torch.profiler.profile(..., profile_memory=True) for "
           "PyTorch";
  if (HasAny(text, {"with_stack=True"}))
    return "NVTX ranges around the parts of a step, or torch.profiler.profile(..., with_stack=True) for PyTorch";
  if (text.find(kTorch) != std::string::npos || HasAny(text, {"torch.profiler with CUDA activities"}))
    return "nsys profile --trace=cuda,nvtx,osrt <program>";
  if (HasAny(text, {"device properties"})) return "an export with the table TARGET_INFO_GPU";
  return text;
}

void WithoutTorch(std::string& text) {
  const size_t at = text.find(", or torch.profiler.profile(");
  if (at != std::string::npos) text.resize(at);
}

}  // namespace

namespace {

bool IsPythonName(std::string_view name) { return HasAny(name, {"python", "torchrun", "ray::", "jupyter"}); }

// Namespaces of a framework, as compilers print them and as they mangle them; kernels that Triton names.
bool IsOfFramework(std::string_view name) {
  return HasAny(name, {"at::native", "2at6native", "triton_", "c10::", "N3c10"});
}

// A frame of C or C++, as `warpscope record` names it: "src/encode.cc(12): Encode", "Encode", "memcpy [libc.so.6]".
bool IsNativeFrame(std::string_view name) {
  const analysis::PythonFrame frame = analysis::ParsePythonFrame(name);
  if (name.starts_with("<") || name.starts_with("nn.Module: ")) return false;
  if (frame.line == 0) return true;
  const std::string_view ending = frame.file.substr(std::min(frame.file.size(), frame.file.rfind('.')));
  constexpr std::string_view kEndings[] = {".c",  ".cc",  ".cpp", ".cxx", ".C",   ".cu", ".cuh", ".h",
                                           ".hh", ".hpp", ".hxx", ".inl", ".inc", ".S",  ".rs",  ".f90"};
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

bool HasPythonRows(const model::Trace& trace) {
  std::unordered_set<model::StringId> native;
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (trace.host.kind[row] == model::HostKind::kOperator) return true;
    if (trace.host.kind[row] != model::HostKind::kPython || native.contains(trace.host.name[row])) continue;
    if (!IsNativeFrame(trace.HostName(row))) return true;
    native.insert(trace.host.name[row]);
  }
  return false;
}

}  // namespace

bool IsPythonProgram(const model::Trace& trace) {
  if (HasPythonRows(trace)) return true;
  for (const model::Process& process : trace.processes) {
    if (process.name != model::kNoString && IsPythonName(trace.Text(process.name))) return true;
  }
  for (const model::Reading& reading : trace.readings) {
    if (reading.name == model::kNoString || reading.text == model::kNoString) continue;
    const std::string_view command = trace.Text(reading.text);
    if (trace.Text(reading.name) == "command" && IsPythonName(command.substr(0, command.find(' ')))) return true;
  }
  for (model::StringId id = 1; id < trace.strings.size(); ++id) {
    if (IsOfFramework(trace.Text(id))) return true;
  }
  return false;
}

void SpeakOfProgram(bool python, std::string_view format, Verdict& verdict) {
  const bool nsys = format == "nsys";
  if (nsys) {
    for (Abstention& abstention : verdict.abstained)
      abstention.record_instead = RecordWithNsys(std::move(abstention.record_instead));
  }
  if (python) return;
  for (Finding& finding : verdict.findings) {
    KeepUseful(finding.actions);
    for (Evidence& evidence : finding.evidence) Replace(evidence.text, kWithoutFrames, kWithoutRanges);
  }
  const auto own_words = [](std::string& text) {
    for (const analysis::GapCause cause : {analysis::GapCause::kPython, analysis::GapCause::kDispatch})
      Replace(text, HostWords(cause), HostWords(cause, false));
  };
  for (TimePart& part : verdict.breakdown) own_words(part.label);
  own_words(verdict.answer);
  // These have no meaning without an interpreter.
  std::erase_if(verdict.abstained, [](const Abstention& abstention) {
    return abstention.id == "gc_pause" || abstention.id == "gil_contention";
  });
  for (Abstention& abstention : verdict.abstained) {
    Replace(abstention.reason, "a sleep or a lock is seen only with Python frames",
            "a sleep or a lock is seen only where calls of the operating system were traced");
    if (nsys) WithoutTorch(abstention.record_instead);
  }
}

}  // namespace warpscope::rules
