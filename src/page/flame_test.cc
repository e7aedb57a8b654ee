#include "page/flame.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::page {
namespace {

using model::testing::TraceBuilder;

std::string JsonOf(TraceBuilder& builder) {
  const analysis::Index index(builder.Finish());
  Names names(builder.trace().strings);
  const Flames flames = MakeFlames(index, &names);
  names.Finish();
  return FlamesJson(flames, names, StackTree::NameForm::kText);
}

TEST(Flame, StepsShareTheirStackAndLayersDoNot) {
  TraceBuilder b;
  for (int64_t step = 0; step < 2; ++step) {
    const int64_t at = 10000 * step;
    b.AddAnnotation("ProfilerStep#" + std::to_string(step), at, 9000);
    b.AddAnnotation("layer 3", at + 10, 100);
    b.Launch("k", at + 20, 10, at + 40, 7);
    b.AddAnnotation("layer 4", at + 200, 100);
    b.Launch("k", at + 220, 10, at + 240, 5);
  }
  const std::string json = JsonOf(b);
  EXPECT_NE(json.find("\"ProfilerStep#\", \"value_ns\": 24"), std::string::npos) << json;
  EXPECT_NE(json.find("\"layer 3\", \"value_ns\": 14"), std::string::npos);
  EXPECT_NE(json.find("\"layer 4\", \"value_ns\": 10"), std::string::npos);
  EXPECT_NE(json.find("\"kernels_by_category\""), std::string::npos);
}

TEST(Flame, ModulesHoldTheirBackwardPass) {
  TraceBuilder b;
  b.AddPython("nn.Module: Net_0", 0, 1000);
  b.AddAutogradOp("aten::mm", 10, 100, 5);
  b.Launch("forward", 20, 10, 40, 7);
  b.AddAutogradOp("MmBackward0", 2000, 100, 5, 1);
  b.Launch("backward", 2010, 10, 2040, 9);
  const std::string json = JsonOf(b);
  EXPECT_NE(json.find("\"kernels_by_module\""), std::string::npos);
  EXPECT_NE(json.find("\"nn.Module: Net_0\", \"value_ns\": 16"), std::string::npos) << json;
  EXPECT_NE(json.find("\"backward pass\", \"value_ns\": 9"), std::string::npos);
}

TEST(Flame, WorkThatNobodyIssuedIsShown) {
  TraceBuilder b;
  b.AddKernel("lonely", 0, 11);
  const std::string json = JsonOf(b);
  EXPECT_NE(json.find("issued by nothing that was recorded\", \"value_ns\": 11"), std::string::npos) << json;
}

}  // namespace
}  // namespace warpscope::page
