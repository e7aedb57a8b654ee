// StreamChoice: which of the two numbers of a record is its stream. Newer files carry the HIP stream beside the HSA
// queue, but a program that does not use HIP streams has 0 in every row, and then the queues tell its lanes apart.
// [one thread]. REQUIRES: between the first Place() and Settle() nobody else appends gpu rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "import/appender.h"

namespace warpscope::import::rocprofv3 {

class StreamChoice {
 public:
  // Row of Trace::streams of a record. `stream`, `queue`: absent where the file has no such column. Added() follows if
  // the row was appended.
  uint32_t Place(Appender* to, uint32_t process, uint32_t device, std::optional<uint64_t> stream,
                 std::optional<uint64_t> queue);
  void Added();
  // After the last row: puts the rows on their queues if no record named a HIP stream and more than one queue was used.
  void Settle(Appender* to);

 private:
  struct Lane {
    uint32_t process, device;
    int64_t queue;
  };
  std::optional<size_t> first_row_;
  Lane last_{};
  bool decided_ = false;     // a stream other than 0 occurred, or the file has no streams
  std::vector<Lane> lanes_;  // of the rows so far, while undecided
};

}  // namespace warpscope::import::rocprofv3
