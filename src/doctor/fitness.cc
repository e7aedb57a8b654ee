#include "doctor/fitness.h"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/probe/probe.h"
#include "doctor/words.h"
#include "record/visible_devices.h"

namespace warpscope::doctor {
namespace {

std::vector<const Gpu*> Wanted(const Machine& machine, const FitnessRequest& request) {
  std::vector<const Gpu*> gpus;
  std::vector<unsigned> indexes = request.devices;
  const bool is_hidden = indexes.empty() && machine.variables && machine.variables->contains("CUDA_VISIBLE_DEVICES");
  if (is_hidden) {
    std::vector<device::GpuFacts> facts;
    for (const Gpu& gpu : machine.gpus) {
      facts.emplace_back();
      facts.back().index = gpu.index.value_or(static_cast<unsigned>(facts.size() - 1));
      facts.back().uuid = gpu.uuid;
    }
    for (const auto& visible : record::VisibleDevices(facts, machine.Variable("CUDA_VISIBLE_DEVICES")))
      indexes.push_back(visible.index);
  }
  for (const Gpu& gpu : machine.gpus) {
    const bool is_named = std::find(indexes.begin(), indexes.end(), gpu.index.value_or(0)) != indexes.end();
    if (!gpu.is_part && (is_named || (indexes.empty() && !is_hidden))) gpus.push_back(&gpu);
  }
  return gpus;
}

}  // namespace

Fitness JudgeFitness(const Machine& machine, const FitnessRequest& request) {
  Fitness fitness;
  if (machine.management && !machine.management->works) {
    fitness.problems.push_back("the device cannot be read: " + machine.management->words + " (see: warpscope doctor)");
    return fitness;
  }
  const std::vector<const Gpu*> gpus = Wanted(machine, request);
  if (gpus.empty()) fitness.problems.emplace_back("no device is there for the program (see: warpscope doctor)");
  for (const unsigned index : request.devices) {
    const bool is_there = std::any_of(gpus.begin(), gpus.end(), [&](const Gpu* gpu) { return gpu->index == index; });
    if (!is_there) fitness.problems.push_back(fmt::format("there is no device {}", index));
  }
  for (const Gpu* gpu : gpus) {
    fitness.devices.push_back(gpu->Label());
    if (!request.device_name.empty() && gpu->name != request.device_name)
      fitness.problems.push_back(
          fmt::format("{} is not the device that was measured before ({})", gpu->Label(), request.device_name));
    std::vector<Step> all;
    Steps steps(Part::kHealth, &all);
    for (const HealthCheck check : {CheckRecovery, CheckMemoryErrors, CheckRowRemapping, CheckThrottling,
                                    CheckTemperature, CheckPower, CheckClocks, CheckPcieLink})
      check(machine, *gpu, steps);
    for (const Step& step : all) {
      const std::string text = fmt::format("{}: {}: {}", gpu->Label(), step.id, step.evidence);
      // What changes speed or loses work; corrected errors and waiting repairs do not.
      const bool changes_speed = step.id == "throttling" || step.id == "clocks" || step.id == "power_limit" ||
                                 step.id == "pcie_link" || step.id == "temperature";
      if (step.state == State::kFailure || (step.state == State::kWarning && changes_speed))
        fitness.problems.push_back(text);
      else if (step.state == State::kWarning) fitness.remarks.push_back(text);
    }
    const size_t others = gpu->processes ? gpu->processes->size() : 0;
    if (others > 0 && request.wants_idle)
      fitness.problems.push_back(fmt::format("{}: {} on the device", gpu->Label(), Plural(others, "other program")));
    else if (others > 0)
      fitness.remarks.push_back(fmt::format("{}: {} on the device", gpu->Label(), Plural(others, "program")));
  }
  return fitness;
}

Fitness CheckFitness(const FitnessRequest& request) {
  const record::RealSystem system;
  const auto nvml = OpenNvml(system);
  ProbeRequest probe;
  probe.nvml = nvml.ok() ? &nvml.value() : nullptr;
  probe.nvml_status = nvml.status();
  Machine machine;
  machine.is_live = true;
  ProbeBus(system, machine);
  ProbeNvml(probe, machine);
  machine.variables.emplace();
  if (const auto visible = system.Variable("CUDA_VISIBLE_DEVICES"))
    (*machine.variables)["CUDA_VISIBLE_DEVICES"] = *visible;
  return JudgeFitness(machine, request);
}

}  // namespace warpscope::doctor
