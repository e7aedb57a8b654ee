// OpCost: the arithmetic and the least traffic of one call of an operator, from the shapes that it was recorded with.
// [MT] Pure functions. Shapes are input from a file: any are accepted; what does not fit together has no cost.
// Formulas (a multiply-add is two FLOP):
//   matrix product          2 b m n k                                    op_shapes.h
//   convolution             2 N Cout prod(out) (Cin / groups) prod(kernel); either gradient costs the same
//   attention               2 B H Sq Sk (D + Dv); causal and square: half of it; backward: 2.5 times as much (five
//                           products instead of two: Dao et al., FlashAttention, 2022)
//   element by element      one FLOP an element of the result (copies and fills: none)
// Bytes are those of every operand and result once: the least that must move if nothing stays in a cache from before,
// and less than what moves if operands are read again.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/kernel_name.h"
#include "analysis/op_shapes.h"
#include "model/trace.h"

namespace warpscope::analysis {

struct OpCost {
  double flops = 0;
  double bytes = 0;                           // at least
  bool is_matrix = false;                     // products that matrix units can compute
  Precision precision = Precision::kUnknown;  // of the operands
};

// `concrete_inputs`: the recorded values of the arguments, "" if there are none. Absent for operators whose
// arithmetic is not known, and where what it depends on was not recorded (types; stride and padding of a convolution;
// whether attention is causal).
std::optional<OpCost> CostOf(std::string_view operator_name, const OpShapes& shapes, std::string_view concrete_inputs);
// Of a host row; absent also for kNone and for rows that are no operator.
std::optional<OpCost> CostOf(const model::Trace& trace, uint32_t host_row);

}  // namespace warpscope::analysis
