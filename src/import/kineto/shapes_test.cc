// Shapes of the document, and that neither block ends nor threads change what is read.
#include <gtest/gtest.h>

#include "import/import.h"
#include "import/kineto/testing.h"

namespace warpscope::import::kineto {
namespace {

using model::LedgerCode;
using testing::Count;
using testing::Describe;
using testing::Document;
using testing::Kernel;
using testing::Launch;
using testing::ReadText;
using testing::Span;

std::string Rich() {
  std::vector<std::string> events;
  for (int i = 1; i < 40; ++i) {
    const std::string ts = std::to_string(1000 + i * 20);
    events.push_back(Span("cpu_op", "aten::op" + std::to_string(i % 5), ts + ".250", "15.125",
                          R"("External id": )" + std::to_string(i) +
                              R"(, "Concrete Inputs": ["", "]", "{\"a\"}"], "Input Dims": [[16, 512], [)" +
                              std::to_string(i % 3) + R"(]], "Ev Idx": 3)"));
    events.push_back(Launch(ts + ".5", "4", i));
    events.push_back(Kernel("void k<" + std::to_string(i % 3) + ">(float*, {lambda()#1})",
                            std::to_string(1010 + i * 20), "7.001", i));
    events.push_back(R"({"ph": "s", "id": 3, "pid": 1, "tid": 1, "ts": 5, "cat": "ac2g", "name": "ac2g"})");
    if (i % 7 == 0)
      events.push_back(
          R"({"ph": "X", "cat": "cpu_op", "name": "bare "quotes", "again"", "pid": 10, "tid": 11, "ts": )" + ts +
          R"(, "dur": 1, "args": {}})");
    if (i % 11 == 0) events.push_back(R"({"ph": "X", "cat": "cpu_op" "name": 5 "pid"})");
    if (i % 9 == 0)
      events.push_back(
          R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 10, "tid": 11, "ts": )" + ts +
          R"(, "args": {"Bytes": -512, "Device Type": 1, "Device Id": 0, "Addr": 1234}})");
  }
  events.push_back(Span("cuda_sync", "Stream Sync", "1900", "5",
                        R"("cuda_sync_kind": "Stream Sync", "stream": 7, "correlation": 39, "device": 0, "context": 1)",
                        "0", "7"));
  events.push_back(Span("overhead", "Buffer Flush", "1950", "5", "", "-1", "0"));
  return Document(
      events,
      R"("schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 132}, {"id": 1, "name": "GPU"}], "baseTimeNanoseconds": 1700000000000000000, )",
      R"(, "INFO": ["a", "b"], "distributedInfo": {"rank": 3, "pg_config": [{"name": "x", "ph": "X"}, {"name": "y", "ph": "X"}]}, "traceName": "t")");
}

TEST(Shapes, EveryBlockSizeAndThreadCountGivesTheSameTrace) {
  const std::string text = Rich();
  const std::string expected = Describe(ReadText(text));
  ASSERT_GT(expected.size(), 5000U);
  for (const size_t block : {17, 64, 100, 333, 512, 1000, 4096, 20000}) {
    for (const unsigned threads : {1U, 2U, 3U})
      EXPECT_EQ(Describe(ReadText(text, block, threads)), expected) << block << " bytes, " << threads << " threads";
  }
}

TEST(Shapes, FlowsRightBehindRowsLinkWhatHasNoCorrelation) {
  std::vector<std::string> events;
  for (int i = 1; i < 30; ++i) {
    const std::string ts = std::to_string(1000 + i * 20), id = std::to_string(i);
    const auto flow = [&](const char* phase, const char* pid, const char* tid) {
      return std::string(R"({"ph": ")") + phase + R"(", "id": )" + id + R"(, "pid": )" + pid + R"(, "tid": )" + tid +
             R"(, "ts": )" + ts + R"(, "cat": "ac2g", "name": "ac2g"})";
    };
    events.push_back(Span("mtia_runtime", "submit", ts, "4"));
    events.push_back(flow("s", "10", "11"));
    events.push_back(
        Span("mtia_ccp_events", "fill", std::to_string(1010 + i * 20), "5", R"("device": 0, "stream": 3)", "0", "3"));
    events.push_back(flow("f", "0", "3"));
  }
  const std::string text = Document(events);
  const model::Trace trace = ReadText(text);
  ASSERT_EQ(trace.gpu.size(), 29U);
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) EXPECT_NE(trace.gpu.call[row], model::kNone);
  for (const size_t block : {17, 64, 100, 333, 512, 1000})
    EXPECT_EQ(Describe(ReadText(text, block, 2)), Describe(trace)) << block;
}

