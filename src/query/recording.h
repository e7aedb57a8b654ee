// Recording: a finished trace as the tables read it - its index, its ranks and steps, the words that are no text of the
// trace, and what is computed once when a table first needs it.
// [MT] after construction; refers to the trace and the index, which must outlive it. Does not move: tables refer to it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/index.h"
#include "analysis/steps.h"
#include "model/trace.h"

namespace warpscope::query {

// Ids of texts: those of the trace's pool, and behind them words that were added here.
class Texts {
 public:
  explicit Texts(const model::StringPool& pool) : pool_(&pool) {}
  uint32_t Add(std::string_view text);  // "" is absent: 0
  std::string_view Get(uint32_t id) const { return id < pool_->size() ? pool_->Get(id) : words_[id - pool_->size()]; }
  uint32_t size() const { return pool_->size() + static_cast<uint32_t>(words_.size()); }
  std::vector<uint32_t> words_of_pool() const;  // added words that are texts of the trace as well

 private:
  const model::StringPool* pool_;
  std::vector<std::string> words_;
  std::map<std::string, uint32_t, std::less<>> ids_;
};

// A value that is computed by the first who asks.
template <typename T>
class Lazy {
 public:
  template <typename F>
  const T& Get(F compute) {
    std::call_once(*once_, [&] { value_ = compute(); });
    return value_;
  }

 private:
  std::unique_ptr<std::once_flag> once_ = std::make_unique<std::once_flag>();
  T value_;
};

class Recording {
 public:
  explicit Recording(const analysis::Index& index);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const model::Trace& trace() const { return *trace_; }
  const analysis::Index& index() const { return *index_; }
  int64_t origin_ns() const { return origin_ns_; }  // first moment: times in tables count from it

  Texts texts;  // [one thread] while tables are built

  // Steps of each of index().ranks(), in that order.
  const std::vector<analysis::Steps>& steps() const;
  // Number of the step of `link_domain` that holds a moment of the host.
  std::optional<int64_t> StepAt(uint32_t link_domain, int64_t time_ns) const;

  std::optional<int64_t> RankOf(uint32_t link_domain) const;
  uint32_t ProcessOf(uint32_t link_domain) const;  // the first one; kNone if there is none
  std::optional<int64_t> StepOfHost(uint32_t host_row) const;
  std::optional<int64_t> StepOfGpu(uint32_t gpu_row) const;  // in which it was issued, else in which it starts

  // The row itself or the innermost around it of that kind; kNone if there is none.
  uint32_t Innermost(uint32_t host_row, model::HostKind kind) const;
  // Duration without that of the rows directly inside.
  int64_t SelfNs(uint32_t host_row) const;

 private:
  const model::Trace* trace_;
  const analysis::Index* index_;
  int64_t origin_ns_ = 0;
  std::vector<uint32_t> process_of_domain_;  // by link domain
  std::vector<uint32_t> rank_of_domain_;     // by link domain: row of index().ranks(); kNone
  mutable Lazy<std::vector<analysis::Steps>> steps_;
  mutable Lazy<std::vector<int64_t>> child_ns_;
};

}  // namespace warpscope::query
