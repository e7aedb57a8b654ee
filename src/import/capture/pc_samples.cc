// PC samples: where warps stood and why, and the machine code around them.
#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "import/capture/record_group.h"
#include "import/code/code_lines.h"

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;

struct Code {
  uint64_t checksum = 0;
  std::string file;  // in the run folder; "": not kept
};
struct Function {
  uint64_t code = 0;  // ref
  model::StringId name = model::kNoString;
};
struct Place {
  uint32_t function;  // row of functions_
  uint64_t offset;
  auto operator<=>(const Place&) const = default;
};

class PcSamples : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    switch (tag) {
      case wire::kCode: return ReadCode(in);
      case wire::kCodeFunction: return ReadFunction(in);
      case wire::kStallReason: return ReadReason(in);
      case wire::kPcSamples: return ReadSamples(in);
      case wire::kPcLine: return ReadLine(in);
      default: return ReadWindow(in);
    }
  }

  void Finish() override {
    ReadCodes();
    for (const auto& [place, counts] : samples_) {
      const Function& function = functions_[place.function];
      model::PcSample row;
      row.process = state_.process;
      row.function = function.name;
      row.code = CodeOf(function).checksum;
      row.offset_bytes = place.offset;
      if (const auto line = lines_.find(place); line != lines_.end()) {
        row.file = line->second.file;
        row.line = line->second.line;
      }
      if (const auto text = sass_.find(place); text != sass_.end()) row.sass = text->second;
      for (const auto& [reason, count] : counts) {
        row.reason = reason;
        row.samples = count;
        state_.to.trace().pc_samples.push_back(row);
      }
    }
    if (buffer_full_ > 0) state_.to.Note(LedgerCode::kPcBufferFull, buffer_full_);
    if (dropped_ > 0) state_.to.Note(LedgerCode::kLostRecord, dropped_, std::nullopt, "samples of stall reasons");
  }

 private:
  struct Line {
    model::StringId file;
    uint32_t line;
  };

  void ReadCode(wire::BlockReader& in) {
    const uint64_t ref = in.Get();
    Code code;
    code.checksum = in.Get();
    in.Get();  // bytes
    const model::StringId file = state_.Text(in.Get());
    if (!in.ok()) return;
    if (file != model::kNoString) code.file = state_.to.trace().Text(file);
    codes_.Set(ref, std::move(code));
  }

  // Functions of the same name and code are one, also where they were defined again.
  void ReadFunction(wire::BlockReader& in) {
    const uint64_t ref = in.Get();
    Function function;
    function.code = in.Get();
    function.name = state_.Text(in.Get());
    if (!in.ok()) return;
    if (function.name == model::kNoString) function.name = state_.to.Text("(name lost)");
    const std::pair<uint64_t, model::StringId> key = {CodeOf(function).checksum, function.name};
    const auto [at, is_new] = row_of_.emplace(key, static_cast<uint32_t>(functions_.size()));
    if (is_new) functions_.push_back(function);
    else if (!CodeOf(function).file.empty()) functions_[at->second].code = function.code;
    function_rows_.Set(ref, at->second);
  }

  void ReadReason(wire::BlockReader& in) {
    const uint64_t ref = in.Get();
    const model::StringId name = state_.Text(in.Get());
    if (in.ok() && name != model::kNoString) reasons_.Set(ref, name);
  }

  void ReadSamples(wire::BlockReader& in) {
    const uint32_t* function = function_rows_.Find(in.Get());
    const uint64_t offset = in.Get(), count = in.Get();
    entries_.clear();
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
      const model::StringId* reason = reasons_.Find(in.Get());
      const uint64_t samples = std::min<uint64_t>(in.Get(), UINT32_MAX);
      if (in.ok()) entries_.emplace_back(reason == nullptr ? model::kNoString : *reason, samples);
    }
    if (!in.ok()) return;
    if (function == nullptr) return state_.to.Note(LedgerCode::kBrokenRecord);
    auto& counts = samples_[{*function, offset}];
    for (const auto& [reason, samples] : entries_) {
      if (reason != model::kNoString) counts[reason] += samples;
    }
  }

  void ReadLine(wire::BlockReader& in) {
    const uint32_t* function = function_rows_.Find(in.Get());
    const uint64_t offset = in.Get();
    const model::StringId file = state_.Text(in.Get());
    const uint64_t line = in.Get();
    if (in.ok() && function != nullptr && file != model::kNoString) lines_[{*function, offset}] = {file, Narrow(line)};
  }

  void ReadWindow(wire::BlockReader& in) {
    model::PcWindow window;
    const uint64_t device = in.Get(), period = in.Get();
    window.start_ns = in.GetTime();
    const uint64_t dur_ns = in.Get();
    window.samples = in.Get();
    window.dropped = in.Get();
    window.foreign = in.Get();
    window.buffer_full = in.Get() != 0;
    if (!in.ok()) return;
    window.dur_ns = Length(dur_ns);
    if (!state_.InRange(window.start_ns, window.dur_ns)) return;
    window.process = state_.process;
    window.device = state_.DeviceOf(uint64_t{Narrow(device)} + 1);
    constexpr uint64_t kMostPeriod = 63;
    window.period_log2 = static_cast<uint32_t>(std::min(period, kMostPeriod));
    buffer_full_ += window.buffer_full ? 1 : 0;
    dropped_ += std::min<uint64_t>(window.dropped, UINT32_MAX);
    state_.to.trace().pc_windows.push_back(window);
  }

  const Code& CodeOf(const Function& function) const {
    static const Code none;
    const Code* code = codes_.Find(function.code);
    return code == nullptr ? none : *code;
  }

  // Source lines and instructions out of the machine code that lies beside the stream.
  void ReadCodes() {
    std::map<std::string, std::vector<uint32_t>> functions_of;  // by file
    for (uint32_t row = 0; row < functions_.size(); ++row) {
      const std::string& file = CodeOf(functions_[row]).file;
      if (code::IsCodeFile(file)) functions_of[file].push_back(row);
    }
    const std::filesystem::path folder = std::filesystem::path(state_.to.source().path).parent_path();
    uint64_t without = 0;
    for (const auto& [file, rows] : functions_of) {
      const auto text = code::CodeText::Open((folder / file).string());
      without += text == nullptr ? 1 : 0;
      if (text == nullptr) continue;
      for (const uint32_t row : rows) ReadCodeOf(*text, row);
    }
    if (without > 0) state_.to.Note(LedgerCode::kMissingCode, without);
  }

  void ReadCodeOf(const code::CodeText& text, uint32_t row) {
    const std::string_view name = state_.to.trace().Text(functions_[row].name);
    for (auto at = samples_.lower_bound({row, 0}); at != samples_.end() && at->first.function == row; ++at) {
      if (const auto line = text.LineOf(name, at->first.offset))
        lines_.try_emplace(at->first, Line{state_.to.Text(line->file), line->line});
      if (const std::string_view sass = text.SassOf(name, at->first.offset); !sass.empty())
        sass_.try_emplace(at->first, state_.to.Text(sass));
    }
  }

  RefTable<Code> codes_;
  RefTable<uint32_t> function_rows_;  // rows of functions_
  RefTable<model::StringId> reasons_;
  std::vector<Function> functions_;
  std::map<std::pair<uint64_t, model::StringId>, uint32_t> row_of_;
  std::map<Place, std::map<model::StringId, uint64_t>> samples_;
  std::map<Place, Line> lines_;
  std::map<Place, model::StringId> sass_;
  std::vector<std::pair<model::StringId, uint64_t>> entries_;  // of one record
  uint64_t buffer_full_ = 0, dropped_ = 0;
};

}  // namespace

std::unique_ptr<RecordGroup> MakePcSamples(State* state) { return std::make_unique<PcSamples>(state); }

}  // namespace warpscope::import::capture
