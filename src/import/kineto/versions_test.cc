// What each generation and kind of recorder writes.
#include <gtest/gtest.h>

#include "import/kineto/category.h"
#include "import/kineto/testing.h"

namespace warpscope::import::kineto {
namespace {

using model::GpuKind;
using model::HostKind;
using model::kNoId;
using model::kNone;
using model::LedgerCode;
using testing::Count;
using testing::Document;
using testing::Kernel;
using testing::Launch;
using testing::ReadText;
using testing::Span;

TEST(Versions, Pytorch18) {
  const model::Trace trace = ReadText(
      R"x({"schemaVersion": 1, "computeProperties": [{"id": 0, "name": "Tesla V100", "major": 7, "minor": 0, "multiProcessorCount": 80,
      "maxThreadsPerMultiProcessor": 2048}], "traceEvents": [
      {"ph": "X", "cat": "Operator", "name": "aten::stack", "pid": 24572, "tid": "24572", "ts": 1621401187223752, "dur": 245, "args": {"Device": 24572, "External id": 11, "Input dims": [[2, 3]], "Input type": ["float"]}},
      {"ph": "X", "cat": "Runtime", "name": "cudaMemcpyAsync", "pid": 24572, "tid": "24572", "ts": 1621401187224533, "dur": 20, "args": {"cbid": 41, "correlation": 311, "external id": 31}},
      {"ph": "X", "cat": "Memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": "stream 7", "ts": 1621401187224556, "dur": 1, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 311, "external id": 31, "bytes": 640, "memory bandwidth (GB/s)": 0.46}},
      {"ph": "X", "cat": "Kernel", "name": "gemm", "pid": 0, "tid": "stream 7", "ts": 1621401187225275, "dur": 3, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 333, "external id": 41, "registers per thread": 72, "shared memory": 13824, "grid": [1, 2, 1], "block": [128, 1, 1], "theoretical occupancy %": 25}},
      {"ph": "X", "cat": "Memset", "name": "Memset (Device)", "pid": 0, "tid": "stream 23", "ts": 1621401187225300, "dur": 1, "args": {"bytes": 15360}}]})x");
  ASSERT_EQ(trace.host.size(), 2U);
  ASSERT_EQ(trace.gpu.size(), 3U);
  EXPECT_EQ(trace.threads.size(), 1U);
  EXPECT_EQ(trace.threads[0].tid, 24572);
  EXPECT_EQ(trace.gpu.call[0], 1U);
  EXPECT_EQ(trace.gpu.external_id[0], 31U);
  const model::CopyDetail* copy = trace.Copy(0);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->kind, model::CopyKind::kHostToDevice);
  EXPECT_EQ(copy->src, model::MemoryKind::kPageable);
  EXPECT_EQ(copy->dst, model::MemoryKind::kDevice);
  EXPECT_EQ(copy->bytes, 640U);
  const model::LaunchConfig* launch = trace.Launch(1);
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(launch->grid[1], 2U);
  EXPECT_EQ(launch->registers_per_thread, 72U);
  EXPECT_EQ(launch->shared_bytes, 13824U);
  EXPECT_EQ(launch->recorded_occupancy_pct, 25U);
  EXPECT_EQ(trace.streams[trace.gpu.stream[2]].id, 23);  // from the words of tid
  EXPECT_EQ(trace.devices[0].sm_count, 80U);
  EXPECT_EQ(trace.devices[0].cc_major, 7U);
  EXPECT_EQ(trace.Text(trace.op_details[trace.host.detail[0]].input_dims), "[[2, 3]]");
}

TEST(Versions, OperatorDetailsAreOneWhateverTheirLayout) {
  const model::Trace trace = ReadText(Document(
      {Span("cpu_op", "a", "1", "2",
            R"("Input Dims": [[16, 512], []], "Input type": ["float", ""], "Sequence number": 7, "Fwd thread id": 2)"),
       Span("cpu_op", "a", "5", "2", "\"Input type\":[\"float\",\"\"],\"Input Dims\":[\n[16,\n 512],\n []\n]")}));
  ASSERT_EQ(trace.host.size(), 2U);
  EXPECT_EQ(trace.host.detail[0], trace.host.detail[1]);
  EXPECT_EQ(trace.host.correlation[0], 7U);
  EXPECT_EQ(trace.host.forward_thread[0], 2U);
  EXPECT_EQ(trace.host.correlation[1], kNoId);
}

