#include "export/chrome/numbers.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace warpscope::exporting::chrome {
namespace {

// Gives `wanted` if it is free and possible, else the lowest number above all.
template <typename Key>
int64_t Take(std::set<std::pair<Key, int64_t>>& used, Key key, int64_t wanted, int64_t* next) {
  constexpr int64_t kLargest = int64_t{1} << 52;  // viewers hold numbers as doubles
  int64_t number = wanted >= 0 && wanted < kLargest ? wanted : (*next)++;
  while (!used.emplace(key, number).second) number = (*next)++;
  return number;
}

}  // namespace

Numbers::Numbers(const model::Trace& trace) : trace_(trace) {
  uint32_t domains = 0;
  for (const model::Process& process : trace.processes) domains = std::max(domains, process.link_domain + 1);
  for (const model::Stream& stream : trace.streams) domains = std::max(domains, stream.link_domain + 1);
  std::set<uint32_t> seen;
  for (const model::Process& process : trace.processes) seen.insert(process.link_domain);
  for (const model::Stream& stream : trace.streams) seen.insert(stream.link_domain);
  several_ = seen.size() > 1;
  ranks_.assign(domains, -1);
  std::set<std::pair<int, int64_t>> ranks;
  int64_t next = 0;
  for (const model::Process& process : trace.processes) {
    if (!process.rank || ranks_[process.link_domain] >= 0) continue;
    if (*process.rank >= 0 && ranks.emplace(0, *process.rank).second) ranks_[process.link_domain] = *process.rank;
  }
  for (const uint32_t domain : seen) {
    if (ranks_[domain] < 0) ranks_[domain] = Take(ranks, 0, -1, &next);
  }

  std::set<std::pair<int64_t, int64_t>> pids, tids;
  int64_t next_pid = 1000000, next_tid = 1000000;
  for (const model::Process& process : trace.processes)
    pids_.push_back(Take(pids, several_ ? ranks_[process.link_domain] : int64_t{0}, process.pid, &next_pid));
  for (const model::Thread& thread : trace.threads) {
    const int64_t process = thread.process == model::kNone ? -1 : thread.process;
    tids_.push_back(Take(tids, process, thread.tid, &next_tid));
  }
}

}  // namespace warpscope::exporting::chrome
