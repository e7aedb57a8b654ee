// Order: the answer and what to do first; then the chain as it was walked, setup, each device, logs; what nobody told.
#include <fmt/format.h>

#include <algorithm>

#include "report/doctor_report.h"
#include "report/text.h"

namespace warpscope::report {
namespace {

using doctor::Part;
using doctor::State;
using doctor::Step;

constexpr size_t kStateColumns = 9, kIdColumns = 19;
constexpr size_t kShownDevices = 16;  // in full, without --all

Ink InkOf(const Step& step) {
  switch (step.state) {
    case State::kFailure: return step.because_of.empty() ? Ink::kBad : Ink::kDim;
    case State::kWarning: return Ink::kWarn;
    case State::kUnknown: return Ink::kDim;
    case State::kOk: break;
  }
  return Ink::kPlain;
}

class DoctorPrinter {
 public:
  DoctorPrinter(const doctor::Machine& machine, const doctor::Diagnosis& diagnosis, const Terminal& terminal,
                const DoctorOptions& options)
      : machine_(machine), diagnosis_(diagnosis), terminal_(terminal), options_(options) {}

  std::string Print() {
    AppendWrapped(out_, terminal_, "", "", Say(diagnosis_.answer), Ink::kBold);
    if (!diagnosis_.next.empty())
      AppendWrapped(out_, terminal_, Say("Next: "), "      ", Say(diagnosis_.next), Ink::kCommand);
    for (const std::string& input : machine_.inputs) AppendWrapped(out_, terminal_, "", "", Input(input), Ink::kDim);
    Section("From the device to CUDA", Part::kChain);
    Section("Libraries and frameworks", Part::kSoftware);
    Section("Setup", Part::kSetup);
    Health();
    Section("Logs", Part::kLog);
    Untold();
    return std::move(out_);
  }

 private:
  std::string Say(std::string_view english) const { return terminal_.Say(english); }

  // "FILE: a list of libraries, facts of the host": each part by itself.
  std::string Input(const std::string& input) const {
    const size_t colon = input.rfind(": ");
    if (colon == std::string::npos) return input;
    std::string text = input.substr(0, colon + 2);
    for (size_t begin = colon + 2; begin < input.size();) {
      const size_t end = std::min(input.find(", ", begin), input.size());
      if (begin > colon + 2) text += ", ";
      text += Say(input.substr(begin, end - begin));
      begin = end + 2;
    }
    return text;
  }

  void Heading(std::string_view title) {
    out_ += '\n';
    AppendWrapped(out_, terminal_, "", "", Say(title), Ink::kBold);
  }

  void Row(const Step& step) {
    const std::string first =
        "  " + PadRight(Say(NameOf(step.state)), kStateColumns) + PadRight(step.id, kIdColumns) + " ";
    const std::string further(2 + kStateColumns + kIdColumns + 1, ' ');
    std::string text = Say(step.evidence);
    if (!step.because_of.empty()) text += Say(fmt::format(" (because of {})", step.because_of));
    if (step.id.size() > kIdColumns) {
      AppendWrapped(out_, terminal_, "  " + PadRight(Say(NameOf(step.state)), kStateColumns), further, step.id,
                    InkOf(step));
      AppendWrapped(out_, terminal_, further, further, text, InkOf(step));
    } else {
      AppendWrapped(out_, terminal_, first, further, text, InkOf(step));
    }
    if (!step.next.empty() && step.state != State::kOk)
      AppendWrapped(out_, terminal_, further + Say("Next: "), further + "      ", Say(step.next));
  }

  void Section(std::string_view title, Part part) {
    bool begun = false;
    for (const Step& step : diagnosis_.steps) {
      if (step.part != part || step.state == State::kUnknown) continue;
      if (!begun) Heading(title);
      begun = true;
      Row(step);
    }
  }

  // What is in order is one line a device: with eight of them nobody reads more.
  void Health() {
    std::vector<std::string> subjects;
    for (const Step& step : diagnosis_.steps) {
      if (step.part == Part::kHealth && std::find(subjects.begin(), subjects.end(), step.subject) == subjects.end())
        subjects.push_back(step.subject);
    }
    size_t shown = 0;
    for (const std::string& subject : subjects) {
      if (!options_.all && ++shown > kShownDevices) {
        AppendWrapped(out_, terminal_, "", "",
                      Say(fmt::format("and {} more devices; --all shows them", subjects.size() - kShownDevices)),
                      Ink::kDim);
        return;
      }
      Heading(subject);
      std::string fine;
      for (const Step& step : diagnosis_.steps) {
        if (step.part != Part::kHealth || step.subject != subject) continue;
        if (options_.all || step.state != State::kOk) Row(step);
        else fine += (fine.empty() ? "" : fmt::format(" {} ", terminal_.dot())) + step.id + ": " + Say(step.evidence);
      }
      if (!fine.empty()) AppendWrapped(out_, terminal_, "  " + PadRight(Say("ok"), kStateColumns), "           ", fine);
    }
  }

  // Files tell some layers and not others: which ones is one line.
  void Untold() {
    std::string ids;
    for (const Step& step : diagnosis_.steps) {
      if (step.state != State::kUnknown) continue;
      ids += (ids.empty() ? "" : ", ") + step.id;
      if (machine_.is_live) Row(step);
    }
    if (ids.empty() || machine_.is_live || CountOf(diagnosis_, State::kUnknown) == diagnosis_.steps.size()) return;
    out_ += '\n';
    AppendWrapped(
        out_, terminal_, Say("Not told: "), "          ",
        ids + Say(". --from FILE takes what lspci -vv, lsmod, ls -l /dev/nvidia*, ldconfig -p and nvidia-smi -q -x "
                  "print there as well."),
        Ink::kDim);
  }

  const doctor::Machine& machine_;
  const doctor::Diagnosis& diagnosis_;
  const Terminal& terminal_;
  DoctorOptions options_;
  std::string out_;
};

}  // namespace

std::string DoctorText(const doctor::Machine& machine, const doctor::Diagnosis& diagnosis, const Terminal& terminal,
                       const DoctorOptions& options) {
  return DoctorPrinter(machine, diagnosis, terminal, options).Print();
}

}  // namespace warpscope::report
