#include "analysis/operators.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

using model::kNone;
using model::testing::TraceBuilder;

const HostTimeRow* Find(const model::Trace& trace, const std::vector<HostTimeRow>& rows, std::string_view name) {
  for (const HostTimeRow& row : rows) {
    if (trace.Text(row.name) == name) return &row;
  }
  return nullptr;
}

TEST(Operators, SelfAndTotalOfHostAndDevice) {
  TraceBuilder b;
  b.AddPython("train.py(1): step", 0, 1000);
  b.AddOp("aten::linear", 100, 500, "[[2, 3]]");
  b.AddOp("aten::t", 110, 20);
  b.AddPython("torch/x.py(1): f", 150, 400);  // Python between operators is no child of the tree
  b.AddOp("aten::addmm", 200, 300);
  b.Launch("gemm", 250, 100, 400, 1000);
  b.Launch("bias", 360, 50, 1400, 70);
  b.AddMemory(210, 4096, 1, 0).AddMemory(480, -1024, 2, 0).AddMemory(120, 64, 3, kNone);
  const Index index(b.Finish());
  const model::Trace& trace = index.trace();
  const auto rows = SummarizeOperators(index);
  const HostTimeRow* linear = Find(trace, rows, "aten::linear");
  const HostTimeRow* addmm = Find(trace, rows, "aten::addmm");
  ASSERT_TRUE(linear != nullptr && addmm != nullptr);
  EXPECT_EQ(linear->host_total_ns, 500);
  EXPECT_EQ(linear->host_self_ns, 180);
  EXPECT_EQ(linear->device_self_ns, 0);
  EXPECT_EQ(linear->device_total_ns, 1070);
  EXPECT_EQ(linear->kernels_total, 2U);
  EXPECT_EQ(addmm->host_self_ns, 150);
  EXPECT_EQ(addmm->device_self_ns, 1070);
  EXPECT_EQ(*addmm->device_memory_self_bytes, 3072);
  EXPECT_EQ(*linear->device_memory_total_bytes, 3072);
  EXPECT_EQ(*linear->device_memory_self_bytes, 0);
  EXPECT_EQ(*linear->host_memory_total_bytes, 64);
  EXPECT_EQ(*linear->host_memory_self_bytes, 0);
  EXPECT_EQ(rows.front().device_total_ns, 1070);
}

TEST(Operators, ByShapeAndOnlyChildOfTheSameName) {
  TraceBuilder b;
  b.AddOp("aten::mul", 0, 100, "[[2, 3]]", "[\"float\"]");
  b.AddOp("aten::mul", 200, 100, "[[4, 5]]", "[\"float\"]");
  b.AddOp("detach", 400, 100);
  b.AddOp("detach", 410, 50);  // the same call recorded twice
  const Index index(b.Finish());
  EXPECT_EQ(SummarizeOperators(index).size(), 2U);
  const auto rows = SummarizeOperators(index, {}, {.by_shape = true});
  EXPECT_EQ(rows.size(), 3U);
  const HostTimeRow* detach = Find(index.trace(), rows, "detach");
  EXPECT_EQ(detach->calls, 1U);
  EXPECT_EQ(detach->host_total_ns, 100);
  EXPECT_EQ(detach->host_self_ns, 100);
  EXPECT_FALSE(detach->device_memory_total_bytes);
}

TEST(Operators, ExternalIdLinksWorkWithoutACall) {
  TraceBuilder b;
  b.AddHost(model::HostKind::kOperator, "aten::mm", 0, 100, model::kNoId, 77);
  b.AddKernel("gemm", 50, 1000);
  b.trace().gpu.external_id.back() = 77;
  const Index index(b.Finish());
  EXPECT_EQ(SummarizeOperators(index)[0].device_self_ns, 1000);
}

