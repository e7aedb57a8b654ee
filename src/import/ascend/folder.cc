#include "import/ascend/folder.h"

#include <vector>

namespace warpscope::import::ascend {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// The folders of the path: begin of each name and the position behind it.
struct Part {
  size_t begin, end;
};

std::vector<Part> Folders(std::string_view path) {
  std::vector<Part> parts;
  size_t begin = 0;
  for (size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', begin)) {
    if (slash > begin) parts.push_back({begin, slash});
    begin = slash + 1;
  }
  return parts;
}

std::string Named(std::string_view folder) { return "ascend:" + std::string(folder.empty() ? "." : folder); }

}  // namespace

std::string PartOf(std::string_view path) {
  const std::vector<Part> parts = Folders(path);
  // The outermost folder of the recording: what lies deeper belongs to it.
  for (const Part& part : parts) {
    const std::string_view name = path.substr(part.begin, part.end - part.begin);
    if (EndsWith(name, "_ascend_pt") || EndsWith(name, "_ascend_ms")) return Named(path.substr(0, part.end));
  }
  for (const Part& part : parts) {
    const std::string_view name = path.substr(part.begin, part.end - part.begin);
    if (name.substr(0, 5) == "PROF_") return Named(path.substr(0, part.end));
    if (name == "ASCEND_PROFILER_OUTPUT" || name == "mindstudio_profiler_output")
      return Named(path.substr(0, part.begin == 0 ? 0 : part.begin - 1));
  }
  return {};
}

std::optional<int64_t> RankInFileName(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (const std::string_view stem : {std::string_view("profiler_info_"), std::string_view("ascend_pytorch_profiler_"),
                                      std::string_view("ascend_mindspore_profiler_")}) {
    const size_t at = name.find(stem);
    if (at == std::string_view::npos) continue;
    int64_t rank = 0;
    size_t digits = 0;
    for (size_t i = at + stem.size(); i < name.size() && name[i] >= '0' && name[i] <= '9' && digits < 9; ++i, ++digits)
      rank = rank * 10 + (name[i] - '0');
    if (digits > 0) return rank;
  }
  return std::nullopt;
}

}  // namespace warpscope::import::ascend
