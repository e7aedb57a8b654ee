#include "cli/loaded.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/profile_join.h"
#include "import/import.h"
#include "rules/engine.h"
#include "view/format.h"

namespace warpscope::cli {
namespace {

Status Wrong(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

int64_t FirstMoment(const model::Trace& trace) {
  int64_t first_ns = INT64_MAX;
  for (const model::Trace::RowRange rows : trace.thread_rows) {
    if (rows.begin < rows.end) first_ns = std::min(first_ns, trace.host.start_ns[rows.begin]);
  }
  if (trace.gpu.size() > 0) first_ns = std::min(first_ns, trace.gpu.start_ns[0]);
  if (first_ns == INT64_MAX) {
    for (const model::Reading& reading : trace.readings)
      first_ns = std::min(first_ns, reading.time_ns.value_or(INT64_MAX));
  }
  return first_ns == INT64_MAX ? 0 : first_ns;
}

Status SelectRank(uint64_t wanted, Loaded& loaded) {
  const auto* rank = wanted <= INT64_MAX ? loaded.index->RankNumbered(static_cast<int64_t>(wanted)) : nullptr;
  if (!rank) return Wrong(fmt::format("--rank {}: no such rank; there are: {}", wanted, loaded.index->RankNumbers()));
  loaded.rank_domain = rank->link_domain;
  loaded.host_scope.link_domain = loaded.device_scope.link_domain = rank->link_domain;
  return Status::Ok();
}

// Device work only: host rows belong to no device. Ranks on different machines may number their devices alike.
Status SelectDevice(uint64_t wanted, Loaded& loaded) {
  std::string known;
  std::vector<uint32_t> found;
  for (const analysis::Rank& rank : loaded.index->ranks()) {
    if (loaded.device_scope.link_domain && rank.link_domain != *loaded.device_scope.link_domain) continue;
    for (const uint32_t row : rank.devices) {
      const int64_t id = loaded.trace->devices[row].id;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", id);
      if (id < 0 || static_cast<uint64_t>(id) != wanted) continue;
      if (std::find(found.begin(), found.end(), row) == found.end()) found.push_back(row);
    }
  }
  if (!loaded.trace->has_timeline()) {  // then the devices that a monitor read
    for (uint32_t row = 0; row < loaded.trace->devices.size(); ++row) {
      const int64_t id = loaded.trace->devices[row].id;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", id);
      if (id >= 0 && static_cast<uint64_t>(id) == wanted && found.empty()) found.push_back(row);
    }
  }
  if (found.empty()) {
    return Wrong(fmt::format("--device {}: no work ran on such a device; there are: {}", wanted,
                             known.empty() ? "none" : known));
  }
  if (found.size() > 1) return Wrong(fmt::format("--device {}: several ranks have one; say which with --rank", wanted));
  loaded.device_scope.device = found[0];
  return Status::Ok();
}

Status SelectStep(uint64_t wanted, Loaded& loaded) {
  const auto& steps = loaded.steps.steps;
  if (wanted >= steps.size()) {
    return Wrong(
        fmt::format("--step {}: there are {} steps, numbered from 0; see: warpscope steps FILE", wanted, steps.size()));
  }
  const analysis::Step& step = steps[wanted];
  loaded.host_scope.link_domain = loaded.device_scope.link_domain = loaded.rank_domain;
  loaded.host_scope.window = {step.begin_ns, step.end_ns};
  const int64_t begin_ns = wanted == 0 ? step.begin_ns : std::max(step.begin_ns, steps[wanted - 1].gpu_end_ns);
  loaded.device_scope.window = {
      begin_ns, std::max({begin_ns, step.gpu_end_ns, step.gpu_end_ns == step.begin_ns ? step.end_ns : 0})};
  return Status::Ok();
}

Status SelectTime(const Args& args, Loaded& loaded) {
  const auto from_ns = args.TimeNs("--from"), to_ns = args.TimeNs("--to");
  if (!from_ns && !to_ns) return Status::Ok();
  if (args.Has("--step")) return Wrong("--step and --from/--to exclude each other");
  if (from_ns && to_ns && *from_ns >= *to_ns) return Wrong("--from must lie before --to");
  const auto at = [&](int64_t offset_ns) {
    return offset_ns > INT64_MAX - std::max<int64_t>(loaded.origin_ns, 0) ? INT64_MAX : loaded.origin_ns + offset_ns;
  };
  analysis::Window window;
  if (from_ns) window.begin_ns = at(*from_ns);
  if (to_ns) window.end_ns = at(*to_ns);
  loaded.host_scope.window = loaded.device_scope.window = window;
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<model::Trace>> LoadTrace(const Args& args, Io& io) {
  return LoadTrace(args.operands(), args, io);
}

Result<std::unique_ptr<model::Trace>> LoadTrace(const std::vector<std::string>& paths, const Args& args, Io& io) {
  if (paths.empty()) return Wrong("no file given; for example: warpscope trace.json.gz");
  import::Options options;
  options.threads = static_cast<unsigned>(std::min<uint64_t>(args.Count("--threads").value_or(0), 256));
  options.progress = io.progress;
  auto trace = import::Load(paths, options);
  if (!trace.ok()) return trace.status();
  analysis::NoteUnmatchedProfiles(&trace.value());
  return std::make_unique<model::Trace>(std::move(trace).value());
}

Result<Loaded> LoadWhole(const std::vector<std::string>& paths, const Args& args, Io& io) {
  Loaded loaded;
  WS_ASSIGN_OR_RETURN(loaded.trace, LoadTrace(paths, args, io));
  loaded.index = std::make_unique<analysis::Index>(*loaded.trace);
  loaded.origin_ns = FirstMoment(*loaded.trace);
  // Tables speak of the rank that the verdict is about.
  loaded.rank_domain = loaded.index->ranks().empty() ? loaded.index->default_domain()
                                                     : rules::RankToJudge(*loaded.index, {}).link_domain;
  loaded.steps = analysis::FindSteps(*loaded.index, loaded.rank_domain);
  return loaded;
}

Result<Loaded> LoadInputs(const Args& args, Io& io) {
  WS_ASSIGN_OR_RETURN(Loaded loaded, LoadWhole(args.operands(), args, io));
  if (const auto rank = args.Count("--rank")) {
    WS_RETURN_IF_ERROR(SelectRank(*rank, loaded));
    loaded.steps = analysis::FindSteps(*loaded.index, loaded.rank_domain);
  }
  if (const auto step = args.Count("--step")) WS_RETURN_IF_ERROR(SelectStep(*step, loaded));
  WS_RETURN_IF_ERROR(SelectTime(args, loaded));
  if (const auto device = args.Count("--device")) WS_RETURN_IF_ERROR(SelectDevice(*device, loaded));
  for (const char* flag : {"--device", "--step", "--from", "--to"}) loaded.whole &= !args.Has(flag);
  return loaded;
}

}  // namespace warpscope::cli
