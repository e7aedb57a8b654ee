// Device work of Ascend recordings, whether a table or a database tells it.
// [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "import/appender.h"

namespace warpscope::import::ascend {

// "hcom_allReduce__586_0_1" -> "allReduce"; "" if the name is none of HCCL's.
std::string_view CollectiveName(std::string_view name);
bool IsCopyType(std::string_view type);  // MEMCPY_ASYNC, aclrtMemcpyAsync ...

// Ranges of steps, from the step number that comes with every kernel. They become rows "ProfilerStep#N" on a thread of
// their own: the table does not tell the host's threads.
class StepRanges {
 public:
  void Add(int64_t step, int64_t start_ns, int64_t end_ns);
  void MakeRows(Appender* out) const;

 private:
  struct Range {
    int64_t begin_ns, end_ns;
  };
  std::map<int64_t, Range> ranges_;
};

// Streams that have a meaning but no number in the file.
inline constexpr int64_t kComputeStream = -1;
inline constexpr int64_t kFirstHcclStream = -1000;
uint32_t NamedStream(Appender* out, uint32_t process, uint32_t device, int64_t id, std::string_view name);

}  // namespace warpscope::import::ascend
