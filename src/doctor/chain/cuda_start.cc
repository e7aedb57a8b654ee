// cuda_start: does CUDA start and count devices.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

struct Cause {
  int result;
  std::string_view means, next;
};
constexpr Cause kCauses[] = {
    {34, "a stub library was loaded in place of the driver's", "take the folder named stubs out of LD_LIBRARY_PATH"},
    {46, "another program has the device for itself, or it is in a mode that bars this one",
     "see who has it: nvidia-smi; and the mode: nvidia-smi -q -d COMPUTE"},
    {100, "CUDA sees no device", ""},
    {304, "the kernel refused what the driver asked for", "let this user open the device's files: ls -l /dev/nvidia*"},
    {802, "the links between the devices are not set up", "start Fabric Manager in the driver's version"},
    {803, "the driver's library and the kernel's driver are of different versions",
     "restart the machine or the container"},
    {804, "a forward-compatibility libcuda was loaded, which only data-centre GPUs support",
     "take the folder named compat out of the library path, or update the driver"},
    {999, "usually /dev/nvidia-uvm is missing or cannot be opened",
     "sudo modprobe nvidia_uvm; sudo nvidia-modprobe -u -c 0; in a container pass /dev/nvidia-uvm as well"},
};

constexpr int kUnknownError = 999;

}  // namespace

void CheckCudaStart(const Machine& machine, Steps& steps) {
  if (StackOf(machine.MainVendor()) != nullptr) return;
  if (!machine.cuda) {
    if (machine.is_live) steps.Unknown("cuda_start", "CUDA was not asked");
    return;
  }
  const device::CudaAnswer& cuda = *machine.cuda;
  if (!cuda.result) {
    steps.Fail("cuda_start",
               cuda.problem.empty()                        ? "CUDA did not answer"
               : cuda.problem.starts_with("libcuda.so.1:") ? cuda.problem  // the loader's own words
                                                           : "libcuda.so.1: " + cuda.problem,
               "see what the kernel says of the device: warpscope faults");
    return;
  }
  if (*cuda.result == 0) {
    if (cuda.devices.empty() && machine.is_live) {
      steps.Fail("cuda_start", "CUDA starts and counts no device", "unset CUDA_VISIBLE_DEVICES");
      return;
    }
    std::vector<std::string> names;
    names.reserve(cuda.devices.size());
    for (const device::CudaDevice& one : cuda.devices)
      names.push_back(fmt::format("{} (sm_{}{})", one.name, one.compute_major, one.compute_minor));
    steps.Ok("cuda_start", fmt::format("CUDA starts: {}", Joined(names)));
    return;
  }
  const std::string name = device::NameOfCudaResult(*cuda.result);
  std::string evidence = fmt::format("cuInit answers {}{}", *cuda.result, name.empty() ? "" : " (" + name + ")"), next;
  for (const Cause& cause : kCauses) {
    if (cause.result != *cuda.result) continue;
    evidence += fmt::format(": {}", cause.means);
    next = cause.next;
  }
  // All that 999 usually lacks is there.
  const bool has_node = machine.nodes && !machine.nodes_are_partial &&
                        std::any_of(machine.nodes->begin(), machine.nodes->end(),
                                    [](const DeviceNode& node) { return node.path == "/dev/nvidia-uvm"; });
  if (*cuda.result == kUnknownError && has_node && machine.modules && machine.modules->contains("nvidia_uvm")) {
    evidence = fmt::format("cuInit answers {} ({}), though nvidia_uvm is loaded and /dev/nvidia-uvm is there",
                           *cuda.result, name);
    next =
        "see what the kernel says: warpscope faults; after a suspend load it anew: sudo rmmod nvidia_uvm && sudo "
        "modprobe nvidia_uvm; else restart the machine, or the container";
  } else if (*cuda.result == kUnknownError && machine.modules && !machine.modules->contains("nvidia_uvm")) {
    evidence += "; nvidia_uvm is not loaded";
  }
  const std::string visible = machine.Variable("CUDA_VISIBLE_DEVICES");
  if (*cuda.result == 100 && machine.variables && machine.variables->contains("CUDA_VISIBLE_DEVICES")) {
    evidence += fmt::format("; CUDA_VISIBLE_DEVICES=\"{}\" names none", visible);
    next = "unset CUDA_VISIBLE_DEVICES";
  }
  if (*cuda.result == 100 && next.empty())
    next = machine.container.empty() ? "see why the driver took no device: warpscope faults"
                                     : DeviceFlags(machine.container);
  steps.Fail("cuda_start", evidence, next);
}

}  // namespace warpscope::doctor
