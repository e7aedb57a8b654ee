// HostAnswer: what can be told of a recorded program that gave no device any work: where its own time went.
// [MT] Pure function.
#pragma once

#include <string>
#include <vector>

#include "model/trace.h"

namespace warpscope::rules {

struct HostAnswer {
  std::string answer;              // a sentence; "" if nothing of the host was recorded
  std::vector<std::string> notes;  // more of it
};

HostAnswer AnswerOfHost(const model::Trace& trace);

}  // namespace warpscope::rules
