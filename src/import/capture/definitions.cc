// Definitions: what the numbers of texts, threads, streams and launch shapes stand for.
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

class Definitions : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kProcess) {
      const model::StringId name = state_.Text(in.Get());
      if (in.ok()) state_.to.trace().processes[state_.process].name = name;
      return;
    }
    const uint64_t ref = in.Get();
    if (tag == wire::kText) ReadText(ref, in);
    else if (tag == wire::kThread) ReadThread(ref, in);
    else if (tag == wire::kStream) ReadStream(ref, in);
    else if (tag == wire::kLaunchShape) ReadShape(ref, in);
    else if (tag == wire::kLaunchKey) ReadLaunch(ref, in);
    else ReadCall(ref, in);
  }

 private:
  void ReadText(uint64_t ref, wire::BlockReader& in) {
    const std::string_view text = in.GetBytes();
    if (in.ok()) state_.texts.Set(ref, state_.to.Text(text));
  }

  void ReadThread(uint64_t ref, wire::BlockReader& in) {
    const uint64_t tid = in.Get();
    const model::StringId name = state_.Text(in.Get());
    if (!in.ok()) return;
    const uint32_t thread = state_.to.Thread(state_.process, static_cast<int64_t>(tid));
    if (name != model::kNoString) state_.to.trace().threads[thread].name = name;
    state_.threads.Set(ref, thread);
  }

  void ReadStream(uint64_t ref, wire::BlockReader& in) {
    const uint64_t device = Narrow(in.Get()), context = Narrow(in.Get()), id = Narrow(in.Get());
    if (!in.ok()) return;
    const uint32_t stream = state_.to.Stream(state_.process, state_.to.Device(static_cast<int64_t>(device)),
                                             static_cast<int64_t>(context), static_cast<int64_t>(id));
    state_.streams.Set(ref, stream);
    state_.stream_of_id[context << 32 | id] = stream;
  }

  void ReadShape(uint64_t ref, wire::BlockReader& in) {
    model::LaunchConfig shape;
    for (uint32_t& size : shape.grid) size = Narrow(in.Get());
    for (uint32_t& size : shape.block) size = Narrow(in.Get());
    shape.registers_per_thread = Narrow(in.Get());
    shape.shared_bytes = Narrow(in.Get());
    for (int i = 0; i < 3; ++i) in.Get();  // cluster
    if (in.ok()) state_.shapes.Set(ref, shape);
  }

  void ReadLaunch(uint64_t ref, wire::BlockReader& in) {
    LaunchKey launch;
    launch.name = state_.Text(in.Get());
    const uint64_t stream = in.Get();
    const model::LaunchConfig* shape = state_.shapes.Find(in.Get());
    const uint64_t graph = in.Get(), node = in.Get();
    if (!in.ok()) return;
    model::LaunchConfig config = shape != nullptr ? *shape : model::LaunchConfig();
    launch.in_graph = node != 0;
    if (launch.in_graph) {
      config.graph_node_id = node;
      if (graph != 0) config.graph_id = graph;
    }
    if (launch.name == model::kNoString) launch.name = state_.to.Text("(name lost)");
    launch.stream = state_.StreamOf(stream);
    launch.detail = state_.to.Launch(config);
    state_.launches.Set(ref, launch);
  }

  void ReadCall(uint64_t ref, wire::BlockReader& in) {
    const uint64_t api = in.Get();
    const model::StringId name = state_.Text(in.Get());
    const uint64_t thread = in.Get();
    if (in.ok()) state_.calls.Set(ref, state_.CallOf(api, name, state_.ThreadOf(thread)));
  }
};

}  // namespace

std::unique_ptr<RecordGroup> MakeDefinitions(State* state) { return std::make_unique<Definitions>(state); }

}  // namespace warpscope::import::capture
