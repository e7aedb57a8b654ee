#include "analysis/op_shapes.h"

#include <algorithm>

namespace warpscope::analysis {
namespace {

constexpr size_t kMaxOperands = 4096;
constexpr size_t kMaxDims = 64;
constexpr int kMaxDepth = 8;

// One element of the outer list: the numbers of its first innermost list, and the products over all of them.
struct Item {
  std::vector<int64_t> first;
  double elements = 0;
};

// Walks "[[16, 512], [], [[1, 2], [3]]]" once, without recursion. False on text that is no list.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  bool Read(std::vector<Item>& items) {
    for (size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '[') {
        Open(items);
        if (depth_ > kMaxDepth) return false;
      } else if (c == ']') {
        if (depth_ == 0) return false;
        Close(items);
      } else if (c == '-' || (c >= '0' && c <= '9')) {
        Number(i);
      } else if (c == ',' && depth_ == 1 && !had_item_) {
        if (items.size() < kMaxOperands) items.push_back({});
      }
      if (c == ',' && depth_ == 1) had_item_ = false;
    }
    return depth_ == 0 && opened_;
  }

 private:
  void Open(std::vector<Item>& items) {
    ++depth_;
    opened_ = true;
    numbers_.clear();
    if (depth_ == 2) {
      had_item_ = true;
      if (items.size() < kMaxOperands) items.push_back({});
    }
  }
  void Close(std::vector<Item>& items) {
    if (depth_ >= 2 && !numbers_.empty() && !items.empty()) {
      Item& item = items.back();
      if (item.first.empty()) item.first = numbers_;
      double elements = 1;
      for (const int64_t n : numbers_) elements *= static_cast<double>(std::max<int64_t>(n, 0));
      item.elements += elements;
    }
    numbers_.clear();
    --depth_;
  }
  void Number(size_t& i) {
    const bool negative = text_[i] == '-';
    if (negative) ++i;
    int64_t value = 0;
    for (; i < text_.size() && text_[i] >= '0' && text_[i] <= '9'; ++i) {
      if (value > INT64_MAX / 16) value = INT64_MAX / 16;  // absurd sizes stay absurd, without overflow
      value = std::min(value * 10 + (text_[i] - '0'), INT64_MAX / 16);
    }
    --i;
    if (numbers_.size() < kMaxDims) numbers_.push_back(negative ? -value : value);
  }

  std::string_view text_;
  int depth_ = 0;
  bool opened_ = false, had_item_ = false;
  std::vector<int64_t> numbers_;
};

struct TypeRow {
  std::string_view name;
  uint32_t bytes;
  Precision precision;
};
constexpr TypeRow kTypes[] = {
    {"float", 4, Precision::kFp32},
    {"double", 8, Precision::kFp64},
    {"c10::Half", 2, Precision::kFp16},
    {"c10::BFloat16", 2, Precision::kBf16},
    {"c10::Float8_e4m3fn", 1, Precision::kFp8},
    {"c10::Float8_e5m2", 1, Precision::kFp8},
    {"long", 8, Precision::kUnknown},
    {"long int", 8, Precision::kUnknown},
    {"int", 4, Precision::kUnknown},
    {"short", 2, Precision::kUnknown},
    {"signed char", 1, Precision::kInt8},
    {"unsigned char", 1, Precision::kUnknown},
    {"bool", 1, Precision::kUnknown},
    {"c10::complex<float>", 8, Precision::kUnknown},
};

// The quoted texts of the outer list, in order; nested lists give their first text.
std::vector<std::string_view> QuotedTexts(std::string_view text) {
  std::vector<std::string_view> found;
  int depth = 0;
  bool taken = false;
  for (size_t i = 0; i < text.size() && found.size() < kMaxOperands; ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] == ',' && depth == 1) taken = false;
    if (text[i] != '"') continue;
    const size_t end = text.find('"', i + 1);
    if (end == std::string_view::npos) break;
    if (depth == 1 || !taken) found.push_back(text.substr(i + 1, end - i - 1));
    taken = true;
    i = end;
  }
  return found;
}

