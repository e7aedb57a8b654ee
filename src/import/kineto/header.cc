#include "import/kineto/header.h"

#include <algorithm>

#include "import/kineto/decimal.h"
#include "import/kineto/scan.h"
#include "import/kineto/text.h"

namespace warpscope::import::kineto {
namespace {

constexpr size_t kMaxMembers = 10000;

std::vector<JsonMember> WalkContainer(std::string_view text, bool keyed) {
  std::vector<JsonMember> found;
  std::string padded(text);
  padded.append(kScanPadBytes, '\0');
  const char* const start = padded.data();
  const char* const end = start + text.size();
  const char* p = text.empty() ? end : SkipSpace(start + 1);
  while (p < end && *p != '}' && *p != ']' && found.size() < kMaxMembers) {
    JsonMember member;
    const char* after;
    uint8_t odd = 0;
    if (keyed) {
      if (*p != '"' || ScanString(p + 1, end, &after, &odd) != Scan::kOk) break;
      member.key = CleanText({p + 1, static_cast<size_t>(after - 2 - p)}).text;
      p = SkipSpace(after);
      if (*p != ':') break;
      p = SkipSpace(p + 1);
    }
    member.is_string = *p == '"';
    const Scan scan = member.is_string ? ScanString(p + 1, end, &after, &member.odd) : SkipValue(p, end, &after);
    if (scan != Scan::kOk) break;
    const auto at = static_cast<size_t>(p - start);
    const auto size = static_cast<size_t>(after - p);
    member.value = member.is_string ? text.substr(at + 1, size - 2) : text.substr(at, size);
    found.push_back(std::move(member));
    p = SkipSpace(after);
    if (*p == ',') p = SkipSpace(p + 1);
  }
  return found;
}

std::optional<int64_t> ToInt(std::string_view text) {
  DecimalError error;
  return DecimalToInt64(text, 0, &error);
}

std::optional<uint32_t> ToSmall(std::string_view text) {
  const auto value = ToInt(text);
  return value && *value >= 0 && *value <= UINT32_MAX ? std::optional<uint32_t>(static_cast<uint32_t>(*value))
                                                      : std::nullopt;
}

std::optional<bool> ToBool(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

// Spellings: deviceProperties of CUDA and ROCm builds, computeProperties of PyTorch 1.9.
model::Device ReadDevice(std::string_view json) {
  model::Device device;
  for (const JsonMember& member : MembersOf(json)) {
    const std::string& key = member.key;
    const auto small = ToSmall(member.value);
    if (key == "id") device.id = ToInt(member.value).value_or(0);
    else if (key == "name") device.name = CleanText(member.value).text;
    else if (key == "totalGlobalMem") {
      if (const auto bytes = ToInt(member.value)) device.memory_bytes = static_cast<uint64_t>(*bytes);
    } else if (key == "computeMajor" || key == "major") device.cc_major = small;
    else if (key == "computeMinor" || key == "minor") device.cc_minor = small;
    else if (key == "numSms" || key == "multiProcessorCount") device.sm_count = small;
    else if (key == "warpSize") device.warp_size = small;
    else if (key == "maxThreadsPerBlock") device.max_threads_per_block = small;
    else if (key == "maxThreadsPerMultiprocessor" || key == "maxThreadsPerMultiProcessor")
      device.max_threads_per_sm = small;
    else if (key == "regsPerBlock") device.registers_per_block = small;
    else if (key == "regsPerMultiprocessor") device.registers_per_sm = small;
    else if (key == "sharedMemPerBlock") device.shared_bytes_per_block = small;
    else if (key == "sharedMemPerBlockOptin") device.shared_bytes_per_block_optin = small;
    else if (key == "sharedMemPerMultiprocessor" || key == "maxSharedMemoryPerMultiProcessor")
      device.shared_bytes_per_sm = small;
  }
  return device;
}

// 13000 -> "13.0", 12090 -> "12.9"; CUPTI since 13: 130001 -> "13.0.1"; HIP: 70253211 -> "7.2.53211".
std::string CudaVersion(int64_t value) {
  return std::to_string(value / 1000) + "." + std::to_string(value % 1000 / 10);
}
std::string CuptiVersion(int64_t value) {
  if (value < 100000) return "API " + std::to_string(value);
  return std::to_string(value / 10000) + "." + std::to_string(value / 100 % 100) + "." + std::to_string(value % 100);
}
std::string HipVersion(int64_t value) {
  return std::to_string(value / 10000000) + "." + std::to_string(value / 100000 % 100) + "." +
         std::to_string(value % 100000);
}

struct Versions {
  std::optional<int64_t> cuda_runtime, cuda_driver, cupti, hip_runtime;
  std::string roctracer;
};

void Describe(const Versions& versions, Header* header) {
  header->producer = "torch.profiler (Kineto)";
  if (versions.hip_runtime) {
    header->producer += ", HIP " + HipVersion(*versions.hip_runtime);
    if (!versions.roctracer.empty()) header->producer += ", roctracer " + versions.roctracer;
  }
  if (versions.cuda_runtime) header->producer += ", CUDA " + CudaVersion(*versions.cuda_runtime);
  if (versions.cupti) header->producer += ", CUPTI " + CuptiVersion(*versions.cupti);
  if (versions.cuda_driver) header->producer += ", driver for CUDA " + CudaVersion(*versions.cuda_driver);
}

void ReadDistributed(std::string_view json, Header* header) {
  for (const JsonMember& member : MembersOf(json)) {
    if (member.key == "rank") header->rank = ToInt(member.value);
    if (member.key == "world_size") header->world_size = ToInt(member.value);
  }
}

}  // namespace

std::vector<JsonMember> MembersOf(std::string_view object) { return WalkContainer(object, true); }
std::vector<JsonMember> ElementsOf(std::string_view array) { return WalkContainer(array, false); }

Header ReadHeader(const std::vector<HeaderValue>& values) {
  Header header;
  Versions versions;
  std::string producer;  // as a file that warpscope wrote names it
  for (const auto& [key, json] : values) {
    std::string_view scalar = json;
    if (scalar.size() >= 2 && scalar.front() == '"') scalar = scalar.substr(1, scalar.size() - 2);
    if (key == "baseTimeNanoseconds") header.base_time_ns = ToInt(scalar);
    else if (key == "schemaVersion") header.version = CleanText(scalar).text;
    else if (key == "distributedInfo") ReadDistributed(json, &header);
    else if (key == "host_name") header.host_name = CleanText(scalar).text;
    else if (key == "record_shapes") header.record_shapes = ToBool(scalar);
    else if (key == "with_stack") header.with_stack = ToBool(scalar);
    else if (key == "profile_memory") header.profile_memory = ToBool(scalar);
    else if (key == "cuda_runtime_version") versions.cuda_runtime = ToInt(scalar);
    else if (key == "cuda_driver_version") versions.cuda_driver = ToInt(scalar);
    else if (key == "cupti_version") versions.cupti = ToInt(scalar);
    else if (key == "hip_runtime_version") versions.hip_runtime = ToInt(scalar);
    else if (key == "warpscope_producer") producer = CleanText(scalar).text;
    else if (key == "warpscope_sample_period_ns") header.sample_period_ns = ToInt(scalar);
    else if (key == "warpscope_launch_cost_ns") header.launch_cost_ns = ToInt(scalar);
    else if (key == "warpscope_vendor") {
      const auto vendor = ToInt(scalar);
      if (vendor && *vendor >= 0 && *vendor <= static_cast<int64_t>(model::Vendor::kHuawei))
        header.vendor = static_cast<model::Vendor>(*vendor);
    } else if (key == "roctracer_version") versions.roctracer = CleanText(scalar).text;
    else if (key == "deviceProperties" || key == "computeProperties") {
      for (const JsonMember& element : ElementsOf(json)) {
        if (!element.value.empty() && element.value.front() == '{') header.devices.push_back(ReadDevice(element.value));
      }
    }
  }
  header.is_hip = versions.hip_runtime.has_value() || !versions.roctracer.empty();
  constexpr int64_t kMaxBaseNs = int64_t{1} << 61;
  if (header.base_time_ns && (*header.base_time_ns < 0 || *header.base_time_ns > kMaxBaseNs))
    header.base_time_ns.reset();
  Describe(versions, &header);
  if (!producer.empty()) header.producer = producer;
  return header;
}

}  // namespace warpscope::import::kineto
