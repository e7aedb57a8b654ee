// Collectives: time, bytes and exposure on one rank; over several ranks, arrival skew against transfer.
// [MT] Pure functions.
// Over ranks a collective's transfer = the shortest duration among them (the last to arrive waits for nobody);
// waiting = own duration - transfer; the rank with the shortest one arrived last. Durations need no common clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/index.h"
#include "analysis/window.h"

namespace warpscope::analysis {

struct CollectiveCall {
  uint32_t gpu_row = model::kNone;
  uint32_t link_domain = 0;
  model::StringId name = model::kNoString;   // "allreduce"; the kernel's own name where nothing was recorded
  model::StringId group = model::kNoString;  // process group name or communicator id; kNoString if unknown
  std::optional<uint64_t> bytes;             // larger of in and out elements x element size
  std::optional<uint64_t> group_size, sequence;
  int64_t start_ns = 0, dur_ns = 0;
  int64_t exposed_ns = 0;         // no compute ran on the device
  uint32_t match = model::kNone;  // row of CollectiveSummary::matched
};

struct CollectiveRow {  // by name and group
  model::StringId name = model::kNoString, group = model::kNoString;
  uint64_t count = 0;
  int64_t total_ns = 0, exposed_ns = 0, min_ns = 0, max_ns = 0;
  double median_ns = 0;
  std::optional<uint64_t> bytes;
  std::optional<double> algorithm_bandwidth_bytes_per_s;  // bytes / time of the matched transfer, else of the call
  std::optional<int64_t> transfer_ns, waiting_ns;         // over ranks: sums of both parts
};

struct MatchedCollective {      // one collective over the ranks
  std::vector<uint32_t> calls;  // rows of CollectiveSummary::calls, by rank order
  int64_t transfer_ns = 0;
  int64_t longest_ns = 0;
  uint32_t last_domain = 0;  // arrived last (shortest duration)
  int64_t skew_ns = 0;       // longest - transfer
};

struct RankSkew {
  uint32_t link_domain = 0;
  uint64_t matched = 0;
  uint64_t last_count = 0;  // times it was last, by more than 5 % of the call and 10 us
  // Of those, the ones whose kernel started within 20 us of its launch: the device was free and the host came late.
  // A recorder slows hosts (not always alike), so such lateness may not be there without it.
  uint64_t last_by_host_count = 0;
  int64_t waiting_ns = 0;  // it waited for others
  int64_t caused_ns = 0;   // sum of skew while it was last: the others waited for it
};

struct CollectiveSummary {
  std::vector<CollectiveCall> calls;       // by domain, then start
  std::vector<CollectiveRow> rows;         // most exposed time first, then total, then name
  std::vector<MatchedCollective> matched;  // in order of the first rank
  std::vector<RankSkew> ranks;             // by rank order; empty for one rank
  uint64_t unmatched = 0;
  // The rank that is last in >= 2/3 of the collectives with notable skew and causes most of it; absent if none does.
  std::optional<uint32_t> straggler_domain;
};

CollectiveSummary SummarizeCollectives(const Index& index, const Scope& scope = {});

}  // namespace warpscope::analysis
