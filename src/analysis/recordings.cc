#include "analysis/recordings.h"

#include <algorithm>
#include <set>

namespace warpscope::analysis {

std::string RecordingOf(const Index& index, const Rank& rank) {
  const model::Trace& trace = index.trace();
  if (rank.process == model::kNone) return "";
  const model::Source& source = trace.sources[trace.processes[rank.process].source];
  // Each process of a run has a stream of its own in the run's folder.
  if (source.format == "capture") {
    const size_t slash = source.path.rfind('/');
    return slash == std::string::npos ? std::string(".") : source.path.substr(0, slash);
  }
  const auto first = std::find_if(trace.sources.begin(), trace.sources.end(), [&](const model::Source& other) {
    return &other == &source || (!source.part_of.empty() && other.part_of == source.part_of);
  });
  const size_t archive = first->path.find(".tar:");
  return archive == std::string::npos ? first->path : first->path.substr(0, archive + 4);
}

std::vector<std::string> UnrelatedRecordings(const Index& index) {
  std::vector<std::string> recordings;
  std::set<int64_t> numbers;
  bool numbered = true;
  for (const Rank& rank : index.ranks()) {
    if (rank.gpu_rows == 0 || rank.process == model::kNone) continue;
    numbered = numbered && rank.rank && numbers.insert(*rank.rank).second;
    const std::string recording = RecordingOf(index, rank);
    if (std::find(recordings.begin(), recordings.end(), recording) == recordings.end()) recordings.push_back(recording);
  }
  if (numbered || recordings.size() < 2) return {};
  return recordings;
}

}  // namespace warpscope::analysis