TEST(Versions, RocmCallsLendTheirLaunchToTheKernel) {
  const model::Trace trace = ReadText(Document(
      {Span(
           "cuda_runtime", "hipLaunchKernel", "1", "2",
           R"("cid": 107, "correlation": 5, "kernel": "k", "stream": "0x0", "grid": [32, 1, 1], "block": [256, 1, 1], "shared memory": 2048)"),
       Span(
           "cuda_runtime", "hipMemcpyWithStream", "4", "2",
           R"("stream": "0x7f10", "cid": 153, "correlation": 6, "src": "0x55", "dst": "0x7f", "size": "2560", "kind": "1")"),
       Span("kernel", "k", "3", "2", R"("device": 2, "stream": 0, "correlation": 5, "kind": "Dispatch Kernel")", "2",
            "0"),
       Span("gpu_memcpy", "Memcpy HtoD (Host -> Device)", "6", "2",
            R"("device": 2, "stream": 0, "correlation": 6, "kind": "HtoD")", "2", "0")},
      R"("hip_runtime_version": 70253211, "roctracer_version": 4.1, )"));
  ASSERT_EQ(trace.gpu.size(), 2U);
  const model::LaunchConfig* launch = trace.Launch(0);
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(launch->grid[0], 32U);
  EXPECT_EQ(launch->block[0], 256U);
  EXPECT_EQ(launch->shared_bytes, 2048U);
  EXPECT_FALSE(launch->registers_per_thread.has_value());
  EXPECT_EQ(trace.Copy(1)->bytes, 2560U);
  EXPECT_EQ(trace.Copy(1)->kind, model::CopyKind::kHostToDevice);
  EXPECT_EQ(trace.gpu.call[1], 1U);
  EXPECT_EQ(trace.sources[0].vendor, model::Vendor::kAmd);
  EXPECT_EQ(trace.sources[0].producer, "torch.profiler (Kineto), HIP 7.2.53211, roctracer 4.1");
  EXPECT_EQ(Count(trace, LedgerCode::kBadNumber), 0U);
}

TEST(Versions, GraphReplayGivesManyKernelsToOneLaunch) {
  std::vector<std::string> events = {Span("cuda_runtime", "cudaGraphLaunch", "1", "2", R"("correlation": 9)"),
                                     Span("cuda_runtime", "cudaGraphLaunch", "100", "2", R"("correlation": 10)")};
  for (int i = 0; i < 24; ++i) {
    events.push_back(Span(
        "kernel", "node", std::to_string(5 + i * 2), "1.5",
        R"("device": 0, "stream": 7, "correlation": 9, "grid": [1, 1, 1], "block": [64, 1, 1], "graph id": 3, "graph node id": )" +
            std::to_string(i),
        "0", "7"));
  }
  const model::Trace trace = ReadText(Document(events));
  ASSERT_EQ(trace.gpu.size(), 24U);
  for (uint32_t row = 0; row < 24; ++row) EXPECT_EQ(trace.gpu.call[row], 0U);
  EXPECT_EQ(trace.Launch(3)->graph_id, 3U);
  EXPECT_EQ(trace.Launch(3)->graph_node_id, 3U);
  EXPECT_EQ(Count(trace, LedgerCode::kGraphUnderRecorded), 1U);
}

TEST(Versions, SynchronisationRows) {
  const model::Trace trace = ReadText(Document(
      {Span("cuda_runtime", "cudaStreamSynchronize", "1", "9", R"("correlation": 1512)"),
       Span("cuda_runtime", "cudaEventSynchronize", "20", "9", R"("correlation": 1536)"), Kernel("k", "2", "3", 7),
       Span("cuda_sync", "Stream Sync", "2", "5",
            R"("cuda_sync_kind": "Stream Sync", "stream": 7, "correlation": 1512, "device": 0, "context": 1)", "0",
            "1000007"),
       Span(
           "cuda_sync", "Event Sync", "21", "5",
           R"("cuda_sync_kind": "Event Sync", "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 1533, "wait_on_cuda_event_id": 8, "stream": -1, "correlation": 1536, "device": 0, "context": 1)",
           "0", "-1"),
       Span("cuda_sync", "Context Sync", "31", "5",
            R"("cuda_sync_kind": "Context Sync", "stream": -1, "correlation": 1512, "device": 0, "context": 1)", "0",
            "-1"),
       Span(
           "cuda_sync", "Stream Wait Event", "41", "1",
           R"("cuda_sync_kind": "Stream Wait Event", "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 100, "stream": 13, "correlation": 200, "device": 0, "context": 1)",
           "0", "13")}));
  ASSERT_EQ(trace.syncs.size(), 4U);
  EXPECT_TRUE(trace.sources[0].has_sync_rows);
  EXPECT_EQ(trace.syncs[0].kind, model::SyncKind::kStream);
  EXPECT_EQ(trace.syncs[0].stream, trace.gpu.stream[0]);
  EXPECT_EQ(trace.syncs[0].call, 0U);
  EXPECT_EQ(trace.syncs[1].kind, model::SyncKind::kEvent);
  EXPECT_EQ(trace.syncs[1].stream, kNone);
  EXPECT_EQ(trace.syncs[1].wait_on_stream, trace.gpu.stream[0]);
  EXPECT_EQ(trace.syncs[1].event_record_correlation, 1533U);
  EXPECT_EQ(trace.syncs[1].call, 1U);
  EXPECT_EQ(trace.syncs[2].kind, model::SyncKind::kContext);
  EXPECT_EQ(trace.syncs[2].call, 0U);
  EXPECT_EQ(trace.streams[trace.syncs[3].stream].id, 13);
}

