#include "import/pytorch_snapshot/frames.h"

#include <algorithm>

namespace warpscope::import::pytorch_snapshot {
namespace {

using model::kNoString;

bool IsWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// "x::" as a name space, not as the end of a longer word.
bool Names(std::string_view name, std::string_view space) {
  for (size_t at = name.find(space); at != std::string_view::npos; at = name.find(space, at + 1)) {
    if (at == 0 || !IsWordByte(name[at - 1])) return true;
  }
  return false;
}

// What stands between the frames that somebody wrote: PyTorch's dispatcher, pybind11, and functions of the interpreter
// and of C libraries, which have a name and neither name space, arguments nor source.
bool IsMachinery(std::string_view name, std::string_view file) {
  const bool plain = name.find("::") == std::string_view::npos && name.find('(') == std::string_view::npos;
  if (plain && (file.empty() || file == "??")) return true;
  for (const std::string_view begin : {"_Py", "Py", "std::", "__libc"}) {
    if (name.starts_with(begin) && (plain || begin == "std::")) return true;
  }
  for (const std::string_view space : {"at::", "c10::", "torch::", "caffe2::", "pybind11::"}) {
    if (Names(name, space)) return true;
  }
  return false;
}

// "at::_ops::mm::call(...)" -> "at::_ops::mm"; "" if it is no such entry.
std::string_view EntryOf(std::string_view name, std::string_view space, std::string_view function) {
  if (!name.starts_with(space)) return {};
  const size_t end = name.find(function);
  return end == std::string_view::npos || name.find('(') < end ? std::string_view() : name.substr(0, end);
}

std::string Recorded(std::string_view name, std::string_view file, int64_t line) {
  const bool python = file.ends_with(".py") || file.starts_with('<');
  if (python) return std::string(file) + "(" + std::to_string(line) + "): " + std::string(name);
  return name == "??" ? std::string() : std::string(name);
}

}  // namespace

std::string FrameName(std::string_view name, std::string_view file, int64_t line) {
  if (file.ends_with(".py") || file.starts_with('<')) return Recorded(name, file, line);
  if (const auto entry = EntryOf(name, "at::_ops::", "::call("); !entry.empty()) return std::string(entry);
  if (const auto entry = EntryOf(name, "torch::autograd::generated::", "::apply("); !entry.empty())
    return std::string(entry);
  return IsMachinery(name, file) ? std::string() : Recorded(name, file, line);
}

const Frames::Stack& Frames::StackOf(const Pickle::Value* frames) {
  static const Stack kNothing;
  if (frames == nullptr || frames->kind != Pickle::Kind::kList) return kNothing;
  const auto [it, fresh] = stacks_.try_emplace(frames->at);
  if (!fresh) return it->second;
  const std::vector<Pickle::Value>& items = pickle_.Items(*frames);
  it->second = Build(items, false);
  if (it->second.empty()) it->second = Build(items, true);
  return it->second;
}

// Innermost frames stand first in the file.
Frames::Stack Frames::Build(const std::vector<Pickle::Value>& frames, bool all) {
  Stack stack;
  for (size_t i = std::min(frames.size(), kMaxFrames); i-- > 0;) {
    if (const model::StringId name = NameOf(frames[i], all); name != kNoString) stack.push_back(name);
  }
  return stack;
}

model::StringId Frames::NameOf(const Pickle::Value& frame, bool all) {
  if (frame.kind != Pickle::Kind::kDict) return kNoString;
  const auto [it, fresh] = names_.try_emplace(uint64_t{frame.at} << 1 | (all ? 1 : 0), kNoString);
  if (!fresh) return it->second;
  const std::string_view name = pickle_.TextOf(frame, "name"), file = pickle_.TextOf(frame, "filename");
  const Pickle::Value* line = pickle_.Find(frame, "line");
  const int64_t number = line != nullptr && line->kind == Pickle::Kind::kInteger ? line->integer : 0;
  const std::string text = all ? Recorded(name, file, number) : FrameName(name, file, number);
  if (!text.empty()) it->second = trace_.strings.Intern(text);
  return it->second;
}

}  // namespace warpscope::import::pytorch_snapshot
