#include "rules/where.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "analysis/interval_set.h"
#include "analysis/kernel_name.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::kNone;

class Search {
 public:
  explicit Search(const model::Trace& trace) : trace_(trace) {}

  void ByChange(const WhatIf& change) {
    for (const WhatIf::Gpu& edit : change.gpu_edits) {
      const int64_t left_ns = edit.kind == WhatIf::Gpu::kDuration ? edit.value : 0;
      AddGpu(edit.row, trace_.gpu.dur_ns[edit.row] - left_ns);
    }
    for (const WhatIf::Merge& merge : change.merges) AddMerge(merge);
    for (const WhatIf::Call& edit : change.call_edits) AddHost(edit.row);
    for (const WhatIf::Host& edit : change.host_edits) {
      // What counts is that the device stood still meanwhile; a host that is ahead costs nothing.
      const int64_t idle_ns =
          IdleNs(trace_.processes[trace_.threads[edit.thread].process].link_domain, edit.start_ns, edit.end_ns);
      Add({edit.start_ns, edit.end_ns, kNone, edit.thread, idle_ns});
    }
  }

  // "aten::copy_, train.py(40): step" or "aten::mm at train.py(41): forward" name two things; each may be the one.
  void BySubject(std::string_view subject) {
    std::vector<std::string_view> words = {subject};
    for (const std::string_view cut : {", ", " at "}) {
      const size_t at = subject.find(cut);
      if (at == std::string_view::npos) continue;
      words.push_back(subject.substr(0, at));
      words.push_back(subject.substr(at + cut.size()));
    }
    std::vector<uint8_t> is_named(trace_.strings.size(), kUnknown);
    const auto names = [&](model::StringId id, bool kernel) {
      uint8_t& known = is_named[id];
      if (known == kUnknown) {
        const std::string_view text = trace_.Text(id);
        const std::string shortened = kernel ? analysis::ShortKernelName(text) : std::string();
        known = std::any_of(words.begin(), words.end(),
                            [&](std::string_view word) { return !word.empty() && (word == text || word == shortened); })
                    ? kYes
                    : kNo;
      }
      return known == kYes;
    };
    for (uint32_t row = 0; row < trace_.gpu.size(); ++row) {
      if (names(trace_.gpu.name[row], true)) AddGpu(row, trace_.gpu.dur_ns[row]);
    }
    if (!found_.empty()) return;
    for (uint32_t row = 0; row < trace_.host.size(); ++row) {
      if (names(trace_.host.name[row], false)) AddHost(row);
    }
  }

  std::vector<Where> Take() {
    std::stable_sort(found_.begin(), found_.end(), [](const Where& a, const Where& b) {
      return a.weight_ns != b.weight_ns ? a.weight_ns > b.weight_ns : a.begin_ns < b.begin_ns;
    });
    std::vector<Where> out;
    for (const Where& place : found_) {
      if (out.size() == kPlacesShown) break;
      const bool overlaps = std::any_of(out.begin(), out.end(), [&](const Where& other) {
        return place.begin_ns < other.end_ns && other.begin_ns < place.end_ns;
      });
      if (!overlaps) out.push_back(place);
    }
    return out;
  }

 private:
  enum : uint8_t { kUnknown, kNo, kYes };

  void Add(const Where& place) {
    if (place.end_ns > place.begin_ns) found_.push_back(place);
  }
  void AddGpu(uint32_t row, int64_t weight_ns) {
    Add({trace_.gpu.start_ns[row], trace_.gpu.end_ns(row), row, kNone, weight_ns});
  }
  void AddHost(uint32_t row) {
    Add({trace_.host.start_ns[row], trace_.host.end_ns(row), kNone, trace_.host.thread[row], trace_.host.dur_ns[row]});
  }
  // What launching one by one costs: the time between the items.
  void AddMerge(const WhatIf::Merge& merge) {
    if (merge.rows.empty()) return;
    Where place{INT64_MAX, INT64_MIN, merge.rows.front(), kNone, 0};
    int64_t busy_ns = 0;
    for (const uint32_t row : merge.rows) {
      place.begin_ns = std::min(place.begin_ns, trace_.gpu.start_ns[row]);
      place.end_ns = std::max(place.end_ns, trace_.gpu.end_ns(row));
      busy_ns += trace_.gpu.dur_ns[row];
    }
    place.weight_ns = place.end_ns - place.begin_ns - (merge.fused_dur_ns ? *merge.fused_dur_ns : busy_ns);
    Add(place);
  }
  int64_t IdleNs(uint32_t link_domain, int64_t begin_ns, int64_t end_ns) {
    const auto [it, fresh] = busy_.try_emplace(link_domain);
    if (fresh) {
      for (uint32_t row = 0; row < trace_.gpu.size(); ++row) {
        if (trace_.GpuDomain(row) == link_domain) it->second.Append(trace_.gpu.start_ns[row], trace_.gpu.end_ns(row));
      }
    }
    return end_ns - begin_ns - it->second.LengthWithin(begin_ns, end_ns);
  }

  const model::Trace& trace_;
  std::map<uint32_t, analysis::IntervalSet> busy_;  // by link domain
  std::vector<Where> found_;
};

}  // namespace

std::vector<Where> WhereOf(const model::Trace& trace, const Finding& finding) {
  Search search(trace);
  search.ByChange(finding.change);
  std::vector<Where> found = search.Take();
  if (!found.empty() || finding.subject.empty()) return found;
  search.BySubject(finding.subject);
  return search.Take();
}

}  // namespace warpscope::rules
