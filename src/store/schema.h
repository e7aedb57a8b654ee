// The tables of a run folder: every table of model::Trace, column by column. docs/schema/parquet.md is made from it.
// [MT] Constants.
#pragma once

#include <vector>

#include "store/field.h"

namespace warpscope::store {

// In the order in which they can be read: what is referred to comes before what refers to it.
const std::vector<TableSchema>& Schema();

// The parts, one a file.
std::vector<TableSchema> DimensionTables();
std::vector<TableSchema> TimelineTables();
std::vector<TableSchema> MeasurementTables();
std::vector<TableSchema> SampleTables();
TableSchema LedgerTable();

}  // namespace warpscope::store
