// Is what nvidia-smi -q or -q -x printed there as a whole: XML without its end, a device's block without its last part,
// fewer devices than it counts. Judging the rest as all of the machine would call a lost device healthy.
#include <fmt/format.h>

#include "doctor/read/line_reader.h"

namespace warpscope::doctor::read {
namespace {

class SmiWhole final : public LineReader {
 public:
  std::vector<std::string_view> Marks() const override { return {"<nvidia_smi_log", "NVSMI LOG"}; }
  bool IsOpen() const override { return form_ != Form::kNone; }
  bool Line(std::string_view line, Machine& machine) override {
    const std::string_view text = Trim(line);
    if (text.starts_with("<nvidia_smi_log")) Begin(Form::kXml, machine);
    else if (text.find("==NVSMI LOG==") != std::string_view::npos) Begin(Form::kText, machine);
    if (form_ == Form::kXml) Xml(text, machine);
    if (form_ == Form::kText) Text(line, text, machine);
    return false;
  }
  void End(Machine& machine) override { Close(machine, false); }

 private:
  enum class Form : uint8_t { kNone, kXml, kText };

  void Begin(Form form, Machine& machine) {
    Close(machine, false);
    *this = SmiWhole();
    form_ = form;
  }

  void Xml(std::string_view text, Machine& machine) {
    constexpr std::string_view kCount = "<attached_gpus>";
    if (text.starts_with(kCount)) {
      text.remove_prefix(kCount.size());
      Attached(Trim(text.substr(0, text.find('<'))), machine);
    } else if (text.starts_with("<gpu ") || text == "<gpu>") {
      ++begun_;
    } else if (text.starts_with("</gpu>")) {
      ++ended_;
    }
    if (text.find("</nvidia_smi_log>") != std::string_view::npos) Close(machine, true);
  }

  void Attached(std::string_view words, Machine& machine) {
    constexpr uint64_t kMost = 4096;  // devices of one machine: NVML's own numbers end far below
    attached_ = Count(words);
    if (!attached_ || *attached_ <= kMost) {
      const bool is_number = words.starts_with('-') && Count(words.substr(1)) && words != "-";
      if (!is_number) return;
    }
    attached_.reset();
    if (machine.impossible.size() < kMostGaps)
      machine.impossible.push_back(fmt::format("attached_gpus {}", words.substr(0, 24)));
  }

  void Text(std::string_view line, std::string_view text, Machine& machine) {
    if (const auto count = Behind(text, "Attached GPUs"); count && count->starts_with(':'))
      Attached(Trim(count->substr(1)), machine);
    if (line.starts_with("GPU 0")) {
      ++begun_;
      is_full_ = in_last_part_ = false;
    } else if (text.starts_with("Product Name")) {
      is_full_ = true;  // not the choice of sections that -d prints
    } else if (text.find("Processes") != std::string_view::npos) {
      if (is_full_ && !in_last_part_) ++ended_;
      in_last_part_ = true;
    }
  }

  void Close(Machine& machine, bool has_end) {
    if (form_ == Form::kNone) return;
    const bool is_cut = form_ == Form::kXml ? !has_end : begun_ > 0 && is_full_ && !in_last_part_;
    const size_t whole = form_ == Form::kXml ? ended_ : is_cut ? begun_ - 1 : begun_;
    const std::string counted = attached_ ? fmt::format(" of the {} that it counts", *attached_) : std::string();
    if (machine.gaps.size() < kMostGaps && is_cut)
      machine.gaps.push_back(fmt::format("the output of nvidia-smi is cut short: {} whole device{}{}",
                                         whole == 0 ? "no" : std::to_string(whole), whole <= 1 ? "" : "s", counted));
    else if (machine.gaps.size() < kMostGaps && attached_ && begun_ < *attached_)
      machine.gaps.push_back(fmt::format(
          "nvidia-smi counts {} devices and tells of {}: the others were left out (-i), are cut off, or did "
          "not answer",
          *attached_, begun_));
    form_ = Form::kNone;
  }

  static constexpr size_t kMostGaps = 16;
  Form form_ = Form::kNone;
  std::optional<uint64_t> attached_;
  size_t begun_ = 0, ended_ = 0;
  bool is_full_ = false, in_last_part_ = false;
};

}  // namespace

std::unique_ptr<LineReader> Make_smi_whole() { return std::make_unique<SmiWhole>(); }

}  // namespace warpscope::doctor::read
