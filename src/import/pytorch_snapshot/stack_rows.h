// StackRows: stacks that are known at moments become rows of host: a frame that neighbouring moments have in common is
// one row, from the first of them to the last. So the innermost row at a moment is its stack's innermost frame.
// [one thread]
#pragma once

#include <cstdint>
#include <vector>

#include "import/appender.h"
#include "import/pytorch_snapshot/frames.h"

namespace warpscope::import::pytorch_snapshot {

class StackRows {
 public:
  StackRows(Appender* out, uint32_t thread) : out_(*out), thread_(thread) {}

  // A few bytes of a file may switch between deep stacks: beyond so many rows of the trace only the innermost frame of
  // a stack becomes one.
  static constexpr size_t kMostRows = size_t{4} << 20;

  // Times never fall. An empty stack ends all frames.
  void Add(int64_t time_ns, const Frames::Stack& stack);
  void Finish() { CloseTo(0); }
  uint64_t shortened() const { return shortened_; }  // stacks of which only the innermost frame was taken

 private:
  struct Open {
    model::StringId name;
    int64_t start_ns;
  };
  void CloseTo(size_t depth);

  Appender& out_;
  uint32_t thread_;
  std::vector<Open> open_;
  int64_t last_ns_ = 0;
  uint64_t shortened_ = 0;
};

}  // namespace warpscope::import::pytorch_snapshot
