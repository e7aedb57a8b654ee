// The words of a verdict on devices that are neither NVIDIA's nor AMD's, and of programs that are not PyTorch: what
// would be advice for another world is left out, and what to record is told in the tool that wrote the file. [MT] Pure
// function. Sources: torch_npu's and torch.xpu's documentation (their modules mirror torch.cuda), unitrace's and
// msprof's help.
#pragma once

#include <string_view>

#include "model/trace.h"
#include "rules/finding.h"

namespace warpscope::rules {

// REQUIRES: neither NVIDIA nor AMD. `format`: Source::format.
void SpeakOther(model::Vendor vendor, std::string_view format, Verdict& verdict);

// The command that measures kernels with hardware counters; "" if none is known.
std::string_view OtherCountersCommand(model::Vendor vendor);

}  // namespace warpscope::rules
