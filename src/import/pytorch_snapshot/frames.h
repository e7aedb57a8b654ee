// Frames: the names of a snapshot's stacks. Frames of the interpreter, the dispatcher and the unwinder, which stand
// between those that somebody wrote, are left out. [one thread]
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/pytorch_snapshot/pickle.h"
#include "model/trace.h"

namespace warpscope::import::pytorch_snapshot {

// What a frame is called in a trace: "train.py(12): step" for Python, "at::_ops::mm" for an operator's entry, as
// recorded for a user's own C++; "" for one that is left out.
std::string FrameName(std::string_view name, std::string_view file, int64_t line);

// Stacks by number; the names of one are those of its frames, outermost first.
class Frames {
 public:
  static constexpr size_t kMaxFrames = 512;  // of a stack; the innermost ones are kept
  using Stack = std::vector<model::StringId>;

  Frames(const Pickle* pickle, model::Trace* trace) : pickle_(*pickle), trace_(*trace) {}

  // Of a list of frames; empty if there is none. Valid until the next call.
  const Stack& StackOf(const Pickle::Value* frames);

 private:
  model::StringId NameOf(const Pickle::Value& frame, bool all);
  Stack Build(const std::vector<Pickle::Value>& frames, bool all);

  const Pickle& pickle_;
  model::Trace& trace_;
  std::unordered_map<uint32_t, Stack> stacks_;           // by number of the list
  std::unordered_map<uint64_t, model::StringId> names_;  // by number of the frame, and whether all are wanted
};

}  // namespace warpscope::import::pytorch_snapshot
