#include "record/host/stack_table.h"

namespace warpscope::record::host {

size_t StackTable::Hash::operator()(const StackFrame& frame) const {
  uint64_t hash = frame.parent;
  for (const uint64_t part :
       {uint64_t{frame.function}, uint64_t{frame.file}, uint64_t{frame.line}, static_cast<uint64_t>(frame.kind)}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

uint32_t StackTable::Text(const std::string& text) {
  if (const auto it = text_numbers_.find(text); it != text_numbers_.end()) return it->second;
  if (texts_.size() >= kMostTexts) {
    ++refused_;
    return 0;
  }
  texts_.push_back(text);
  return text_numbers_[text] = static_cast<uint32_t>(texts_.size());
}

uint32_t StackTable::Frame(const StackFrame& frame) {
  if (const auto it = frame_numbers_.find(frame); it != frame_numbers_.end()) return it->second;
  if (frames_.size() >= kMostFrames) {
    ++refused_;
    return 0;
  }
  frames_.push_back(frame);
  return frame_numbers_[frame] = static_cast<uint32_t>(frames_.size());
}

}  // namespace warpscope::record::host
