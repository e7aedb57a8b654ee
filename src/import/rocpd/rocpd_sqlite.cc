#include "import/rocpd/rocpd_sqlite.h"

#include <algorithm>

namespace warpscope::import::rocpd {
namespace {

bool IsRpd(Database& database) {
  return database.HasTable("rocpd_op") && database.HasTable("rocpd_api") && database.HasColumn("rocpd_op", "gpuId");
}

Confidence Sniff(Database& database) {
  const bool sdk = std::any_of(database.tables().begin(), database.tables().end(), [](const std::string& table) {
    return table.rfind("rocpd_kernel_dispatch", 0) == 0 || table.rfind("rocpd_info_process", 0) == 0;
  });
  return sdk || IsRpd(database) ? Confidence::kYes : Confidence::kNo;
}

Status Read(Database& database, const std::string& path, const Options& options, model::Trace* trace) {
  return IsRpd(database) ? ReadRpd(database, path, trace) : ReadSdk(database, path, options, trace);
}

}  // namespace

const SqliteFormat kSqlite = {"rocpd", "rocpd database (rocprofv3, rocprofiler-systems, rocmProfileData)", &Sniff,
                              &Read};

}  // namespace warpscope::import::rocpd
