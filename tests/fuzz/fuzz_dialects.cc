// Events of other tools in every mixture: the dialects of chrome traces must neither crash nor lose the model's
// invariants. The input chooses events from a vocabulary that all dialects know, so that few bytes reach deep.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "import/import.h"

namespace {

constexpr const char* kProcesses[] = {"Ascend Hardware",     "CANN",      "Communication", "Python", "Overlap Analysis",
                                      "DEVICE<n>0:1:0:0 #1", "HOST<n>",   "CPU HIP API",   "GPU0",   "COPY",
                                      "/device:GPU:0",       "/host:CPU", "GPU 0",         "x"};
constexpr const char* kThreads[] = {"Stream #1(Compute)",    "XLA Ops",       "Plane 0",
                                    "Group 1 Communication", "CUDA stream 7", "t"};
constexpr const char* kNames[] = {"Node@launch",
                                  "k",
                                  "MemcpyH2D",
                                  "zeCommandListAppendMemoryCopy(M2D)[8 bytes]",
                                  "hcom_a__1",
                                  "Enqueue",
                                  "EVENT_WAIT",
                                  "cuLaunchKernel",
                                  "",
                                  "Copy("};
constexpr const char* kCats[] = {"cpu_op",   "gpu_op", "HostToDevice", "async_npu", "Flow_H2D_1_0",
                                 "DataFlow", "",       "kernel"};
constexpr const char* kArgs[] = {R"("connection_id":5,"Task Type":"SDMA")",
                                 R"("Task Type":"AI_CORE","connection_id":18446744073709551615)",
                                 R"("correlation_id":"7","kernel_details":"regs:4 grid:1,2,3 block:9 occ_pct:1")",
                                 R"("memcpy_details":"kind_src:pageable size:99999999999999999999")",
                                 R"("count":4,"data_type":"FP16")",
                                 "",
                                 R"("stream":3,"device":1,"correlation":5)"};
constexpr char kPhases[] = {'X', 'X', 'X', 's', 't', 'f', 'B', 'E', 'b', 'e', 'C', 'M'};

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  unsigned Next() { return at_ == end_ ? 0 : *at_++; }
  template <typename T, size_t count>
  const T& Of(const T (&choices)[count]) {
    return choices[Next() % count];
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

std::string Event(Bytes* bytes) {
  const char phase = bytes->Of(kPhases);
  const std::string pid = std::to_string(bytes->Next() % 4), tid = std::to_string(bytes->Next() % 3);
  if (phase == 'M') {
    const bool thread = bytes->Next() % 2 == 1;
    return std::string(R"({"ph":"M","name":")") + (thread ? "thread_name" : "process_name") + R"(","pid":)" + pid +
           R"(,"tid":)" + tid + R"(,"args":{"name":")" + (thread ? bytes->Of(kThreads) : bytes->Of(kProcesses)) +
           R"("}})";
  }
  const unsigned ts = bytes->Next() % 64;
  return std::string(R"({"ph":")") + phase + R"(","pid":)" + pid + R"(,"tid":)" + tid + R"(,"ts":)" +
         (ts == 63 ? "9e18" : std::to_string(ts)) + R"(,"dur":)" + std::to_string(bytes->Next() % 16) + R"(,"id":)" +
         std::to_string(bytes->Next() % 4) + R"(,"cat":")" + bytes->Of(kCats) + R"(","name":")" + bytes->Of(kNames) +
         R"(","args":{)" + bytes->Of(kArgs) + "}}";
}

void Check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  std::string text = "[";
  while (!bytes.empty()) text += (text.size() > 1 ? "," : "") + Event(&bytes);
  warpscope::import::Options options;
  options.threads = 1;
  const auto loaded = warpscope::import::LoadBytes(text + "]", "fuzz.json", options);
  if (!loaded.ok()) return 0;
  const warpscope::model::Trace& trace = loaded.value();
  constexpr uint32_t kNone = warpscope::model::kNone;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    Check(trace.gpu.stream[row] < trace.streams.size());
    Check(trace.gpu.call[row] == kNone || trace.gpu.call[row] < trace.host.size());
    const bool kernel = trace.gpu.kind[row] == warpscope::model::GpuKind::kKernel;
    const uint32_t detail = trace.gpu.detail[row];
    Check(detail == kNone || detail < (kernel ? trace.launch_configs.size() : trace.copy_details.size()));
  }
  for (const auto& stream : trace.streams) Check(stream.device < trace.devices.size());
  for (uint32_t row = 0; row < trace.host.size(); ++row) Check(trace.host.thread[row] < trace.threads.size());
  for (const auto& row : trace.collectives) {
    Check(row.gpu_row == kNone || row.gpu_row < trace.gpu.size());
    Check(row.host_row == kNone || row.host_row < trace.host.size());
  }
  for (const auto& row : trace.gpu_annotations) Check(row.stream < trace.streams.size());
  return 0;
}
