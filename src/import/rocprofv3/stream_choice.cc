#include "import/rocprofv3/stream_choice.h"

#include <algorithm>

#include "import/amd/names.h"

namespace warpscope::import::rocprofv3 {

uint32_t StreamChoice::Place(Appender* to, uint32_t process, uint32_t device, std::optional<uint64_t> stream,
                             std::optional<uint64_t> queue) {
  if (!first_row_) first_row_ = to->trace().gpu.size();
  const auto number = [](std::optional<uint64_t> id) {
    return id ? static_cast<int64_t>(std::min<uint64_t>(*id, INT64_MAX)) : amd::kCopyEngineStream;
  };
  last_ = {process, device, number(queue)};
  if (!stream || *stream != 0) decided_ = true;
  if (decided_) lanes_.clear();
  return to->Stream(process, device, -1, stream ? number(stream) : number(queue));
}

void StreamChoice::Added() {
  if (!decided_) lanes_.push_back(last_);
}

void StreamChoice::Settle(Appender* to) {
  if (decided_ || lanes_.empty()) return;
  const auto first =
      std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.queue != amd::kCopyEngineStream; });
  if (first == lanes_.end()) return;
  const bool several = std::any_of(first, lanes_.end(), [&](const Lane& lane) {
    return lane.queue != amd::kCopyEngineStream && lane.queue != first->queue;
  });
  if (!several) return;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    to->trace().gpu.stream[*first_row_ + i] = to->Stream(lane.process, lane.device, -1, lane.queue);
  }
}

}  // namespace warpscope::import::rocprofv3
