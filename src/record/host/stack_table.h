// StackTable: frames and stacks by number. A frame is (its caller, function, file, first line); so a stack is the
// number of its innermost frame, and two stacks share their outer frames. [one thread] Bounded: past the limit a stack
// ends at its last known frame, and is counted.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpscope::record::host {

enum class FrameKind : uint8_t { kPython = 0, kNative = 1 };

struct StackFrame {
  uint32_t parent = 0;  // 0: outermost
  FrameKind kind = FrameKind::kPython;
  uint32_t function = 0, file = 0;  // numbers of texts; 0: unknown
  uint64_t line = 0;  // where the function begins; of native frames until they have names: its address in `file`
  bool operator==(const StackFrame&) const = default;
};

class StackTable {
 public:
  static constexpr size_t kMostFrames = 1u << 20, kMostTexts = 1u << 20;

  // Numbers start at 1 and grow by one. 0: the table is full.
  uint32_t Text(const std::string& text);
  uint32_t Frame(const StackFrame& frame);

  // What is new since the last call, for the writer.
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<StackFrame>& frames() const { return frames_; }
  uint64_t refused() const { return refused_; }

 private:
  struct Hash {
    size_t operator()(const StackFrame& frame) const;
  };
  std::unordered_map<std::string, uint32_t> text_numbers_;
  std::unordered_map<StackFrame, uint32_t, Hash> frame_numbers_;
  std::vector<std::string> texts_;
  std::vector<StackFrame> frames_;
  uint64_t refused_ = 0;
};

}  // namespace warpscope::record::host
