#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "atomic_contention";
constexpr const char* kAdd =
    "void at::native::(anonymous namespace)::indexFuncLargeIndex<float, long, unsigned int, 2, 2, -2, true, "
    "at::native::(anonymous namespace)::ReduceAdd>";

TEST(AtomicContention, Fires) {
  TraceBuilder b;
  // 270 MB of operands: 70 us at memory speed, not 2 ms.
  DeviceProgram()
      .Add({.op = "aten::index_add_",
            .kernel = kAdd,
            .us = 2000,
            .dims = "[[4, 64], [], [1048576], [1048576, 64], []]",
            .types = R"(["float", "Scalar", "long int", "float", "Scalar"])"})
      .Build(b);
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kMedium);
  EXPECT_GT(outcome.findings[0].predicted->gain_pct, 85);
}

TEST(AtomicContention, StaysSilent) {
  {  // about as fast as its bytes allow
    TraceBuilder b;
    DeviceProgram()
        .Filler(100)
        .Add({.op = "aten::index_add_",
              .kernel = kAdd,
              .us = 150,
              .dims = "[[1000000, 64], [], [1048576], [1048576, 64], []]",
              .types = R"(["float", "Scalar", "long int", "float", "Scalar"])"})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // slow, but spread over as many addresses as there are values
    TraceBuilder b;
    DeviceProgram()
        .Add({.op = "aten::index_add_",
              .kernel = kAdd,
              .us = 2000,
              .dims = "[[1048576, 64], [], [1048576], [1048576, 64], []]",
              .types = R"(["float", "Scalar", "long int", "float", "Scalar"])"})
        .Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
  {  // sizes unknown and a modest share
    TraceBuilder b;
    DeviceProgram().Filler(900).Add({.op = "aten::index_add_", .kernel = kAdd, .us = 100}).Build(b);
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(AtomicContention, Abstains) {
  TraceBuilder b;
  DeviceProgram().Add({.kernel = kAdd, .us = 500}).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
