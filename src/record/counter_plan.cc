#include "record/counter_plan.h"

#include <fstream>

#include "wire/counter_plan.h"

namespace warpscope::record {

Status WriteCounterPlan(const std::string& run_folder, const std::vector<std::pair<std::string, std::string>>& lines) {
  const std::string path = run_folder + "/" + wire::kCounterPlanName;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  for (const auto& [word, value] : lines) file << word << ' ' << value << '\n';
  file.flush();
  if (!file) return {StatusCode::kOutput, path + ": cannot be written. Choose another place with -o."};
  return Status::Ok();
}

}  // namespace warpscope::record
