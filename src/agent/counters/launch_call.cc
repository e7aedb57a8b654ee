#include "agent/counters/launch_call.h"

#include <string.h>

namespace warpscope::agent {
namespace {

struct Attribute {  // CUlaunchAttribute, cudaLaunchAttribute
  uint32_t id, pad;
  union {
    uint32_t cluster[3];
    char bytes[64];
  };
};
static_assert(sizeof(Attribute) == 72);
constexpr uint32_t kClusterDimension = 4;

struct DriverLaunch {  // cuLaunchKernel, cuLaunchCooperativeKernel
  void* function;
  uint32_t grid[3], block[3];
  uint32_t shared;
  void* stream;
};
struct DriverConfig {  // CUlaunchConfig
  uint32_t grid[3], block[3];
  uint32_t shared;
  void* stream;
  const Attribute* attributes;
  uint32_t attribute_count;
};
struct DriverLaunchEx {
  const DriverConfig* config;
  void* function;
};
struct RuntimeLaunch {  // cudaLaunchKernel, cudaLaunchCooperativeKernel, __cudaLaunchKernel
  void* function;       // the last one's is the driver's
  uint32_t grid[3], block[3];
  void** arguments;
  size_t shared;
  void* stream;
};
struct RuntimeConfig {  // cudaLaunchConfig_t
  uint32_t grid[3], block[3];
  size_t shared;
  void* stream;
  const Attribute* attributes;
  uint32_t attribute_count;
};
struct RuntimeLaunchEx {
  const RuntimeConfig* config;
  void* symbol;
};
struct GraphLaunch {
  void* graph;
  void* stream;
};

bool Has(const char* name, const char* word) { return strstr(name, word) != nullptr; }

template <typename T>
void TakeShape(const T& from, LaunchCall* call) {
  memcpy(call->grid, from.grid, sizeof(call->grid));
  memcpy(call->block, from.block, sizeof(call->block));
  call->dynamic_shared = static_cast<uint32_t>(from.shared);
  call->stream = from.stream;
}

template <typename T>
void TakeCluster(const T& config, LaunchCall* call) {
  constexpr uint32_t kMostAttributes = 64;
  if (config.attributes == nullptr || config.attribute_count > kMostAttributes) return;
  for (uint32_t i = 0; i < config.attribute_count; ++i) {
    const Attribute& attribute = config.attributes[i];
    if (attribute.id == kClusterDimension) memcpy(call->cluster, attribute.cluster, sizeof(call->cluster));
  }
}

void ReadDriver(const char* name, const void* parameters, LaunchCall* call) {
  if (Has(name, "LaunchKernelEx")) {
    const auto& launch = *static_cast<const DriverLaunchEx*>(parameters);
    if (launch.config == nullptr) return;
    TakeShape(*launch.config, call);
    TakeCluster(*launch.config, call);
    call->function = launch.function;
  } else {
    const auto& launch = *static_cast<const DriverLaunch*>(parameters);
    TakeShape(launch, call);
    call->function = launch.function;
  }
  call->kind = LaunchKind::kKernel;
}

void ReadRuntime(const char* name, const void* parameters, LaunchCall* call) {
  if (Has(name, "LaunchKernelEx")) {
    const auto& launch = *static_cast<const RuntimeLaunchEx*>(parameters);
    if (launch.config == nullptr) return;
    TakeShape(*launch.config, call);
    TakeCluster(*launch.config, call);
  } else {
    const auto& launch = *static_cast<const RuntimeLaunch*>(parameters);
    TakeShape(launch, call);
    if (strncmp(name, "__cudaLaunchKernel", strlen("__cudaLaunchKernel")) == 0) call->function = launch.function;
  }
  call->kind = LaunchKind::kKernel;
}

}  // namespace

LaunchKind LaunchKindOf(const char* name) {
  if (Has(name, "Node") || Has(name, "HostFunc")) return LaunchKind::kNone;
  if (Has(name, "GraphLaunch")) return LaunchKind::kGraph;
  if (Has(name, "MultiDevice")) return LaunchKind::kManyDevices;
  return Has(name, "LaunchKernel") || Has(name, "LaunchCooperativeKernel") ? LaunchKind::kKernel : LaunchKind::kNone;
}

LaunchCall ReadLaunch(uint32_t domain, const char* name, const cupti::CallbackData& data) {
  LaunchCall call;
  if (data.parameters == nullptr) return call;
  const LaunchKind kind = LaunchKindOf(name);
  if (kind == LaunchKind::kKernel) {
    if (domain == cupti::kDriverDomain) ReadDriver(name, data.parameters, &call);
    else ReadRuntime(name, data.parameters, &call);
  } else if (kind == LaunchKind::kGraph) {
    call.stream = static_cast<const GraphLaunch*>(data.parameters)->stream;
    call.kind = kind;
  } else {
    call.kind = kind;
  }
  call.per_thread_stream = Has(name, "_ptsz");
  return call;
}

}  // namespace warpscope::agent
