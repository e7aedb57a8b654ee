// SourceBuilder::ResolveStreams(): rows that name a stream without its device or context join the stream that they
// mean.
#include <algorithm>

#include "import/kineto/source_builder.h"

namespace warpscope::import::kineto {
namespace {

bool SameOwner(const StreamKey& a, const StreamKey& b) { return a.lane == b.lane && a.stream == b.stream; }

// Whether `full` may be the stream that `vague` means.
bool Means(const StreamKey& vague, const StreamKey& full) {
  if (!SameOwner(vague, full) || full.device == kNoNumber) return false;
  const bool device_fits = vague.device == kNoNumber || vague.device == full.device;
  const bool says_more = vague.device == kNoNumber || full.context != -1;
  return device_fits && says_more && (vague.context == -1 || vague.context == full.context);
}

}  // namespace

void SourceBuilder::ResolveStreams() {
  const std::vector<StreamKey>& keys = streams_.rows();
  std::vector<uint32_t> meant(keys.size());
  for (uint32_t i = 0; i < keys.size(); ++i) {
    meant[i] = i;
    if (keys[i].device != kNoNumber && keys[i].context != -1) continue;
    const auto full = std::find_if(keys.begin(), keys.end(),
                                   [&](const StreamKey& key) { return &key != &keys[i] && Means(keys[i], key); });
    if (full != keys.end()) meant[i] = static_cast<uint32_t>(full - keys.begin());
  }
  // What is meant may itself stand for another (device known, context not).
  for (uint32_t& to : meant) to = meant[to];

  std::vector<model::Stream> kept;
  std::vector<uint32_t> moved(keys.size(), model::kNone);
  for (uint32_t i = 0; i < keys.size(); ++i) {
    if (meant[i] != i) continue;
    StreamKey key = keys[i];
    model::Stream stream = trace_->streams[begin_.streams + i];
    if (key.device == kNoNumber) {
      key.device = key.lane.pid == kNoNumber ? 0 : key.lane.pid;
      stream.device = DeviceRow(key.device, key.lane);
    }
    moved[i] = static_cast<uint32_t>(begin_.streams + kept.size());
    stream_keys_.push_back(key);
    kept.push_back(stream);
  }
  trace_->streams.resize(begin_.streams);
  trace_->streams.insert(trace_->streams.end(), kept.begin(), kept.end());
  if (kept.size() == keys.size()) return;

  const auto move = [&](uint32_t& stream) {
    if (stream != model::kNone) stream = moved[meant[stream - begin_.streams]];
  };
  for (size_t row = begin_.gpu; row < trace_->gpu.size(); ++row) move(trace_->gpu.stream[row]);
  for (size_t row = begin_.annotations; row < trace_->gpu_annotations.size(); ++row)
    move(trace_->gpu_annotations[row].stream);
  for (size_t row = begin_.syncs; row < trace_->syncs.size(); ++row) {
    move(trace_->syncs[row].stream);
    move(trace_->syncs[row].wait_on_stream);
  }
}

}  // namespace warpscope::import::kineto
