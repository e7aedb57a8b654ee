// driver_cuda and toolkit: the newest CUDA that the driver offers, against the toolkits here.
#include <fmt/format.h>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

// Drivers that are known to break recordings or programs, with the report.
struct KnownDriver {
  std::string_view version, problem, source;
};
constexpr KnownDriver kKnownDrivers[] = {
    {"465.19.01", "CUPTI can wait for ever when the first work of a recording starts", "pytorch/pytorch#60158"},
};

std::string DriverCuda(const Machine& machine) {
  if (!machine.driver_cuda.empty()) return machine.driver_cuda;
  if (machine.cuda && machine.cuda->version)
    return fmt::format("{}.{}", *machine.cuda->version / 1000, *machine.cuda->version % 1000 / 10);
  return {};
}

}  // namespace

void CheckToolkit(const Machine& machine, Steps& steps) {
  const std::string& driver = machine.driver_version.empty() ? machine.nvidia_version : machine.driver_version;
  const std::string offered = DriverCuda(machine);
  const KnownDriver* known = nullptr;
  for (const KnownDriver& one : kKnownDrivers) {
    if (one.version == driver) known = &one;
  }
  if (known != nullptr)
    steps.Warn("driver_version", fmt::format("driver {}: {} ({})", driver, known->problem, known->source),
               "install another version of the driver");
  else if (!offered.empty())
    steps.Ok("driver_version",
             fmt::format("driver {} offers CUDA up to {}", driver.empty() ? "of unknown version" : driver, offered));
  std::vector<std::string> newer, all;
  for (const Machine::Toolkit& toolkit : machine.toolkits) {
    all.push_back(fmt::format("{} ({})", toolkit.version, toolkit.folder));
    const auto major = MajorOf(toolkit.version), most = MajorOf(offered);
    if (major && most && *major > *most) newer.push_back(all.back());
  }
  if (!newer.empty())
    steps.Warn("toolkit",
               fmt::format("toolkit {} is newer than the driver's CUDA {}: what it compiles does not start here",
                           Joined(newer), offered),
               fmt::format("update the driver, or compile with CUDA {} or older", offered));
  else if (!all.empty()) steps.Ok("toolkit", "CUDA toolkit " + Joined(all));
  else if (machine.is_live) steps.Ok("toolkit", "no CUDA toolkit; programs that bring their own runtime need none");
}

}  // namespace warpscope::doctor
