#include "store/schema.h"

namespace warpscope::store {

const std::vector<TableSchema>& Schema() {
  static const std::vector<TableSchema> kAll = [] {
    std::vector<TableSchema> all;
    for (auto part : {DimensionTables(), TimelineTables(), MeasurementTables(), SampleTables()}) {
      for (TableSchema& table : part) all.push_back(std::move(table));
    }
    all.push_back(LedgerTable());
    return all;
  }();
  return kAll;
}

}  // namespace warpscope::store
