#include "analysis/collectives_match.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace warpscope::analysis {
namespace {

using model::kNone;
using model::StringId;

constexpr int64_t kNotableSkewNs = 10'000;
constexpr double kNotableSkewRatio = 0.05;
constexpr uint64_t kLeastNotable = 3;          // fewer collectives with skew make no straggler
constexpr int64_t kStraightLaunchNs = 20'000;  // a launch that finds its stream free starts within it
constexpr size_t kMaxSkip = 64;                // calls skipped to find the common order again
constexpr size_t kSureRun = 8;                 // equal calls that prove it
constexpr uint32_t kMaxSearches = 1000;        // per pair of ranks; bounds the cost on unrelated files

using Calls = std::vector<uint32_t>;  // rows of CollectiveSummary::calls

struct Order {
  std::vector<uint32_t> domains;                 // ranks that take part, in rank order
  std::unordered_map<uint32_t, uint32_t> place;  // domain -> index in `domains`
  std::vector<uint32_t> job;                     // by place: ranks of one run
};

// Two domains of one rank number are two recordings: they belong to different runs. A domain joins the first run that
// lacks its rank and shares time with it; runs only exist where a rank number repeats.
void FindJobs(const Index& index, const CollectiveSummary& summary, Order* order) {
  order->job.assign(order->domains.size(), 0);
  std::set<int64_t> seen;
  bool repeated = false;
  for (const uint32_t domain : order->domains) {
    const Rank* rank = index.FindRank(domain);
    if (rank != nullptr && rank->rank) repeated |= !seen.insert(*rank->rank).second;
  }
  if (!repeated) return;
  std::vector<Window> span(order->domains.size(), Window{INT64_MAX, INT64_MIN});
  for (const CollectiveCall& call : summary.calls) {
    Window& window = span[order->place.at(call.link_domain)];
    window.begin_ns = std::min(window.begin_ns, call.start_ns);
    window.end_ns = std::max(window.end_ns, call.start_ns + call.dur_ns);
  }
  struct Job {
    Window window;
    std::set<std::optional<int64_t>> ranks;
  };
  std::vector<Job> jobs;
  for (size_t i = 0; i < order->domains.size(); ++i) {
    const Rank* rank = index.FindRank(order->domains[i]);
    const std::optional<int64_t> number = rank != nullptr ? rank->rank : std::nullopt;
    size_t at = 0;
    while (at < jobs.size() && (jobs[at].ranks.count(number) != 0 || !(span[i].begin_ns < jobs[at].window.end_ns &&
                                                                       jobs[at].window.begin_ns < span[i].end_ns))) {
      ++at;
    }
    if (at == jobs.size()) jobs.push_back({span[i], {}});
    jobs[at].ranks.insert(number);
    order->job[i] = static_cast<uint32_t>(at);
  }
}

Order FindOrder(const Index& index, const CollectiveSummary& summary) {
  Order order;
  std::set<uint32_t> with_calls;
  for (const CollectiveCall& call : summary.calls) with_calls.insert(call.link_domain);
  for (const Rank& rank : index.ranks()) {
    if (with_calls.erase(rank.link_domain) != 0) order.domains.push_back(rank.link_domain);
  }
  order.domains.insert(order.domains.end(), with_calls.begin(), with_calls.end());
  for (uint32_t i = 0; i < order.domains.size(); ++i) order.place[order.domains[i]] = i;
  FindJobs(index, summary, &order);
  return order;
}

class Matcher {
 public:
  explicit Matcher(CollectiveSummary* out) : out_(out) {}

  // `ranks`: the calls of one group, a list a rank, in rank order.
  void Match(const std::vector<Calls>& ranks) {
    const auto has_sequence = [&](const Calls& calls) {
      return std::all_of(calls.begin(), calls.end(), [&](uint32_t i) { return out_->calls[i].sequence.has_value(); });
    };
    if (std::all_of(ranks.begin(), ranks.end(), has_sequence)) {
      BySequence(ranks);
    } else {
      ByOrder(ranks);
    }
  }

