#include "model/breaks.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/trace.h"

namespace warpscope::model {
namespace {

struct Span {
  int64_t begin_ns, end_ns;
};
using Spans = std::vector<Span>;  // disjoint, by begin

Spans Union(Spans spans) {
  std::erase_if(spans, [](const Span& span) { return span.end_ns <= span.begin_ns; });
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  Spans out;
  for (const Span& span : spans) {
    if (out.empty() || span.begin_ns > out.back().end_ns) out.push_back(span);
    else out.back().end_ns = std::max(out.back().end_ns, span.end_ns);
  }
  return out;
}

Spans Subtract(const Spans& from, const Spans& what) {
  Spans out;
  auto next = what.begin();
  for (Span span : from) {
    while (next != what.end() && next->end_ns <= span.begin_ns) ++next;
    for (auto at = next; at != what.end() && at->begin_ns < span.end_ns; ++at) {
      if (at->begin_ns > span.begin_ns) out.push_back({span.begin_ns, at->begin_ns});
      span.begin_ns = std::max(span.begin_ns, at->end_ns);
    }
    if (span.begin_ns < span.end_ns) out.push_back(span);
  }
  return out;
}

// When processes with device work are recorded, by link domain: from the first to the last row but for the pauses.
Spans Recorded(const Trace& trace) {
  std::map<uint32_t, Span> lives;
  const GpuTable& gpu = trace.gpu;
  for (uint32_t row = 0; row < gpu.size(); ++row) {
    const Span span{gpu.start_ns[row], gpu.end_ns(row)};
    Span& life = lives.try_emplace(trace.GpuDomain(row), span).first->second;
    life = {std::min(life.begin_ns, span.begin_ns), std::max(life.end_ns, span.end_ns)};
  }
  std::map<uint32_t, Spans> pauses;
  for (const Pause& pause : trace.pauses)
    pauses[trace.processes[pause.process].link_domain].push_back({pause.begin_ns, pause.end_ns});
  Spans out;
  for (const auto& [domain, life] : lives) {
    const auto it = pauses.find(domain);
    const Spans recorded = it == pauses.end() ? Spans{life} : Subtract({life}, Union(it->second));
    out.insert(out.end(), recorded.begin(), recorded.end());
  }
  return Union(std::move(out));
}

Spans DeviceRows(const GpuTable& gpu) {
  Spans out;
  out.reserve(gpu.size());
  for (uint32_t row = 0; row < gpu.size(); ++row) out.push_back({gpu.start_ns[row], gpu.end_ns(row)});
  return Union(std::move(out));
}

class Cut {
 public:
  explicit Cut(Spans cuts) : cuts_(std::move(cuts)) {
    for (const Span& cut : cuts_) {
      before_.push_back(total_ns_);
      total_ns_ += cut.end_ns - cut.begin_ns;
    }
  }
  int64_t total_ns() const { return total_ns_; }
  // Where the moment lies without the breaks.
  int64_t operator()(int64_t time_ns) const {
    const size_t at = At(time_ns);
    if (at == cuts_.size()) return time_ns;
    return std::min(time_ns, cuts_[at].begin_ns) - before_[at] + std::max<int64_t>(0, time_ns - cuts_[at].end_ns);
  }
  // Whether the stretch lies in one break, its edges included.
  bool Holds(int64_t begin_ns, int64_t end_ns) const {
    const size_t at = At(begin_ns);
    return at != cuts_.size() && end_ns <= cuts_[at].end_ns;
  }
  std::vector<Break> Breaks() const {
    std::vector<Break> out;
    for (size_t i = 0; i < cuts_.size(); ++i)
      out.push_back({cuts_[i].begin_ns - before_[i], cuts_[i].end_ns - cuts_[i].begin_ns});
    return out;
  }

 private:
  // The last break that begins no later; the number of breaks if there is none.
  size_t At(int64_t time_ns) const {
    const auto it = std::upper_bound(cuts_.begin(), cuts_.end(), time_ns,
                                     [](int64_t time, const Span& cut) { return time < cut.begin_ns; });
    return it == cuts_.begin() ? cuts_.size() : static_cast<size_t>(it - cuts_.begin()) - 1;
  }

