#include "analysis/index.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;
using model::StringId;

// The kind under which each name occurs in the host table; names that occur nowhere there keep kAnnotation.
std::vector<HostKind> KindOfName(const model::Trace& trace) {
  std::vector<HostKind> kinds(trace.strings.size(), HostKind::kAnnotation);
  for (uint32_t row = 0; row < trace.host.size(); ++row) kinds[trace.host.name[row]] = trace.host.kind[row];
  return kinds;
}

std::vector<bool> UsedNames(const std::vector<StringId>& column, size_t count) {
  std::vector<bool> used(count, false);
  for (const StringId id : column) used[id] = true;
  return used;
}

struct ThreadUse {
  uint64_t launches = 0, forward_ops = 0, autograd_ops = 0;
};

}  // namespace

Index::Index(const model::Trace& trace) : trace_(&trace) {
  BuildNames();
  activities_.Build(*this);
  BuildIssued();
  BuildRanks();
}

void Index::BuildNames() {
  const size_t count = trace_->strings.size();
  call_kinds_.assign(count, CallKind::kOther);
  host_labels_.assign(count, HostLabel::kPlain);
  class_of_name_.assign(count, 0);
  kernel_classes_.assign(1, KernelClass{});
  const std::vector<bool> host_names = UsedNames(trace_->host.name, count);
  const std::vector<bool> gpu_names = UsedNames(trace_->gpu.name, count);
  const std::vector<HostKind> kinds = KindOfName(*trace_);
  for (StringId id = 0; id < count; ++id) {
    if (host_names[id]) {
      const bool call = kinds[id] == HostKind::kRuntimeCall || kinds[id] == HostKind::kDriverCall;
      if (call) call_kinds_[id] = ClassifyCall(trace_->Text(id));
      host_labels_[id] = LabelHost(trace_->Text(id), kinds[id]);
    }
    if (gpu_names[id]) {
      class_of_name_[id] = static_cast<uint32_t>(kernel_classes_.size());
      kernel_classes_.push_back(ClassifyKernel(trace_->Text(id)));
    }
  }
}

// Counting sort of gpu rows by the host row that issued them: keeps start order within a call.
void Index::BuildIssued() {
  const auto& calls = trace_->gpu.call;
  std::vector<uint32_t> rows;
  rows.reserve(calls.size());
  for (uint32_t row = 0; row < calls.size(); ++row) {
    if (calls[row] != kNone) rows.push_back(row);
  }
  const auto by_call = [&](uint32_t a, uint32_t b) { return calls[a] < calls[b]; };
  if (!std::is_sorted(rows.begin(), rows.end(), by_call)) std::stable_sort(rows.begin(), rows.end(), by_call);
  issued_rows_ = std::move(rows);
  for (uint32_t i = 0; i < issued_rows_.size(); ++i) {
    const uint32_t call = calls[issued_rows_[i]];
    if (issued_calls_.empty() || issued_calls_.back() != call) {
      issued_calls_.push_back(call);
      issued_begin_.push_back(i);
    }
  }
  issued_begin_.push_back(static_cast<uint32_t>(issued_rows_.size()));
}

Index::Rows Index::IssuedBy(uint32_t host_row) const {
  const auto it = std::lower_bound(issued_calls_.begin(), issued_calls_.end(), host_row);
  if (it == issued_calls_.end() || *it != host_row) return {};
  const size_t i = static_cast<size_t>(it - issued_calls_.begin());
  return {issued_rows_.data() + issued_begin_[i], issued_rows_.data() + issued_begin_[i + 1]};
}