TEST(Versions, MemoryEvents) {
  const model::Trace trace = ReadText(Document(
      {R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 10, "tid": 11, "ts": 4, "args": {"Total Reserved": 100, "Total Allocated": 50, "Bytes": -512, "Device Id": 1, "Device Type": 1, "Addr": 139443981778944, "Ev Idx": 1}})",
       R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 10, "tid": 11, "ts": 2, "args": {"Device Type": 0, "Device Id": -1, "Bytes": 64}})"}));
  ASSERT_EQ(trace.memory.size(), 2U);
  EXPECT_EQ(trace.memory[0].device, kNone);
  EXPECT_EQ(trace.memory[0].bytes, 64);
  EXPECT_FALSE(trace.memory[0].total_allocated_bytes.has_value());
  EXPECT_EQ(trace.memory[1].bytes, -512);
  EXPECT_EQ(trace.devices[trace.memory[1].device].id, 1);
  EXPECT_EQ(trace.memory[1].total_reserved_bytes, 100);
  EXPECT_EQ(trace.memory[1].address, 139443981778944U);
}

TEST(Versions, CollectivesOfKernelsAndOperators) {
  const std::string said =
      R"("Collective name": "allreduce", "In msg nelems": 8391680, "Out msg nelems": 8391680, "Group size": 2, "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Seq": 12)";
  const model::Trace trace =
      ReadText(Document({Span("kernel", "ncclDevKernel_AllReduce", "90", "5",
                              R"("device": 0, "stream": 17, "correlation": 3, )" + said, "0", "17"),
                         Kernel("k", "5", "1", 1), Span("cpu_op", "record_param_comms", "80", "5", said)}));
  ASSERT_EQ(trace.collectives.size(), 2U);
  const model::Collective& kernel = trace.collectives[0];
  EXPECT_EQ(trace.GpuName(kernel.gpu_row), "ncclDevKernel_AllReduce");
  EXPECT_EQ(kernel.host_row, kNone);
  EXPECT_EQ(kernel.in_elements, 8391680U);
  EXPECT_EQ(kernel.group_size, 2U);
  EXPECT_EQ(kernel.sequence, 12U);
  EXPECT_EQ(trace.Text(kernel.group_ranks), "[0, 1]");
  EXPECT_EQ(trace.HostName(trace.collectives[1].host_row), "record_param_comms");
}

TEST(Versions, MergedRanksStayApart) {
  const auto kernel = [](const std::string& pid, int rank) {
    return Span("kernel", "k", "5", "2",
                R"("device": 2, "stream": 4, "correlation": 7, "rank": )" + std::to_string(rank) +
                    R"(, "pid_raw": 2, "correlation_raw": 7)",
                pid, "4");
  };
  const auto call = [](const std::string& pid, int rank, const std::string& ts) {
    return Span("cuda_runtime", "hipLaunchKernel", ts, "1", R"("correlation": 7, "rank": )" + std::to_string(rank), pid,
                "40");
  };
  const model::Trace trace =
      ReadText(Document({call("4242", 0, "1"), call("4242", 1, "2"), kernel("2", 0), kernel("100000002", 1)}));
  ASSERT_EQ(trace.gpu.size(), 2U);
  EXPECT_EQ(trace.processes.size(), 2U);
  EXPECT_EQ(trace.streams.size(), 2U);
  EXPECT_NE(trace.gpu.call[0], trace.gpu.call[1]);
  EXPECT_EQ(Count(trace, LedgerCode::kDuplicateCorrelation), 0U);
  for (uint32_t row = 0; row < 2; ++row) {
    EXPECT_EQ(trace.HostDomain(trace.gpu.call[row]), trace.GpuDomain(row));
  }
}

