// The rarer kinds of records and NVTX, from the fake CUPTI and the tables of NVTX to the rows of a trace.
#include <signal.h>

#include <map>

#include "capture_fixture.h"

namespace warpscope {
namespace {

using model::AnnotationForm;
using model::HostKind;
using model::LedgerCode;

uint32_t RowOf(const model::Trace& trace, std::string_view name) {
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (trace.HostName(row) == name) return row;
  }
  ADD_FAILURE() << name << " is not there";
  return 0;
}

model::AnnotationDetail DetailOf(const model::Trace& trace, uint32_t row) {
  const uint32_t detail = trace.host.detail[row];
  return detail == model::kNone ? model::AnnotationDetail() : trace.annotation_details[detail];
}

TEST_F(Capture, AGraphLaunchIsOneCallForAllItsWork) {
  EXPECT_EQ(Record("graph", 3).exit_code, 3);
  const model::Trace trace = Load();
  std::map<model::GpuKind, int> kinds;
  std::map<uint32_t, int> calls;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    ++kinds[trace.gpu.kind[row]];
    ASSERT_NE(trace.gpu.call[row], model::kNone);
    ++calls[trace.gpu.call[row]];
    if (trace.gpu.kind[row] != model::GpuKind::kKernel) continue;
    EXPECT_EQ(trace.Launch(row)->graph_id, 5U);
    EXPECT_GE(trace.Launch(row)->graph_node_id, 0x500000001U);
  }
  EXPECT_EQ(kinds[model::GpuKind::kKernel], 72);
  EXPECT_EQ(kinds[model::GpuKind::kCopy], 21);
  EXPECT_EQ(kinds[model::GpuKind::kMemset], 3);
  ASSERT_EQ(calls.size(), 3U);  // the host paid three launches, not 96
  for (const auto& [call, work] : calls) {
    EXPECT_EQ(work, 32);
    EXPECT_EQ(trace.HostName(call), "cudaGraphLaunch");
  }
}

TEST_F(Capture, LongStartUpsAreVisible) {
  EXPECT_EQ(Record("startup", 1).exit_code, 3);
  const model::Trace trace = Load();
  const uint32_t row = RowOf(trace, "JIT compile, PTX to machine code");
  EXPECT_EQ(trace.host.kind[row], HostKind::kOverhead);
  EXPECT_EQ(trace.host.dur_ns[row], 10000000);
  std::map<std::string, double> readings;
  for (const model::Reading& reading : trace.readings) {
    if (reading.value) readings[std::string(trace.Text(reading.name))] = *reading.value;
  }
  EXPECT_EQ(readings["modules_loaded"], 3);
  EXPECT_EQ(readings["module_code_bytes"], 6000);
}

TEST_F(Capture, AWaitKnowsTheRecordOfItsEvent) {
  EXPECT_EQ(Record("events", 1).exit_code, 3);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.syncs.size(), 2U);
  for (const model::Sync& sync : trace.syncs) {
    EXPECT_EQ(sync.kind, model::SyncKind::kStreamWaitEvent);
    EXPECT_EQ(sync.event_record_correlation, sync.correlation - 1);
    ASSERT_NE(sync.wait_on_stream, model::kNone);
    EXPECT_EQ(trace.streams[sync.wait_on_stream].id, 7);
    ASSERT_NE(sync.stream, model::kNone);
    EXPECT_EQ(trace.streams[sync.stream].id, 8);
  }
}

TEST_F(Capture, ANameThatComesToLieAtTheAddressOfAnotherIsItsOwn) {
  EXPECT_EQ(Record("reused_name", 1).exit_code, 3);
  const model::Trace trace = Load();
  std::map<std::string, int> names;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) ++names[std::string(trace.GpuName(row))];
  EXPECT_EQ(names, (std::map<std::string, int>{
                       {"kernel_of_module_0", 5}, {"kernel_of_module_1", 5}, {"kernel_of_module_2", 5}}));
}