 private:
  // A sequence number that comes twice on a rank: by order among those.
  void BySequence(const std::vector<Calls>& ranks) {
    std::map<std::pair<uint64_t, uint32_t>, Calls> same;
    for (const Calls& calls : ranks) {
      std::unordered_map<uint64_t, uint32_t> times;
      for (const uint32_t i : calls) {
        const uint64_t sequence = *out_->calls[i].sequence;
        Calls& members = same[{sequence, times[sequence]++}];
        if (members.empty() || SameName(members.front(), i)) members.push_back(i);
      }
    }
    for (const auto& [key, members] : same) Add(members);
  }

  void ByOrder(const std::vector<Calls>& ranks) {
    std::vector<Calls> members;  // by position on the first rank
    for (const uint32_t i : ranks.front()) members.push_back({i});
    for (size_t rank = 1; rank < ranks.size(); ++rank) Align(ranks.front(), ranks[rank], &members);
    for (const Calls& calls : members) Add(calls);
  }

  void Align(const Calls& first, const Calls& other, std::vector<Calls>* members) {
    // Sizes may differ between ranks (uneven all-to-all): names in the same order are enough if nothing is missing.
    bool names_only = first.size() == other.size();
    for (size_t i = 0; i < first.size() && names_only; ++i) names_only = SameName(first[i], other[i]);
    uint32_t searches = 0;
    for (size_t i = 0, j = 0; i < first.size() && j < other.size();) {
      if (names_only || Same(first[i], other[j])) {
        (*members)[i++].push_back(other[j++]);
        continue;
      }
      size_t skip_first = 1, skip_other = 1;
      if (searches++ < kMaxSearches) FindAgain(first, i, other, j, &skip_first, &skip_other);
      i += skip_first;
      j += skip_other;
    }
  }

  // The fewest calls to leave out so that the next ones agree.
  void FindAgain(const Calls& first, size_t i, const Calls& other, size_t j, size_t* skip_first,
                 size_t* skip_other) const {
    for (size_t sum = 1; sum <= kMaxSkip; ++sum) {
      for (size_t a = 0; a <= sum; ++a) {
        const size_t b = sum - a;
        if (i + a >= first.size() || j + b >= other.size()) continue;
        const size_t run = std::min({kSureRun, first.size() - i - a, other.size() - j - b});
        size_t same = 0;
        while (same < run && Same(first[i + a + same], other[j + b + same])) ++same;
        if (same < run) continue;
        *skip_first = a;
        *skip_other = b;
        return;
      }
    }
  }

  bool SameName(uint32_t a, uint32_t b) const { return out_->calls[a].name == out_->calls[b].name; }
  bool Same(uint32_t a, uint32_t b) const { return SameName(a, b) && out_->calls[a].bytes == out_->calls[b].bytes; }

  void Add(const Calls& members) {
    if (members.size() < 2) return;
    MatchedCollective match;
    match.calls = members;
    match.transfer_ns = INT64_MAX;
    for (const uint32_t i : members) {
      const CollectiveCall& call = out_->calls[i];
      match.longest_ns = std::max(match.longest_ns, call.dur_ns);
      if (call.dur_ns >= match.transfer_ns) continue;
      match.transfer_ns = call.dur_ns;
      match.last_domain = call.link_domain;
    }
    match.skew_ns = match.longest_ns - match.transfer_ns;
    out_->matched.push_back(std::move(match));
  }

