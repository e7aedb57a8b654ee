// Folded stacks for flame graphs (flamegraph.pl, speedscope, inferno): one line a stack, frames by ';', then its time
// in ns. By device time: what the host was in when it issued the work, and the work last. By host time: own time of
// spans.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "export/export.h"
#include "export/text/left_out.h"
#include "export/text/sink.h"

namespace warpscope::exporting {
namespace {

using model::kNone;

// Stacks with common beginnings share them. Node 0 is the root.
class Stacks {
 public:
  Stacks() { nodes_.push_back({}); }

  uint32_t Child(uint32_t parent, model::StringId name) {
    const auto [it, fresh] = children_.try_emplace(uint64_t{parent} << 32 | name, 0);
    if (fresh) {
      it->second = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({name, 0, kNone, nodes_[parent].last_child});
      nodes_[parent].last_child = it->second;
    }
    return it->second;
  }
  void Add(uint32_t node, int64_t time_ns) {
    if (time_ns > 0) nodes_[node].time_ns += static_cast<uint64_t>(time_ns);
  }

  // Every stack with time of its own. `frame` gives the text of a name. Without recursion: stacks may be deep.
  template <typename Frame>
  void Write(Sink* sink, const Frame& frame) const {
    struct Open {
      uint32_t node;
      size_t length;  // of the text above it
    };
    std::vector<Open> open;
    std::string text;
    for (uint32_t child = nodes_[0].last_child; child != kNone; child = nodes_[child].previous)
      open.push_back({child, 0});
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      text.resize(at.length);
      if (at.length > 0) text.push_back(';');
      text.append(frame(nodes_[at.node].name));
      if (nodes_[at.node].time_ns > 0) {
        sink->Add(text);
        sink->Add(' ');
        sink->Number(nodes_[at.node].time_ns);
        sink->Add('\n');
      }
      for (uint32_t child = nodes_[at.node].last_child; child != kNone; child = nodes_[child].previous)
        open.push_back({child, text.size()});
    }
  }

 private:
  struct Node {
    model::StringId name = model::kNoString;  // or a number above all strings: a thread or device
    uint64_t time_ns = 0;
    uint32_t last_child = kNone, previous = kNone;
  };
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> children_;
};

// A frame's text: what ends frames and lines must not stand in it.
std::string FrameText(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ';') c = ':';
    else if (byte < 0x20 || byte == 0x7F) c = ' ';
  }
  if (text.empty()) text = "(no name)";
  return text;
}

class Folder {
 public:
  explicit Folder(const model::Trace& trace) : trace_(trace), first_root_(trace.strings.size()) {}

  void ByHost() {
    const model::HostTable& host = trace_.host;
    std::vector<int64_t> own(host.dur_ns);
    for (uint32_t row = 0; row < host.size(); ++row) {
      if (host.parent[row] != kNone) own[host.parent[row]] -= host.dur_ns[row];
    }
    PlaceHost();
    for (uint32_t row = 0; row < host.size(); ++row) stacks_.Add(node_[row], own[row]);
  }

  void ByDevice() {
    const model::GpuTable& gpu = trace_.gpu;
    PlaceHost();
    for (uint32_t row = 0; row < gpu.size(); ++row) {
      const uint32_t above =
          gpu.call[row] != kNone ? node_[gpu.call[row]] : stacks_.Child(0, DeviceRoot(gpu.stream[row]));
      stacks_.Add(stacks_.Child(above, gpu.name[row]), gpu.dur_ns[row]);
    }
  }

  void Write(Sink* sink) {
    std::vector<std::string> texts(trace_.strings.size());
    stacks_.Write(sink, [&](model::StringId name) -> std::string_view {
      if (name >= first_root_) return roots_[name - first_root_];
      if (texts[name].empty()) texts[name] = FrameText(trace_.strings.Get(name));
      return texts[name];
    });
  }

 private:
  // Parents stand before their children.
  void PlaceHost() {
    const model::HostTable& host = trace_.host;
    node_.resize(host.size());
    std::vector<uint32_t> root(trace_.threads.size(), kNone);
    for (uint32_t row = 0; row < host.size(); ++row) {
      uint32_t above;
      if (host.parent[row] != kNone) {
        above = node_[host.parent[row]];
      } else {
        uint32_t& of_thread = root[host.thread[row]];
        if (of_thread == kNone) of_thread = stacks_.Child(0, ThreadRoot(host.thread[row]));
        above = of_thread;
      }
      node_[row] = stacks_.Child(above, host.name[row]);
    }
  }

  model::StringId ThreadRoot(uint32_t row) {
    const model::Thread& thread = trace_.threads[row];
    std::string text = thread.process == kNone ? "" : fmt::format("pid {} ", trace_.processes[thread.process].pid);
    text += fmt::format("thread {}", thread.tid);
    if (thread.name != model::kNoString) text += fmt::format(" {}", trace_.strings.Get(thread.name));
    return Root(FrameText(text));
  }
  model::StringId DeviceRoot(uint32_t row) {
    const auto [it, fresh] = device_root_.try_emplace(row, 0);
    if (fresh) {
      const model::Stream& stream = trace_.streams[row];
      const int64_t device = stream.device == kNone ? -1 : trace_.devices[stream.device].id;
      it->second = Root(fmt::format("device {} stream {} (issued by nothing that was recorded)", device, stream.id));
    }
    return it->second;
  }
  model::StringId Root(std::string text) {
    roots_.push_back(std::move(text));
    return static_cast<model::StringId>(first_root_ + roots_.size() - 1);
  }

  const model::Trace& trace_;
  size_t first_root_;
  std::vector<std::string> roots_;
  std::map<uint32_t, model::StringId> device_root_;
  std::vector<uint32_t> node_;  // by host row
  Stacks stacks_;
};

Result<Written> WriteFolded(const model::Trace& trace, const std::string& path, const Options& options) {
  const bool by_device = options.fold_by == Options::FoldBy::kDevice;
  Folder folder(trace);
  by_device ? folder.ByDevice() : folder.ByHost();
  Sink sink(path, options.place.ends_with(".gz"));
  folder.Write(&sink);
  WS_RETURN_IF_ERROR(sink.Close());
  if (options.progress) options.progress(1);
  Written written;
  written.event_count = by_device ? trace.gpu.size() : trace.host.size();
  if (by_device && trace.gpu.size() == 0)
    written.left_out.emplace_back("no device work was recorded; --by host counts the host's own time");
  if (!by_device && trace.gpu.size() > 0)
    written.left_out.push_back(fmt::format("{} device rows: --by device counts them", trace.gpu.size()));
  const size_t moments =
      trace.memory.size() + trace.counters.size() + trace.syncs.size() + trace.gpu_annotations.size();
  if (moments > 0)
    written.left_out.push_back(fmt::format("{} marks, samples and waits: stacks hold sums of time only", moments));
  for (std::string& sentence : WithoutTimeline(trace)) written.left_out.push_back(std::move(sentence));
  return written;
}

}  // namespace

extern const Exporter kFolded;
const Exporter kFolded = {.id = "folded",
                          .title = "folded stacks (flame graph)",
                          .suffix = ".folded",
                          .layout = Layout::kText,
                          .write = &WriteFolded};

}  // namespace warpscope::exporting
