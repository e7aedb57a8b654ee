// OpShapes: the recorded "Input Dims", "Input type" and "Input Strides" of an operator, parsed, and what matrix
// products cost by them. Owns the reading of that text and the FLOP and byte formulas.
// [MT] Pure functions. The text is input from a file: any bytes are accepted, depth and size are bounded.
// Formulas: a product of [b, m, k] and [b, k, n] takes 2 b m n k FLOP and moves b (mk + kn + mn) elements at least.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_name.h"
#include "model/trace.h"

namespace warpscope::analysis {

struct Operand {
  std::vector<int64_t> dims;     // of a tensor list: those of its first tensor
  std::vector<int64_t> strides;  // empty if not recorded
  double elements = 0;           // product of dims (of a list: summed); 0 for scalars and absent operands
  uint32_t element_bytes = 0;    // 0: type not recorded
  Precision precision = Precision::kUnknown;
};

struct OpShapes {
  std::vector<Operand> inputs;
  // Bytes of all tensor inputs of known type.
  double input_bytes() const;
  double largest_elements() const;
};

// Absent if no dims were recorded or the text is not a list.
std::optional<OpShapes> ParseShapes(std::string_view dims, std::string_view types, std::string_view strides);
// Of a host row (an operator); absent also for kNone.
std::optional<OpShapes> ShapesOf(const model::Trace& trace, uint32_t host_row);

struct GemmShape {
  double batch = 1, m = 0, n = 0, k = 0;
  uint32_t element_bytes = 0;  // 0 if unknown
  Precision precision = Precision::kUnknown;
  bool misaligned = false;  // a row of some operand does not start at a multiple of 16 bytes
  double flops() const { return 2 * batch * m * n * k; }
  double bytes() const { return element_bytes * batch * (m * k + k * n + m * n); }
};
// aten::mm, addmm, bmm, baddbmm, _scaled_mm and the like, by their operands; absent for other operators.
std::optional<GemmShape> GemmShapeOf(std::string_view operator_name, const OpShapes& shapes);

}  // namespace warpscope::analysis
