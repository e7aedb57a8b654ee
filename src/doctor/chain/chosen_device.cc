// chosen_device: which device a program would get, where there are several or a variable chooses.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

// Visible devices by variable: the first that is set.
std::pair<std::string, std::string> Chosen(const Machine& machine, Vendor vendor) {
  if (!machine.variables) return {};
  const std::vector<std::string> names =
      vendor == Vendor::kAmd      ? std::vector<std::string>{"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}
      : vendor == Vendor::kIntel  ? std::vector<std::string>{"ZE_AFFINITY_MASK", "ONEAPI_DEVICE_SELECTOR"}
      : vendor == Vendor::kAscend ? std::vector<std::string>{"ASCEND_RT_VISIBLE_DEVICES"}
                                  : std::vector<std::string>{"CUDA_VISIBLE_DEVICES"};
  for (const std::string& name : names) {
    const auto found = machine.variables->find(name);
    if (found != machine.variables->end()) return {name, found->second};
  }
  return {};
}

size_t IndexIn(const std::string& digits) {
  size_t value = SIZE_MAX;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? value : SIZE_MAX;
}

// A UUID may be shortened to what is unique. Where none is known it cannot be judged.
bool HasUuid(const std::vector<const Gpu*>& gpus, const std::string& start) {
  if (!start.starts_with("GPU-")) return false;
  bool is_told = false;
  for (const Gpu* gpu : gpus) {
    is_told |= !gpu->uuid.empty();
    if (gpu->uuid.starts_with(start)) return true;
  }
  return !is_told;
}

// "AMD Radeon Graphics", "AMD Radeon(TM) Graphics", "AMD Radeon 780M Graphics": names of AMD's product list that cards
// do not have.
bool IsGraphicsOfAProcessor(const std::string& name) {
  if (!Holds(name, "radeon")) return false;
  if (name.ends_with("Radeon Graphics") || name.ends_with("Radeon(TM) Graphics")) return true;
  const size_t mark = name.find("M Graphics");
  return mark != std::string::npos && mark >= 3 && name[mark - 1] >= '0' && name[mark - 1] <= '9';
}

// Parts of a list before the first one that names no device: that one ends the list for CUDA.
std::vector<std::string> Accepted(const std::string& list, const std::vector<const Gpu*>& gpus) {
  std::vector<std::string> accepted;
  size_t begin = 0;
  while (begin <= list.size()) {
    const size_t end = std::min(list.find(',', begin), list.size());
    std::string word = list.substr(begin, end - begin);
    begin = end + 1;
    word.erase(0, word.find_first_not_of(' '));
    const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    const bool names_one = is_number ? IndexIn(word) < gpus.size() : word.starts_with("MIG-") || HasUuid(gpus, word);
    if (!names_one) break;
    accepted.push_back(word);
  }
  return accepted;
}

// The one with the most memory, if the tool told it, of those with the newest architecture; absent where all are alike.
std::optional<size_t> BestOf(const std::vector<const Gpu*>& gpus) {
  const auto rank = [](const Gpu& gpu) {
    return std::tuple(gpu.compute_major.value_or(0), gpu.Number(ReadingName::kMemoryTotal).value_or(0));
  };
  size_t best = 0;
  bool differs = false;
  for (size_t i = 1; i < gpus.size(); ++i) {
    differs |= rank(*gpus[i]) != rank(*gpus[0]);
    if (rank(*gpus[i]) > rank(*gpus[best])) best = i;
  }
  return differs ? std::optional(best) : std::nullopt;
}

std::string ChooseNext(const std::vector<const Gpu*>& gpus, const std::optional<size_t>& found) {
  if (!found) return "make the numbers agree: CUDA_DEVICE_ORDER=PCI_BUS_ID; then choose with CUDA_VISIBLE_DEVICES";
  const size_t best = *found;
  return fmt::format("choose: CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={}",
                     gpus[best]->index.value_or(static_cast<unsigned>(best)));
}

}  // namespace

