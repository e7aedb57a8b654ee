#include "model/reading_names.h"
#include "rules/testing/device_program.h"
#include "rules/testing/rule_test.h"

namespace warpscope::rules::testing {
namespace {

constexpr const char* kId = "clock_throttled";
constexpr const char* kGemm = "ampere_sgemm_128x64_nn";

struct LookAt {
  double clock_mhz = 990, power_cap = 1, load_pct = 100;
  std::optional<int64_t> time_ns = std::nullopt;
};

// A monitor's log as a second source with a device of its own.
void AddLog(TraceBuilder& b, const std::vector<LookAt>& looks, const std::string& device_name = "NVIDIA H200") {
  model::Trace& trace = b.trace();
  trace.sources.emplace_back();
  trace.sources.back().format = "nvidia_smi";
  model::Device device;
  device.source = 1;
  device.name = device_name;
  const uint32_t row = b.AddDevice(device);
  for (const LookAt& look : looks) {
    const auto add = [&](model::ReadingName name, double value) {
      model::Reading reading;
      reading.source = 1;
      reading.device = row;
      reading.time_ns = look.time_ns;
      reading.name = trace.strings.Intern(model::NameOf(name));
      reading.value = value;
      trace.readings.push_back(reading);
    };
    add(model::ReadingName::kClockSm, look.clock_mhz);
    add(model::ReadingName::kClockMaxSm, 1980);
    add(model::ReadingName::kThrottleSwPowerCap, look.power_cap);
    add(model::ReadingName::kUtilizationGpu, look.load_pct);
  }
}

void Program(TraceBuilder& b) {
  DeviceProgram()
      .Add({.kernel = kGemm, .us = 500})
      .Add({.kernel = "vectorized_elementwise_kernel<4, add>", .us = 500})
      .Build(b);
}

TEST(ClockThrottled, Fires) {
  TraceBuilder b;
  Program(b);
  AddLog(b, {{}, {}, {}, {.clock_mhz = 345, .power_cap = 0, .load_pct = 0}});
  const Outcome outcome = Evaluate(kId, b);
  ExpectFires(outcome);
  ASSERT_TRUE(outcome.findings[0].predicted.has_value());
  // Half of the step is a product at half of the clock: a quarter comes back; all kernels: a half.
  EXPECT_NEAR(outcome.findings[0].predicted->gain_pct, 25, 5);
  EXPECT_GT(outcome.findings[0].predicted->high_pct, 40);
  EXPECT_LT(outcome.findings[0].predicted->low_pct, 15);
}

// A recording that carries its own samples: on the timeline's device, beside a fact without a time.
void AddOwnSamples(TraceBuilder& b, double load_pct) {
  AddLog(b, {{.load_pct = load_pct, .time_ns = 100'000}, {.load_pct = load_pct, .time_ns = 600'000}});
  model::Trace& trace = b.trace();
  trace.sources.back().format = "capture";
  for (model::Reading& reading : trace.readings) reading.device = 0;
}

TEST(ClockThrottled, JudgesTheSamplesOfARecording) {
  TraceBuilder b;
  Program(b);
  AddOwnSamples(b, 100);
  ExpectFires(Evaluate(kId, b));
}

TEST(ClockThrottled, DoesNotAskForAnotherToolWhereTheRunHasSamples) {
  TraceBuilder b;
  Program(b);
  AddOwnSamples(b, 0);
  const Outcome outcome = Evaluate(kId, b);
  ExpectAbstains(outcome);
  EXPECT_EQ(outcome.abstention->record_instead.find("nvidia-smi"), std::string::npos);
}

TEST(ClockThrottled, StaysSilent) {
  {  // at its highest clock
    TraceBuilder b;
    Program(b);
    AddLog(b, {{.clock_mhz = 1965}, {.clock_mhz = 1965}});
    ExpectSilent(Evaluate(kId, b));
  }
  {  // low, but nothing holds it down
    TraceBuilder b;
    Program(b);
    AddLog(b, {{.power_cap = 0}, {.power_cap = 0}});
    ExpectSilent(Evaluate(kId, b));
  }
}

TEST(ClockThrottled, Abstains) {
  {  // no log
    TraceBuilder b;
    Program(b);
    ExpectAbstains(Evaluate(kId, b));
  }
  {  // only looks at an idle device
    TraceBuilder b;
    Program(b);
    AddLog(b, {{.load_pct = 0}});
    ExpectAbstains(Evaluate(kId, b));
  }
  {  // another model of device
    TraceBuilder b;
    Program(b);
    AddLog(b, {{}}, "Tesla T4");
    ExpectAbstains(Evaluate(kId, b));
  }
}

}  // namespace
}  // namespace warpscope::rules::testing