TEST(Annotations, CountNestedRangesOnceAndOtherThreadsApart) {
  TraceBuilder b;
  b.AddAnnotation("step", 0, 1000);
  b.AddAnnotation("forward", 10, 300);
  b.Launch("f", 20, 10, 50, 100);
  b.Launch("s", 400, 10, 450, 7);
  b.AddAnnotation("backward", 500, 400);
  b.UseThread(2);
  b.Launch("b", 600, 10, 620, 200);
  const Index index(b.Finish());
  const auto rows = SummarizeAnnotations(index);
  const HostTimeRow* step = Find(index.trace(), rows, "step");
  EXPECT_EQ(step->host_self_ns, 300);
  EXPECT_EQ(step->device_total_ns, 107);
  EXPECT_EQ(step->device_self_ns, 7);
  EXPECT_EQ(step->device_other_threads_ns, 200);
  EXPECT_EQ(Find(index.trace(), rows, "backward")->device_other_threads_ns, 200);
  EXPECT_EQ(Find(index.trace(), rows, "forward")->device_other_threads_ns, 0);
}

// Two layers; the backward pass runs on its own thread and names forward operators by sequence number.
TEST(Modules, BackwardIsCreditedToTheForwardsModule) {
  TraceBuilder b;
  b.AddPython("train.py(5): step", 0, 1000);
  b.AddPython("nn.Module: Net_0", 10, 500);
  for (int layer = 0; layer < 2; ++layer) {
    const int64_t at = 20 + layer * 100;
    b.AddPython("nn.Module: Linear_" + std::to_string(layer), at, 90);
    b.AddAutogradOp("aten::linear", at + 1, 80, 10 + layer);
    b.AddAutogradOp("aten::addmm", at + 5, 70, 10 + layer);
    b.Launch("gemm", at + 10, 5, 2000 + layer * 100, 50);
  }
  b.UseThread(2);
  for (int layer = 1; layer >= 0; --layer) {
    const int64_t at = 600 + (1 - layer) * 100;
    b.AddAutogradOp("autograd::engine::evaluate_function: AddmmBackward0", at, 90, 10 + layer, 1);
    b.AddAutogradOp("AddmmBackward0", at + 5, 80, 10 + layer, 1);
    b.AddOp("aten::mm", at + 10, 50);
    b.Launch("dgemm", at + 20, 5, 3000 + layer * 100, 30 + layer);
  }
  const Index index(b.Finish());
  const auto rows = SummarizeModules(index);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].path, "Net_0");
  EXPECT_EQ(rows[0].device_total_ns, 100);
  EXPECT_EQ(rows[0].device_self_ns, 0);
  EXPECT_EQ(rows[0].backward_device_ns, 61);
  EXPECT_EQ(rows[0].backward_host_ns, 180);
  EXPECT_EQ(rows[1].path, "Net_0 / Linear_1");
  EXPECT_EQ(rows[1].backward_device_ns, 31);
  EXPECT_EQ(rows[2].backward_device_ns, 30);
  const auto lines = SummarizeSourceLines(index);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].device_self_ns, 100);
  EXPECT_EQ(lines[0].backward_device_ns, 61);
  const BackwardLinks links(index);
  EXPECT_EQ(index.trace().HostName(links.ForwardOf(b.HostRow("aten::mm"))), "aten::addmm");
  EXPECT_EQ(links.ForwardOf(b.HostRow("train.py(5): step")), kNone);
}

TEST(Modules, BackwardOfTwoForwardThreadsIsKeptApart) {
  TraceBuilder b;
  for (int thread = 1; thread <= 2; ++thread) {
    b.UseThread(thread);
    b.AddPython(thread == 1 ? "nn.Module: A_0" : "nn.Module: B_0", 0, 100);
    b.AddAutogradOp("aten::mm", 10, 50, thread == 1 ? 5 : 900);
  }
  b.UseThread(3);
  b.AddAutogradOp("MmBackward0", 300, 50, 5, 1);
  b.Launch("k", 310, 5, 400, 11);
  b.AddAutogradOp("MmBackward0", 400, 50, 900, 2);
  b.Launch("k", 410, 5, 500, 22);
  const auto rows = SummarizeModules(Index(b.Finish()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].path, "B_0");
  EXPECT_EQ(rows[0].backward_device_ns, 22);
  EXPECT_EQ(rows[1].backward_device_ns, 11);
}

}  // namespace
}  // namespace warpscope::analysis