TEST(Shapes, ByteOrderMarkAndBlanksMayFillBlocks) {
  const std::string text = "\xEF\xBB\xBF" + std::string(200, '\n') + Document({Span("cpu_op", "aten::mul", "1", "2")});
  for (const size_t block_bytes : {17, 18, 19, 29, 64, 4096}) {
    const model::Trace trace = ReadText(text, block_bytes);
    ASSERT_FALSE(trace.sources.empty()) << block_bytes;
    EXPECT_EQ(trace.host.size(), 1U) << block_bytes;
  }
}

TEST(Shapes, TextsThatNeverRepeat) {
  // More than a worker's tables may hold, so that they start afresh within the file.
  std::vector<std::string> events;
  for (int i = 0; i < 24; ++i)
    events.push_back(Span("cpu_op", std::to_string(i) + std::string(1 << 20, 'x'), std::to_string(i * 10), "5"));
  for (int i = 0; i < 24; ++i)
    events.push_back(Span("cpu_op", std::to_string(i) + std::string(1 << 20, 'x'), std::to_string(1000 + i * 10), "5"));
  const std::string text = Document(events);
  const std::string one = Describe(ReadText(text, size_t{1} << 20, 1));
  EXPECT_EQ(one, Describe(ReadText(text, size_t{4} << 20, 2)));
  const model::Trace trace = ReadText(text, size_t{1} << 20, 2);
  ASSERT_EQ(trace.host.size(), 48U);
  EXPECT_EQ(trace.host.name[3], trace.host.name[27]);
}

TEST(Shapes, CutAnywhereKeepsEveryWholeEvent) {
  std::vector<std::string> events;
  for (int i = 0; i < 4; ++i)
    events.push_back(Span("cpu_op", "a\\u00e9\xC3\xA9", std::to_string(i * 10), "5.5", R"("Input Dims": [[1, 2]])"));
  const std::string text = Document(events, "", R"(, "traceName": "t")");
  std::vector<size_t> ends;
  for (size_t at = text.find("}}"); at != std::string::npos; at = text.find("}}", at + 2)) ends.push_back(at + 2);
  for (size_t size = 1; size < text.size(); ++size) {
    const model::Trace trace = ReadText(std::string_view(text).substr(0, size));
    size_t whole = 0;
    while (whole < ends.size() && ends[whole] <= size) ++whole;
    EXPECT_EQ(trace.host.size(), whole) << "cut at " << size;
    EXPECT_TRUE(whole == 0 || Count(trace, LedgerCode::kTruncatedFile) == 1U) << "cut at " << size;
  }
}

TEST(Shapes, BareArrayAnyKeyOrderMinifiedCrlfAndByteOrderMark) {
  const std::string pretty =
      "\xEF\xBB\xBF[\r\n {\"args\":\r\n {\"External id\" : 4 },\"dur\" :2.5,\"ts\"\t: "
      "1,\"tid\":3,\"pid\":2,\"name\":\"n\",\"cat\":\"cpu_op\",\"ph\":\"X\"}\r\n]\r\n";
  const std::string minified =
      R"({"traceEvents":[{"args":{"External id":4},"dur":2.5,"ts":1,"tid":3,"pid":2,"name":"n","cat":"cpu_op","ph":"X"}]})";
  for (const std::string& text : {pretty, minified}) {
    auto loaded = LoadBytes(text, "x.json");
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    ASSERT_EQ(loaded->host.size(), 1U);
    EXPECT_EQ(loaded->host.dur_ns[0], 2500);
    EXPECT_EQ(loaded->host.external_id[0], 4U);
    EXPECT_EQ(loaded->threads[0].tid, 3);
  }
}

