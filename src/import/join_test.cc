#include "import/join.h"

#include <gtest/gtest.h>

#include "import/appender.h"

namespace warpscope::import {
namespace {

using model::kNone;
using model::Trace;

void AddCall(Appender& to, int64_t pid, uint64_t correlation) {
  const uint32_t thread = to.Thread(to.Process(pid), 5);
  to.Add(Appender::Host{model::HostKind::kRuntimeCall, to.Text("hipLaunchKernel"), thread, 100, 10, correlation});
}

void AddKernel(Appender& to, int64_t pid, uint64_t correlation, std::string_view name = "k") {
  const uint32_t stream = to.Stream(to.Process(pid), to.Device(2), -1, 0);
  to.Add(Appender::Gpu{model::GpuKind::kKernel, to.Text(name), stream, 150, 30, correlation});
}

TEST(JoinParts, CallsOfOneFileLaunchKernelsOfAnother) {
  Trace trace;
  {
    Appender calls(&trace, "a_hip_api_trace.csv", "test");
    calls.source().part_of = "run/a";
    AddCall(calls, 40, 7);
    AddCall(calls, 40, 8);
  }
  {
    Appender kernels(&trace, "a_kernel_trace.csv", "test");
    kernels.source().part_of = "run/a";
    AddKernel(kernels, -1, 7);  // this file does not tell the process
  }
  {
    Appender other(&trace, "b_kernel_trace.csv", "test");
    other.source().part_of = "run/b";
    AddKernel(other, -1, 8);
  }
  JoinParts(&trace);
  trace.Finish();
  ASSERT_EQ(trace.gpu.size(), 2U);
  EXPECT_NE(trace.gpu.call[0], kNone);
  EXPECT_EQ(trace.gpu.call[1], kNone);  // same id, another recording
}

TEST(JoinParts, TheFullestOfTwoTellingsStays) {
  Trace trace;
  {
    Appender csv(&trace, "kernels.csv", "test");
    csv.source().part_of = "run";
    csv.source().representation = "csv";
    AddKernel(csv, 40, 7, "from_csv");
    model::SummaryRow total;
    total.source = csv.source_row();
    trace.summaries.push_back(total);
  }
  {
    Appender db(&trace, "run.db", "test");
    db.source().part_of = "run";
    db.source().representation = "db";
    AddCall(db, 40, 7);
    AddKernel(db, 40, 7, "from_db");
  }
  JoinParts(&trace);
  trace.Finish();
  ASSERT_EQ(trace.gpu.size(), 1U);
  EXPECT_EQ(trace.GpuName(0), "from_db");
  EXPECT_NE(trace.gpu.call[0], kNone);
  EXPECT_EQ(trace.summaries.size(), 1U);
  EXPECT_EQ(trace.ledger.Count(model::LedgerCode::kRepeatedView), 1U);
}

TEST(Appender, AStreamWithoutADeviceLiesOnTheUnknownOne) {
  Trace trace;
  {
    Appender to(&trace, "x", "test");
    const uint32_t stream = to.Stream(to.Process(1), kNone, -1, 0);
    to.Add(Appender::Gpu{model::GpuKind::kKernel, to.Text("k"), stream, 150, 30, 1});
  }
  trace.Finish();
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.devices[0].id, -1);
  EXPECT_TRUE(trace.devices[0].used);
}

TEST(JoinParts, SourcesOnTheirOwnStayApart) {
  Trace trace;
  for (const char* path : {"rank0.json", "rank1.json"}) {
    Appender rank(&trace, path, "test");
    AddCall(rank, 40, 7);
    AddKernel(rank, 40, 7);
  }
  JoinParts(&trace);
  trace.Finish();
  ASSERT_EQ(trace.gpu.size(), 2U);
  EXPECT_NE(trace.gpu.call[0], trace.gpu.call[1]);
  EXPECT_NE(trace.GpuDomain(0), trace.GpuDomain(1));
}

}  // namespace
}  // namespace warpscope::import
