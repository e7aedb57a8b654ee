#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "activation_recompute";
constexpr const char* kGemm = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT";

struct Program {
  bool recompute = true;
  bool double_backward = false;  // forward operators in the backward pass that the forward pass never ran
  bool memory = false;
};

// Forward: linear (100 us), gelu (100 us). Backward: two nodes of 100 us, with the forward operators run again inside.
void Build(TraceBuilder& b, const Program& program) {
  SetH200(b.device());
  int64_t host = 1'000'000, device = 0;
  uint64_t sequence = 1;
  const auto launch = [&](std::string_view kernel) {
    const int64_t start = std::max(host + 5'000, device + 1'000);
    b.Launch(kernel, host + 1'000, 2'000, start, 100'000);
    device = start + 100'000;
    host += 4'000;
  };
  for (int step = 0; step < 6; ++step) {
    const int64_t begin = host;
    const auto forward = [&](std::string_view op, std::string_view kernel) {
      b.AddAutogradOp(op, host, 3'900, sequence++);
      launch(kernel);
    };
    forward("aten::linear", kGemm);
    forward("aten::gelu", "gelu_kernel");
    b.UseThread(2);
    for (const char* node : {"GeluBackward0", "AddmmBackward0"}) {
      const int64_t node_begin = host;
      host += 500;
      if (program.recompute && std::string_view(node) == "GeluBackward0") {
        forward(program.double_backward ? "aten::mul" : "aten::linear", kGemm);
        forward(program.double_backward ? "aten::neg" : "aten::gelu", "gelu_kernel");
      }
      launch("backward_kernel");
      b.AddAutogradOp(node, node_begin, host - node_begin, 1, 1);
      host += 500;
    }
    b.UseThread(1);
    const int64_t end = std::max(host + 1'000, device + 3'000);
    b.AddCall("cudaStreamSynchronize", host, end - host, 900'000 + static_cast<uint64_t>(step));
    b.AddAnnotation("ProfilerStep#" + std::to_string(step), begin, end + 500 - begin);
    if (program.memory) b.AddMemory(begin + 10, 1 << 20, 64, 0, 20'000'000'000, 30'000'000'000);
    host = end + 1'000;
  }
}

TEST(ActivationRecompute, Fires) {
  TraceBuilder b;
  Build(b, {});
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 33, 4);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kLow);  // nothing says that the activations would fit
}

TEST(ActivationRecompute, MemoryWithRoomMakesItSure) {
  TraceBuilder b;
  Build(b, {.memory = true});
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  EXPECT_EQ(outcome.findings[0].confidence, Confidence::kHigh);
}

TEST(ActivationRecompute, StaysSilent) {
  {
    TraceBuilder b;
    Build(b, {.recompute = false});
    ExpectSilent(Evaluate(kId, b));
  }
  {  // gradients of gradients
    TraceBuilder b;
    Build(b, {.double_backward = true});
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(ActivationRecompute, Abstains) {
  TraceBuilder b;
  DeviceProgram().Filler(100).BuildDeviceOnly(b);
  ExpectAbstains(Evaluate(kId, b));
}

}  // namespace
}  // namespace warpscope::rules::testing