TEST(Versions, ProfilersOwnRowsAndAnnotationsOnTheDevice) {
  const model::Trace trace = ReadText(Document(
      {Launch("1", "2", 1), Kernel("k", "4", "2", 1), Span("overhead", "Buffer Flush", "2", "9", "", "-1", "0"),
       Span("gpu_user_annotation", "ProfilerStep#3", "3", "5", R"("External id": 5)", "0", "7"),
       Span("user_annotation", "ProfilerStep#3", "0.5", "5"),
       Span("Trace", "PyTorch Profiler (0)", "0", "50", "", "\"Spans\"", "\"PyTorch Profiler\""),
       R"({"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 99})",
       R"({"name": "process_name", "ph": "M", "pid": 10, "tid": 0, "args": {"name": "python3"}})",
       R"x({"name": "thread_name", "ph": "M", "pid": 10, "tid": 11, "args": {"name": "thread 11 (python3)"}})x",
       R"({"name": "thread_name", "ph": "M", "pid": 0, "tid": 7, "args": {"name": "stream 7 "}})"}));
  ASSERT_EQ(trace.processes.size(), 1U);
  EXPECT_EQ(trace.Text(trace.processes[0].name), "python3");
  ASSERT_EQ(trace.host.size(), 3U);
  EXPECT_EQ(Count(trace, LedgerCode::kProfilerOverhead), 1U);
  EXPECT_EQ(Count(trace, LedgerCode::kUnknownEvent), 0U);
  uint32_t overhead = 0;
  while (trace.host.kind[overhead] != HostKind::kOverhead) ++overhead;
  EXPECT_EQ(trace.threads[trace.host.thread[overhead]].process, 0U);
  EXPECT_EQ(trace.Text(trace.threads[trace.host.thread[0]].name), "thread 11 (python3)");
  EXPECT_EQ(trace.Text(trace.streams[0].name), "stream 7");
  ASSERT_EQ(trace.gpu_annotations.size(), 1U);
  EXPECT_EQ(trace.gpu_annotations[0].stream, trace.gpu.stream[0]);
}

TEST(Versions, TheSameDeviceRecordTwiceCountsOnce) {
  const model::Trace trace = ReadText(Document({Launch("1", "2", 1), Kernel("k", "4.125", "2.5", 1),
                                                Kernel("k", "4.125", "2.5", 1), Kernel("k", "9.125", "2.5", 1)}));
  EXPECT_EQ(trace.gpu.size(), 2U);
  EXPECT_EQ(Count(trace, LedgerCode::kDuplicateRecord), 1U);
}

TEST(Versions, UnknownCategoriesAreJudgedByWhatTheySay) {
  const model::Trace trace = ReadText(Document(
      {Span("my kernels", "k", "5", "2", R"("stream": 3)", "0", "3"), Span("api", "cudaLaunchKernel", "1", "2"),
       R"({"ph": "X", "name": "load batch", "pid": 1, "ts": 0.5, "dur": 9})"}));
  EXPECT_EQ(trace.gpu.size(), 1U);
  ASSERT_EQ(trace.host.size(), 2U);
  EXPECT_EQ(trace.host.kind[trace.HostName(0) == "load batch" ? 0 : 1], HostKind::kAnnotation);
  EXPECT_EQ(trace.host.kind[trace.HostName(0) == "load batch" ? 1 : 0], HostKind::kRuntimeCall);
}

TEST(Versions, CopyNames) {
  using model::CopyKind;
  using model::MemoryKind;
  const auto copy = ParseCopyName("Memcpy DtoH (Device -> Pinned)", false);
  EXPECT_EQ(copy.kind, CopyKind::kDeviceToHost);
  EXPECT_EQ(copy.dst, MemoryKind::kPinned);
  EXPECT_EQ(ParseCopyName("Memcpy DtoD (Device -> Device)", false).kind, CopyKind::kDeviceToDevice);
  EXPECT_EQ(ParseCopyName("Memcpy PtoP (Device -> Device)", false).kind, CopyKind::kPeerToPeer);
  EXPECT_EQ(ParseCopyName("CopyDeviceToHost", false).kind, CopyKind::kDeviceToHost);
  EXPECT_EQ(ParseCopyName("Memset (Device)", true).dst, MemoryKind::kDevice);
}

}  // namespace
}  // namespace warpscope::import::kineto
