// ENUM_* tables: the numbers that the other tables use, with nsys's own names, so that scripts can join them.
#include <span>

#include "export/nsys/job.h"

namespace warpscope::exporting {
namespace {

struct Value {
  int64_t id;
  std::string_view name, label;
};

constexpr Value kCopies[] = {
    {0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"},
    {1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"},
    {2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"},
    {3, "CUDA_MEMCPY_KIND_HTOA", "Host-to-Array"},
    {4, "CUDA_MEMCPY_KIND_ATOH", "Array-to-Host"},
    {5, "CUDA_MEMCPY_KIND_ATOA", "Array-to-Array"},
    {6, "CUDA_MEMCPY_KIND_ATOD", "Array-to-Device"},
    {7, "CUDA_MEMCPY_KIND_DTOA", "Device-to-Array"},
    {8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"},
    {9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"},
    {10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"},
    {11, "CUDA_MEMCPY_KIND_UVM_HTOD", "Unified Host-to-Device"},
    {12, "CUDA_MEMCPY_KIND_UVM_DTOH", "Unified Device-to-Host"},
    {13, "CUDA_MEMCPY_KIND_UVM_DTOD", "Unified Device-to-Device"},
};
constexpr Value kMemories[] = {
    {0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"},
    {1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"},
    {2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"},
    {3, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array"},
    {4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"},
    {5, "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC", "Device Static"},
    {6, "CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC", "Managed Static"},
    {7, "CUDA_MEMOPR_MEMORY_KIND_UNKNOWN", "Unknown"},
};
constexpr Value kSyncs[] = {
    {0, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN", "Unknown"},
    {1, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE", "Event sync"},
    {2, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT", "Stream wait sync"},
    {3, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE", "Stream sync"},
    {4, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE", "Context sync"},
};
constexpr Value kMemoryOperations[] = {
    {0, "CUDA_DEV_MEM_EVENT_OPR_ALLOCATION", "Allocation"},
    {1, "CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION", "Deallocation"},
};
constexpr Value kLaunches[] = {
    {0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN", "Unknown"},
    {1, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR", "Regular"},
    {2, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE", "Coop Single Device"},
    {3, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE", "Coop Multi Device"},
};
constexpr Value kOverheads[] = {
    {0, "OVERHEAD_UNDEFINED", "Undefined"},
    {1, "OVERHEAD_UNKNOWN", "Unknown"},
};
constexpr Value kClasses[] = {
    {0, "TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime"},
    {1, "TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver"},
    {27, "TRACE_PROCESS_EVENT_OS_RUNTIME", "OSRT runtime"},
};
constexpr Value kTypes[] = {
    {33, "NvtxCategory", "NvtxCategory"},         {34, "NvtxMark", "NvtxMark"},
    {59, "NvtxPushPopRange", "NvtxPushPopRange"}, {60, "NvtxStartEndRange", "NvtxStartEndRange"},
    {75, "NvtxDomainCreate", "NvtxDomainCreate"},
};

void WriteEnum(SqliteFile& file, const std::string& table, std::span<const Value> values) {
  file.Execute("CREATE TABLE " + table + " (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)");
  Insert insert(file, table, "id, name, label");
  for (const Value& value : values) insert.Int(value.id).Text(value.name).Text(value.label).Row();
}

}  // namespace

void WriteEnums(SqliteFile& file) {
  WriteEnum(file, "ENUM_CUDA_DEV_MEM_EVENT_OPER", kMemoryOperations);
  WriteEnum(file, "ENUM_CUDA_KERNEL_LAUNCH_TYPE", kLaunches);
  WriteEnum(file, "ENUM_CUDA_MEMCPY_OPER", kCopies);
  WriteEnum(file, "ENUM_CUDA_MEM_KIND", kMemories);
  WriteEnum(file, "ENUM_CUPTI_OVERHEAD_TYPE", kOverheads);
  WriteEnum(file, "ENUM_CUPTI_SYNC_TYPE", kSyncs);
  WriteEnum(file, "ENUM_NSYS_EVENT_CLASS", kClasses);
  WriteEnum(file, "ENUM_NSYS_EVENT_TYPE", kTypes);
}

}  // namespace warpscope::exporting
