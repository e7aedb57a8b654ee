// The numbers of PyTorch's out-of-memory message, in all its wordings since 0.4, and what they say. [MT] Pure.
// Wordings: CUDACachingAllocator.cpp of PyTorch 1.0 to 2.11; XPU, HIP and NPU allocators use the same words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "explain/entry.h"

namespace warpscope::explain {

// All in bytes; absent where the message does not say.
struct TorchOom {
  double asked = 0;
  std::optional<double> total;      // of the device
  std::optional<double> free;       // of the device, for anyone
  std::optional<double> allocated;  // in tensors that live
  std::optional<double> cached;     // reserved by PyTorch beyond those
  std::optional<double> allowed;    // limit of this process
  std::optional<double> this_process;
  std::string own_name;               // the number under which the message names this process; "" if it does not
  std::optional<double> graph_pools;  // part of `allocated` in pools of CUDA graphs
  double named_others = 0;            // of the processes that the message names
  size_t named_count = 0;

  // What nobody of PyTorch's holds on the device: other processes, and other libraries of this one.
  std::optional<double> Outside() const;
  // Numbers that cannot all be true, in words; "" where they agree. A message that was cut, mixed with another one or
  // typed off has them.
  std::string Contradiction() const;
  bool is_reserved_less = false;  // the sum of both was told as less than what lives
};

enum class OomKind {
  kUnknown,        // too few numbers
  kContradiction,  // numbers that cannot all be true
  kSystemMemory,   // more is allocated than the device has: the driver moved memory to the host
  kLimit,          // a limit of the process, not the device
  kBeyondDevice,   // one request larger than the device
  kFragmentation,  // enough is free or cached together, not in one piece
  kOtherProcess,   // it would fit if nobody else held memory
  kTooLittle,      // does not fit, whatever is rearranged
  kRefused,        // the device had enough free and refused
};

std::optional<TorchOom> ParseTorchOom(std::string_view window);
OomKind KindOf(const TorchOom& oom);
void WorkTorchOom(std::span<const Match> matches, Answer* answer);

}  // namespace warpscope::explain
