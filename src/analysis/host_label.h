// HostLabel: what a host row of that name means for the question "what was the host doing?".
// [MT] Pure functions of the name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/trace.h"

namespace warpscope::analysis {

enum class HostLabel : uint8_t {
  kPlain,
  kDataLoading,      // DataLoader iteration, dataset and collate frames
  kCompilation,      // dynamo, inductor, triton compile, cudnn/cublas autotuning, module loading
  kFileIo,           // torch.save/load, open/read/write, pickle, numpy files
  kGarbageCollect,   // gc.collect
  kHostWait,         // time.sleep, locks, condition variables, select/poll, queue.get, thread join
  kCommunication,    // c10d / nccl / gloo waits on the host
  kProfiler,         // the recorder's own frames and overhead rows
  kStepMarker,       // ProfilerStep#N
  kModule,           // nn.Module: ...
  kOptimizerStep,    // Optimizer.step#...
  kBackward,         // autograd::engine::..., loss.backward
  kLibraryPython,    // Python frame of an installed package, the standard library or a built-in: not the user's
  kViewOperator,     // operator that moves no data: views, empty tensors
  kPlannedOperator,  // operator of a library that may search for an algorithm or build a plan first (cuDNN, MIOpen)
  kUserPython,       // Python frame of the user's own file
};

// `kind` of any row with that name (a name belongs to one kind in practice).
HostLabel LabelHost(std::string_view name, model::HostKind kind);

// "train.py(12): step" -> {"train.py", 12, "step"}; line 0 and func "" if the name has another form.
struct PythonFrame {
  std::string_view file, function;
  uint32_t line = 0;
};
PythonFrame ParsePythonFrame(std::string_view name);

// Whether a file path belongs to the interpreter or an installed package.
bool IsLibraryPath(std::string_view path);

// "execute_context_3(12)" -> "execute_context_#(#)": digits folded, so that repeats of one range compare equal.
std::string FoldDigits(std::string_view name);

}  // namespace warpscope::analysis