TEST_F(Capture, DeviceMemoryOnRequest) {
  Record("memory", 1);
  EXPECT_TRUE(Load().memory.empty());  // unless it is asked for
  TearDown();
  SetUp();
  Ask(wire::kCollectMemory);
  Record("memory", 1);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.memory.size(), 3U);
  EXPECT_EQ(trace.memory[0].bytes, 4096);
  EXPECT_EQ(trace.memory[0].address, 0x1000U);
  EXPECT_NE(trace.memory[0].device, model::kNone);
  EXPECT_EQ(trace.memory[2].bytes, -4096);  // the release told no size: that of the allocation
  std::map<std::string, double> counters;
  for (const model::CounterSample& sample : trace.counters)
    counters[std::string(trace.Text(sample.name))] = sample.value;
  EXPECT_EQ(counters["memory pool size"], 1 << 20);
  EXPECT_EQ(counters["memory pool in use"], 5000);
}

TEST_F(Capture, UnifiedMemoryOnRequest) {
  Ask(wire::kCollectUnifiedMemory);
  Record("unified", 1);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.gpu.size(), 2U);
  EXPECT_EQ(trace.Copy(0)->kind, model::CopyKind::kHostToDevice);
  EXPECT_EQ(trace.Copy(0)->src, model::MemoryKind::kManaged);
  EXPECT_EQ(trace.Copy(0)->bytes, 65536U);
  EXPECT_EQ(trace.Copy(1)->kind, model::CopyKind::kDeviceToHost);
  ASSERT_EQ(trace.counters.size(), 2U);
  EXPECT_EQ(trace.Text(trace.counters[0].name), "unified memory page faults on the GPU");
  EXPECT_EQ(trace.counters[0].value, 17);
  EXPECT_EQ(trace.counters[1].value, 1);  // what CUPTI tells as value is the program's place
  EXPECT_EQ(trace.ledger.Count(model::LedgerCode::kUnmatchedKernel), 0U);
}

// Before the program initialises CUDA, CUPTI 13.0.1 on an H200 answers that the kind is not ready.
TEST_F(Capture, UnifiedMemoryIsAskedForAgainUntilCuptiIsReady) {
  Ask(wire::kCollectUnifiedMemory);
  ::setenv("FAKE_UNIFIED_NOT_READY", "2", 1);
  Record("unified", 1);
  ::unsetenv("FAKE_UNIFIED_NOT_READY");
  EXPECT_EQ(Load().gpu.size(), 2U);
}

TEST_F(Capture, TheLightSetLeavesCheapCallsOut) {
  Record("returns", 1);
  EXPECT_EQ(Load().host.size(), 2U);  // the failed one too
}

TEST_F(Capture, AllCallsAndExternalIdsOnRequest) {
  Ask(wire::kCollectAllCalls | wire::kCollectExternal);
  Record("returns", 1);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.host.size(), 3U);
  EXPECT_EQ(trace.HostName(0), "cudaMalloc");
  EXPECT_EQ(trace.host.external_id[0], 77U);
  EXPECT_EQ(trace.host.external_id[1], model::kNoId);
  EXPECT_EQ(trace.HostName(2), "cudaGetDevice");
}

TEST_F(Capture, KernelsInGraphsAreLedBackToTheirCapture) {
  Ask(wire::kCollectGraphNodes);
  Record("graph", 1);
  const model::Trace trace = Load();
  std::map<uint64_t, uint32_t> marks;
  for (uint32_t row = 0; row < trace.host.size(); ++row) {
    if (trace.host.external_id[row] != model::kNoId) marks[trace.host.external_id[row]] = row;
  }
  ASSERT_EQ(marks.size(), 4U);
  int mapped = 0;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    if (trace.gpu.external_id[row] == model::kNoId) continue;
    ++mapped;
    EXPECT_EQ(trace.Launch(row)->graph_node_id - 0x100000000U, trace.gpu.external_id[row]);
    const uint32_t mark = marks.at(trace.gpu.external_id[row]);
    EXPECT_EQ(trace.HostName(mark), "cudaLaunchKernel");
    EXPECT_EQ(trace.Text(DetailOf(trace, mark).domain), "CUDA graph capture");
    EXPECT_LT(trace.host.start_ns[mark], trace.gpu.start_ns[row]);
  }
  EXPECT_EQ(mapped, 4);
}

TEST_F(Capture, WhereNodesCameFromIsNotToldWhenAnotherToolIsSubscribed) {
  ::setenv("FAKE_SUBSCRIBED", "1", 1);
  Ask(wire::kCollectGraphNodes);
  EXPECT_EQ(Record("graph", 1).exit_code, 3);
  ::unsetenv("FAKE_SUBSCRIBED");
  const model::Trace trace = Load();
  EXPECT_EQ(trace.gpu.size(), 32U);
  EXPECT_GE(trace.ledger.Count(LedgerCode::kRecorderNote), 1U);
}

