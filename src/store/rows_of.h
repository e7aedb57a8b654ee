// Helpers of the schema files: a table that is a vector of rows, and its columns by member.
// [MT] Pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/field.h"

namespace warpscope::store {

template <auto kTable>
uint64_t CountRows(const model::Trace& trace) {
  return (trace.*kTable).size();
}
template <auto kTable>
void GrowRows(model::Trace* trace, uint64_t rows) {
  (trace->*kTable).resize((trace->*kTable).size() + rows);
}

template <auto kTable>
TableSchema RowsOf(std::string name, std::string doc, std::vector<Field> fields) {
  return {std::move(name), std::move(doc), &CountRows<kTable>, &GrowRows<kTable>, std::move(fields)};
}

// A column of a vector of rows: (trace, row) -> reference.
template <auto kTable, auto kMember>
inline constexpr auto kCell = [](auto& trace, uint64_t row) -> auto& {
  return (trace.*kTable)[row].*kMember;
};

}  // namespace warpscope::store
