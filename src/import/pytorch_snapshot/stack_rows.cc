#include "import/pytorch_snapshot/stack_rows.h"

namespace warpscope::import::pytorch_snapshot {
namespace {

// Python frames are told by their form, "train.py(12): step"; C++ ones stand for operators; the rest are remarks.
model::HostKind KindOf(std::string_view name) {
  if (name.find("): ") != std::string_view::npos) return model::HostKind::kPython;
  return name.find("::") != std::string_view::npos ? model::HostKind::kOperator : model::HostKind::kAnnotation;
}

}  // namespace

void StackRows::Add(int64_t time_ns, const Frames::Stack& stack) {
  if (stack.size() > 1 && out_.trace().host.size() >= kMostRows) {
    ++shortened_;
    return Add(time_ns, {stack.back()});
  }
  size_t common = 0;
  while (common < open_.size() && common < stack.size() && open_[common].name == stack[common]) ++common;
  CloseTo(common);
  for (size_t i = common; i < stack.size(); ++i) open_.push_back({stack[i], time_ns});
  last_ns_ = time_ns;
}

// Outer frames first: of two equal spans the row that came first is the outer one.
void StackRows::CloseTo(size_t depth) {
  for (size_t i = depth; i < open_.size(); ++i) {
    Appender::Host row;
    row.name = open_[i].name;
    row.kind = KindOf(out_.trace().Text(row.name));
    row.thread = thread_;
    row.start_ns = open_[i].start_ns;
    row.dur_ns = last_ns_ + 1 - row.start_ns;
    out_.Add(row);
  }
  if (open_.size() > depth) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(depth), open_.end());
}

}  // namespace warpscope::import::pytorch_snapshot
