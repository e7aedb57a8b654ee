#include "record/counters/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "record/counter_plan.h"
#include "wire/counter_plan.h"

namespace warpscope::record {
namespace {

namespace fs = std::filesystem;

bool IsStreamOfAProcess(const fs::path& path) {
  const std::string name = path.filename().string();
  return path.extension() == ".capture" && !name.empty() && name[0] >= '0' && name[0] <= '9';
}

void RemoveStreams(const std::string& run_folder) {
  std::error_code ignored;
  std::vector<fs::path> streams;
  for (const auto& entry : fs::directory_iterator(run_folder, ignored)) {
    if (IsStreamOfAProcess(entry.path())) streams.push_back(entry.path());
  }
  for (const fs::path& stream : streams) fs::remove(stream, ignored);
}

// How many runs the agents want; 0: they measured nothing.
uint64_t PassesOf(const std::string& run_folder) {
  uint64_t passes = 0;
  std::ifstream(run_folder + "/" + wire::kCounterImagesFolder + "/passes") >> passes;
  return passes;
}

Result<Ended> RunPasses(const Launch& launch, const CounterPlan& plan,
                        const std::function<void(const std::string&)>& tell) {
  for (uint64_t pass = 0;; ++pass) {
    CounterPlan numbered = plan;
    numbered.emplace_back("pass", std::to_string(pass));
    WS_RETURN_IF_ERROR(WriteCounterPlan(launch.run_folder, numbered));
    auto ended = RunUnderAgent(launch);
    if (!ended.ok()) return ended;
    const uint64_t passes = PassesOf(launch.run_folder);
    if (pass == 0 && passes > 1)
      tell(fmt::format("application replay: the program runs {} times, once for each pass", passes));
    if (pass + 1 >= passes) return ended;
    if (ended.value().exit_code != 0) {
      tell(fmt::format("run {} of {} ended with {}: the counters are not whole", pass + 1, passes,
                       ended.value().exit_code));
      return ended;
    }
    RemoveStreams(launch.run_folder);
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
