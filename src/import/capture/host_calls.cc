// API calls with what belongs to them: external ids, compilation, modules, the profiler's own times.
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
    else if (tag == wire::kKeyedCall) ReadKeyedCall(in);
    else if (tag == wire::kExternal) ReadExternal(in);
    else if (tag == wire::kJit) ReadJit(in);
    else if (tag == wire::kModule) ReadModule(in);
    else ReadOverhead(in);
  }

  void Finish() override {
    AddExternal();
    AddModules();
  }

 private:
  void Add(const Appender::Host& row) {
    if (!state_.InRange(row.start_ns, row.dur_ns)) return;
    state_.Saw(row.start_ns + row.dur_ns);
    state_.to.Add(row);
  }

  void ReadCall(wire::BlockReader& in) {
    Appender::Host row;
    const uint64_t api = in.Get();
    const model::StringId name = state_.Text(in.Get());
    const uint64_t thread = in.Get();
    ReadTimes(row, in);
    in.Get();  // return value
    if (in.ok()) AddCall(row, state_.CallOf(api, name, state_.ThreadOf(thread)));
  }

  void ReadKeyedCall(wire::BlockReader& in) {
    Appender::Host row;
    const CallKey* call = state_.calls.Find(in.Get());
    ReadTimes(row, in);
    if (in.ok()) AddCall(row, call != nullptr ? *call : state_.CallOf(0, model::kNoString, state_.ThreadOf(0)));
  }

  void ReadTimes(Appender::Host& row, wire::BlockReader& in) {
    row.start_ns = in.GetTime();
    row.dur_ns = Length(in.Get());
    row.correlation = in.GetCorrelation();
  }

  void AddCall(Appender::Host row, const CallKey& call) {
    row.kind = call.kind;
    row.name = call.name;
    row.thread = call.thread;
    if (call.is_launch) state_.launch_recorded.insert(row.correlation);
    Add(row);
    if (!state_.InRange(row.start_ns, row.dur_ns)) return;
    if (call.issues) state_.issuing_calls.push_back({row.start_ns, row.start_ns + row.dur_ns, row.thread});
  }

  void ReadExternal(wire::BlockReader& in) {
    in.Get();  // kind: who pushed it
    const uint64_t id = in.Get(), correlation = in.GetCorrelation();
    if (in.ok()) external_[correlation] = id;  // the innermost comes last
  }

  void AddExternal() {
    if (external_.empty()) return;
    model::HostTable& host = state_.to.trace().host;
    for (uint32_t row = first_row_; row < host.size(); ++row) {
      if (host.kind[row] != model::HostKind::kRuntimeCall && host.kind[row] != model::HostKind::kDriverCall) continue;
      const auto it = external_.find(host.correlation[row]);
      if (it != external_.end()) host.external_id[row] = it->second;
    }
  }

  // Named so that analysis::LabelHost knows it for compilation.
  void ReadJit(wire::BlockReader& in) {
    const uint64_t what = in.Get(), operation = in.Get();
    in.Get();  // bytes
    const uint64_t thread = in.Get();
    Appender::Host row;
    row.kind = model::HostKind::kOverhead;
    ReadTimes(row, in);
    row.correlation = model::kNoId;
    if (!in.ok()) return;
    const std::string_view subject = what == 2 ? "NVVM IR to PTX" : "PTX to machine code";
    const std::string_view verb = operation == 1 ? "load from cache" : operation == 2 ? "store in cache" : "compile";
    row.thread = thread != 0 ? state_.ThreadOf(thread) : state_.MainThread();
    row.name = state_.to.Text("JIT " + std::string(verb) + ", " + std::string(subject));
    Add(row);
  }

  void ReadModule(wire::BlockReader& in) {
    in.Get();  // context
    in.Get();  // module
    const uint64_t bytes = in.Get();
    if (!in.ok()) return;
    ++modules_;
    module_bytes_ += bytes;
  }

  void AddModules() {
    if (modules_ == 0) return;
    const auto add = [&](std::string_view name, std::string_view unit, uint64_t value) {
      model::Reading row;
      row.source = state_.to.source_row();
      row.name = state_.to.Text(name);
      if (!unit.empty()) row.unit = state_.to.Text(unit);
      row.value = static_cast<double>(value);
      state_.to.trace().readings.push_back(row);
    };
    add("modules_loaded", "", modules_);
    add("module_code_bytes", "bytes", module_bytes_);
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

  const uint32_t first_row_ = state_.to.trace().host.size();
  std::unordered_map<uint64_t, uint64_t> external_;  // by correlation id
  uint64_t modules_ = 0, module_bytes_ = 0;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeHostCalls(State* state) { return std::make_unique<HostCalls>(state); }

}  // namespace warpscope::import::capture
