#include "rules/rank_findings.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::rules {
namespace {

using analysis::WhatIf;
using model::testing::TraceBuilder;

TEST(CoverRatio, CountsTheSharedPartOfHostTime) {
  TraceBuilder builder;
  const uint32_t thread = builder.ThreadRow(1);
  builder.AddOp("aten::mul", 0, 1000);
  const model::Trace& trace = builder.Finish();
  WhatIf outer;
  outer.ScaleHost(thread, 0, 600, 0.0);
  WhatIf inner;
  inner.OffloadHost(thread, 400, 800);
  EXPECT_DOUBLE_EQ(CoverRatio(trace, outer, inner), 0.5);  // [400, 600) of [400, 800)
  EXPECT_DOUBLE_EQ(CoverRatio(trace, inner, outer), 1.0 / 3);
}

TEST(CoverRatio, DifferentThreadsShareNothing) {
  TraceBuilder builder;
  builder.AddOp("aten::mul", 0, 1000);
  const uint32_t one = builder.ThreadRow(1);
  const uint32_t two = builder.ThreadRow(2);
  WhatIf outer;
  outer.ScaleHost(one, 0, 600, 0.0);
  WhatIf inner;
  inner.ScaleHost(two, 0, 600, 0.0);
  EXPECT_DOUBLE_EQ(CoverRatio(builder.Finish(), outer, inner), 0.0);
}

TEST(CoverRatio, NothingTouchedIsNothingCovered) {
  TraceBuilder builder;
  builder.AddOp("aten::mul", 0, 1000);
  EXPECT_DOUBLE_EQ(CoverRatio(builder.Finish(), WhatIf{}, WhatIf{}), 0.0);
}

}  // namespace
}  // namespace warpscope::rules
