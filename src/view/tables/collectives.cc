// Communication by operation, call or rank.
#include "analysis/collectives.h"

#include <fmt/format.h>

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

}  // namespace

Table CollectiveTable(const Subject& subject, CollectivesBy by) {
  const CollectiveSummary summary = analysis::SummarizeCollectives(subject.index, subject.device_scope);
  Table table;
  switch (by) {
    case CollectivesBy::kName: table = ByName(subject, summary); break;
    case CollectivesBy::kCall: table = ByCall(subject, summary); break;
    case CollectivesBy::kRank: table = ByRank(subject, summary); break;
  }
  if (summary.straggler_domain) {
    table.summary.push_back(fmt::format("{} holds the others up: it comes last most of the time.",
                                        RankLabel(subject, *summary.straggler_domain)));
  }
  const bool one_rank = by == CollectivesBy::kRank && subject.index.ranks().size() <= 1;
  table.empty_text = one_rank ? "This needs the files of several ranks: name them all, or their folder."
                              : "No communication was recorded.";
  return table;
}

}  // namespace warpscope::view
