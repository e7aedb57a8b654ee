// Index: what every analysis needs to know about a trace, computed once: the kind of each call name, the class of each
// kernel name, the ranks, and which thread issues what.
// [MT] Immutable once built; keeps a reference to the trace, which must outlive it. Building is linear.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/call_kind.h"
#include "analysis/host_activity.h"
#include "analysis/host_label.h"
#include "analysis/kernel_name.h"
#include "model/trace.h"

namespace warpscope::analysis {

// One rank: a link domain that has device work, or the host rows that could issue some.
struct Rank {
  uint32_t link_domain = 0;
  std::optional<int64_t> rank;             // as recorded; absent if the file does not say
  uint32_t process = model::kNone;         // row of processes (the first of the domain)
  std::string label;                       // "rank 3", "pid 4242", for tables
  uint32_t main_thread = model::kNone;     // issues most device work outside autograd threads; kNone without host rows
  std::vector<uint32_t> autograd_threads;  // run operators of a foreign forward thread and never forward ones
  std::vector<uint32_t> issuing_threads;   // issue device work; most work first
  std::vector<uint32_t> threads;           // all with host rows
  std::vector<uint32_t> devices;           // used by it, in row order
  uint64_t gpu_rows = 0, host_rows = 0;
};

class Index {
 public:
  explicit Index(const model::Trace& trace);

  const model::Trace& trace() const { return *trace_; }
  CallKind call_kind(uint32_t host_row) const { return call_kinds_[trace_->host.name[host_row]]; }
  bool is_call(uint32_t host_row) const {
    const model::HostKind kind = trace_->host.kind[host_row];
    return kind == model::HostKind::kRuntimeCall || kind == model::HostKind::kDriverCall;
  }
  // Of the row's name, whatever the row's kind.
  HostLabel host_label(uint32_t host_row) const { return host_labels_[trace_->host.name[host_row]]; }
  // What the row's own time was spent on; see host_activity.h.
  HostActivity activity(uint32_t host_row) const { return activities_.Of(host_row); }
  const KernelClass& kernel_class(uint32_t gpu_row) const {
    return kernel_classes_[class_of_name_[trace_->gpu.name[gpu_row]]];
  }
  bool is_communication(uint32_t gpu_row) const {
    return trace_->gpu.kind[gpu_row] == model::GpuKind::kKernel &&
           kernel_class(gpu_row).category == KernelCategory::kCommunication;
  }

  // By rank number where known, then by link domain. Only those with device work, or all if none has any.
  const std::vector<Rank>& ranks() const { return ranks_; }
  // The rank that a user calls `number`: as recorded; by position where the file records none. Null if there is none.
  const Rank* RankNumbered(int64_t number) const;
  std::string RankNumbers() const;                   // "0, 1, 2, 3" for messages; the first 16
  const Rank* FindRank(uint32_t link_domain) const;  // null if that domain is not in ranks()
  // The domain that an analysis of "the" program looks at: the first of ranks(); 0 if there are none.
  uint32_t default_domain() const { return ranks_.empty() ? 0 : ranks_.front().link_domain; }

  // Rows of gpu issued by a host row (a graph launch has many), in start order.
  struct Rows {
    const uint32_t* first = nullptr;
    const uint32_t* last = nullptr;
    const uint32_t* begin() const { return first; }
    const uint32_t* end() const { return last; }
    size_t size() const { return static_cast<size_t>(last - first); }
    bool empty() const { return first == last; }
  };
  Rows IssuedBy(uint32_t host_row) const;

 private:
  void BuildNames();
  void BuildIssued();
  void BuildRanks();

  const model::Trace* trace_;
  std::vector<CallKind> call_kinds_;     // by string id
  std::vector<HostLabel> host_labels_;   // by string id
  std::vector<uint32_t> class_of_name_;  // by string id: row of kernel_classes_
  std::vector<KernelClass> kernel_classes_;
  HostActivities activities_;
  std::vector<Rank> ranks_;
  std::vector<uint32_t> issued_calls_;  // host rows that issued something, ascending
  std::vector<uint32_t> issued_begin_;  // into issued_rows_, one more than issued_calls_
  std::vector<uint32_t> issued_rows_;
};

}  // namespace warpscope::analysis