void Index::BuildRanks() {
  const model::Trace& trace = *trace_;
  std::map<uint32_t, Rank> by_domain;
  const auto rank_of = [&](uint32_t domain) -> Rank& {
    Rank& rank = by_domain[domain];
    rank.link_domain = domain;
    return rank;
  };
  for (uint32_t process = 0; process < trace.processes.size(); ++process) {
    Rank& rank = rank_of(trace.processes[process].link_domain);
    if (rank.process == kNone) rank.process = process;
    if (!rank.rank) rank.rank = trace.processes[process].rank;
  }
  for (uint32_t stream = 0; stream < trace.stream_rows.size(); ++stream) {
    if (trace.stream_rows[stream].empty()) continue;
    Rank& rank = rank_of(trace.streams[stream].link_domain);
    rank.gpu_rows += trace.stream_rows[stream].size();
    rank.devices.push_back(trace.streams[stream].device);
  }
  std::vector<ThreadUse> use(trace.threads.size());
  for (uint32_t thread = 0; thread < trace.thread_rows.size(); ++thread) {
    const auto range = trace.thread_rows[thread];
    if (range.begin == range.end) continue;
    for (uint32_t row = range.begin; row < range.end; ++row) {
      if (trace.host.kind[row] == HostKind::kOperator) {
        ++(trace.host.forward_thread[row] != 0 ? use[thread].autograd_ops : use[thread].forward_ops);
      } else if (is_call(row) && Issues(call_kind(row))) {
        ++use[thread].launches;
      }
    }
    Rank& rank = rank_of(trace.processes[trace.threads[thread].process].link_domain);
    rank.threads.push_back(thread);
    rank.host_rows += range.end - range.begin;
    if (use[thread].launches > 0) rank.issuing_threads.push_back(thread);
  }
  bool any_gpu = false;
  for (auto& [domain, rank] : by_domain) any_gpu |= rank.gpu_rows > 0;
  for (auto& [domain, rank] : by_domain) {
    if (any_gpu ? rank.gpu_rows == 0 : rank.host_rows == 0) continue;
    std::sort(rank.devices.begin(), rank.devices.end());
    rank.devices.erase(std::unique(rank.devices.begin(), rank.devices.end()), rank.devices.end());
    std::stable_sort(rank.issuing_threads.begin(), rank.issuing_threads.end(),
                     [&](uint32_t a, uint32_t b) { return use[a].launches > use[b].launches; });
    const auto is_autograd = [&](uint32_t thread) {
      return use[thread].autograd_ops > 0 && use[thread].autograd_ops * 4 > use[thread].forward_ops &&
             trace.threads[thread].tid != trace.processes[trace.threads[thread].process].pid;
    };
    for (const uint32_t thread : rank.threads) {
      if (is_autograd(thread) && rank.threads.size() > 1) rank.autograd_threads.push_back(thread);
    }
    const std::vector<uint32_t>& autograd = rank.autograd_threads;  // a lambda of C++17 takes no structured binding
    const auto main_like = [&autograd](uint32_t thread) {
      return std::find(autograd.begin(), autograd.end(), thread) == autograd.end();
    };
    for (const uint32_t thread : rank.issuing_threads) {
      if (rank.main_thread == kNone && main_like(thread)) rank.main_thread = thread;
    }
    // No launches outside autograd threads: the thread with most host rows.
    for (const uint32_t thread : rank.threads) {
      const auto rows = [&](uint32_t t) { return trace.thread_rows[t].end - trace.thread_rows[t].begin; };
      if (rank.issuing_threads.empty() && (rank.main_thread == kNone || rows(thread) > rows(rank.main_thread))) {
        rank.main_thread = thread;
      }
    }
    if (rank.main_thread == kNone && !rank.issuing_threads.empty()) rank.main_thread = rank.issuing_threads.front();
    rank.label = rank.rank               ? "rank " + std::to_string(*rank.rank)
                 : rank.process != kNone ? "pid " + std::to_string(trace.processes[rank.process].pid)
                                         : "domain " + std::to_string(domain);
    ranks_.push_back(std::move(rank));
  }
  std::stable_sort(ranks_.begin(), ranks_.end(), [](const Rank& a, const Rank& b) {
    if (a.rank.has_value() != b.rank.has_value()) return a.rank.has_value();
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.link_domain < b.link_domain;
  });
}

const Rank* Index::RankNumbered(int64_t number) const {
  for (size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].rank.value_or(static_cast<int64_t>(i)) == number) return &ranks_[i];
  }
  return nullptr;
}

std::string Index::RankNumbers() const {
  constexpr size_t kMost = 16;
  std::string numbers;
  for (size_t i = 0; i < ranks_.size() && i < kMost; ++i) {
    if (i > 0) numbers += ", ";
    numbers += std::to_string(ranks_[i].rank.value_or(static_cast<int64_t>(i)));
  }
  if (ranks_.size() > kMost) numbers += " ...";
  return numbers.empty() ? "none" : numbers;
}

const Rank* Index::FindRank(uint32_t link_domain) const {
  for (const Rank& rank : ranks_) {
    if (rank.link_domain == link_domain) return &rank;
  }
  return nullptr;
}

}  // namespace warpscope::analysis
