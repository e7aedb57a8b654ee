#include "import/torch_range.h"

#include <algorithm>
#include <charconv>

namespace warpscope::import {

std::optional<TorchRange> ParseTorchRange(std::string_view text) {
  const size_t seq = text.find(", seq = "), op = text.find(", op_id = "), sizes = text.find(", sizes = [");
  const size_t end = std::min({seq, op, sizes});
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  TorchRange range;
  range.name = text.substr(0, end);
  if (seq != std::string_view::npos) {
    uint64_t value = 0;
    const char* from = text.data() + seq + 8;
    const auto [rest, error] = std::from_chars(from, text.data() + text.size(), value);
    if (error == std::errc()) range.sequence = value;
  }
  if (sizes != std::string_view::npos) {
    const size_t begin = sizes + 10, inputs = text.find(", input_op_ids = ", begin);
    range.sizes = text.substr(begin, inputs == std::string_view::npos ? inputs : inputs - begin);
  }
  range.is_operator = range.sequence || range.name.find("::") != std::string_view::npos;
  return range;
}

}  // namespace warpscope::import
