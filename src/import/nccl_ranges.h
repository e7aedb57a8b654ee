// NcclRanges: what NCCL says about its communications in the payloads of its NVTX ranges -> collectives and ranks.
// [one thread] One for a recording; rows of processes and of host are kept as numbers, so they must not move meanwhile.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "import/appender.h"
#include "import/nsys/nvtx_payload.h"

namespace warpscope::import {

class NcclRanges {
 public:
  // A range of the domain "NCCL" that becomes the next row of host. "ncclAllReduce" tells the message's size;
  // "ncclCommInitRank" the process' rank.
  void Add(Appender& to, const std::vector<nsys::PayloadField>& fields, const Appender::Host& host);

 private:
  std::map<std::ptrdiff_t, std::pair<int64_t, int64_t>> ranks_;  // process row -> rank, ranks
  std::map<std::string, uint64_t> groups_;                       // communicator -> its size
};

}  // namespace warpscope::import
