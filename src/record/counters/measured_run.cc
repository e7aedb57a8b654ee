#include "record/counters/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "record/counter_plan.h"
#include "wire/counter_plan.h"

namespace warpscope::record {
namespace {

namespace fs = std::filesystem;

bool IsStreamOfAProcess(const fs::path& path) {
  const std::string name = path.filename().string();
  return path.extension() == ".capture" && !name.empty() && name[0] >= '0' && name[0] <= '9';
}

std::set<fs::path> StreamsOf(const std::string& run_folder) {
  std::error_code ignored;
  std::set<fs::path> streams;
  for (const auto& entry : fs::directory_iterator(run_folder, ignored)) {
    if (IsStreamOfAProcess(entry.path())) streams.insert(entry.path());
  }
  return streams;
}

void RemoveStreams(const std::string& run_folder, const std::set<fs::path>& but) {
  std::error_code ignored;
  for (const fs::path& stream : StreamsOf(run_folder)) {
    if (!but.contains(stream)) fs::remove(stream, ignored);
  }
}

// What the agents tell: how many runs a launch takes, how many launches are asked for; 0: they measured nothing.
uint64_t Told(const std::string& run_folder, const char* name) {
  uint64_t number = 0;
  std::ifstream(fmt::format("{}/{}/{}", run_folder, wire::kCounterImagesFolder, name)) >> number;
  return number;
}

// How often the program runs, as the first run told.
struct Runs {
  uint64_t passes = 0, turns = 0;  // 0: nothing was measured
  uint64_t count() const { return passes * turns; }
};

// With several passes CUPTI gives values to one launch of a process: then each launch has its turn, of so many runs.
Runs RunsOf(const std::string& run_folder) {
  constexpr uint64_t kMostPasses = 10000, kMostLaunches = 1000;
  Runs runs;
  runs.passes = std::min(Told(run_folder, "passes"), kMostPasses);
  const uint64_t launches = std::min(Told(run_folder, "launches"), kMostLaunches);
  runs.turns = runs.passes > 1 ? std::max<uint64_t>(launches, 1) : std::min<uint64_t>(runs.passes, 1);
  return runs;
}

// Why no further run makes sense after the one that ended; "" if one does.
std::string ReasonToStop(const Launch& launch, const Ended& ended, uint64_t run, const Runs& runs) {
  if (ended.exit_code != 0)
    return fmt::format("run {} of {} ended with {}: the counters are not whole", run, runs.count(), ended.exit_code);
  if (Told(launch.run_folder, "kept") > 0) return "";
  return fmt::format(
      "run {} of {} measured nothing of its launch: the program launches other kernels than in the run before, or "
      "files "
      "of the run folder were changed; the counters are not whole (warpscope ledger RUN says more)",
      run, runs.count());
}

Result<Ended> RunPasses(const Launch& launch, const CounterPlan& plan,
                        const std::function<void(const std::string&)>& tell) {
  std::set<fs::path> whole;  // streams with values
  Runs runs;
  std::error_code ignored;
  for (uint64_t run = 0;; ++run) {
    const uint64_t passes = std::max<uint64_t>(runs.passes, 1);
    CounterPlan numbered = plan;
    numbered.emplace_back("pass", std::to_string(run % passes));
    numbered.emplace_back("turn", std::to_string(run / passes));
    WS_RETURN_IF_ERROR(WriteCounterPlan(launch.run_folder, numbered));
    fs::remove(fs::path(launch.run_folder) / wire::kCounterImagesFolder / "kept", ignored);
    auto ended = RunUnderAgent(launch);
    if (!ended.ok()) return ended;
    if (run == 0) {
      runs = RunsOf(launch.run_folder);
      if (runs.passes > 1)
        tell(fmt::format("application replay: the program runs {} times, {} passes for each of {} launch{}",
                         runs.count(), runs.passes, runs.turns, runs.turns == 1 ? "" : "es"));
    }
    if (run + 1 >= runs.count() && run == 0) return ended;
    if (const std::string reason = ReasonToStop(launch, ended.value(), run + 1, runs); !reason.empty()) {
      tell(reason);
      return ended;
    }
    if (run + 1 >= runs.count()) return ended;
    if ((run + 1) % runs.passes == 0) whole = StreamsOf(launch.run_folder);
    else RemoveStreams(launch.run_folder, whole);
  }
}

}  // namespace

Result<Ended> RunMeasured(const Launch& launch, const CounterPlan& plan,
                          const std::function<void(const std::string&)>& tell) {
  const bool by_application =
      std::find(plan.begin(), plan.end(), CounterPlan::value_type("replay", "application")) != plan.end();
  if (!by_application) {
    WS_RETURN_IF_ERROR(WriteCounterPlan(launch.run_folder, plan));
    return RunUnderAgent(launch);
  }
  auto ended = RunPasses(launch, plan, tell);
  std::error_code ignored;
  fs::remove_all(fs::path(launch.run_folder) / wire::kCounterImagesFolder, ignored);
  return ended;
}

}  // namespace warpscope::record