  CollectiveSummary* out_;
};

bool IsNotable(const MatchedCollective& match) {
  return match.skew_ns > kNotableSkewNs &&
         static_cast<double>(match.skew_ns) > kNotableSkewRatio * static_cast<double>(match.longest_ns);
}

// Its own call of the rank that came last waited for nothing on the device.
bool HostCameLate(const model::Trace& trace, const CollectiveSummary& summary, const MatchedCollective& match) {
  for (const uint32_t i : match.calls) {
    const CollectiveCall& call = summary.calls[i];
    if (call.link_domain != match.last_domain) continue;
    const uint32_t launch = trace.gpu.call[call.gpu_row];
    return launch != kNone && call.start_ns - trace.host.start_ns[launch] < kStraightLaunchNs;
  }
  return false;
}

void FillRanks(const model::Trace& trace, const Order& order, CollectiveSummary* out) {
  out->ranks.resize(order.domains.size());
  for (size_t i = 0; i < order.domains.size(); ++i) out->ranks[i].link_domain = order.domains[i];
  uint64_t notable = 0;
  int64_t skew_ns = 0;
  for (const MatchedCollective& match : out->matched) {
    for (const uint32_t i : match.calls) {
      RankSkew& rank = out->ranks[order.place.at(out->calls[i].link_domain)];
      ++rank.matched;
      rank.waiting_ns += out->calls[i].dur_ns - match.transfer_ns;
    }
    RankSkew& last = out->ranks[order.place.at(match.last_domain)];
    last.caused_ns += match.skew_ns;
    skew_ns += match.skew_ns;
    if (!IsNotable(match)) continue;
    ++last.last_count;
    last.last_by_host_count += HostCameLate(trace, *out, match);
    ++notable;
  }
  if (notable < kLeastNotable) return;
  for (const RankSkew& rank : out->ranks) {
    if (rank.last_count * 3 >= notable * 2 && rank.caused_ns > skew_ns / 2) out->straggler_domain = rank.link_domain;
  }
}

// Leaves what lies outside the window: a matched collective as a whole, by the start of its first rank's call. To cut
// each rank's calls before they are matched would pair the ends of one rank with the wrong ones of another.
void KeepWindow(const Window& window, CollectiveSummary* out) {
  if (window.everything()) return;
  std::vector<bool> keep(out->calls.size());
  for (size_t i = 0; i < keep.size(); ++i) keep[i] = window.Contains(out->calls[i].start_ns);
  const auto starts_inside = [&](const MatchedCollective& match) {
    return window.Contains(out->calls[match.calls.front()].start_ns);
  };
  for (const MatchedCollective& match : out->matched) {
    const bool inside = starts_inside(match);
    for (const uint32_t i : match.calls) keep[i] = inside;
  }
  std::erase_if(out->matched, [&](const MatchedCollective& match) { return !starts_inside(match); });
  std::vector<uint32_t> place(keep.size(), kNone);
  std::vector<CollectiveCall> calls;
  for (uint32_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    place[i] = static_cast<uint32_t>(calls.size());
    calls.push_back(out->calls[i]);
  }
  out->calls = std::move(calls);
  for (MatchedCollective& match : out->matched) {
    for (uint32_t& i : match.calls) i = place[i];
  }
}

}  // namespace

void MatchOverRanks(const Index& index, const Scope& scope, const std::vector<StringId>& group_ranks,
                    CollectiveSummary* out) {
  if (scope.link_domain) return;
  const Order order = FindOrder(index, *out);
  if (order.domains.size() < 2) return KeepWindow(scope.window, out);
  // Run, group and its members -> calls by rank.
  std::map<std::tuple<uint32_t, StringId, StringId>, std::map<uint32_t, Calls>> groups;
  for (uint32_t i = 0; i < out->calls.size(); ++i) {
    const uint32_t place = order.place.at(out->calls[i].link_domain);
    groups[{order.job[place], out->calls[i].group, group_ranks[i]}][place].push_back(i);
  }
  Matcher matcher(out);
  for (const auto& [key, by_place] : groups) {
    if (by_place.size() < 2) continue;
    std::vector<Calls> ranks;
    for (const auto& [place, calls] : by_place) ranks.push_back(calls);
    matcher.Match(ranks);
  }
  KeepWindow(scope.window, out);
  const auto first_of = [&](const MatchedCollective& match) {
    const CollectiveCall& call = out->calls[match.calls.front()];
    return std::make_tuple(order.place.at(call.link_domain), call.start_ns, match.calls.front());
  };
  std::sort(out->matched.begin(), out->matched.end(),
            [&](const MatchedCollective& a, const MatchedCollective& b) { return first_of(a) < first_of(b); });
  for (uint32_t match = 0; match < out->matched.size(); ++match) {
    for (const uint32_t i : out->matched[match].calls) out->calls[i].match = match;
  }
  for (const CollectiveCall& call : out->calls) {
    // A group of one has nobody to match.
    out->unmatched += call.match == kNone && call.group_size != std::optional<uint64_t>(1);
  }
  FillRanks(index.trace(), order, out);
}

}  // namespace warpscope::analysis
