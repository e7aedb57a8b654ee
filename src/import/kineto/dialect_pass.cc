// SourceBuilder::ApplyDialect(): traces of other tools than torch.profiler are told and put right by
// src/import/chrome/.
#include <map>

#include "import/chrome/dialect.h"
#include "import/kineto/source_builder.h"

namespace warpscope::import::kineto {

std::vector<chrome::Lane> SourceBuilder::NamedLanes() const {
  struct Names {
    std::string_view process, labels;
  };
  std::map<std::pair<int64_t, model::StringId>, Names> processes;
  std::vector<chrome::Lane> lanes(lanes_.size());
  for (const NameRow& row : names_) {
    const LaneKey& key = lanes_.rows()[row.lane];
    const std::string_view text = trace_->strings.Get(row.name);
    switch (row.what) {
      case NameRow::What::kProcess: processes[{key.pid, key.pid_text}].process = text; break;
      case NameRow::What::kProcessLabels: processes[{key.pid, key.pid_text}].labels = text; break;
      case NameRow::What::kThread: lanes[row.lane].thread = text; break;
    }
  }
  for (uint32_t i = 0; i < lanes.size(); ++i) {
    const LaneKey& key = lanes_.rows()[i];
    lanes[i].pid = key.pid;
    lanes[i].tid = key.tid;
    lanes[i].row = lane_thread_[i];
    if (const auto names = processes.find({key.pid, key.pid_text}); names != processes.end()) {
      lanes[i].process = names->second.process;
      lanes[i].labels = names->second.labels;
    } else if (key.pid_text != model::kNoString) {
      lanes[i].process = trace_->strings.Get(key.pid_text);
    }
    if (lanes[i].thread.empty() && key.tid_text != model::kNoString)
      lanes[i].thread = trace_->strings.Get(key.tid_text);
  }
  return lanes;
}

void SourceBuilder::ApplyDialect() {
  chrome::Signs signs{NamedLanes(), !header_values_.empty(), has_gpu_};
  const chrome::Dialect* dialect = chrome::FindDialect(signs);
  if (dialect == nullptr) return;
  const chrome::Parts parts{
      trace_,
      source_,
      {begin_.host, begin_.gpu, begin_.streams, begin_.devices, begin_.collectives, begin_.threads},
      extras_,
      flows_,
      stream_keys_,
      &launches_,
      &copies_};
  chrome::Document document(parts, std::move(signs.lanes));
  dialect->apply(&document);
  document.Commit();
  for (size_t i = begin_.streams + stream_keys_.size(); i < trace_->streams.size(); ++i) {
    StreamKey key;
    key.device = trace_->devices[trace_->streams[i].device].id;
    key.stream = trace_->streams[i].id;
    stream_keys_.push_back(key);
  }
  has_host_ = trace_->host.start_ns.size() > begin_.host;
  has_gpu_ = trace_->gpu.start_ns.size() > begin_.gpu;
}

}  // namespace warpscope::import::kineto
