#include "analysis/profile_join.h"

#include <gtest/gtest.h>

#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

TEST(KernelNames, NormalForm) {
  EXPECT_EQ(NormalKernelName("void gemm<float, 4 >(float const*, int)"), "gemm<float,4>");
  EXPECT_EQ(NormalKernelName("gemm<float,4>"), "gemm<float,4>");
  EXPECT_EQ(NormalKernelName("vecadd(const float *, unsigned long)"), "vecadd");
  EXPECT_EQ(NormalKernelName("void at::native::f<Op<float> >(int, Op<float>)"), "at::native::f<Op<float>>");
  EXPECT_EQ(NormalKernelName("enable_if<!T7, void>::type kernel<int, 0>(T13)"), "kernel<int,0>");
  EXPECT_EQ(NormalKernelName("void (anonymous namespace)::k<(bool)1>(int)"), "(anonymousnamespace)::k<(bool)1>");
  EXPECT_EQ(NormalKernelName("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
  EXPECT_EQ(NormalKernelName("name.kd"), "name");
  EXPECT_EQ(NormalKernelName(""), "");
  EXPECT_EQ(NormalKernelName("((("), "(((");
  EXPECT_EQ(NormalKernelName(")"), ")");
}

TEST(KernelNames, BaseForm) {
  EXPECT_EQ(BaseKernelName("void at::native::vectorized<4, Op<int>>(int)"), "vectorized");
  EXPECT_EQ(BaseKernelName("gemm"), "gemm");
  EXPECT_EQ(BaseKernelName("<<<"), "<<<");
}

class Join : public ::testing::Test {
 protected:
  static model::LaunchConfig Config(uint32_t grid, uint32_t block) {
    return model::testing::TraceBuilder::Config(grid, block, 32, 0);
  }
  void AddKernel(std::string_view name, uint32_t grid, uint32_t block) {
    builder_.Launch(std::string(name), at_, 5'000, at_ + 10'000, 1'000, 7, Config(grid, block));
    at_ += 100'000;
  }
  void AddProfile(std::string_view name, std::optional<model::LaunchConfig> config) {
    model::Trace& trace = builder_.trace();
    model::KernelProfile profile;
    profile.name = trace.strings.Intern(name);
    if (config) {
      profile.config = static_cast<uint32_t>(trace.launch_configs.size());
      trace.launch_configs.push_back(*config);
    }
    trace.kernel_profiles.push_back(profile);
  }
  ProfileJoin Joined() {
    trace_ = &builder_.Finish();
    return JoinProfiles(*trace_, GroupProfiles(*trace_, GroupBy::kNameAndGeometry));
  }

  model::testing::TraceBuilder builder_;
  const model::Trace* trace_ = nullptr;
  int64_t at_ = 0;
};

TEST_F(Join, ByNameAndGeometry) {
  AddKernel("void f<int>(int)", 10, 64);
  AddKernel("void f<int>(int)", 20, 64);
  AddProfile("f<int>(int)", Config(20, 64));
  AddProfile("f<int>(int)", Config(30, 64));
  const ProfileJoin join = Joined();
  ASSERT_EQ(join.targets.size(), 2U);
  ASSERT_EQ(join.targets[0].size(), 1U);
  EXPECT_EQ(trace_->launch_configs[join.targets[0][0].config].grid[0], 20U);
  EXPECT_TRUE(join.targets[1].empty());
  EXPECT_EQ(join.unmatched_profiles, 1U);
}

TEST_F(Join, WithoutGeometryTheNameSufficesIfItIsTheOnlyOne) {
  AddKernel("f(int)", 10, 64);
  AddKernel("f(int)", 20, 64);
  AddProfile("f(int)", std::nullopt);
  const ProfileJoin join = Joined();
  EXPECT_EQ(join.targets[0].size(), 2U);
  EXPECT_EQ(join.unmatched_profiles, 0U);
}

TEST_F(Join, BaseNamesOnlyWhereTheyAreUnique) {
  AddKernel("void ns::f<int>(int)", 10, 64);
  AddKernel("void ns::g<int>(int)", 10, 64);
  AddKernel("void ns::g<float>(int)", 10, 64);
  AddProfile("f", Config(10, 64));
  AddProfile("g", Config(10, 64));
  const ProfileJoin join = Joined();
  EXPECT_EQ(join.targets[0].size(), 1U);
  EXPECT_TRUE(join.targets[1].empty());
  EXPECT_EQ(join.unmatched_profiles, 1U);
}

}  // namespace
}  // namespace warpscope::analysis
