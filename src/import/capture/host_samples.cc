// What the launcher saw of the host from outside: processes, threads, sampled stacks, waits (src/record/host/).
#include <algorithm>
#include <vector>

#include "import/capture/host_spans.h"
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;

constexpr int64_t kLongestPeriodNs = 60'000'000'000;

class HostSamples : public RecordGroup {
 public:
  explicit HostSamples(State* state) : RecordGroup(state), spans_([this](const HostSpan& span) { Take(span); }) {}

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kHostThread) ReadThread(in);
    else if (tag == wire::kFrame) ReadFrame(in);
    else if (tag == wire::kStackSample) ReadSample(in);
    else if (tag == wire::kOsCall) ReadOsCall(in);
    else if (tag == wire::kChild) ReadChild(in);
    else ReadPeriod(in);
  }

  void Finish() override {
    spans_.Finish();
    std::sort(kept_.begin(), kept_.end(), &ComesBefore);
    for (const HostSpan& span : kept_) Keep(span);
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
    const uint64_t ref = in.Get(), parent = in.Get();
    in.Get();  // kind
    const model::StringId function = state_.Text(in.Get()), file = state_.Text(in.Get());
    const uint64_t line = in.Get();
    if (!in.ok()) return;
    // As torch.profiler names frames: "package/file.py(12): function".
    std::string name(state_.to.trace().Text(function));
    if (file != model::kNoString)
      name = std::string(state_.to.trace().Text(file)) + "(" + std::to_string(line) + "): " + name;
    if (!spans_.Define(ref, parent, state_.to.Text(name))) state_.to.Note(LedgerCode::kBrokenRecord);
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
    if (span.kind == model::HostKind::kPython) {  // for SettleSampledRows(), which takes them away
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
  int64_t longest_period_ns_ = 0;
  uint64_t samples_ = 0, sampled_rows_ = 0;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeHostSamples(State* state) { return std::make_unique<HostSamples>(state); }

}  // namespace warpscope::import::capture
