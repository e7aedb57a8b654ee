#include "import/rocprofv3/sdk_names.h"

#include <algorithm>

#include "import/amd/names.h"
#include "import/csv/csv_reader.h"

namespace warpscope::import::rocprofv3 {
namespace {

std::optional<uint32_t> Small(std::optional<uint64_t> value) {
  return value && *value <= UINT32_MAX ? std::optional(static_cast<uint32_t>(*value)) : std::nullopt;
}

std::optional<uint64_t> CountOf(Json value) {
  uint64_t number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return ParseCount(text);
  return std::nullopt;
}

}  // namespace

std::optional<Json> Member(Json object, std::string_view key) {
  Json value;
  if (object.type() != simdjson::dom::element_type::OBJECT || object[key].get(value) != simdjson::SUCCESS)
    return std::nullopt;
  return value;
}

std::optional<uint64_t> CountIn(Json object, std::string_view key) {
  const auto value = Member(object, key);
  return value ? CountOf(*value) : std::nullopt;
}

std::string_view TextIn(Json object, std::string_view key) {
  const auto value = Member(object, key);
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return {};
  return text;
}

std::optional<uint64_t> HandleIn(Json object, std::string_view key) {
  const auto value = Member(object, key);
  if (!value) return std::nullopt;
  return value->type() == simdjson::dom::element_type::OBJECT ? CountIn(*value, "handle") : CountOf(*value);
}

void DescribeDevice(Json agent, model::Device* to) {
  model::Device& device = *to;
  for (const std::string_view key : {"product_name", "name"}) {
    if (device.name.empty()) device.name = std::string(TextIn(agent, key));
  }
  device.sm_count = Small(CountIn(agent, "cu_count"));
  device.warp_size = Small(CountIn(agent, "wave_front_size"));
  device.max_threads_per_block = Small(CountIn(agent, "workgroup_max_size"));
  const auto waves = CountIn(agent, "max_waves_per_cu");
  if (waves && device.warp_size && *waves <= 4096) device.max_threads_per_sm = Small(*waves * *device.warp_size);
  const auto lds_kb = CountIn(agent, "lds_size_in_kb");
  if (lds_kb && *lds_kb <= 65536) device.shared_bytes_per_sm = device.shared_bytes_per_block = Small(*lds_kb * 1024);
  simdjson::dom::array banks;
  const auto list = Member(agent, "mem_banks");
  uint64_t bytes = 0;
  if (list && list->get(banks) == simdjson::SUCCESS) {
    constexpr uint64_t kPublicMemory = 1,
                       kPrivateMemory = 2;  // HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC and _PRIVATE (hsakmttypes.h)
    for (const Json bank : banks) {
      const auto heap = CountIn(bank, "heap_type");
      if (heap == kPublicMemory || heap == kPrivateMemory) bytes += CountIn(bank, "size_in_bytes").value_or(0);
    }
  }
  if (bytes > 0) device.memory_bytes = bytes;
}

std::string_view SdkNames::Operation(uint64_t kind, uint64_t operation) const {
  if (kind >= kinds.size() || operation >= kinds[kind].operations.size()) return {};
  return kinds[kind].operations[operation];
}

void SdkNames::AddKind(Json value) {
  Kind kind;
  kind.name = std::string(TextIn(value, "kind"));
  simdjson::dom::array operations;
  const auto list = Member(value, "operations");
  if (list && list->get(operations) == simdjson::SUCCESS) {
    for (const Json item : operations) {
      std::string_view text;
      if (item.get(text) != simdjson::SUCCESS) text = {};
      kind.operations.emplace_back(text);
    }
  }
  kinds.push_back(std::move(kind));
}

void SdkNames::AddKernel(Json value, Appender* to) {
  const auto id = CountIn(value, "kernel_id");
  if (!id) return;
  KernelSymbol symbol;
  for (const std::string_view key : {"formatted_kernel_name", "demangled_kernel_name", "kernel_name"}) {
    const std::string_view name = TextIn(value, key);
    if (name.empty()) continue;
    symbol.name = to->Text(amd::KernelName(name));
    break;
  }
  const auto vector = Small(CountIn(value, "arch_vgpr_count")),
             accumulation = Small(CountIn(value, "accum_vgpr_count"));
  if (vector && *vector > 0) symbol.registers = Small(uint64_t{*vector} + accumulation.value_or(0));
  symbol.shared_bytes = Small(CountIn(value, "group_segment_size"));
  kernels.insert_or_assign(*id, symbol);
}

void SdkNames::AddAgent(Json value, Appender* to) {
  constexpr uint64_t kCpu = 1, kGpu = 2;
  const auto handle = HandleIn(value, "id");
  const auto type = CountIn(value, "type");
  if (!handle) return;
  Agent& agent = agents[*handle];
  if (type == kCpu) agent.is_cpu = true;
  if (type != kGpu) return;
  const auto node = CountIn(value, "node_id");
  if (agent.device == model::kNone) agent.device = to->Device(static_cast<int64_t>(node.value_or(*handle) & INT64_MAX));
  model::Device& device = to->DeviceAt(agent.device);
  if (node) device.id = static_cast<int64_t>(*node & INT64_MAX);
  DescribeDevice(value, &device);
}

void SdkNames::AddMarker(Json value, Appender* to, std::unordered_map<uint64_t, model::StringId>* map) {
  const auto key = CountIn(value, "key");
  if (key) map->insert_or_assign(*key, to->Text(TextIn(value, "value")));
}

}  // namespace warpscope::import::rocprofv3
