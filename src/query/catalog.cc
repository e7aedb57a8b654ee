#include "query/catalog.h"

#include <fmt/format.h>

#include "model/trace.h"

namespace warpscope::query {

std::vector<Table> BuildCatalog(Recording& recording) {
  std::vector<Table> tables;
  AddGpuTables(recording, tables);
  AddHostTables(recording, tables);
  AddLinkTables(recording, tables);
  AddAnalysisTables(recording, tables);
  AddEventTables(recording, tables);
  AddMeasurementTables(recording, tables);
  AddSampleTables(recording, tables);
  AddSourceTables(recording, tables);
  return tables;
}

std::string SchemaPage() {
  model::Trace empty;
  empty.Finish();
  const analysis::Index index(empty);
  Recording recording(index);
  std::string out =
      "# Views for `warpscope query`\n\n"
      "Printed by `warpscope query --schema`; the program is their only source. SQL is DuckDB's. Times are whole\n"
      "nanoseconds since the first moment of the recording (`recording.origin_ns` on the file's own clock); absent "
      "values\n"
      "are NULL, never 0. `id` of `gpu` and its parts joins with every `gpu_id`, `id` of `host` and its parts with\n"
      "`parent_id`, `call_id`, `operator_id`, `annotation_id`. Columns are added over time, never renamed.\n";
  for (const Table& table : BuildCatalog(recording)) {
    out += fmt::format("\n## {}\n\n{}.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", table.name,
                       table.meaning);
    for (const Column& column : table.columns) {
      out += fmt::format("| `{}` | {} | {} | {} |\n", column.name, SqlName(column.type), column.unit, column.meaning);
    }
  }
  return out;
}

}  // namespace warpscope::query
