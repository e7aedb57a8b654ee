#include "import/ascend/ascend_sqlite.h"

#include "import/ascend/database.h"
#include "import/ascend/folder.h"

namespace warpscope::import::ascend {
namespace {

Confidence Sniff(Database& database) {
  const bool timeline =
      database.HasTable("STRING_IDS") &&
      (database.HasTable("TASK") || database.HasTable("CANN_API") || database.HasTable("PYTORCH_API"));
  const bool totals = database.HasTable("StepTraceTime") || database.HasTable("CommAnalyzerTime") ||
                      database.HasTable("CommAnalyzerMatrix");
  return timeline || totals ? Confidence::kYes : Confidence::kNo;
}

Status Read(Database& database, const std::string& path, const Options&, model::Trace* trace) {
  Appender out(trace, path, "ascend");
  model::Source& source = out.source();
  source.vendor = model::Vendor::kHuawei;
  source.producer = "Ascend profiler";
  source.part_of = PartOf(path);
  source.rank = RankInFileName(path);
  source.representation = database.HasTable("PYTORCH_API") ? kPytorchDb : database.HasTable("TASK") ? kMsprofDb : "";
  DatabaseReader reader(&database, &out);
  for (const auto part : {&DatabaseReader::ReadNames, &DatabaseReader::ReadRun, &DatabaseReader::ReadLinks,
                          &DatabaseReader::ReadTasks, &DatabaseReader::ReadCollectives, &DatabaseReader::ReadCalls,
                          &DatabaseReader::ReadFramework, &DatabaseReader::ReadSteps, &DatabaseReader::ReadMemory,
                          &DatabaseReader::ReadCounters, &DatabaseReader::ReadTotals})
    WS_RETURN_IF_ERROR((reader.*part)());
  reader.Finish();
  if (reader.rows() > 0) return Status::Ok();
  return Status(StatusCode::kUnsupported, path +
                                              ": byte 0: the Ascend database holds no tasks, calls or totals. Record "
                                              "more steps, and wait for the profiler's analyse() to end.");
}

}  // namespace

const SqliteFormat kSqlite = {"ascend", "Ascend profiler database", &Sniff, &Read};

}  // namespace warpscope::import::ascend