  Spans cuts_;
  std::vector<int64_t> before_;  // cut out before each
  int64_t total_ns_ = 0;
};

void CutHost(const Cut& cut, Trace* trace) {
  HostTable& host = trace->host;
  std::vector<uint32_t> row_now(host.size(), kNone);
  uint32_t kept = 0;
  for (uint32_t row = 0; row < host.size(); ++row) {
    if (cut.Holds(host.start_ns[row], host.end_ns(row))) continue;
    const int64_t begin_ns = cut(host.start_ns[row]), end_ns = cut(host.end_ns(row));
    host.start_ns[row] = begin_ns;
    host.dur_ns[row] = end_ns - begin_ns;
    row_now[row] = kept++;
  }
  host.VisitColumns([&](auto& column) {
    if (column.empty()) return;
    for (uint32_t row = 0; row < row_now.size(); ++row) {
      if (row_now[row] != kNone) column[row_now[row]] = column[row];
    }
    column.resize(kept);
  });
  for (Collective& row : trace->collectives) {
    if (row.host_row != kNone) row.host_row = row_now[row.host_row];
  }
}

void CutRest(const Cut& cut, Trace* trace) {
  for (int64_t& start_ns : trace->gpu.start_ns) start_ns = cut(start_ns);
  const auto span = [&](auto& row) {
    const int64_t begin_ns = cut(row.start_ns), end_ns = cut(row.start_ns + row.dur_ns);
    row.start_ns = begin_ns;
    row.dur_ns = end_ns - begin_ns;
  };
  for (GpuAnnotation& row : trace->gpu_annotations) span(row);
  std::erase_if(trace->syncs, [&](const Sync& row) { return cut.Holds(row.start_ns, row.start_ns + row.dur_ns); });
  for (Sync& row : trace->syncs) span(row);
  // An allocation changes what is held, whenever it was.
  for (MemoryEvent& row : trace->memory) row.time_ns = cut(row.time_ns);
  std::erase_if(trace->counters, [&](const CounterSample& row) { return cut.Holds(row.time_ns, row.time_ns); });
  for (CounterSample& row : trace->counters) row.time_ns = cut(row.time_ns);
  for (CounterWindow& row : trace->counter_windows) span(row);
  for (DeviceSample& row : trace->device_samples) row.start_ns = cut(row.start_ns);
  for (PcWindow& row : trace->pc_windows) span(row);
  std::erase_if(trace->readings,
                [&](const Reading& row) { return row.time_ns && cut.Holds(*row.time_ns, *row.time_ns); });
  for (Reading& row : trace->readings) {
    if (row.time_ns) row.time_ns = cut(*row.time_ns);
  }
}

std::string Seconds(int64_t ns) {
  const std::string ms = std::to_string(ns / 1'000'000 % 1000);
  return std::to_string(ns / 1'000'000'000) + "." + std::string(3 - ms.size(), '0') + ms + " s";
}

}  // namespace

void CutBreaks(Trace* trace) {
  if (trace->pauses.empty()) return;
  Spans pauses;
  for (const Pause& pause : trace->pauses) pauses.push_back({pause.begin_ns, pause.end_ns});
  Cut cut(Subtract(Subtract(Union(std::move(pauses)), Recorded(*trace)), DeviceRows(trace->gpu)));
  trace->pauses.clear();
  if (cut.total_ns() == 0) return;
  CutHost(cut, trace);
  CutRest(cut, trace);
  const std::vector<Break> breaks = cut.Breaks();
  trace->breaks.insert(trace->breaks.end(), breaks.begin(), breaks.end());
  int64_t longest_ns = 0;
  for (const Break& row : breaks) longest_ns = std::max(longest_ns, row.length_ns);
  trace->ledger.Add(LedgerCode::kUnrecordedBreak, breaks.size(), std::nullopt,
                    Seconds(cut.total_ns()) + " in all, the longest " + Seconds(longest_ns));
}

int64_t RecorderTime(const Trace& trace, int64_t time_ns, bool after) {
  int64_t cut_ns = 0;
  for (const Break& row : trace.breaks) {
    if (row.at_ns < time_ns || (after && row.at_ns == time_ns)) cut_ns += row.length_ns;
  }
  return time_ns + cut_ns;
}

bool HasBreak(const Trace& trace, int64_t begin_ns, int64_t end_ns) {
  const auto it = std::upper_bound(trace.breaks.begin(), trace.breaks.end(), begin_ns,
                                   [](int64_t time, const Break& row) { return time < row.at_ns; });
  return it != trace.breaks.end() && it->at_ns < end_ns;
}

}  // namespace warpscope::model
