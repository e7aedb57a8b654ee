#include "analysis/counter_attribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "analysis/attribution_solve.h"
#include "model/testing/trace_builder.h"

namespace warpscope::analysis {
namespace {

constexpr int64_t kUs = 1000, kMs = 1'000'000;

// Kernels on a device with true values, and samples of them as a device would give them.
class Device {
 public:
  struct Kernel {
    std::string name;
    int64_t start_ns, dur_ns;
    double active_pct, read_pct;
    int64_t stream = 7;
  };

  explicit Device(uint32_t seed) : random_(seed) {}
  double Uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  double Normal(double deviation) { return std::normal_distribution<double>(0, deviation)(random_); }

  void Run(const Kernel& kernel) { kernels_.push_back(kernel); }

  // A window of samples; idle shows as `idle_pct` of both quantities.
  void Sample(int64_t from_ns, int64_t to_ns, int64_t interval_ns, double noise_pct, double idle_pct = 0) {
    model::Trace& trace = builder_.trace();
    if (trace.sampled_metrics.empty()) {
      for (const char* name : {"TPC.TriageCompute.sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                               "FBSP.TriageCompute.dramc__read_throughput.avg.pct_of_peak_sustained_elapsed"})
        trace.sampled_metrics.push_back({trace.strings.Intern(name), trace.strings.Intern("%")});
    }
    model::CounterWindow window;
    window.process = 0, window.device = 0;
    window.start_ns = from_ns, window.dur_ns = to_ns - from_ns, window.interval_ns = interval_ns;
    window.metric_begin = 0, window.metric_end = 2;
    window.sample_begin = static_cast<uint32_t>(trace.device_samples.size());
    for (int64_t at = from_ns; at + interval_ns <= to_ns; at += interval_ns) {
      double active = 0, read = 0, busy = 0;
      for (const Kernel& kernel : kernels_) {
        const int64_t overlap =
            std::min(kernel.start_ns + kernel.dur_ns, at + interval_ns) - std::max(kernel.start_ns, at);
        if (overlap <= 0) continue;
        const double share = static_cast<double>(overlap) / static_cast<double>(interval_ns);
        active += share * kernel.active_pct, read += share * kernel.read_pct, busy += share;
      }
      const double idle = idle_pct * std::max(0.0, 1 - busy);
      trace.device_samples.push_back({at, interval_ns, trace.sampled_values.size()});
      trace.sampled_values.push_back(static_cast<float>(std::max(0.0, active + idle + Normal(noise_pct))));
      trace.sampled_values.push_back(static_cast<float>(std::max(0.0, read + idle + Normal(noise_pct))));
    }
    window.sample_end = static_cast<uint32_t>(trace.device_samples.size());
    trace.counter_windows.push_back(window);
  }

  // From that sample on there is no value of the second quantity.
  void ForgetReadsFrom(size_t sample) {
    model::Trace& trace = builder_.trace();
    for (size_t i = sample; i < trace.device_samples.size(); ++i)
      trace.sampled_values[trace.device_samples[i].value_begin + 1] = NAN;
  }

  // Recorded times are off by up to `jitter_ns`.
  CounterAttribution Attribute(int64_t jitter_ns = 0) {
    for (const Kernel& kernel : kernels_) {
      const auto shift = static_cast<int64_t>(Uniform(-1, 1) * static_cast<double>(jitter_ns));
      builder_.AddKernel(kernel.name, kernel.start_ns + shift, kernel.dur_ns, model::kNoId, kernel.stream);
    }
    return AttributeCounters(builder_.Finish());
  }
  const AttributedKernel& Find(const CounterAttribution& all, const std::string& name) {
    for (const AttributedKernel& kernel : all.kernels) {
      if (builder_.trace().Text(kernel.name) == name) return kernel;
    }
    ADD_FAILURE() << name;
    return all.kernels.front();
  }

 private:
  std::mt19937 random_;
  model::testing::TraceBuilder builder_;
  std::vector<Kernel> kernels_;
};

TEST(CounterAttribution, WithoutSamplesThereIsNothing) {
  Device device(1);
  device.Run({"k", 0, 100, 50, 50});
  EXPECT_TRUE(device.Attribute().empty());
}

TEST(CounterAttribution, AKernelThatFillsItsSamplesIsTheirMean) {
  Device device(1);
  device.Run({"long", 0, 10 * kMs, 80, 30});
  device.Sample(1 * kMs, 5 * kMs, 20 * kUs, 1);
  const auto all = device.Attribute();
  const AttributedKernel& kernel = device.Find(all, "long");
  EXPECT_EQ(kernel.how, Attribution::kDirect);
  EXPECT_NEAR(kernel[Sampled::kSmActive]->pct, 80, 0.5);
  EXPECT_NEAR(kernel[Sampled::kDramRead]->pct, 30, 0.5);
  EXPECT_LT(kernel[Sampled::kSmActive]->error_pct, 1);
  EXPECT_FALSE(kernel[Sampled::kTensor]);
  EXPECT_EQ(all.known_share_pct, 100);
}

// Values that were left out since their counter lied: no zeros.
TEST(CounterAttribution, SamplesWithoutAValueAreNoEquationOfIt) {
  Device device(1);
  for (int i = 0; i < 200; ++i) {
    device.Run({"long", i * 200 * kUs, 150 * kUs, 80, 30});
    device.Run({"short", (i * 200 + 155) * kUs, 30 * kUs, 50, 60});
  }
  device.Sample(1 * kMs, 21 * kMs, 20 * kUs, 0.5);
  device.ForgetReadsFrom(400);
  const auto all = device.Attribute();
  EXPECT_NEAR(device.Find(all, "long")[Sampled::kSmActive]->pct, 80, 1);
  EXPECT_NEAR(device.Find(all, "long")[Sampled::kDramRead]->pct, 30, 1);
  EXPECT_NEAR(device.Find(all, "short")[Sampled::kDramRead]->pct, 60, 2);
}

TEST(CounterAttribution, TheIdleLevelIsNotTheKernels) {
  Device device(2);
  for (int i = 0; i < 400; ++i) device.Run({"half", i * 50 * kUs, 13 * kUs, 40, 0});
  device.Sample(0, 20 * kMs, 20 * kUs, 0.2, 8);
  const auto all = device.Attribute();
  EXPECT_NEAR(device.Find(all, "half")[Sampled::kSmActive]->pct, 40, 1.5);
  EXPECT_NEAR(device.Find(all, "half")[Sampled::kDramRead]->pct, 0, 1.5);
}

// Kernels with true values in a random order, sampled with noise and with jitter of their times.
TEST(CounterAttribution, ValuesLieWithinTheirErrorBars) {
  constexpr int kSeeds = 12;
  size_t values = 0, inside = 0;
  double worst_short = 0;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(seed);
    struct Type {
      std::string name;
      int64_t dur_ns;
      double active_pct, read_pct;
    };
    std::vector<Type> types;
    for (int i = 0; i < 24; ++i) {
      const double dur_us = i < 8 ? device.Uniform(5, 10) : i < 18 ? device.Uniform(20, 80) : device.Uniform(200, 500);
      types.push_back({"kernel_" + std::to_string(i), static_cast<int64_t>(dur_us * 1000), device.Uniform(2, 100),
                       device.Uniform(0, 90)});
    }
    for (int64_t now_ns = 0; now_ns < 400 * kMs;) {
      const Type& type = types[static_cast<size_t>(device.Uniform(0, 23.999))];
      const auto dur_ns = static_cast<int64_t>(static_cast<double>(type.dur_ns) * device.Uniform(0.95, 1.05));
      device.Run({type.name, now_ns, dur_ns, type.active_pct, type.read_pct});
      now_ns += dur_ns + static_cast<int64_t>(device.Uniform(0.5, 3) * 1000);
      if (device.Uniform(0, 1) < 0.05) now_ns += 60 * kUs;
    }
    for (int window = 0; window < 10; ++window)
      device.Sample((window * 37 + 3) * kMs, (window * 37 + 23) * kMs, 20 * kUs, 2);
    const auto all = device.Attribute(300);
    for (const Type& type : types) {
      const AttributedKernel& kernel = device.Find(all, type.name);
      for (const auto& [quantity, truth] :
           {std::pair(Sampled::kSmActive, type.active_pct), std::pair(Sampled::kDramRead, type.read_pct)}) {
        const auto value = kernel[quantity];
        ASSERT_TRUE(value) << type.name << ": " << AttributionText(kernel.how);
        EXPECT_GE(value->pct, 0);
        EXPECT_LE(value->pct, 100);
        ++values;
        inside += std::abs(value->pct - truth) <= value->error_pct ? 1 : 0;
        if (type.dur_ns < 10 * kUs) worst_short = std::max(worst_short, std::abs(value->pct - truth));
        else EXPECT_NEAR(value->pct, truth, 5) << type.name;
      }
    }
  }
  EXPECT_LT(worst_short, 10);
  EXPECT_GE(static_cast<double>(inside), 0.93 * static_cast<double>(values)) << inside << " of " << values;
}

TEST(CounterAttribution, WhatAlwaysRunsTogetherIsNotToldApart) {
  Device device(3);
  for (int i = 0; i < 1000; ++i) {  // in step with the samples
    device.Run({"first", i * 20 * kUs, 5 * kUs, 90, 0});
    device.Run({"second", i * 20 * kUs + 6 * kUs, 5 * kUs, 10, 0});
  }
  device.Sample(0, 20 * kMs, 20 * kUs, 1);
  const auto all = device.Attribute();
  EXPECT_EQ(device.Find(all, "first").how, Attribution::kTogether);
  EXPECT_EQ(device.Find(all, "second").how, Attribution::kTogether);
  EXPECT_FALSE(device.Find(all, "first")[Sampled::kSmActive]);
}

TEST(CounterAttribution, KernelsBesideEachOtherAreLeftOut) {
  Device device(4);
  for (int i = 0; i < 100; ++i) {
    device.Run({"a", i * 200 * kUs, 100 * kUs, 30, 0, 7});
    device.Run({"b", i * 200 * kUs, 100 * kUs, 40, 0, 8});
    device.Run({"alone", i * 200 * kUs + 110 * kUs, 80 * kUs, 60, 0, 7});
  }
  device.Sample(0, 20 * kMs, 20 * kUs, 1);
  const auto all = device.Attribute();
  EXPECT_EQ(device.Find(all, "a").how, Attribution::kConcurrent);
  EXPECT_EQ(device.Find(all, "b").how, Attribution::kConcurrent);
  EXPECT_NEAR(device.Find(all, "alone")[Sampled::kSmActive]->pct, 60, 2);
  EXPECT_GT(all.concurrent_samples, 400U);
}

TEST(CounterAttribution, KernelsOutsideAllWindowsAreToldSo) {
  Device device(5);
  device.Run({"seen", 0, 10 * kMs, 80, 30});
  device.Run({"unseen", 20 * kMs, 10 * kMs, 80, 30});
  device.Sample(1 * kMs, 5 * kMs, 20 * kUs, 1);
  const auto all = device.Attribute();
  EXPECT_EQ(device.Find(all, "unseen").how, Attribution::kUnmet);
  EXPECT_EQ(all.known_share_pct, 50);
}

TEST(SolveBounded, KeepsWithinTheBoundsWhereTheFreeSolutionDoesNot) {
  Matrix a(2);
  a.at(0, 0) = a.at(1, 1) = 1, a.at(0, 1) = a.at(1, 0) = 0.9;
  // Freely: (-42, 58) / 0.19 ...; with 0 at the first, the second is its own least squares.
  const auto x = SolveBounded(a, {1, 10}, 100);
  EXPECT_EQ(x[0], 0);
  EXPECT_NEAR(x[1], 10, 1e-3);
  EXPECT_NEAR(SolveBounded(a, {200, 0}, 100)[0], 100, 1e-3);
}

TEST(Inverse, OfAWellConditionedMatrixAndOfOneWithAnEmptyColumn) {
  Matrix a(3);
  a.at(0, 0) = 4, a.at(1, 1) = 2, a.at(0, 1) = a.at(1, 0) = 1;
  const Matrix inverse = Inverse(a);
  EXPECT_NEAR(inverse.at(0, 0), 2.0 / 7, 1e-6);
  EXPECT_NEAR(inverse.at(0, 1), -1.0 / 7, 1e-6);
  EXPECT_NEAR(inverse.at(1, 1), 4.0 / 7, 1e-6);
  EXPECT_EQ(inverse.at(2, 2), 0);
}

TEST(CounterAttribution, ARatioOfUncertainValuesIsNone) {
  AttributedKernel kernel;
  kernel.values[static_cast<size_t>(Sampled::kWarpsActive)] = SampledValue{30, 1};
  kernel.values[static_cast<size_t>(Sampled::kSmActive)] = SampledValue{60, 1};
  ASSERT_TRUE(kernel.OccupancyPct());
  EXPECT_NEAR(*kernel.OccupancyPct(), 50, 1e-9);
  kernel.values[static_cast<size_t>(Sampled::kSmActive)] = SampledValue{20, 8};
  EXPECT_FALSE(kernel.OccupancyPct());
}

}  // namespace
}  // namespace warpscope::analysis
