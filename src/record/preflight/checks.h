// The parts of the preflight; each adds its checks. [one thread] See record/preflight.h.
#pragma once

#include <utility>

#include "record/cupti_search.h"
#include "record/preflight.h"

namespace warpscope::record::preflight {

struct Context {
  const System& system;
  const DeviceState& devices;
  const PreflightRequest& request;
  std::string container;  // ContainerKind()
  bool is_wsl = false;
  unsigned driver_major = 0;  // of the newest CUDA that the driver offers; 0: unknown
  std::optional<Python> python;
  CuptiSearch cupti;
  std::string root_failure;  // id of the first broken layer of the driver; "" if it works
};

class Checks {
 public:
  explicit Checks(std::vector<Check>* all) : all_(all) {}
  Check& Ok(std::string id, std::string evidence) {
    return Add(std::move(id), CheckState::kOk, std::move(evidence), {});
  }
  Check& Warn(std::string id, std::string evidence, std::string next) {
    return Add(std::move(id), CheckState::kWarning, std::move(evidence), std::move(next));
  }
  Check& Fail(std::string id, std::string evidence, std::string next) {
    return Add(std::move(id), CheckState::kFailure, std::move(evidence), std::move(next));
  }
  Check& Unknown(std::string id, std::string evidence, std::string next = {}) {
    return Add(std::move(id), CheckState::kUnknown, std::move(evidence), std::move(next));
  }

 private:
  Check& Add(std::string id, CheckState state, std::string evidence, std::string next) {
    all_->push_back({std::move(id), state, std::move(evidence), std::move(next), {}, true});
    return all_->back();
  }
  std::vector<Check>* all_;
};

void CheckDriverLayers(Context& context, Checks& checks);  // sets root_failure
void CheckDriverVersion(const Context& context, Checks& checks);
void CheckOtherVendors(const Context& context, Checks& checks);
void CheckDeviceModes(const Context& context, Checks& checks);
void CheckCupti(const Context& context, Checks& checks);
void CheckRuntime(const Context& context, Checks& checks);
void CheckLibraryPath(const Context& context, Checks& checks);
void CheckOtherTools(const Context& context, Checks& checks);
void CheckProgram(const Context& context, Checks& checks);
void CheckOutput(const Context& context, Checks& checks);
void CheckHostSamples(const Context& context, Checks& checks);
void CheckCounters(const Context& context, Checks& checks);

// PCI devices of a vendor ("0x10de") that compute or display; absent where the bus cannot be seen.
std::optional<std::vector<std::string>> PciDevices(const System& system, std::string_view vendor);
// Whether this process holds a capability of the kernel's (its number); absent if the kernel does not tell.
std::optional<bool> HasCapability(const System& system, unsigned number);

}  // namespace warpscope::record::preflight
