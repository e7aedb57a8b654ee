// Catalog: every table that SQL sees of a recording, in the order of the documentation.
// [MT] once built; refers to the recording, which must outlive it.
#pragma once

#include <string>
#include <vector>

#include "query/recording.h"
#include "query/table.h"

namespace warpscope::query {

std::vector<Table> BuildCatalog(Recording& recording);

// docs/schema/sql.md, from the list alone.
std::string SchemaPage();

// The families, in src/query/tables/.
void AddGpuTables(Recording& recording, std::vector<Table>& tables);
void AddHostTables(Recording& recording, std::vector<Table>& tables);
void AddLinkTables(Recording& recording, std::vector<Table>& tables);
void AddEventTables(Recording& recording, std::vector<Table>& tables);
void AddAnalysisTables(Recording& recording, std::vector<Table>& tables);
void AddMeasurementTables(Recording& recording, std::vector<Table>& tables);
void AddSampleTables(Recording& recording, std::vector<Table>& tables);
void AddSourceTables(Recording& recording, std::vector<Table>& tables);

}  // namespace warpscope::query
