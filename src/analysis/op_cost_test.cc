#include "analysis/op_cost.h"

#include <gtest/gtest.h>

namespace warpscope::analysis {
namespace {

std::optional<OpCost> Cost(std::string_view name, std::string_view dims, std::string_view types,
                           std::string_view concrete = "") {
  const auto shapes = ParseShapes(dims, types, "");
  return shapes ? CostOf(name, *shapes, concrete) : std::nullopt;
}

TEST(OpCost, MatrixProducts) {
  const auto cost = Cost("aten::mm", "[[16, 32], [32, 8]]", R"(["float", "float"])");
  ASSERT_TRUE(cost.has_value());
  EXPECT_DOUBLE_EQ(cost->flops, 2.0 * 16 * 32 * 8);
  EXPECT_DOUBLE_EQ(cost->bytes, 4.0 * (16 * 32 + 32 * 8 + 16 * 8));
  EXPECT_TRUE(cost->is_matrix);
  EXPECT_FALSE(Cost("aten::mm", "[[16, 32], [32, 8]]", "").has_value()) << "bytes need types";
}

TEST(OpCost, ConvolutionFollowsStrideAndPadding) {
  // ResNet's first layer: 112 x 112 places of 64 channels.
  const auto cost =
      Cost("aten::convolution", "[[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]",
           R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
           R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"])");
  ASSERT_TRUE(cost.has_value());
  EXPECT_DOUBLE_EQ(cost->flops, 2.0 * 32 * 64 * 112 * 112 * 3 * 7 * 7);
  EXPECT_DOUBLE_EQ(cost->bytes, 4.0 * (32 * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 32.0 * 64 * 112 * 112));
  // Old traces have no values: the stride is not known.
  EXPECT_FALSE(Cost("aten::convolution", "[[32, 3, 224, 224], [64, 3, 7, 7]]", R"(["float", "float"])").has_value());
  // cuDNN's has the padding first.
  const auto cudnn = Cost("aten::cudnn_convolution", "[[32, 3, 224, 224], [64, 3, 7, 7]]", R"(["float", "float"])",
                          R"(["", "", "[3, 3]", "[2, 2]", "[1, 1]", "1", "False", "False", "True"])");
  ASSERT_TRUE(cudnn.has_value());
  EXPECT_DOUBLE_EQ(cudnn->flops, cost->flops);
}

TEST(OpCost, ConvolutionGradientsThatWereAskedFor) {
  const auto of = [](std::string_view mask) {
    return Cost("aten::convolution_backward",
                "[[32, 64, 112, 112], [32, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], [], []]",
                R"(["float", "float", "float"])",
                std::string(R"(["", "", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1", ")") +
                    std::string(mask) + "\"]");
  };
  const double once = 2.0 * 32 * 64 * 112 * 112 * 3 * 7 * 7;
  EXPECT_DOUBLE_EQ(of("[True, True, False]")->flops, 2 * once);
  EXPECT_DOUBLE_EQ(of("[False, True, False]")->flops, once);
  EXPECT_FALSE(of("").has_value());
}

TEST(OpCost, Attention) {
  const auto of = [](std::string_view causal) {
    return Cost("aten::_scaled_dot_product_flash_attention",
                "[[8, 16, 4096, 128], [8, 16, 4096, 128], [8, 16, 4096, 128], [], [], [], []]",
                R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar", "Scalar", "Scalar"])",
                std::string(R"(["", "", "", "0.", ")") + std::string(causal) + R"(", "False", "0.08"])");
  };
  EXPECT_DOUBLE_EQ(of("False")->flops, 4.0 * 8 * 16 * 4096 * 4096 * 128);
  EXPECT_DOUBLE_EQ(of("True")->flops, of("False")->flops / 2);
  EXPECT_DOUBLE_EQ(of("False")->bytes, 4.0 * 8 * 16 * 4096 * 128 * 2);
  EXPECT_FALSE(of("").has_value()) << "whether half of it is left out is not known";
  // The same call one level further in, with heads behind rows.
  const auto inner =
      Cost("aten::_flash_attention_forward", "[[8, 4096, 16, 128], [8, 4096, 16, 128], [8, 4096, 16, 128]]",
           R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])",
           R"(["", "", "", "", "", "4096", "4096", "0.", "False", "False"])");
  EXPECT_DOUBLE_EQ(inner->flops, of("False")->flops);
  // Grouped queries: keys of 2 heads are read once, and every query head multiplies.
  const auto grouped =
      Cost("aten::_scaled_dot_product_flash_attention", "[[1, 16, 64, 32], [1, 2, 128, 32], [1, 2, 128, 32]]",
           R"(["c10::Half", "c10::Half", "c10::Half"])", R"(["", "", "", "0.", "False"])");
  EXPECT_DOUBLE_EQ(grouped->flops, 4.0 * 16 * 64 * 128 * 32);
}

TEST(OpCost, ElementByElement) {
  const auto add = Cost("aten::add", "[[1000, 8], [8], []]", R"(["float", "float", "Scalar"])");
  EXPECT_DOUBLE_EQ(add->flops, 8000);
  EXPECT_DOUBLE_EQ(add->bytes, 4.0 * (8000 + 8 + 8000));
  const auto in_place = Cost("aten::add_", "[[1000], [1000], []]", R"(["c10::Half", "float", "Scalar"])");
  EXPECT_DOUBLE_EQ(in_place->bytes, 2.0 * 1000 + 4.0 * 1000 + 2.0 * 1000);
  const auto copy = Cost("aten::copy_", "[[1000], [1000], []]", R"(["c10::BFloat16", "float", ""])");
  EXPECT_DOUBLE_EQ(copy->flops, 0);
  EXPECT_DOUBLE_EQ(copy->bytes, 2.0 * 1000 + 4.0 * 1000);
  EXPECT_DOUBLE_EQ(Cost("aten::zero_", "[[1000]]", R"(["float"])")->bytes, 4000);
  EXPECT_DOUBLE_EQ(Cost("aten::lt", "[[1000], []]", R"(["double", "Scalar"])")->bytes, 9000);
  EXPECT_FALSE(Cost("aten::sort", "[[1000]]", R"(["float"])").has_value());
  EXPECT_FALSE(Cost("my::add", "[[1000]]", R"(["float"])").has_value());
}

TEST(OpCost, SurvivesAnyShapes) {
  for (const std::string_view dims :
       {"[[]]", "[[-1, -2, -3, -4], [0, 0, 0, 0], [1, 1, 1, 1]]",
        "[[9999999999999999999, 3, 3, 3], [9999999999999999999, 3, 3, 3], [1, 1, 1, 1]]"}) {
    for (const std::string_view name : {"aten::mm", "aten::convolution", "aten::convolution_backward",
                                        "aten::_flash_attention_backward", "aten::add"}) {
      const auto cost = Cost(name, dims, R"(["float", "float", "float"])",
                             R"(["", "", "", "[0, 0]", "[-9, 99999999999999999999]", "[", "False", "False)");
      if (cost) EXPECT_GE(cost->flops, 0) << name << dims;
    }
  }
}

}  // namespace
}  // namespace warpscope::analysis
