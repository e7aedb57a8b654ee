#include "page/columns.h"

#include <bit>

namespace warpscope::page {
namespace {

void AppendU32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

}  // namespace

void Column::AddFloat(float value) {
  ++rows_;
  AppendU32(bytes_, std::bit_cast<uint32_t>(value));
}

std::string WriteColumns(const std::vector<const Column*>& columns) {
  size_t size = 4;
  for (const Column* column : columns) size += column->name().size() + column->bytes().size() + 10;
  std::string out;
  out.reserve(size);
  AppendU32(out, static_cast<uint32_t>(columns.size()));
  for (const Column* column : columns) {
    out.push_back(static_cast<char>(column->name().size()));
    out += column->name();
    out.push_back(static_cast<char>(column->type()));
    AppendU32(out, column->rows());
    AppendU32(out, static_cast<uint32_t>(column->bytes().size()));
    out += column->bytes();
  }
  return out;
}

}  // namespace warpscope::page
