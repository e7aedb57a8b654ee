#include "cli/run_operands.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "analysis/index.h"
#include "cli/loaded.h"
#include "rules/framework/rank_pace.h"

namespace warpscope::cli {
namespace {

// The rank of a recording of one rank; absent where it holds several or does not say.
std::optional<int64_t> OnlyRank(const model::Trace& trace) {
  std::set<int64_t> ranks;
  for (const model::Source& source : trace.sources) {
    if (source.rank) ranks.insert(*source.rank);
  }
  for (const model::Process& process : trace.processes) {
    if (process.rank) ranks.insert(*process.rank);
  }
  return ranks.size() == 1 ? std::optional(*ranks.begin()) : std::nullopt;
}

Status Mixed(const std::string& path) {
  return {StatusCode::kInvalidArgument,
          fmt::format("{}: these files are ranks of several runs, and which belong together is not known; put the "
                      "ranks of each run into a folder of their own and give the folders, one a run",
                      path)};
}

Status TakeAsOne(const std::vector<std::string>& paths, const Args& args, Io& io, const TakeRun& take) {
  WS_ASSIGN_OR_RETURN(const auto trace, LoadTrace(paths, args, io));
  const analysis::Index index(*trace);
  if (index.ranks().size() != paths.size() || rules::RankNumbersRepeat(index)) return Mixed(paths.front());
  return take(*trace,
              fmt::format("{} and {} more rank{}", paths.front(), paths.size() - 1, paths.size() == 2 ? "" : "s"));
}

}  // namespace

Status ForEachRun(const std::vector<std::string>& paths, const Args& args, Io& io, const TakeRun& take) {
  std::unique_ptr<model::Trace> next;
  std::optional<int64_t> first_rank;
  for (size_t i = 0; i < paths.size(); ++i) {
    std::unique_ptr<model::Trace> trace = std::move(next);
    if (!trace) {
      WS_ASSIGN_OR_RETURN(trace, LoadTrace({paths[i]}, args, io));
    }
    const auto rank = OnlyRank(*trace);
    if (i == 0) {
      first_rank = rank;
      if (rank && paths.size() > 1) {
        WS_ASSIGN_OR_RETURN(next, LoadTrace({paths[1]}, args, io));
        const auto other = OnlyRank(*next);
        if (other && *other != *rank) {
          trace.reset(), next.reset();
          return TakeAsOne(paths, args, io, take);
        }
      }
    } else if (rank && first_rank && *rank != *first_rank) {
      return Mixed(paths[i]);
    }
    WS_RETURN_IF_ERROR(take(*trace, paths[i]));
  }
  return Status::Ok();
}

}  // namespace warpscope::cli
