// StepParts: one recording's steps as parts that two recordings can be compared by. Every nanosecond of the busiest
// device's counted steps belongs to exactly one part, so the parts of a step add up to it.
// [MT] Pure function of its inputs, except that it adds to the words, which belong to one thread.
//
// Busy time: a moment belongs to the work that runs then; of several to the most important kind (kernels, then
// communication, then copies, then fills) and of those to the one that started first. Idle time is split as gaps.h
// does, with one change: what a blocking call caused (syncs.h) belongs to that call, not to what the host did
// afterwards; but what the host would have done all the same (sleep, load input, compile, read files, wait for other
// ranks) keeps its time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/diff/place.h"
#include "analysis/gaps.h"
#include "analysis/index.h"
#include "analysis/steps.h"
#include "analysis/window.h"

namespace warpscope::analysis {

enum class WorkKind : uint8_t { kKernel, kCommunication, kCopy, kMemset };

// Device work of one place, name and geometry.
struct Work {
  WorkKind kind = WorkKind::kKernel;
  Place place;
  uint32_t name = 0;   // word: kernel name as recorded; of copies: direction and memory
  uint32_t loose = 0;  // word: short name with its digits folded
  uint64_t geometry = 0;
  KernelClass kernel_class;
  uint64_t count = 0;            // in totals_of steps
  int64_t own_ns = 0;            // sum of durations in totals_of steps, overlaps included
  uint64_t bytes = 0;            // of copies and fills, where recorded
  std::vector<int64_t> step_ns;  // the time that belongs to it, by step
};

// Why the device stood idle, as a diff tells it apart.
enum class IdleKind : uint8_t {
  kLaunches,  // the CPU was launching (calls, framework code around them), or the launch was on its way
  kSync,      // a blocking call kept the CPU from running ahead
  kDataLoading,
  kPython,
  kOperator,
  kCopyCall,
  kAllocation,
  kCompilation,
  kFileIo,
  kGarbageCollect,
  kHostWait,
  kCommunication,
  kProfiler,
  kDependency,
  kUnrecorded,
  kCount,
};
inline constexpr size_t kIdleKinds = static_cast<size_t>(IdleKind::kCount);
std::string_view IdleKindName(IdleKind kind);  // "launches", "data_loading": stable words

struct IdleWork {
  IdleKind kind;
  uint32_t subject = 0;  // word: operator, call, frame or annotation that stands for it
  std::vector<int64_t> step_ns;
};

struct StepParts {
  uint32_t device = model::kNone;
  uint32_t counted = 0;            // steps of the lists below
  uint32_t totals_of = 0;          // steps that counts and totals are of: the counted ones, before any were thinned out
  std::vector<int64_t> length_ns;  // of each step on the device; parts of a step add up to it
  std::vector<double> step_ms;     // as Steps::durations_ms
  std::vector<Work> works;         // in the order of their first row
  std::vector<IdleWork> idles;     // by kind, then subject in the order of their first gap
  std::vector<int64_t> rest_ns;    // idle time that no gap of the list holds, by step
  // What totals_of steps hold.
  uint64_t waits = 0, frees = 0;  // of the blocking calls: those that wait for work, and those that free device memory
  uint64_t kernels = 0, launches = 0, graph_launches = 0, copies = 0, syncs = 0, allocator_calls = 0;
  uint64_t copy_bytes = 0;
  int64_t launch_call_ns = 0;  // host time in kernel launch calls
  uint64_t kernel_launches = 0;
};

// `domain`: of the rank to look at. Empty (counted 0) if it has no device work.
StepParts PartsOf(const Index& index, const Steps& steps, uint32_t domain, Words* words);

}  // namespace warpscope::analysis
