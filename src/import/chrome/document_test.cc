// The pieces of dialects; whole traces are in tests/golden/import/chrome_*.
#include "import/chrome/document.h"

#include <gtest/gtest.h>

#include "import/import.h"

namespace warpscope::import::chrome {
namespace {

TEST(Document, NumbersAtTheEnd) {
  EXPECT_EQ(NumberAtEnd("GPU0"), 0);
  EXPECT_EQ(NumberAtEnd("Stream #14"), 14);
  EXPECT_FALSE(NumberAtEnd("GPU"));
  EXPECT_FALSE(NumberAtEnd("99999999999999999999"));
}

TEST(Document, KindsByName) {
  EXPECT_EQ(KindByName("MemcpyH2D"), model::GpuKind::kCopy);
  EXPECT_EQ(KindByName("Memset (Device)"), model::GpuKind::kMemset);
  EXPECT_EQ(KindByName("gemm"), model::GpuKind::kKernel);
}

// A trace of `lines` (events by commas) as read.
Result<model::Trace> Read(const std::string& lines) { return LoadBytes("[" + lines + "]", "x.json"); }

std::string Name(int pid, const std::string& name) {
  return R"({"ph":"M","name":"process_name","pid":)" + std::to_string(pid) + R"(,"args":{"name":")" + name + R"("}})";
}
std::string Span(int pid, int tid, int ts, const std::string& name, const std::string& args = "") {
  return R"({"ph":"X","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) + R"(,"ts":)" +
         std::to_string(ts) + R"(,"dur":5,"name":")" + name + R"(","args":{)" + args + "}}";
}

TEST(Tracks, OnlyNamesWithoutDoubtAreDevices) {
  for (const char* name : {"GPU 0", "GPU0", "gpu:1", "CUDA device 1", "NPU 3", "Xe 0", "NVIDIA GPU 0 (A100)", "GPU"}) {
    auto trace = Read(Name(1, name) + "," + Span(1, 2, 10, "k"));
    ASSERT_TRUE(trace.ok()) << name;
    EXPECT_EQ(trace->gpu.size(), 1U) << name;
    EXPECT_EQ(trace->host.size(), 0U) << name;
  }
  for (const char* name :
       {"GPU Process", "GPU manager", "Device", "Device 0", "Xeon", "gpu-worker", "Stream 7", "tpu_driver"}) {
    auto trace = Read(Name(1, name) + "," + Span(1, 2, 10, "k"));
    ASSERT_TRUE(trace.ok()) << name;
    EXPECT_EQ(trace->gpu.size(), 0U) << name;
    EXPECT_EQ(trace->host.size(), 1U) << name;
  }
}

TEST(Tracks, ATorchRecordingWithoutDeviceStaysOne) {
  auto trace = LoadBytes(R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[)" + Name(1, "GPU 0") + "," +
                             R"({"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":2,"name":"aten::mul"}]})",
                         "x.json");
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->host.size(), 1U);
  EXPECT_EQ(trace->sources[0].format, "kineto");
}

TEST(Ascend, AConnectionLinksWhatNoFlowDoes) {
  auto trace = Read(Name(1, "CANN") + "," + Name(2, "Ascend Hardware") + "," +
                    Span(1, 7, 10, "AscendCL@aclnnMul", R"("connection_id":5)") + "," +
                    Span(1, 7, 11, "Node@launch", R"("connection_id":5)") + "," +
                    Span(2, 3, 20, "Mul", R"("connection_id":5,"Task Type":"AI_CORE")") + "," +
                    Span(2, 3, 40, "EVENT_WAIT", R"("connection_id":6,"Task Type":"EVENT_WAIT")"));
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace->gpu.size(), 1U);
  ASSERT_NE(trace->gpu.call[0], model::kNone);
  EXPECT_EQ(trace->HostName(trace->gpu.call[0]), "Node@launch");
  EXPECT_EQ(trace->gpu_annotations.size(), 1U);
  EXPECT_EQ(trace->sources[0].vendor, model::Vendor::kHuawei);
}

TEST(Unitrace, CopiesTellDirectionAndBytesByName) {
  auto trace = Read(
      Name(9, "DEVICE<n>0:3a:0:0 #2") + "," +
      R"({"ph":"X","cat":"gpu_op","pid":9,"tid":4294967294,"ts":1,"dur":2,"name":"zeCommandListAppendMemoryCopy(M2D)[64 bytes]"})");
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace->gpu.size(), 1U);
  const model::CopyDetail* copy = trace->Copy(0);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->kind, model::CopyKind::kHostToDevice);
  EXPECT_EQ(copy->bytes, 64U);
  EXPECT_EQ(trace->devices[trace->streams[trace->gpu.stream[0]].device].id, 2);
}

}  // namespace
}  // namespace warpscope::import::chrome