bool Aligned(double elements, uint32_t element_bytes) {
  if (element_bytes == 0) return true;
  return static_cast<int64_t>(elements) * element_bytes % 16 == 0;
}

// The distance in memory between rows of a matrix operand: the larger of its two last strides; by its dims if no
// strides were recorded (then a transposed operand is not seen as one).
double LeadingElements(const Operand& operand) {
  const size_t n = operand.dims.size();
  if (operand.strides.size() == n && n >= 2) {
    return static_cast<double>(std::max(operand.strides[n - 1], operand.strides[n - 2]));
  }
  return n > 0 ? static_cast<double>(operand.dims[n - 1]) : 0;
}

}  // namespace

double OpShapes::input_bytes() const {
  double bytes = 0;
  for (const Operand& operand : inputs) bytes += operand.elements * operand.element_bytes;
  return bytes;
}

double OpShapes::largest_elements() const {
  double most = 0;
  for (const Operand& operand : inputs) most = std::max(most, operand.elements);
  return most;
}

std::optional<OpShapes> ParseShapes(std::string_view dims, std::string_view types, std::string_view strides) {
  std::vector<Item> items;
  if (dims.empty() || !ListReader(dims).Read(items)) return std::nullopt;
  std::vector<Item> steps;
  if (!ListReader(strides).Read(steps)) steps.clear();
  const auto type_names = QuotedTexts(types);
  OpShapes shapes;
  for (size_t i = 0; i < items.size(); ++i) {
    Operand operand;
    operand.dims = std::move(items[i].first);
    operand.elements = items[i].elements;
    if (i < steps.size()) operand.strides = std::move(steps[i].first);
    for (const TypeRow& type : kTypes) {
      if (i >= type_names.size() || type_names[i] != type.name) continue;
      operand.element_bytes = type.bytes;
      operand.precision = type.precision;
    }
    shapes.inputs.push_back(std::move(operand));
  }
  return shapes;
}

std::optional<OpShapes> ShapesOf(const model::Trace& trace, uint32_t host_row) {
  if (host_row == model::kNone || trace.host.detail[host_row] == model::kNone ||
      trace.host.kind[host_row] != model::HostKind::kOperator)
    return std::nullopt;
  const model::OpDetail& detail = trace.op_details[trace.host.detail[host_row]];
  if (detail.input_dims == model::kNoString) return std::nullopt;
  return ParseShapes(trace.Text(detail.input_dims), trace.Text(detail.input_types), trace.Text(detail.input_strides));
}

std::optional<GemmShape> GemmShapeOf(std::string_view name, const OpShapes& shapes) {
  size_t first = 0;
  if (name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::_addmm_activation" || name == "aten::addmm_" ||
      name == "aten::baddbmm_") {
    first = 1;
  } else if (name != "aten::mm" && name != "aten::bmm" && name != "aten::_scaled_mm") {
    return std::nullopt;
  }
  if (shapes.inputs.size() < first + 2) return std::nullopt;
  const Operand& a = shapes.inputs[first];
  const Operand& b = shapes.inputs[first + 1];
  const size_t rank = a.dims.size();
  if ((rank != 2 && rank != 3) || b.dims.size() != rank) return std::nullopt;
  GemmShape gemm;
  if (rank == 3) gemm.batch = static_cast<double>(a.dims[0]);
  gemm.m = static_cast<double>(a.dims[rank - 2]);
  gemm.k = static_cast<double>(a.dims[rank - 1]);
  gemm.n = static_cast<double>(b.dims[rank - 1]);
  if (gemm.m <= 0 || gemm.k <= 0 || gemm.n <= 0 || gemm.batch <= 0) return std::nullopt;
  gemm.element_bytes = a.element_bytes;
  gemm.precision = a.precision;
  // Rows of one element (a vector) have no distance to be misaligned.
  const auto misaligned = [&](const Operand& operand) {
    const double leading = LeadingElements(operand);
    return leading > 1 && !Aligned(leading, operand.element_bytes);
  };
  gemm.misaligned = misaligned(a) || misaligned(b) || (gemm.n > 1 && !Aligned(gemm.n, gemm.element_bytes));
  return gemm;
}

}  // namespace warpscope::analysis
