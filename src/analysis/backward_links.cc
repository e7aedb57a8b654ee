// BackwardLinks: from an autograd operator back to the forward operator that made its graph node.
#include <algorithm>
#include <map>

#include "analysis/call_tree.h"
#include "analysis/operators.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;

constexpr uint32_t kMaxDepth = 4096;
constexpr size_t kVotes = 4096;  // sequence numbers compared to find which thread a number means

bool HasSequence(const model::HostTable& host, uint32_t row) {
  return host.kind[row] == HostKind::kOperator && host.correlation[row] != model::kNoId;
}

}  // namespace

BackwardLinks::BackwardLinks(const Index& index) : index_(&index) {
  const model::HostTable& host = index.trace().host;
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (HasSequence(host, row) && host.forward_thread[row] == 0)
      forward_.push_back({host.thread[row], host.correlation[row], row});
  }
  // Of equal numbers the last to start comes last; it replaces the others.
  std::stable_sort(forward_.begin(), forward_.end(), [&](const Forward& a, const Forward& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    if (a.sequence != b.sequence) return a.sequence < b.sequence;
    return host.start_ns[a.row] < host.start_ns[b.row];
  });
  size_t kept = 0;
  for (size_t i = 0; i < forward_.size(); ++i) {
    const bool last = i + 1 == forward_.size() || forward_[i + 1].thread != forward_[i].thread ||
                      forward_[i + 1].sequence != forward_[i].sequence;
    if (last) forward_[kept++] = forward_[i];
  }
  forward_.resize(kept);
  FindThreads();
}

// Autograd operators name their forward thread by the recorder's own numbers. The thread meant is the one of the same
// process whose forward operators carry the same sequence numbers.
void BackwardLinks::FindThreads() {
  const model::Trace& trace = index_->trace();
  const model::HostTable& host = trace.host;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> wanted;  // (domain, number) -> sequence numbers
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (!HasSequence(host, row) || host.forward_thread[row] == 0) continue;
    auto& sequences = wanted[{trace.HostDomain(row), host.forward_thread[row]}];
    if (sequences.size() < kVotes) sequences.push_back(host.correlation[row]);
  }
  std::vector<uint32_t> threads;
  for (const Forward& forward : forward_) {
    if (threads.empty() || threads.back() != forward.thread) threads.push_back(forward.thread);
  }
  for (const auto& [key, sequences] : wanted) {
    uint32_t best = kNone;
    size_t best_votes = 0;
    for (const uint32_t thread : threads) {
      if (trace.processes[trace.threads[thread].process].link_domain != key.first) continue;
      size_t votes = 0;
      for (const uint64_t sequence : sequences) {
        votes += std::binary_search(forward_.begin(), forward_.end(), Forward{thread, sequence, 0},
                                    [](const Forward& a, const Forward& b) {
                                      return a.thread != b.thread ? a.thread < b.thread : a.sequence < b.sequence;
                                    });
      }
      if (votes > best_votes) {
        best_votes = votes;
        best = thread;
      }
    }
    if (best != kNone) numbers_.push_back({key.first, key.second, best});
  }
}

uint32_t BackwardLinks::ForwardOf(uint32_t host_row) const {
  const model::Trace& trace = index_->trace();
  const model::HostTable& host = trace.host;
  uint32_t row = host_row;
  for (uint32_t depth = 0; row != kNone && !(HasSequence(host, row) && host.forward_thread[row] != 0);
       row = host.parent[row]) {
    if (++depth > kMaxDepth) return kNone;
  }
  if (row == kNone) return kNone;
  const std::pair<uint32_t, uint32_t> key{trace.HostDomain(row), host.forward_thread[row]};
  const auto number = std::lower_bound(numbers_.begin(), numbers_.end(), key, [](const ThreadNumber& a, const auto& b) {
    return std::pair(a.link_domain, a.number) < b;
  });
  if (number == numbers_.end() || std::pair(number->link_domain, number->number) != key) return kNone;
  const auto it = std::lower_bound(forward_.begin(), forward_.end(), std::pair(number->thread, host.correlation[row]),
                                   [](const Forward& a, const auto& b) { return std::pair(a.thread, a.sequence) < b; });
  const bool found = it != forward_.end() && it->thread == number->thread && it->sequence == host.correlation[row];
  return found ? it->row : kNone;
}

}  // namespace warpscope::analysis
