// What stands beside traceEvents: devices, versions, rank, base time. Small JSON, read without a tree.
// [MT] pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/kineto/fragment.h"

namespace warpscope::import::kineto {

struct JsonMember {
  std::string key;
  std::string_view value;  // raw: of strings what stands between the quotes
  bool is_string = false;
  uint8_t odd = 0;  // of strings
};

// Members of one object, up to 10,000 of them; what is broken ends the list. `object` starts with '{'.
std::vector<JsonMember> MembersOf(std::string_view object);
// Elements of one array, likewise. Their keys are empty.
std::vector<JsonMember> ElementsOf(std::string_view array);

struct Header {
  std::optional<int64_t> base_time_ns;
  std::optional<int64_t> rank, world_size;
  std::string producer, version, host_name;
  std::optional<bool> record_shapes, with_stack, profile_memory;
  bool is_hip = false;
  std::optional<model::Vendor> vendor;      // of files that warpscope wrote
  std::optional<int64_t> sample_period_ns;  // the same: Source::sample_period_ns
  std::optional<int64_t> launch_cost_ns;    // the same: Source::launch_cost_ns
  std::vector<model::Device> devices;       // source not set
};

Header ReadHeader(const std::vector<HeaderValue>& values);

}  // namespace warpscope::import::kineto
