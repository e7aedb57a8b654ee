// API calls, synchronisations, and the profiler's own times.
#include "import/capture/cupti_words.h"
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

constexpr std::string_view kOverheads[] = {"Unknown",
                                           "Driver Compiler",
                                           "Buffer Flush",
                                           "Instrumentation",
                                           "Resource",
                                           "Runtime Triggered Module Loading",
                                           "Lazy Function Loading",
                                           "Command Buffer Full",
                                           "Activity Buffer Request",
                                           "UVM Activity Init"};

// CUpti_ActivityOverheadKind: 1, or a number in the upper half.
std::string_view OverheadName(uint64_t kind) {
  constexpr uint64_t kCompiler = 1, kGroupBits = 16;
  if (kind == kCompiler) return kOverheads[1];
  const uint64_t number = kind >> kGroupBits;
  if (kind != number << kGroupBits || number + 1 >= std::size(kOverheads)) return "Overhead";
  return number == 0 ? kOverheads[0] : kOverheads[number + 1];
}

class HostCalls : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kCall) ReadCall(in);
    else if (tag == wire::kSync) ReadSync(in);
    else ReadOverhead(in);
  }

 private:
  void Add(const Appender::Host& row) {
    if (!state_.InRange(row.start_ns, row.dur_ns)) return;
    state_.Saw(row.start_ns + row.dur_ns);
    state_.to.Add(row);
  }

  void ReadCall(wire::BlockReader& in) {
    Appender::Host row;
    row.kind = in.Get() == 1 ? model::HostKind::kDriverCall : model::HostKind::kRuntimeCall;
    const model::StringId name = state_.Text(in.Get());
    const uint64_t thread = in.Get();
    row.start_ns = in.GetTime();
    row.dur_ns = Length(in.Get());
    row.correlation = in.GetCorrelation();
    in.Get();  // return value
    if (!in.ok()) return;
    row.thread = state_.ThreadOf(thread);
    row.name = state_.to.Text(WithoutVersion(state_.to.trace().Text(name)));
    if (model::IsLaunchCall(state_.to.trace().Text(row.name))) state_.launch_recorded.insert(row.correlation);
    Add(row);
  }

  void ReadSync(wire::BlockReader& in) {
    model::Sync row;
    row.kind = SyncKindOf(in.Get());
    const uint64_t context = in.Get(), stream = in.Get();
    in.Get();  // event
    row.start_ns = in.GetTime();
    row.dur_ns = Length(in.Get());
    row.correlation = in.GetCorrelation();
    row.link_domain = state_.to.trace().processes[state_.process].link_domain;
    if (!in.ok() || !state_.InRange(row.start_ns, row.dur_ns)) return;
    if (stream > 0) {
      const auto it = state_.stream_of_id.find(context << 32 | (stream - 1));
      if (it != state_.stream_of_id.end()) row.stream = it->second;
    }
    state_.Saw(row.start_ns + row.dur_ns);
    state_.to.trace().syncs.push_back(row);
  }

  void ReadOverhead(wire::BlockReader& in) {
    const uint64_t kind = in.Get(), thread = in.Get();
    Appender::Host row;
    row.kind = model::HostKind::kOverhead;
    row.start_ns = in.GetTime();
    row.dur_ns = Length(in.Get());
    if (!in.ok()) return;
    row.thread = state_.ThreadOf(thread);
    row.name = state_.to.Text(OverheadName(kind));
    Add(row);
    state_.to.Note(model::LedgerCode::kProfilerOverhead);
  }
};

}  // namespace

std::unique_ptr<RecordGroup> MakeHostCalls(State* state) { return std::make_unique<HostCalls>(state); }

}  // namespace warpscope::import::capture
