#include "query/recording.h"

#include <algorithm>

namespace warpscope::query {

using model::kNone;

uint32_t Texts::Add(std::string_view text) {
  if (text.empty()) return model::kNoString;
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  uint32_t id = pool_->Find(text);
  if (id == model::kNoString) {
    id = size();
    words_.emplace_back(text);
  }
  ids_.emplace(text, id);
  return id;
}

std::vector<uint32_t> Texts::words_of_pool() const {
  std::vector<uint32_t> ids;
  for (const auto& [text, id] : ids_) {
    if (id < pool_->size()) ids.push_back(id);
  }
  return ids;
}

namespace {

int64_t FirstMoment(const model::Trace& trace) {
  int64_t first_ns = INT64_MAX;
  for (const model::Trace::RowRange rows : trace.thread_rows) {
    if (rows.begin < rows.end) first_ns = std::min(first_ns, trace.host.start_ns[rows.begin]);
  }
  if (trace.gpu.size() > 0) first_ns = std::min(first_ns, trace.gpu.start_ns[0]);
  return first_ns == INT64_MAX ? 0 : first_ns;
}

void Put(std::vector<uint32_t>& list, uint32_t at, uint32_t value) {
  if (list.size() <= at) list.resize(at + size_t{1}, kNone);
  if (list[at] == kNone) list[at] = value;
}

}  // namespace

Recording::Recording(const analysis::Index& index)
    : texts(index.trace().strings), trace_(&index.trace()), index_(&index), origin_ns_(FirstMoment(index.trace())) {
  for (uint32_t row = 0; row < trace_->processes.size(); ++row) {
    Put(process_of_domain_, trace_->processes[row].link_domain, row);
  }
  for (uint32_t i = 0; i < index.ranks().size(); ++i) Put(rank_of_domain_, index.ranks()[i].link_domain, i);
}

const std::vector<analysis::Steps>& Recording::steps() const {
  return steps_.Get([&] {
    std::vector<analysis::Steps> steps;
    for (const analysis::Rank& rank : index_->ranks()) steps.push_back(analysis::FindSteps(*index_, rank.link_domain));
    return steps;
  });
}

std::optional<int64_t> Recording::StepAt(uint32_t link_domain, int64_t time_ns) const {
  if (link_domain >= rank_of_domain_.size() || rank_of_domain_[link_domain] == kNone) return std::nullopt;
  const auto& list = steps()[rank_of_domain_[link_domain]].steps;
  const auto after = std::upper_bound(list.begin(), list.end(), time_ns,
                                      [](int64_t time, const analysis::Step& step) { return time < step.begin_ns; });
  if (after == list.begin() || time_ns >= std::prev(after)->end_ns) return std::nullopt;
  return std::prev(after) - list.begin();
}

std::optional<int64_t> Recording::RankOf(uint32_t link_domain) const {
  const uint32_t process = ProcessOf(link_domain);
  return process == kNone ? std::nullopt : trace_->processes[process].rank;
}

uint32_t Recording::ProcessOf(uint32_t link_domain) const {
  return link_domain < process_of_domain_.size() ? process_of_domain_[link_domain] : kNone;
}

std::optional<int64_t> Recording::StepOfHost(uint32_t host_row) const {
  return StepAt(trace_->HostDomain(host_row), trace_->host.start_ns[host_row]);
}

std::optional<int64_t> Recording::StepOfGpu(uint32_t gpu_row) const {
  const uint32_t call = trace_->gpu.call[gpu_row];
  if (call != kNone) return StepOfHost(call);
  return StepAt(trace_->GpuDomain(gpu_row), trace_->gpu.start_ns[gpu_row]);
}

uint32_t Recording::Innermost(uint32_t host_row, model::HostKind kind) const {
  while (host_row != kNone && trace_->host.kind[host_row] != kind) host_row = trace_->host.parent[host_row];
  return host_row;
}

int64_t Recording::SelfNs(uint32_t host_row) const {
  const auto& child_ns = child_ns_.Get([&] {
    std::vector<int64_t> sums(trace_->host.size(), 0);
    for (uint32_t row = 0; row < sums.size(); ++row) {
      const uint32_t parent = trace_->host.parent[row];
      if (parent != kNone) sums[parent] += trace_->host.dur_ns[row];
    }
    return sums;
  });
  return trace_->host.dur_ns[host_row] - child_ns[host_row];
}

}  // namespace warpscope::query
