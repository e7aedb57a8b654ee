#include "import/step_pauses.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "model/trace.h"

namespace warpscope::import {
namespace {

constexpr std::string_view kMark = "ProfilerStep#";
constexpr double kLeastOfAStep = 2;

struct Span {
  int64_t begin_ns, end_ns;
  int64_t number = -1;  // of a mark
};

int64_t NumberOf(std::string_view mark) {
  int64_t number = -1;
  mark.remove_prefix(kMark.size());
  std::from_chars(mark.data(), mark.data() + mark.size(), number);
  return number;
}

// The marks of each thread, by begin.
std::map<uint32_t, std::vector<Span>> MarksOf(const model::Trace& trace) {
  std::map<uint32_t, std::vector<Span>> marks;
  const model::HostTable& host = trace.host;
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != model::HostKind::kAnnotation || !trace.HostName(row).starts_with(kMark)) continue;
    marks[host.thread[row]].push_back({host.start_ns[row], host.end_ns(row), NumberOf(trace.HostName(row))});
  }
  for (auto& [thread, spans] : marks) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  }
  return marks;
}

int64_t UsualLength(const std::vector<Span>& marks) {
  std::vector<int64_t> lengths;
  for (const Span& mark : marks) lengths.push_back(mark.end_ns - mark.begin_ns);
  std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2), lengths.end());
  return lengths[lengths.size() / 2];
}

// What lies between marks of one link domain, and what was recorded there.
struct Between {
  uint32_t process;
  Span span;
  int64_t least_ns;
  std::vector<Span> rows;
};

void Note(std::vector<Between>* all, int64_t begin_ns, int64_t end_ns) {
  auto at = std::partition_point(all->begin(), all->end(),
                                 [&](const Between& between) { return between.span.end_ns <= begin_ns; });
  for (; at != all->end() && at->span.begin_ns < end_ns; ++at) at->rows.push_back({begin_ns, end_ns});
}

// The longest stretch in which nothing runs.
Span LongestHole(Between between) {
  std::sort(between.rows.begin(), between.rows.end(),
            [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  between.rows.push_back({between.span.end_ns, between.span.end_ns});
  Span longest{between.span.begin_ns, between.span.begin_ns};
  int64_t done_ns = between.span.begin_ns;
  for (const Span& row : between.rows) {
    if (row.begin_ns - done_ns > longest.end_ns - longest.begin_ns) longest = {done_ns, row.begin_ns};
    done_ns = std::max(done_ns, row.end_ns);
  }
  return longest;
}

}  // namespace

void AddStepPauses(model::Trace* trace) {
  std::map<uint32_t, std::vector<Between>> by_domain;
  for (const auto& [thread, marks] : MarksOf(*trace)) {
    const uint32_t process = trace->threads[thread].process;
    const auto least_ns = static_cast<int64_t>(kLeastOfAStep * static_cast<double>(UsualLength(marks)));
    std::vector<Between>& all = by_domain[trace->processes[process].link_domain];
    if (!all.empty()) continue;  // one thread of a process marks its steps
    for (size_t i = 1; i < marks.size(); ++i) {
      const Span span{marks[i - 1].end_ns, marks[i].begin_ns};
      const bool apart = marks[i].number != marks[i - 1].number + 1;
      if (apart && span.end_ns - span.begin_ns > least_ns) all.push_back({process, span, least_ns, {}});
    }
  }
  std::erase_if(by_domain, [](const auto& entry) { return entry.second.empty(); });
  if (by_domain.empty()) return;
  // A row of the host that spans all of it (the program's main function) does not tell that anything was recorded.
  for (uint32_t row = 0; row < trace->host.size(); ++row) {
    const auto it = by_domain.find(trace->processes[trace->threads[trace->host.thread[row]].process].link_domain);
    if (it == by_domain.end()) continue;
    const int64_t start_ns = trace->host.start_ns[row];
    const auto at = std::partition_point(it->second.begin(), it->second.end(),
                                         [&](const Between& between) { return between.span.end_ns <= start_ns; });
    if (at != it->second.end() && start_ns >= at->span.begin_ns)
      at->rows.push_back({start_ns, trace->host.end_ns(row)});
  }
  for (uint32_t row = 0; row < trace->gpu.size(); ++row) {
    const auto it = by_domain.find(trace->GpuDomain(row));
    if (it != by_domain.end()) Note(&it->second, trace->gpu.start_ns[row], trace->gpu.end_ns(row));
  }
  for (auto& [domain, all] : by_domain) {
    for (Between& between : all) {
      const uint32_t process = between.process;
      const int64_t least_ns = between.least_ns;
      const Span hole = LongestHole(std::move(between));
      if (hole.end_ns - hole.begin_ns > least_ns) trace->pauses.push_back({process, hole.begin_ns, hole.end_ns});
    }
  }
}

}  // namespace warpscope::import
