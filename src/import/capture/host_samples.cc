// What the launcher saw of the host from outside: processes, threads, sampled stacks, waits (src/record/host/).
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/capture/host_spans.h"
#include "import/capture/native_names.h"
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;

constexpr int64_t kLongestPeriodNs = 60'000'000'000;
constexpr uint64_t kNativeKind = 1;
constexpr uint32_t kUntold = UINT32_MAX;

class HostSamples : public RecordGroup {
 public:
  explicit HostSamples(State* state) : RecordGroup(state), spans_([this](const HostSpan& span) { Take(span); }) {}

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kHostThread) ReadThread(in);
    else if (tag == wire::kFrame) ReadFrame(in);
    else if (tag == wire::kStackSample) ReadSample(in);
    else if (tag == wire::kOsCall) ReadOsCall(in);
    else if (tag == wire::kChild) ReadChild(in);
    else if (tag == wire::kNativeName) ReadNativeName(in);
    else ReadPeriod(in);
  }

  void Finish() override {
    spans_.Finish();
    std::sort(kept_.begin(), kept_.end(), &ComesBefore);
    std::vector<HostSpan> open;
    for (HostSpan& span : kept_) {
      if (span.native && !Name(&span)) continue;
      while (!open.empty() && (open.back().thread != span.thread || open.back().end_ns <= span.start_ns))
        open.pop_back();
      // Functions of a library whose names are not known, one in the other, are one.
      if (span.native && !open.empty() && open.back().native && open.back().name == span.name) continue;
      open.push_back(span);
      Keep(span);
    }
    kept_.clear();
    if (sampled_rows_ > 0) state_.to.source().sample_period_ns = longest_period_ns_;
    if (longest_period_ns_ == 0) return;
    state_.to.source().with_stack = true;
    const std::string detail = "the longest period: " + std::to_string(longest_period_ns_ / 1000) + " us";
    if (sampled_rows_ > 0) state_.to.Note(LedgerCode::kSampledHost, sampled_rows_, std::nullopt, detail);
  }

 private:
  void ReadThread(wire::BlockReader& in) {
    const uint64_t ref = in.Get(), pid = Narrow(in.Get()), tid = Narrow(in.Get());
    const model::StringId name = state_.Text(in.Get());
    if (!in.ok()) return;
    const uint32_t thread = state_.to.Thread(state_.to.Process(static_cast<int64_t>(pid)), static_cast<int64_t>(tid));
    if (name != model::kNoString) state_.to.trace().threads[thread].name = name;
    threads_.Set(ref, thread);
  }

  void ReadFrame(wire::BlockReader& in) {
    const uint64_t ref = in.Get(), parent = in.Get(), kind = in.Get();
    const model::StringId function = state_.Text(in.Get()), file = state_.Text(in.Get());
    const uint64_t line = in.Get();
    if (!in.ok()) return;
    if (kind == kNativeKind) return DefineNative(ref, parent, file, line);
    // As torch.profiler names frames: "package/file.py(12): function".
    std::string name(state_.to.trace().Text(function));
    if (file != model::kNoString)
      name = std::string(state_.to.trace().Text(file)) + "(" + std::to_string(line) + "): " + name;
    if (!spans_.Define(ref, parent, state_.to.Text(name))) state_.to.Note(LedgerCode::kBrokenRecord);
  }

  // Its name comes at the end of the stream: until then the number of the function stands for it.
  void DefineNative(uint64_t ref, uint64_t parent, model::StringId module, uint64_t address) {
    const auto [it, fresh] = native_of_.try_emplace({module, address}, static_cast<uint32_t>(natives_.size()));
    if (fresh) natives_.push_back({module, address, std::nullopt});
    const uint32_t* outer = inside_driver_.Find(parent);
    if ((outer != nullptr && *outer != 0) || IsInsideDriver(state_.to.trace().Text(module))) inside_driver_.Set(ref, 1);
    const bool told = inside_driver_.Find(ref) == nullptr;
    if (!spans_.Define(ref, parent, told ? it->second : kUntold, true)) state_.to.Note(LedgerCode::kBrokenRecord);
  }

  void ReadNativeName(wire::BlockReader& in) {
    const model::StringId module = state_.Text(in.Get());
    const uint64_t address = in.Get();
    const model::StringId function = state_.Text(in.Get()), file = state_.Text(in.Get());
    const uint64_t line = in.Get();
    if (!in.ok()) return;
    names_.try_emplace({module, address}, FunctionName{function, file, line});
  }

  // False: the frame tells nothing.
  bool Name(HostSpan* span) {
    if (span->name == kUntold || span->name >= natives_.size()) return false;
    Native& native = natives_[span->name];
    if (!native.name) {
      const model::Trace& trace = state_.to.trace();
      NativeFunction function{trace.Text(native.module), {}, {}, 0};
      if (const auto it = names_.find({native.module, native.address}); it != names_.end()) {
        function.function = trace.Text(it->second.function);
        function.file = trace.Text(it->second.file);
        function.line = it->second.line;
      }
      native.name =
          IsNotTold(function.function) ? model::kNoString : state_.to.Text(std::string(NativeFrameName(function)));
    }
    span->name = *native.name;
    return span->name != model::kNoString;
  }

  void ReadSample(wire::BlockReader& in) {
    HostSample sample;
    const uint64_t ref = in.Get();
    sample.time_ns = in.GetTime();
    const uint64_t what = in.Get();
    sample.call = state_.Text(in.Get());
    sample.frame = in.Get();
    if (!in.ok() || !state_.InRange(sample.time_ns)) return;
    const uint32_t* thread = threads_.Find(ref);
    if (thread == nullptr || what > wire::kStillWaiting) return state_.to.Note(LedgerCode::kBrokenRecord);
    sample.state = static_cast<wire::ThreadState>(what);
    ++samples_;
    if (!spans_.Add(*thread, sample)) state_.to.Note(LedgerCode::kOutOfRange);
  }

  void ReadOsCall(wire::BlockReader& in) {
    HostSpan span;
    span.kind = model::HostKind::kOsCall;
    const uint32_t* thread = threads_.Find(in.Get());
    span.name = state_.Text(in.Get());
    span.start_ns = in.GetTime();
    const int64_t dur_ns = Length(in.Get());
    in.Get();  // uncertainty
    if (!in.ok() || !state_.InRange(span.start_ns, dur_ns)) return;
    if (thread == nullptr) return state_.to.Note(LedgerCode::kBrokenRecord);
    span.thread = *thread;
    span.end_ns = span.start_ns + dur_ns;
    kept_.push_back(span);
  }

  void ReadChild(wire::BlockReader& in) {
    const uint64_t pid = Narrow(in.Get());
    in.Get();  // parent
    const model::StringId command = state_.Text(in.Get());
    in.GetTime();
    in.GetTime();
    in.Get();  // exit code
    if (!in.ok()) return;
    model::Process& process = state_.to.trace().processes[state_.to.Process(static_cast<int64_t>(pid))];
    if (process.name == model::kNoString) process.name = command;
  }

  void ReadPeriod(wire::BlockReader& in) {
    const int64_t period_ns = Length(in.Get());
    if (!in.ok()) return;
    if (period_ns <= 0 || period_ns > kLongestPeriodNs) return state_.to.Note(LedgerCode::kOutOfRange);
    spans_.SetPeriod(period_ns);
    longest_period_ns_ = std::max(longest_period_ns_, period_ns);
  }

  // Two deep stacks that alternate make many spans of few bytes: memory stays in proportion to the file.
  void Take(const HostSpan& span) {
    constexpr uint64_t kFree = 1u << 16, kPerSample = 32;
    if (kept_.size() < kFree + samples_ * kPerSample) kept_.push_back(span);
    else state_.to.Note(LedgerCode::kOutOfRange);
  }

  void Keep(const HostSpan& span) {
    Appender::Host row;
    row.kind = span.kind;
    row.name = span.name;
    row.thread = span.thread;
    row.start_ns = span.start_ns;
    row.dur_ns = span.end_ns - span.start_ns;
    if (model::IsFrame(span.kind)) {  // for SettleSampledRows(), which takes them away
      row.correlation = static_cast<uint64_t>(span.first_seen_ns);
      row.external_id = static_cast<uint64_t>(span.last_seen_ns);
    }
    state_.to.Add(row);
    state_.Saw(span.end_ns);
    ++sampled_rows_;
  }

  HostSpans spans_;
  std::vector<HostSpan> kept_;
  RefTable<uint32_t> threads_;
  struct Native {
    model::StringId module;
    uint64_t address;
    std::optional<model::StringId> name;  // kNoString: not told
  };
  struct FunctionName {
    model::StringId function, file;
    uint64_t line;
  };
  std::vector<Native> natives_;
  std::map<std::pair<model::StringId, uint64_t>, uint32_t> native_of_;
  std::map<std::pair<model::StringId, uint64_t>, FunctionName> names_;
  RefTable<uint32_t> inside_driver_;  // 1: of frames
  int64_t longest_period_ns_ = 0;
  uint64_t samples_ = 0, sampled_rows_ = 0;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeHostSamples(State* state) { return std::make_unique<HostSamples>(state); }

}  // namespace warpscope::import::capture