TEST_F(Capture, ThreadsThatLaunchThroughTheRuntimeAreToldApart) {
  EXPECT_EQ(Record("busy_threads", 200).exit_code, 3);
  const model::Trace trace = Load();
  ASSERT_EQ(trace.gpu.size(), 600U);
  std::map<uint32_t, int> launches;
  for (uint32_t row = 0; row < trace.gpu.size(); ++row) {
    ASSERT_NE(trace.gpu.call[row], model::kNone);
    ++launches[trace.host.thread[trace.gpu.call[row]]];
  }
  ASSERT_EQ(launches.size(), 3U);
  for (const auto& [thread, count] : launches) EXPECT_EQ(count, 200);
}

TEST_F(Capture, NvtxIsWhole) {
  EXPECT_EQ(Record("nvtx", 1).exit_code, 3);
  const model::Trace trace = Load();
  const model::AnnotationDetail solve = DetailOf(trace, RowOf(trace, "solve"));
  EXPECT_EQ(trace.Text(solve.domain), "math");
  EXPECT_EQ(trace.Text(solve.category), "solver");
  EXPECT_EQ(solve.color_argb, 0xFF00FF00U);
  EXPECT_EQ(trace.Text(solve.payload), "-42");
  EXPECT_EQ(solve.form, AnnotationForm::kNested);

  EXPECT_EQ(trace.host.parent[RowOf(trace, "inner")], RowOf(trace, "outer"));
  const uint32_t left = RowOf(trace, "left"), right = RowOf(trace, "right");
  EXPECT_LT(trace.host.start_ns[left], trace.host.start_ns[right]);
  EXPECT_LT(trace.host.end_ns(left), trace.host.end_ns(right));

  EXPECT_EQ(DetailOf(trace, RowOf(trace, "here")).form, AnnotationForm::kMark);
  EXPECT_EQ(DetailOf(trace, RowOf(trace, "elsewhere")).form, AnnotationForm::kStartEnd);
  EXPECT_EQ(trace.Text(trace.threads[trace.host.thread[left]].name), "the worker");
}

TEST_F(Capture, TorchRangesAreOperatorsAndNcclRangesCollectives) {
  Record("nvtx", 1);
  const model::Trace trace = Load();
  const uint32_t add = RowOf(trace, "aten::add");
  EXPECT_EQ(trace.host.kind[add], HostKind::kOperator);
  EXPECT_EQ(trace.host.correlation[add], 12U);
  ASSERT_EQ(trace.op_details.size(), 1U);
  EXPECT_EQ(trace.Text(trace.op_details[0].input_dims), "[[2, 3], [2, 3]]");

  EXPECT_EQ(trace.Text(DetailOf(trace, RowOf(trace, "ncclAllReduce")).payload),
            "NCCL communicator ID=123456789, Message size [bytes]=4096");
  ASSERT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.Text(trace.collectives[0].name), "allreduce");
  EXPECT_EQ(trace.collectives[0].in_elements, 4096U);
  EXPECT_EQ(trace.HostName(trace.collectives[0].host_row), "ncclAllReduce");
}

TEST_F(Capture, ARangeThatNeverEndsLastsToTheEnd) {
  Record("nvtx", 1);
  const model::Trace trace = Load();
  RowOf(trace, "never closed");
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kClippedRecord), 1U);
}

TEST_F(Capture, AKilledProcessLeavesItsOpenRange) {
  EXPECT_EQ(Record("nvtx_killed", 1).exit_code, 128 + SIGKILL);
  const model::Trace trace = Load();
  RowOf(trace, "training");
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kKilledProcess), 1U);
}

TEST_F(Capture, ThreadsThatEndLeaveTheirPlace) {
  EXPECT_EQ(Record("nvtx_threads", 1).exit_code, 3);
  const model::Trace trace = Load();
  EXPECT_EQ(trace.host.size(), 5000U);
  EXPECT_EQ(trace.ledger.Count(LedgerCode::kLostRecord), 0U);
}

}  // namespace
}  // namespace warpscope
