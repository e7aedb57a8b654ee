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

// With several passes CUPTI gives values to one launch of a process: then each launch has its turn, of so many runs.
Result<Ended> RunPasses(const Launch& launch, const CounterPlan& plan,
                        const std::function<void(const std::string&)>& tell) {
  constexpr uint64_t kMostRuns = 1000;
  std::set<fs::path> whole;  // streams with values
  uint64_t run = 0;
  for (uint64_t turn = 0;; ++turn) {
    for (uint64_t pass = 0;; ++pass) {
      CounterPlan numbered = plan;
      numbered.emplace_back("pass", std::to_string(pass));
      numbered.emplace_back("turn", std::to_string(turn));
      WS_RETURN_IF_ERROR(WriteCounterPlan(launch.run_folder, numbered));
      auto ended = RunUnderAgent(launch);
      if (!ended.ok()) return ended;
      ++run;
      const uint64_t passes = Told(launch.run_folder, "passes"), launches = Told(launch.run_folder, "launches");
      const uint64_t turns = passes > 1 && launches > 1 ? launches : 1, runs = std::min(passes * turns, kMostRuns);
      if (run == 1 && passes > 1) {
        tell(fmt::format("application replay: the program runs {} times, {} passes for each of {} launch{}{}", runs,
                         passes, turns, turns == 1 ? "" : "es",
                         runs < passes * turns ? fmt::format(", no more; -k chooses kernels") : ""));
      }
      const bool last_pass = pass + 1 >= passes;
      if (run >= std::max<uint64_t>(runs, 1)) return ended;
      if (ended.value().exit_code != 0) {
        tell(fmt::format("run {} of {} ended with {}: the counters are not whole", run, runs, ended.value().exit_code));
        return ended;
      }
      if (last_pass) break;
      RemoveStreams(launch.run_folder, whole);
    }
    whole = StreamsOf(launch.run_folder);
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
