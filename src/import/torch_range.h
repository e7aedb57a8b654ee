// What torch's emit_nvtx() writes as the name of a range: "aten::add, seq = 12, op_id = 34, sizes = [[2, 3]]". [MT]
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::import {

struct TorchRange {
  std::string_view name, sizes;  // of the text that was parsed
  std::optional<uint64_t> sequence;
  bool is_operator = false;
};

// Absent unless the name ends in such a list.
std::optional<TorchRange> ParseTorchRange(std::string_view text);

}  // namespace warpscope::import
