// Communication by operation, call or rank.
#include "analysis/collectives.h"

#include <fmt/format.h>

#include <algorithm>

#include "view/format.h"
#include "view/tables/shared.h"

namespace warpscope::view {
namespace {

using analysis::CollectiveSummary;

Table ByName(const Subject& subject, const CollectiveSummary& summary) {
  Table table;
  table.name = "collectives";
  table.title = "Communication, most time without compute beside it first";
  table.columns = {{"name", "operation", Kind::kName},
                   {"group", "group", Kind::kText, 5},
                   {"count", "count", Kind::kCount},
                   {"total_ns", "total", Kind::kDurationNs},
                   {"exposed_ns", "alone", Kind::kDurationNs},
                   {"bytes", "bytes", Kind::kBytes, 2},
                   {"algorithm_bandwidth_bytes_per_s", "rate", Kind::kBytesPerS, 2},
                   {"median_ns", "median", Kind::kDurationNs, 4},
                   {"min_ns", "min", Kind::kDurationNs, 6},
                   {"max_ns", "max", Kind::kDurationNs, 6},
                   {"transfer_ns", "transfer", Kind::kDurationNs, 3},
                   {"waiting_ns", "waiting", Kind::kDurationNs, 3}};
  for (const auto& row : summary.rows) {
    table.rows.push_back({NameCell(subject, row.name), NameCell(subject, row.group), Int(row.count), Int(row.total_ns),
                          Int(row.exposed_ns), Maybe(row.bytes), Maybe(row.algorithm_bandwidth_bytes_per_s),
                          Number(row.median_ns), Int(row.min_ns), Int(row.max_ns), Maybe(row.transfer_ns),
                          Maybe(row.waiting_ns)});
  }
  table.notes = {
      "alone: no compute ran beside it, so the step waits. waiting: for ranks that came later; transfer: the rest "
      "(several ranks only).",
      "More: --by rank, --by call."};
  return table;
}

Table ByCall(const Subject& subject, const CollectiveSummary& summary) {
  Table table;
  table.name = "collectives.call";
  table.title = "Each communication";
  table.columns = {{"rank", "rank", Kind::kText, 3},
                   {"start_ns", "at", Kind::kTimeNs},
                   {"name", "operation", Kind::kName},
                   {"group", "group", Kind::kText, 5},
                   {"sequence", "no.", Kind::kId, 6},
                   {"dur_ns", "time", Kind::kDurationNs},
                   {"exposed_ns", "alone", Kind::kDurationNs},
                   {"bytes", "bytes", Kind::kBytes, 2},
                   {"transfer_ns", "transfer", Kind::kDurationNs, 3},
                   {"skew_ns", "ranks apart", Kind::kDurationNs, 4},
                   {"last_rank", "last", Kind::kText, 4}};
  for (const auto& call : summary.calls) {
    const auto* match = call.match == model::kNone ? nullptr : &summary.matched[call.match];
    table.rows.push_back({Text(RankLabel(subject, call.link_domain)), TimeCell(subject, call.start_ns),
                          NameCell(subject, call.name), NameCell(subject, call.group), Maybe(call.sequence),
                          Int(call.dur_ns), Int(call.exposed_ns), Maybe(call.bytes),
                          match ? Int(match->transfer_ns) : Cell{}, match ? Int(match->skew_ns) : Cell{},
                          match ? Text(RankLabel(subject, match->last_domain)) : Cell{}});
  }
  return table;
}

Table ByRank(const Subject& subject, const CollectiveSummary& summary) {
  Table table;
  table.name = "collectives.rank";
  table.title = "Which rank waits for which";
  table.columns = {{"rank", "rank", Kind::kText},
                   {"matched", "compared", Kind::kCount},
                   {"last_count", "came last", Kind::kCount},
                   {"waiting_ns", "waited for others", Kind::kDurationNs},
                   {"caused_ns", "others waited for it", Kind::kDurationNs}};
  for (const auto& row : summary.ranks) {
    table.rows.push_back({Text(RankLabel(subject, row.link_domain)), Int(row.matched), Int(row.last_count),
                          Int(row.waiting_ns), Int(row.caused_ns)});
  }
  return table;
}

// Whose collectives these are, and which rank came last how often.
void Summarise(const Subject& subject, const CollectiveSummary& summary, Table& table) {
  constexpr size_t kMostNamed = 4;
  const size_t all = subject.index.ranks().size();
  if (all <= 1) return;
  if (subject.device_scope.link_domain && summary.ranks.size() <= 1) {
    table.summary.push_back(fmt::format("{} of {} alone; without --rank all are compared.",
                                        RankLabel(subject, *subject.device_scope.link_domain), Plural(all, "rank")));
    return;
  }
  std::vector<analysis::RankSkew> ranks = summary.ranks;
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const auto& a, const auto& b) { return a.last_count > b.last_count; });
  if (ranks.empty() || ranks.front().matched == 0) return;
  std::string text = fmt::format("All {} are counted. Last came ", Plural(all, "rank"));
  for (size_t i = 0; i < ranks.size() && i < kMostNamed; ++i) {
    text += fmt::format("{}{} in {} of {}", i > 0 ? ", " : "", RankLabel(subject, ranks[i].link_domain),
                        ranks[i].last_count, ranks[i].matched);
  }
  table.summary.push_back(text + (ranks.size() > kMostNamed ? ", others in the rest." : "."));
  if (!summary.straggler_domain) return;
  const auto late = std::find_if(ranks.begin(), ranks.end(),
                                 [&](const auto& rank) { return rank.link_domain == *summary.straggler_domain; });
  if (late == ranks.end()) return;
  table.summary.push_back(
      fmt::format("The others waited {} for {} in this recording. Whether it computes or stands still longer, or the "
                  "recorder alone "
                  "makes it late: warpscope analyze.",
                  FormatCell(Int(late->caused_ns), Kind::kDurationNs), RankLabel(subject, late->link_domain)));
}

}  // namespace

Table CollectiveTable(const Subject& subject, CollectivesBy by) {
  const CollectiveSummary summary = analysis::SummarizeCollectives(subject.index, subject.device_scope);
  Table table;
  switch (by) {
    case CollectivesBy::kName: table = ByName(subject, summary); break;
    case CollectivesBy::kCall: table = ByCall(subject, summary); break;
    case CollectivesBy::kRank: table = ByRank(subject, summary); break;
  }
  Summarise(subject, summary, table);
  const bool one_rank = by == CollectivesBy::kRank && subject.index.ranks().size() <= 1;
  table.empty_text = one_rank ? "This needs the files of several ranks: name them all, or their folder."
                              : "No communication was recorded.";
  return table;
}

}  // namespace warpscope::view
