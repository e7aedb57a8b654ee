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