void CheckChosenDevice(const Machine& machine, Steps& steps) {
  const Vendor vendor = machine.MainVendor();
  std::vector<const Gpu*> gpus;
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.is_part && gpu.vendor == vendor) gpus.push_back(&gpu);
  }
  const auto [variable, list] = Chosen(machine, vendor);
  if (!variable.empty() && !gpus.empty() && vendor == Vendor::kNvidia) {
    const std::vector<std::string> accepted = Accepted(list, gpus);
    if (accepted.empty()) {
      // "-1" and words are set on purpose; a number or a UUID was meant to name one.
      const bool names_one = list.starts_with("GPU-") || list.find_first_not_of("0123456789, ") == std::string::npos;
      steps.Fail("chosen_device", fmt::format("{}=\"{}\" hides every device from the program", variable, list),
                 names_one && !list.empty() ? "name one that nvidia-smi -L lists, or: unset " + variable
                                            : "unset " + variable);
      return;
    }
    const size_t words = static_cast<size_t>(std::count(list.begin(), list.end(), ',')) + 1;
    if (accepted.size() < words) {
      steps.Warn("chosen_device",
                 fmt::format("{}=\"{}\": only {} of its {} words name a device, the rest is dropped", variable, list,
                             accepted.size(), words),
                 "correct the list: nvidia-smi -L");
      return;
    }
  } else if (!variable.empty() && list.empty()) {
    steps.Fail("chosen_device", fmt::format("{}=\"\" hides every device from the program", variable),
               "unset " + variable);
    return;
  }
  if (machine.cuda && !machine.cuda->devices.empty()) {
    const device::CudaDevice& first = machine.cuda->devices.front();
    const bool better = first.integrated && machine.cuda->devices.size() > 1;
    const std::string text = fmt::format("a program's device 0 is {} ({}){}", first.name, PlainAddress(first.bus_id),
                                         variable.empty() ? "" : fmt::format(", by {}={}", variable, list));
    if (better)
      steps.Warn("chosen_device", text + ", which is an integrated one", "choose the other: CUDA_VISIBLE_DEVICES=1");
    else steps.Ok("chosen_device", text);
    return;
  }
  if (gpus.size() < 2) {
    const auto others = machine.PciGpus(Vendor::kAny);
    const bool has_other =
        std::any_of(others.begin(), others.end(), [&](const PciDevice* one) { return one->vendor != vendor; });
    if (has_other && gpus.size() == 1)
      steps.Ok("chosen_device",
               fmt::format("programs for {} get {}; the other GPU on the bus is of another vendor (graphics of the "
                           "processor, as a rule)",
                           NameOf(vendor), gpus[0]->Label()));
    else if (!variable.empty()) steps.Ok("chosen_device", fmt::format("{}={}", variable, list));
    return;
  }
  if (vendor == Vendor::kAmd && list.empty()) {
    const auto is_integrated = [](const Gpu* gpu) { return gpu->is_integrated || IsGraphicsOfAProcessor(gpu->name); };
    const auto integrated = std::find_if(gpus.begin(), gpus.end(), is_integrated);
    const auto discrete = std::find_if_not(gpus.begin(), gpus.end(), is_integrated);
    if (integrated != gpus.end() && discrete != gpus.end()) {
      steps.Warn("chosen_device",
                 fmt::format("{} is the graphics of the processor, beside {}: a program may take it, or fail on it",
                             (*integrated)->Label(), (*discrete)->Label()),
                 fmt::format("choose the other: HIP_VISIBLE_DEVICES={}",
                             (*discrete)->index.value_or(static_cast<unsigned>(discrete - gpus.begin()))));
      return;
    }
  }
  const bool same = std::all_of(gpus.begin(), gpus.end(), [&](const Gpu* gpu) { return gpu->name == gpus[0]->name; });
  if (!same && vendor == Vendor::kNvidia && machine.Variable("CUDA_DEVICE_ORDER") != "PCI_BUS_ID") {
    // CUDA counts the fastest first, nvidia-smi by address (CUDA C++ Programming Guide, environment variables).
    // A list of UUIDs, or of one device by it, means the same under each order.
    if (!list.empty() && list.find_first_not_of("0123456789, ") != std::string::npos) {
      steps.Ok("chosen_device", fmt::format("{}={}", variable, list));
      return;
    }
    steps.Warn(
        "chosen_device",
        fmt::format(
            "{} GPUs of different models: CUDA counts the fastest first, nvidia-smi by address, so their numbers "
            "may differ",
            gpus.size()),
        ChooseNext(gpus, BestOf(gpus)));
    return;
  }
  steps.Ok("chosen_device", fmt::format("{} devices of {}{}", gpus.size(), same ? "one model" : "several models",
                                        variable.empty() ? "; a program gets device 0 unless it chooses"
                                                         : fmt::format(", {}={}", variable, list)));
}

}  // namespace warpscope::doctor
