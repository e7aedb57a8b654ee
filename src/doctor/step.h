// Step: one thing that was looked at, what was seen, and the one next step. [MT] Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::doctor {

enum class State : uint8_t { kFailure, kWarning, kUnknown, kOk };
std::string_view NameOf(State state);  // "failure", "warning", "unknown", "ok"

enum class Part : uint8_t {
  kChain,     // from the device to CUDA: a broken link breaks those behind it
  kSoftware,  // libraries and frameworks
  kSetup,     // how devices are shared and chosen, the host around them
  kHealth,    // of one device
  kLog,       // faults and errors that logs tell
};
std::string_view NameOf(Part part);  // "chain", "software", "setup", "health", "log"

struct Step {
  std::string id;  // stable: "device_nodes"
  Part part = Part::kChain;
  State state = State::kOk;
  bool is_critical = false;    // a failure that somebody must end with a reset, a repair or a replacement
  std::string subject;         // the device, as a label; "" for the machine
  std::string evidence;        // what was seen
  std::string next;            // the one next step; "" where there is none to take
  std::string because_of;      // id of the step that this failure follows from
  bool follows_chain = false;  // a failure that says no more than that the chain is broken, where it is
  bool is_own = false;         // fails by itself, whatever is broken before it (a file that is no library)
};

// Collects the steps of one link or health check.
class Steps {
 public:
  explicit Steps(Part part, std::vector<Step>* all) : part_(part), all_(all) {}
  void About(std::string subject) { subject_ = std::move(subject); }

  Step& Ok(std::string id, std::string evidence) { return Add(std::move(id), State::kOk, std::move(evidence), {}); }
  Step& Warn(std::string id, std::string evidence, std::string next) {
    return Add(std::move(id), State::kWarning, std::move(evidence), std::move(next));
  }
  Step& Fail(std::string id, std::string evidence, std::string next) {
    return Add(std::move(id), State::kFailure, std::move(evidence), std::move(next));
  }
  Step& Critical(std::string id, std::string evidence, std::string next) {
    Step& step = Fail(std::move(id), std::move(evidence), std::move(next));
    step.is_critical = true;
    return step;
  }
  Step& Unknown(std::string id, std::string evidence, std::string next = {}) {
    return Add(std::move(id), State::kUnknown, std::move(evidence), std::move(next));
  }

 private:
  Step& Add(std::string id, State state, std::string evidence, std::string next) {
    all_->push_back(
        {std::move(id), part_, state, false, subject_, std::move(evidence), std::move(next), {}, false, false});
    return all_->back();
  }
  Part part_;
  std::vector<Step>* all_;
  std::string subject_;
};

}  // namespace warpscope::doctor
