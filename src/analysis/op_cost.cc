#include "analysis/op_cost.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

namespace warpscope::analysis {
namespace {

constexpr std::string_view kAten = "aten::";

double Product(const std::vector<int64_t>& dims, size_t from = 0) {
  double product = 1;
  for (size_t i = from; i < dims.size(); ++i) product *= static_cast<double>(std::max<int64_t>(dims[i], 0));
  return product;
}

double Bytes(const Operand& operand) { return operand.elements * operand.element_bytes; }

// The quoted texts of ["", "[1, 1]", "False"], in order.
std::vector<std::string_view> ConcreteTexts(std::string_view text) {
  constexpr size_t kMost = 64;
  std::vector<std::string_view> texts;
  for (size_t at = text.find('"'); at != std::string_view::npos && texts.size() < kMost; at = text.find('"', at + 1)) {
    const size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    texts.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return texts;
}

std::string_view Concrete(std::string_view concrete_inputs, size_t index) {
  const auto texts = ConcreteTexts(concrete_inputs);
  return index < texts.size() ? texts[index] : std::string_view();
}

// "[2, 2]" or "2"; at most three numbers matter.
std::vector<int64_t> Numbers(std::string_view text) {
  std::vector<int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end && numbers.size() < 4) {
    int64_t value = 0;
    const auto parsed = std::from_chars(at, end, value);
    if (parsed.ec == std::errc()) numbers.push_back(value), at = parsed.ptr;
    else ++at;
  }
  return numbers;
}

// ---- Attention

struct AttentionOp {
  std::string_view name;
  bool heads_first;  // [B, H, S, D]; else [B, S, H, D]
  bool backward;
  size_t first;   // index of the query
  size_t causal;  // index of is_causal among the arguments
};
constexpr AttentionOp kAttention[] = {
    {"_scaled_dot_product_flash_attention", true, false, 0, 4},
    {"_scaled_dot_product_efficient_attention", true, false, 0, 6},
    {"_scaled_dot_product_cudnn_attention", true, false, 0, 6},
    {"_flash_attention_forward", false, false, 0, 8},
    {"_efficient_attention_forward", false, false, 0, 9},  // custom_mask_type: 0 is none
    {"_cudnn_attention_forward", true, false, 0, 10},
    {"_scaled_dot_product_flash_attention_backward", true, true, 1, 11},
    {"_scaled_dot_product_efficient_attention_backward", true, true, 1, 11},
    {"_scaled_dot_product_cudnn_attention_backward", true, true, 1, 14},
    {"_flash_attention_backward", false, true, 1, 11},
    {"_cudnn_attention_backward", true, true, 1, 14},
};

std::optional<OpCost> AttentionCost(const AttentionOp& op, const OpShapes& shapes, std::string_view concrete) {
  if (shapes.inputs.size() < op.first + 3) return std::nullopt;
  const Operand& q = shapes.inputs[op.first];
  const Operand& k = shapes.inputs[op.first + 1];
  const Operand& v = shapes.inputs[op.first + 2];
  if (q.dims.size() != 4 || k.dims.size() != 4 || v.dims.size() != 4 || q.element_bytes == 0) return std::nullopt;
  const std::string_view causal = Concrete(concrete, op.causal);
  const bool is_causal = causal == "True" || causal == "1" || causal == "2";
  if (!is_causal && causal != "False" && causal != "0") return std::nullopt;
  const size_t heads = op.heads_first ? 1 : 2, rows = op.heads_first ? 2 : 1;
  const double batch = static_cast<double>(q.dims[0]) * static_cast<double>(q.dims[heads]);
  const auto q_rows = static_cast<double>(q.dims[rows]), k_rows = static_cast<double>(k.dims[rows]);
  OpCost cost;
  cost.is_matrix = true;
  cost.precision = q.precision;
  cost.flops = 2 * batch * q_rows * k_rows * static_cast<double>(q.dims[3] + v.dims[3]);
  if (is_causal && q_rows == k_rows) cost.flops /= 2;
  const double result = batch * q_rows * static_cast<double>(v.dims[3]) * q.element_bytes;
  const double inputs = Bytes(q) + Bytes(k) + Bytes(v);
  if (op.backward) cost.flops *= 2.5;
  // Backward reads the result and its gradient beside the inputs and writes a gradient for each input.
  cost.bytes = op.backward ? 2 * inputs + 2 * result : inputs + result;
  return cost;
}

// ---- Convolution

// Result size of one dimension; 0 if the numbers make no sense.
double OutSize(double in, double kernel, double stride, double pad, double dilation) {
  if (in <= 0 || kernel <= 0 || stride <= 0 || pad < 0 || dilation <= 0) return 0;
  const double span = in + 2 * pad - dilation * (kernel - 1) - 1;
  return span < 0 ? 0 : static_cast<double>(static_cast<int64_t>(span / stride)) + 1;
}

// Products of one pass over [N, Cin, ...] with weights [Cout, Cin / groups, ...] to `out` places a channel.
double ConvolutionFlops(const Operand& weight, double n, double out) {
  return 2 * n * static_cast<double>(weight.dims[0]) * out * Product(weight.dims, 1);
}

std::optional<OpCost> ConvolutionCost(const OpShapes& shapes, std::string_view concrete, size_t stride_at,
                                      size_t padding_at, size_t dilation_at) {
  if (shapes.inputs.size() < 2) return std::nullopt;
  const Operand& input = shapes.inputs[0];
  const Operand& weight = shapes.inputs[1];
  const size_t rank = input.dims.size();
  if (rank < 3 || rank > 5 || weight.dims.size() != rank || input.element_bytes == 0) return std::nullopt;
  const auto stride = Numbers(Concrete(concrete, stride_at)), padding = Numbers(Concrete(concrete, padding_at)),
             dilation = Numbers(Concrete(concrete, dilation_at));
  const size_t spatial = rank - 2;
  if (stride.size() != spatial || padding.size() != spatial || dilation.size() != spatial) return std::nullopt;
  double out = 1;
  for (size_t i = 0; i < spatial; ++i) {
    out *= OutSize(static_cast<double>(input.dims[2 + i]), static_cast<double>(weight.dims[2 + i]),
                   static_cast<double>(stride[i]), static_cast<double>(padding[i]), static_cast<double>(dilation[i]));
  }
  const auto n = static_cast<double>(input.dims[0]);
  if (!(out > 0) || n <= 0) return std::nullopt;
  OpCost cost;
  cost.is_matrix = true;
  cost.precision = input.precision;
  cost.flops = ConvolutionFlops(weight, n, out);
  cost.bytes = Bytes(input) + Bytes(weight) + n * static_cast<double>(weight.dims[0]) * out * input.element_bytes;
  return cost;
}

// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
// output_padding, groups, output_mask).
std::optional<OpCost> ConvolutionBackwardCost(const OpShapes& shapes, std::string_view concrete) {
  constexpr size_t kTransposed = 7, kMask = 10;
  if (shapes.inputs.size() < 3 || Concrete(concrete, kTransposed) != "False") return std::nullopt;
  const Operand& grad = shapes.inputs[0];
  const Operand& input = shapes.inputs[1];
  const Operand& weight = shapes.inputs[2];
  if (grad.dims.size() < 3 || weight.dims.size() != grad.dims.size() || grad.element_bytes == 0) return std::nullopt;
  const std::string_view mask = Concrete(concrete, kMask);
  const size_t comma = mask.find(',');
  if (!mask.starts_with('[') || comma == std::string_view::npos) return std::nullopt;
  const bool of_input = mask.substr(0, comma).find("True") != std::string_view::npos;
  const bool of_weight = mask.substr(comma, mask.find(',', comma + 1) - comma).find("True") != std::string_view::npos;
  const double once = ConvolutionFlops(weight, static_cast<double>(grad.dims[0]), Product(grad.dims, 2));
  OpCost cost;
  cost.is_matrix = true;
  cost.precision = grad.precision;
  cost.flops = once * ((of_input ? 1 : 0) + (of_weight ? 1 : 0));
  cost.bytes =
      Bytes(grad) + (of_input ? Bytes(weight) + Bytes(input) : 0) + (of_weight ? Bytes(input) + Bytes(weight) : 0);
  return cost;
}

// ---- Element by element

struct ElementOp {
  std::string_view name;  // without "aten::" and the "_" of in-place forms
  size_t inputs;          // tensors that are read, the first arguments
  double flops;           // an element of the result
};
constexpr ElementOp kElementwise[] = {
    {"abs", 1, 1},
    {"add", 2, 1},
    {"clamp", 1, 1},
    {"copy", 2, 0},
    {"cos", 1, 1},
    {"div", 2, 1},
    {"eq", 2, 1},
    {"exp", 1, 1},
    {"fill", 1, 0},
    {"ge", 2, 1},
    {"gelu", 1, 1},
    {"gelu_backward", 2, 1},
    {"gt", 2, 1},
    {"hardswish", 1, 1},
    {"le", 2, 1},
    {"leaky_relu", 1, 1},
    {"log", 1, 1},
    {"lt", 2, 1},
    {"maximum", 2, 1},
    {"minimum", 2, 1},
    {"mul", 2, 1},
    {"ne", 2, 1},
    {"neg", 1, 1},
    {"pow", 2, 1},
    {"reciprocal", 1, 1},
    {"relu", 1, 1},
    {"rsqrt", 1, 1},
    {"rsub", 2, 1},
    {"sigmoid", 1, 1},
    {"sigmoid_backward", 2, 1},
    {"silu", 1, 1},
    {"silu_backward", 2, 1},
    {"sin", 1, 1},
    {"sqrt", 1, 1},
    {"sub", 2, 1},
    {"tanh", 1, 1},
    {"tanh_backward", 2, 1},
    {"threshold_backward", 2, 1},
    {"where", 3, 1},
    {"zero", 1, 0},
};

std::optional<OpCost> ElementwiseCost(const ElementOp& op, bool in_place, const OpShapes& shapes) {
  OpCost cost;
  double elements = 0;
  uint32_t widest = 0;
  const size_t count = std::min(op.inputs, shapes.inputs.size());
  // copy_(to, from) and fills write their first argument without reading it.
  const size_t first_read = op.name == "copy" ? 1 : op.name == "fill" || op.name == "zero" ? count : 0;
  for (size_t i = 0; i < count; ++i) {
    const Operand& operand = shapes.inputs[i];
    if (operand.elements > 0 && operand.element_bytes == 0) return std::nullopt;
    elements = std::max(elements, operand.elements);
    if (i >= first_read) cost.bytes += Bytes(operand);
    if (operand.elements > 0 && operand.element_bytes >= widest) {
      widest = operand.element_bytes;
      cost.precision = operand.precision;
    }
  }
  if (elements == 0) return std::nullopt;
  const bool is_test = op.name.size() == 2;  // the comparisons: a byte an element
  const uint32_t result_bytes = in_place ? shapes.inputs[0].element_bytes : is_test ? 1 : widest;
  cost.bytes += elements * result_bytes;
  cost.flops = elements * op.flops;
  return cost;
}

}  // namespace

std::optional<OpCost> CostOf(std::string_view name, const OpShapes& shapes, std::string_view concrete) {
  if (const auto gemm = GemmShapeOf(name, shapes)) {
    if (gemm->element_bytes == 0) return std::nullopt;
    return OpCost{gemm->flops(), gemm->bytes(), true, gemm->precision};
  }
  if (!name.starts_with(kAten)) return std::nullopt;
  name.remove_prefix(kAten.size());
  for (const AttentionOp& op : kAttention) {
    if (op.name == name) return AttentionCost(op, shapes, concrete);
  }
  // (input, weight, bias, stride, padding, dilation, transposed, ...); cuDNN's: (input, weight, padding, stride,
  // dilation)
  if (name == "convolution" || name == "_convolution" || name == "convolution_overrideable")
    return Concrete(concrete, 6) == "False" ? ConvolutionCost(shapes, concrete, 3, 4, 5) : std::nullopt;
  if (name == "cudnn_convolution") return ConvolutionCost(shapes, concrete, 3, 2, 4);
  if (name == "miopen_convolution") return ConvolutionCost(shapes, concrete, 4, 3, 5);
  if (name == "convolution_backward") return ConvolutionBackwardCost(shapes, concrete);
  const bool in_place = name.ends_with('_');
  if (in_place) name.remove_suffix(1);
  for (const ElementOp& op : kElementwise) {
    if (op.name == name) return ElementwiseCost(op, in_place, shapes);
  }
  return std::nullopt;
}

std::optional<OpCost> CostOf(const model::Trace& trace, uint32_t host_row) {
  const auto shapes = ShapesOf(trace, host_row);
  if (!shapes) return std::nullopt;
  const model::OpDetail& detail = trace.op_details[trace.host.detail[host_row]];
  const std::string_view concrete =
      detail.concrete_inputs == model::kNoString ? std::string_view() : trace.Text(detail.concrete_inputs);
  return CostOf(trace.HostName(host_row), *shapes, concrete);
}

}  // namespace warpscope::analysis
