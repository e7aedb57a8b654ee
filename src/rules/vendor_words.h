// The words of a verdict in the vocabulary of the vendor whose device was recorded. Rules are written in CUDA's words;
// for AMD this turns them into ROCm's (compute unit, wave, hip calls, MIOpen, rocprof-compute), and replaces advice
// that does not exist there. Names that come from the recording (kernels, frames, files) are left alone. [MT] Pure
// functions. Sources: HIP's porting guide (CUDA to HIP names), the documentation of hipBLAS, MIOpen and
// rocprof-compute.
#pragma once

#include <string>
#include <string_view>

#include "model/trace.h"
#include "rules/finding.h"

namespace warpscope::rules {

// `format`: Source::format of the recording; decides which tool is named for recording again.
void SpeakVendor(model::Vendor vendor, std::string_view format, Verdict& verdict);

// One text; for tests. `code`: identifiers are turned as well.
std::string InRocmWords(std::string text, bool code);

// What to record, for an input that holds nothing to judge.
std::string_view WhatToRecord(model::Vendor vendor);

// The command that measures one kernel with hardware counters.
std::string CountersCommandFor(model::Vendor vendor, const std::string& kernel);

}  // namespace warpscope::rules
