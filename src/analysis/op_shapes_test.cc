#include "analysis/op_shapes.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

TEST(OpShapes, ReadsDimsTypesAndStrides) {
  const auto shapes = ParseShapes("[[8192, 4096], [4096, 1024], []]", R"(["c10::BFloat16", "float", "Scalar"])",
                                  "[[4096, 1], [1, 4096], []]");
  ASSERT_TRUE(shapes.has_value());
  ASSERT_EQ(shapes->inputs.size(), 3U);
  EXPECT_EQ(shapes->inputs[0].dims, (std::vector<int64_t>{8192, 4096}));
  EXPECT_EQ(shapes->inputs[0].element_bytes, 2U);
  EXPECT_EQ(shapes->inputs[1].element_bytes, 4U);
  EXPECT_EQ(shapes->inputs[1].strides, (std::vector<int64_t>{1, 4096}));
  EXPECT_EQ(shapes->inputs[2].elements, 0);
  EXPECT_DOUBLE_EQ(shapes->input_bytes(), 8192.0 * 4096 * 2 + 4096.0 * 1024 * 4);
}

TEST(OpShapes, TensorListsAreSummedAndKeepTheirFirst) {
  const auto shapes = ParseShapes("[[[8, 16], [2, 16]], []]", R"([["float", "float"], ""])", "");
  ASSERT_TRUE(shapes.has_value());
  ASSERT_EQ(shapes->inputs.size(), 2U);
  EXPECT_EQ(shapes->inputs[0].dims, (std::vector<int64_t>{8, 16}));
  EXPECT_DOUBLE_EQ(shapes->inputs[0].elements, 160);
}

TEST(OpShapes, SurvivesAnyText) {
  EXPECT_FALSE(ParseShapes("", "", "").has_value());
  EXPECT_FALSE(ParseShapes("[[1, 2", "", "").has_value());
  EXPECT_FALSE(ParseShapes("]]", "", "").has_value());
  EXPECT_FALSE(ParseShapes(std::string(100000, '['), "", "").has_value());
  EXPECT_FALSE(ParseShapes("hello", "", "").has_value());
  EXPECT_TRUE(ParseShapes("[[99999999999999999999999999, -5]]", "[\"float", "[[").has_value());
  EXPECT_TRUE(ParseShapes("[null, [3]]", "[,\"float\"]", "[]").has_value());
  EXPECT_EQ(ParseShapes("[[2], [3]]", "", "")->inputs.size(), 2U);
}

TEST(GemmShape, OfProducts) {
  const auto mm = ParseShapes("[[16, 32], [32, 8]]", R"(["c10::Half", "c10::Half"])", "");
  const auto gemm = GemmShapeOf("aten::mm", *mm);
  ASSERT_TRUE(gemm.has_value());
  EXPECT_DOUBLE_EQ(gemm->flops(), 2.0 * 16 * 32 * 8);
  EXPECT_DOUBLE_EQ(gemm->bytes(), 2.0 * (16 * 32 + 32 * 8 + 16 * 8));
  EXPECT_FALSE(gemm->misaligned);
  const auto bias =
      ParseShapes("[[8], [16, 32], [32, 8], [], []]", R"(["float", "float", "float", "Scalar", "Scalar"])", "");
  EXPECT_DOUBLE_EQ(GemmShapeOf("aten::addmm", *bias)->flops(), gemm->flops());
  const auto bmm = ParseShapes("[[4, 16, 32], [4, 32, 8]]", "", "");
  EXPECT_DOUBLE_EQ(GemmShapeOf("aten::bmm", *bmm)->flops(), 4 * gemm->flops());
  EXPECT_FALSE(GemmShapeOf("aten::add", *mm).has_value());
  EXPECT_FALSE(GemmShapeOf("aten::mm", *ParseShapes("[[16], [32]]", "", "")).has_value());
}

TEST(GemmShape, AlignmentFollowsStrides) {
  const auto of = [](std::string_view dims, std::string_view strides) {
    return GemmShapeOf("aten::mm", *ParseShapes(dims, R"(["c10::BFloat16", "c10::BFloat16"])", strides))->misaligned;
  };
  EXPECT_TRUE(of("[[512, 1024], [1024, 50257]]", ""));
  EXPECT_TRUE(of("[[512, 4095], [4095, 1024]]", ""));
  // A transposed operand: its rows in memory are 1,024 long, so the odd 4,095 is no row length. Output rows: 1,024.
  EXPECT_FALSE(of("[[4095, 1024], [1024, 1024]]", "[[1024, 1], [1024, 1]]"));
  EXPECT_TRUE(of("[[1024, 4095], [4095, 1024]]", "[[4095, 1], [1024, 1]]"));
  EXPECT_FALSE(of("[[1024, 4095], [4095, 1024]]", "[[1, 1024], [1, 4096]]"));
}

}  // namespace
}  // namespace warpscope::analysis
