// Mark: where the tables of a trace end, so that a failed import can be taken back.
// [one thread]. Names that were interned meanwhile stay in the string pool; no row refers to them.
#pragma once

#include <array>
#include <cstddef>

#include "model/trace.h"

namespace warpscope::import {

class Mark {
 public:
  explicit Mark(model::Trace* trace);
  // Drops every row that was appended since. REQUIRES: rows were only appended.
  void TakeBack();

 private:
  model::Trace* trace_;
  std::array<size_t, 32> sizes_{};  // of the row tables
  size_t host_rows_ = 0, gpu_rows_ = 0;
};

}  // namespace warpscope::import
