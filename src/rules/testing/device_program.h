// DeviceProgram: a steady program for tests of device-side rules: some equal steps whose launches run ahead of the
// device, so that the device is the limit. Header-only; for tests. [one thread]
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "model/testing/trace_builder.h"

namespace warpscope::rules::testing {

using model::testing::TraceBuilder;

struct DeviceItem {
  std::string op = {};      // operators from outermost to innermost, separated by '/'; "" = none
  std::string kernel = {};  // "memset": a memset
  double us = 10;
  model::LaunchConfig config = TraceBuilder::DefaultConfig();
  std::string dims = {}, types = {};  // of the innermost operator
  int64_t stream = 7;
};

inline void SetH200(model::Device& device) {
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.cc_minor = 0;
  device.sm_count = 132;
  device.warp_size = 32;
  device.max_threads_per_block = 1024;
  device.max_threads_per_sm = 2048;
  device.registers_per_sm = 65536;
  device.registers_per_block = 65536;
  device.shared_bytes_per_sm = 233472;
  device.shared_bytes_per_block = 49152;
  device.shared_bytes_per_block_optin = 232448;
  device.memory_bytes = 150'000'000'000;
}

class DeviceProgram {
 public:
  DeviceProgram& Add(DeviceItem item) {
    items_.push_back(std::move(item));
    return *this;
  }
  DeviceProgram& Add(int times, const DeviceItem& item) {
    for (int i = 0; i < times; ++i) items_.push_back(item);
    return *this;
  }
  // Plain work that no rule minds, to make shares smaller.
  DeviceProgram& Filler(double us) {
    return Add({.op = "aten::mm", .kernel = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", .us = us});
  }
  // The same work without any host rows.
  void BuildDeviceOnly(TraceBuilder& b, int steps = 6) const {
    SetH200(b.device());
    int64_t device = 0;
    for (int step = 0; step < steps; ++step) {
      for (const DeviceItem& item : items_) {
        const auto dur = static_cast<int64_t>(item.us * 1000);
        if (item.kernel == "memset") b.AddMemset(1 << 20, device, dur, model::kNoId, item.stream);
        else b.AddKernel(item.kernel, device, dur, model::kNoId, item.stream, 0, item.config);
        device += dur + 1'000;
      }
    }
  }
  // Steps of ProfilerStep ranges, each ended by a stream synchronisation.
  void Build(TraceBuilder& b, int steps = 6) const {
    SetH200(b.device());
    int64_t host = 1'000'000, device = 0;
    for (int step = 0; step < steps; ++step) {
      const int64_t begin = host;
      for (const DeviceItem& item : items_) AddItem(b, item, host, device);
      const int64_t end = std::max(host + 1'000, device + 3'000);
      b.AddCall("cudaStreamSynchronize", host, end - host, 900'000 + static_cast<uint64_t>(step));
      b.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, end + 500 - begin);
      host = end + 1'000;
    }
  }

 private:
  static void AddItem(TraceBuilder& b, const DeviceItem& item, int64_t& host, int64_t& device) {
    std::vector<std::string> ops;
    for (size_t at = 0; !item.op.empty() && at <= item.op.size();) {
      const size_t end = std::min(item.op.find('/', at), item.op.size());
      ops.push_back(item.op.substr(at, end - at));
      at = end + 1;
    }
    const auto depth = static_cast<int64_t>(ops.size());
    for (int64_t i = 0; i < depth; ++i) {
      const bool inner = i + 1 == depth;
      b.AddOp(ops[static_cast<size_t>(i)], host + i * 50, 4'000 - i * 100, inner ? item.dims : "",
              inner ? item.types : "");
    }
    const int64_t call = host + 1'000, call_end = call + 2'500;
    const auto dur = static_cast<int64_t>(item.us * 1000);
    const int64_t start = std::max(call_end + 2'000, device + 1'000);
    if (item.kernel == "memset") {
      const uint64_t id = 500'000 + memset_id_++;
      b.AddCall("cudaMemsetAsync", call, call_end - call, id);
      b.AddMemset(1 << 20, start, dur, id, item.stream);
    } else {
      b.Launch(item.kernel, call, call_end - call, start, dur, item.stream, item.config);
    }
    device = start + dur;
    host += 4'500;
  }

  static inline uint64_t memset_id_ = 0;
  std::vector<DeviceItem> items_;
};

}  // namespace warpscope::rules::testing