TEST(Shapes, EscapedAndRepeatedKeys) {
  const model::Trace trace = ReadText(
      R"({"\u0074raceEvents": [{"p\u0068": "X", "cat": "kernel", "cat": "cpu_op", "name": "a", "name": "b", "pid": 1, "tid": 1, "ts": 1, "ts": 2, "dur": 1,
      "args": {"External\u0020id": 9, "External id": 8}}]})");
  ASSERT_EQ(trace.host.size(), 1U);
  EXPECT_EQ(trace.HostName(0), "b");
  EXPECT_EQ(trace.host.start_ns[0], 2000);
  EXPECT_EQ(trace.host.external_id[0], 8U);
}

TEST(Shapes, HeaderBeforeOrBehindTheEvents) {
  const std::string header =
      R"("distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 4}, "deviceProperties": [{"id": 1, "name": "NVIDIA H200", "numSms": 132, "computeMajor": 9}],
      "baseTimeNanoseconds": 1000000, "cuda_runtime_version": 13000, "cupti_version": 130001, "with_stack": 1, "record_shapes": 0)";
  const model::Trace before = ReadText(Document({Kernel("k", "1", "2", 1)}, header + ", "));
  const model::Trace behind = ReadText(Document({Kernel("k", "1", "2", 1)}, "", ", " + header));
  EXPECT_EQ(Describe(before), Describe(behind));
  EXPECT_EQ(behind.gpu.start_ns[0], 1001000);
  const model::Source& source = behind.sources[0];
  EXPECT_EQ(source.producer, "torch.profiler (Kineto), CUDA 13.0, CUPTI 13.0.1");
  EXPECT_EQ(source.rank, 1);
  EXPECT_EQ(source.world_size, 4);
  EXPECT_EQ(source.with_stack, true);
  EXPECT_EQ(source.record_shapes, false);
}

TEST(Shapes, PairsOfBeginAndEnd) {
  const model::Trace trace =
      ReadText(Document({R"({"ph": "B", "name": "outer", "pid": 1, "tid": 1, "ts": 10})",
                         R"({"ph": "B", "name": "inner", "pid": 1, "tid": 1, "ts": 12})",
                         R"({"ph": "E", "pid": 1, "tid": 1, "ts": 15})", R"({"ph": "E", "pid": 1, "tid": 1, "ts": 20})",
                         R"({"ph": "b", "cat": "req", "id": "0x1", "name": "request", "pid": 1, "tid": 1, "ts": 30})",
                         R"({"ph": "e", "cat": "req", "id": "0x1", "name": "request", "pid": 1, "tid": 2, "ts": 44})",
                         R"({"ph": "B", "name": "open", "pid": 1, "tid": 1, "ts": 50})"}),
               64);
  ASSERT_EQ(trace.host.size(), 3U);
  EXPECT_EQ(trace.host.dur_ns[0], 10000);
  EXPECT_EQ(trace.host.parent[1], 0U);
  EXPECT_EQ(trace.host.dur_ns[2], 14000);
  EXPECT_EQ(Count(trace, LedgerCode::kClippedRecord), 1U);
}

TEST(Shapes, Counters) {
  const model::Trace trace = ReadText(
      Document({R"({"ph": "C", "name": "GPU util", "pid": 0, "tid": 0, "ts": 3, "args": {"value": 12.5}})",
                R"({"ph": "C", "name": "mem", "pid": 0, "tid": 0, "ts": 4, "args": {"used": 1, "free": nan}})"}));
  ASSERT_EQ(trace.counters.size(), 2U);
  EXPECT_EQ(trace.Text(trace.counters[0].name), "GPU util");
  EXPECT_DOUBLE_EQ(trace.counters[0].value, 12.5);
  EXPECT_EQ(trace.Text(trace.counters[1].name), "mem used");
}

TEST(Shapes, MemoryEventsThatCarryADevicesNumberNameNoProcess) {
  const model::Trace trace = ReadText(Document(
      {Launch("100", "4", 1), Kernel("k", "110", "7", 1),
       R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 0, "tid": 0, "ts": 12, "args": {"Bytes": 8, "Device Id": 0, "Device Type": 1, "Addr": 99}})"}));
  ASSERT_EQ(trace.gpu.size(), 1U);
  EXPECT_NE(trace.gpu.call[0], model::kNone);
}

}  // namespace
}  // namespace warpscope::import::kineto
