// Names and devices of one process in rocprofv3's JSON, which its records refer to by number: kinds and operations,
// kernels, counters, markers, agents. They may come before or behind the records. [one thread]
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "import/appender.h"

namespace warpscope::import::rocprofv3 {

using Json = simdjson::dom::element;

// Members by name; absent if missing or of another type. Numbers may be written as text.
std::optional<Json> Member(Json object, std::string_view key);
std::optional<uint64_t> CountIn(Json object, std::string_view key);
std::string_view TextIn(Json object, std::string_view key);
// {"agent_id": {"handle": 7}} and, in some versions, {"agent_id": 7}.
std::optional<uint64_t> HandleIn(Json object, std::string_view key);

// Name and limits of a GPU from its description by ROCprofiler-SDK; what is missing stays absent.
void DescribeDevice(Json agent, model::Device* device);

struct KernelSymbol {
  model::StringId name = model::kNoString;
  std::optional<uint32_t> registers, shared_bytes;
};

struct SdkNames {
  struct Kind {
    std::string name;
    std::vector<std::string> operations;
  };
  std::vector<Kind> kinds;  // of buffer records, by number
  std::unordered_map<uint64_t, KernelSymbol> kernels;
  std::unordered_map<uint64_t, std::string> counters;
  std::unordered_map<uint64_t, model::StringId> markers;  // by internal correlation id
  std::unordered_map<uint64_t, model::StringId> renamed;  // kernels renamed by a marker: by external correlation id
  struct Agent {
    uint32_t device = model::kNone;  // kNone: a processor
    bool is_cpu = false;
  };
  std::unordered_map<uint64_t, Agent> agents;  // by handle

  // "" if the file does not tell.
  std::string_view Operation(uint64_t kind, uint64_t operation) const;
  std::string_view KindName(uint64_t kind) const {
    return kind < kinds.size() ? std::string_view(kinds[kind].name) : std::string_view();
  }

  void AddKind(Json value);
  void AddKernel(Json value, Appender* to);
  void AddAgent(Json value, Appender* to);
  // {"key": 5, "value": "text"} of a map.
  void AddMarker(Json value, Appender* to, std::unordered_map<uint64_t, model::StringId>* map);
};

}  // namespace warpscope::import::rocprofv3
