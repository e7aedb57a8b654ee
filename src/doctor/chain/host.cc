// host: processors against threads, memory of integrated GPUs.
#include <fmt/format.h>

#include <charconv>

#include "doctor/checks.h"
#include "doctor/words.h"

namespace warpscope::doctor {
namespace {

std::optional<unsigned> NumberIn(const std::string& text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Each process sizes its pool of threads to all processors that it sees, also where a control group gives it few, or
// where several processes share them.
void Threads(const Machine& machine, Steps& steps) {
  if (!machine.cpu_threads) return;
  const double allowed = machine.cpu_limit.value_or(*machine.cpu_threads);
  const auto pool = NumberIn(machine.Variable("OMP_NUM_THREADS"));
  const unsigned each = pool.value_or(*machine.cpu_threads);
  const unsigned ranks = machine.ranks.value_or(1);
  const double wanted = static_cast<double>(each) * ranks;
  const std::string limits =
      machine.cpu_limit ? fmt::format("{:.0f} of {} processors are allowed", *machine.cpu_limit, *machine.cpu_threads)
                        : fmt::format("{} processors", *machine.cpu_threads);
  constexpr double kTooMany = 1.5;
  if (machine.variables && wanted > kTooMany * allowed) {
    steps.Warn(
        "cpu_threads",
        fmt::format("{}, and OMP_NUM_THREADS is {}: {} {} {} threads, which take turns and starve the GPU", limits,
                    pool ? std::to_string(*pool) : "not set", Plural(ranks, "process"), ranks == 1 ? "starts" : "start",
                    ranks == 1 ? fmt::format("{}", each) : fmt::format("{} each", each)),
        fmt::format("export OMP_NUM_THREADS={:.0f}", std::max(1.0, allowed / ranks)));
  } else if (machine.variables) {
    steps.Ok("cpu_threads", limits + (pool ? fmt::format(", OMP_NUM_THREADS={}", *pool) : std::string()));
  }
}

// A GPU in the processor: Intel's is device 2 of the root bus, its cards stand behind bridges; AMD's has the
// processor's name in the list of PCI ids.
bool IsInProcessor(const PciDevice& device) {
  if (device.vendor == Vendor::kIntel) return device.address.find(":00:02.") != std::string::npos;
  if (device.vendor != Vendor::kAmd) return false;
  for (const std::string_view name : {"raven",
                                      "picasso",
                                      "renoir",
                                      "lucienne",
                                      "cezanne",
                                      "barcelo",
                                      "rembrandt",
                                      "mendocino",
                                      "raphael",
                                      "phoenix",
                                      "hawk",
                                      "strix",
                                      "krackan",
                                      "granite ridge",
                                      "dragon range",
                                      "van gogh",
                                      "radeon graphics",
                                      "radeon 780m",
                                      "radeon 680m",
                                      "radeon 890m",
                                      "vega series / radeon"}) {
    if (Holds(device.name, name)) return true;
  }
  return false;
}

// Programs compute with a GPU that uses system memory: no card is there.
bool ComputesInSystemMemory(const Machine& machine) {
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.is_integrated) return true;
  }
  bool any = false;
  for (const PciDevice& device : machine.pci ? *machine.pci : std::vector<PciDevice>()) {
    if (!device.is_gpu) continue;
    if (!IsInProcessor(device)) return false;
    any = true;
  }
  return any;
}

}  // namespace

void CheckHost(const Machine& machine, Steps& steps) {
  Threads(machine, steps);
  const bool integrated = ComputesInSystemMemory(machine);
  if (integrated && machine.memory_modules == 1u)
    steps.Warn("memory_channels",
               "the GPU uses system memory, and one module is plugged in: half of its bandwidth is missing",
               "add a second module of the same kind, in the slot of the other channel");
}

}  // namespace warpscope::doctor
