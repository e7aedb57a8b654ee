#include "analysis/host_use.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analysis/call_tree.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;
using model::kNone;
using model::kNoString;
using model::StringId;

constexpr size_t kMostDepth = 512;  // frames above a row that are looked at

// By name; the longest wins, of equal ones the smaller text number, so that the answer has one order.
class Longest {
 public:
  void Add(StringId name, int64_t ns) {
    if (name != kNoString) sums_[name] += ns;
  }
  StringId name() const {
    StringId best = kNoString;
    int64_t best_ns = 0;
    for (const auto& [name, ns] : sums_) {
      if (ns > best_ns || (ns == best_ns && best != kNoString && name < best)) best = name, best_ns = ns;
    }
    return best;
  }

 private:
  std::unordered_map<StringId, int64_t> sums_;
};

struct Sum {
  FunctionUse use;
  Longest inner, callers;
  uint32_t last_thread = kNone;
};

class Adder {
 public:
  Adder(const Index& index, HostUseBy by) : index_(index), trace_(index.trace()), by_(by) {}

  void Thread(uint32_t thread, int64_t begin_ns, int64_t end_ns) {
    ThreadUse use;
    use.thread = thread;
    use.begin_ns = begin_ns;
    use.end_ns = end_ns;
    Longest mostly;
    ForEachSegment(trace_, thread, begin_ns, end_ns, [&](const Segment& segment) {
      if (segment.row == kNone) return;
      const int64_t ns = segment.end_ns - segment.begin_ns;
      const bool waits = Waits(segment.row);
      Sum& sum = SumOf(segment.row, thread);
      (waits ? sum.use.waits_ns : sum.use.runs_ns) += ns;
      (waits ? use.waits_ns : use.runs_ns) += ns;
      sum.inner.Add(trace_.host.name[segment.row], ns);
      sum.callers.Add(CallerOf(segment.row), ns);
      mostly.Add(sum.use.function, ns);
    });
    Totals(thread, begin_ns, end_ns);
    if (use.runs_ns + use.waits_ns == 0) return;
    use.mostly = mostly.name();
    out_.runs_ns += use.runs_ns;
    out_.waits_ns += use.waits_ns;
    out_.threads.push_back(use);
  }

  HostUse Finish() {
    for (auto& [name, sum] : sums_) {
      sum.use.inner = sum.inner.name() == name ? kNoString : sum.inner.name();
      sum.use.caller = sum.callers.name();
      if (sum.use.runs_ns + sum.use.waits_ns > 0) out_.functions.push_back(sum.use);
    }
    const auto more = [](const auto& a, const auto& b) {
      return a.runs_ns != b.runs_ns ? a.runs_ns > b.runs_ns : a.waits_ns > b.waits_ns;
    };
    std::sort(out_.functions.begin(), out_.functions.end(), [&](const FunctionUse& a, const FunctionUse& b) {
      if (a.runs_ns != b.runs_ns || a.waits_ns != b.waits_ns) return more(a, b);
      return trace_.Text(a.function) < trace_.Text(b.function);
    });
    std::stable_sort(out_.threads.begin(), out_.threads.end(), more);
    return std::move(out_);
  }

 private:
  bool Waits(uint32_t row) const {
    if (trace_.host.kind[row] != HostKind::kOsCall) return false;
    return index_.host_label(row) == HostLabel::kHostWait || index_.host_label(row) == HostLabel::kFileIo;
  }
  // Of the program's own code; a frame of a library ends in its name: "memcpy [libc.so.6]".
  bool IsOwn(uint32_t row) const {
    return IsFrame(trace_.host.kind[row]) && index_.host_label(row) == HostLabel::kUserPython &&
           !trace_.HostName(row).ends_with(']');
  }
  // The frame that answers for a row; the row itself if it lies in none.
  uint32_t FrameOf(uint32_t row) const {
    uint32_t innermost = kNone, at = row;
    for (size_t depth = 0; at != kNone && depth < kMostDepth; ++depth, at = trace_.host.parent[at]) {
      if (innermost == kNone && IsFrame(trace_.host.kind[at])) innermost = at;
      if (innermost != kNone && (by_ == HostUseBy::kFunction || IsOwn(at))) return at;
    }
    return innermost == kNone ? row : innermost;
  }
  Sum& SumOf(uint32_t row, uint32_t thread) {
    const StringId name = trace_.host.name[FrameOf(row)];
    Sum& sum = sums_[name];
    sum.use.function = name;
    if (sum.last_thread != thread) ++sum.use.threads;
    sum.last_thread = thread;
    return sum;
  }
  // The nearest frame of the program's own code above the innermost one.
  StringId CallerOf(uint32_t row) const {
    uint32_t frame = FrameOf(row);
    const StringId own = trace_.host.name[frame];
    frame = trace_.host.parent[frame];
    for (size_t depth = 0; frame != kNone && depth < kMostDepth; ++depth, frame = trace_.host.parent[frame]) {
      if (IsOwn(frame) && trace_.host.name[frame] != own) return trace_.host.name[frame];
    }
    return kNoString;
  }

  // Rows come parents first, so those open now are known by name.
  void Totals(uint32_t thread, int64_t begin_ns, int64_t end_ns) {
    const auto rows = trace_.thread_rows[thread];
    std::vector<uint32_t> open;
    std::unordered_map<StringId, uint32_t> depth_of;
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      if (!IsFrame(trace_.host.kind[row])) continue;
      while (!open.empty() && trace_.host.end_ns(open.back()) <= trace_.host.start_ns[row]) {
        --depth_of[trace_.host.name[open.back()]];
        open.pop_back();
      }
      const StringId name = trace_.host.name[row];
      const int64_t ns = std::min(trace_.host.end_ns(row), end_ns) - std::max(trace_.host.start_ns[row], begin_ns);
      if (depth_of[name]++ == 0 && ns > 0) sums_[name].use.total_ns += ns;
      open.push_back(row);
    }
  }

  const Index& index_;
  const model::Trace& trace_;
  const HostUseBy by_;
  std::unordered_map<StringId, Sum> sums_;
  HostUse out_;
};

}  // namespace

HostUse HostUseOf(const Index& index, HostUseBy by, const Scope& scope) {
  const model::Trace& trace = index.trace();
  Adder adder(index, by);
  for (uint32_t thread = 0; thread < trace.thread_rows.size(); ++thread) {
    const auto rows = trace.thread_rows[thread];
    if (rows.begin == rows.end) continue;
    if (scope.link_domain && trace.processes[trace.threads[thread].process].link_domain != *scope.link_domain) continue;
    int64_t end_ns = INT64_MIN;
    for (uint32_t row = rows.begin; row < rows.end; ++row) end_ns = std::max(end_ns, trace.host.end_ns(row));
    const int64_t begin_ns = scope.window.ClipBegin(trace.host.start_ns[rows.begin]);
    end_ns = scope.window.ClipEnd(end_ns);
    if (begin_ns < end_ns) adder.Thread(thread, begin_ns, end_ns);
  }
  return adder.Finish();
}

}  // namespace warpscope::analysis
