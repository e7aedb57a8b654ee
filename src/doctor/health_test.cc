// Health of one device: what is a fault, what is none, and what it costs.
#include <gtest/gtest.h>

#include <functional>

#include "doctor/fitness.h"
#include "doctor/testing/machines.h"

namespace warpscope::doctor {
namespace {

using testing::Fit;
using testing::Set;
using testing::SetText;
using testing::Told;
using R = ReadingName;

// A counter in two looks.
void Grow(Gpu& gpu, R counter, double from, double to, int64_t seconds) {
  constexpr int64_t kSecond = 1'000'000'000;
  Set(gpu, counter, from);
  const Look first = gpu.looks.back();
  gpu.looks.back().time_ns = 0;
  gpu.looks.push_back(first);
  gpu.looks.back().time_ns = seconds * kSecond;
  gpu.looks.back().values[counter].number = to;
}

struct Case {
  const char* what;
  std::function<void(Gpu&)> state;
  const char* id;
  const char* told;      // begins with: state and the first words; "" where no step is made
  const char* evidence;  // is part of it
  int exit_code;
};

const Case kCases[] = {
    {"rows pending",
     [](Gpu& g) {
       Set(g, R::kRemappedPending, 1), Set(g, R::kRemappedUncorrectable, 4), Set(g, R::kRemappedFailure, 0);
     },
     "row_remapping", "warning", "no failure", kExitWarning},
    {"rows failed", [](Gpu& g) { Set(g, R::kRemappedPending, 1), Set(g, R::kRemappedFailure, 1); }, "row_remapping",
     "failure", "replaced", kExitCritical},
    {"rows corrected",
     [](Gpu& g) { Set(g, R::kRemappedPending, 0), Set(g, R::kRemappedCorrectable, 3), Set(g, R::kRemappedFailure, 0); },
     "row_remapping", "ok", "3 after corrected", kExitInOrder},
    {"no remapping", [](Gpu&) {}, "row_remapping", "", "", kExitInOrder},
    {"pages pending", [](Gpu& g) { Set(g, R::kPageRetirementPending, 1), Set(g, R::kPagesRetiredDouble, 2); },
     "retired_pages", "warning", "2 after double-bit", kExitWarning},
    {"pages used up", [](Gpu& g) { Set(g, R::kPagesRetiredSingle, 40), Set(g, R::kPagesRetiredDouble, 21); },
     "retired_pages", "failure", "61 pages", kExitCritical},
    {"uncorrected", [](Gpu& g) { Set(g, R::kEccMode, 1), Set(g, R::kEccUncorrected, 2); }, "ecc", "failure",
     "2 uncorrected", kExitBroken},
    {"corrected", [](Gpu& g) { Set(g, R::kEccMode, 1), Set(g, R::kEccUncorrected, 0), Set(g, R::kEccCorrected, 7); },
     "ecc", "ok", "7 corrected", kExitInOrder},
    {"unrepairable", [](Gpu& g) { Set(g, R::kMemoryUnrepairable, 1); }, "ecc", "failure", "cannot be repaired",
     kExitCritical},
    {"reset wanted", [](Gpu& g) { SetText(g, R::kRecoveryAction, "Reset"); }, "recovery", "failure", "reset",
     kExitCritical},
    {"nothing wanted", [](Gpu& g) { SetText(g, R::kRecoveryAction, "None"); }, "recovery", "", "", kExitInOrder},
    {"drain wanted", [](Gpu& g) { SetText(g, R::kRecoveryAction, "Drain P2P"); }, "recovery", "warning", "drain",
     kExitWarning},
    {"heat by hardware",
     [](Gpu& g) {
       Set(g, R::kThrottleHwThermal, 1), Set(g, R::kThrottleHwSlowdown, 1), Set(g, R::kClockSm, 990),
           Set(g, R::kClockMaxSm, 1980);
     },
     "throttling", "failure", "50 % lost", kExitBroken},
    {"heat by software",
     [](Gpu& g) { Set(g, R::kThrottleSwThermal, 1), Set(g, R::kClockSm, 1485), Set(g, R::kClockMaxSm, 1980); },
     "throttling", "warning", "25 % lost", kExitWarning},
    {"power brake", [](Gpu& g) { Set(g, R::kThrottleHwPowerBrake, 1); }, "throttling", "failure", "power supply",
     kExitBroken},
    {"at its power limit",
     [](Gpu& g) { Set(g, R::kThrottleSwPowerCap, 1), Set(g, R::kClockSm, 1900), Set(g, R::kClockMaxSm, 1980); },
     "throttling", "ok", "power limit", kExitInOrder},
    {"far below by power",
     [](Gpu& g) { Set(g, R::kThrottleSwPowerCap, 1), Set(g, R::kClockSm, 1000), Set(g, R::kClockMaxSm, 1980); },
     "throttling", "warning", "49 % lost", kExitWarning},
    {"idle",
     [](Gpu& g) {
       Set(g, R::kThrottleIdle, 1), Set(g, R::kThrottleSwPowerCap, 0), Set(g, R::kClockSm, 345),
           Set(g, R::kClockMaxSm, 1980);
     },
     "throttling", "ok", "nothing holds", kExitInOrder},
    {"limit set low",
     [](Gpu& g) { Set(g, R::kPowerDraw, 100), Set(g, R::kPowerLimit, 350), Set(g, R::kPowerLimitDefault, 700); },
     "power_limit", "warning", "50 % less", kExitWarning},
    {"limit as it comes",
     [](Gpu& g) { Set(g, R::kPowerDraw, 100), Set(g, R::kPowerLimit, 700), Set(g, R::kPowerLimitDefault, 700); },
     "power_limit", "ok", "100 W of 700", kExitInOrder},
    {"locked low",
     [](Gpu& g) {
       Set(g, R::kUtilizationGpu, 99), Set(g, R::kClockSm, 900), Set(g, R::kClockMaxSm, 1980),
           Set(g, R::kThrottleSwPowerCap, 0);
     },
     "clocks", "warning", "locked", kExitWarning},
    {"idle clock",
     [](Gpu& g) {
       Set(g, R::kUtilizationGpu, 0), Set(g, R::kClockSm, 345), Set(g, R::kClockMaxSm, 1980),
           Set(g, R::kThrottleSwPowerCap, 0);
     },
     "clocks", "", "", kExitInOrder},
    {"application clock",
     [](Gpu& g) {
       Set(g, R::kClockLimitGraphics, 900), Set(g, R::kClockLimitDefault, 1200), Set(g, R::kClockMaxSm, 1900);
     },
     "clocks", "warning", "25 % less", kExitWarning},
    {"application clock of its own",
     [](Gpu& g) {
       Set(g, R::kClockLimitGraphics, 1200), Set(g, R::kClockLimitDefault, 1200), Set(g, R::kClockMaxSm, 1900);
     },
     "clocks", "", "", kExitInOrder},
    {"slow link when idle",
     [](Gpu& g) {
       Set(g, R::kPcieGenCurrent, 1), Set(g, R::kPcieGenMax, 4), Set(g, R::kPcieWidthCurrent, 16),
           Set(g, R::kPcieWidthMax, 16), Set(g, R::kUtilizationGpu, 0);
     },
     "pcie_link", "ok", "idle link slows down", kExitInOrder},
    {"slow link under load",
     [](Gpu& g) {
       Set(g, R::kPcieGenCurrent, 1), Set(g, R::kPcieGenMax, 4), Set(g, R::kPcieWidthCurrent, 16),
           Set(g, R::kPcieWidthMax, 16), Set(g, R::kUtilizationGpu, 90);
     },
     "pcie_link", "warning", "4.0 of 31.5 GB/s", kExitWarning},
    {"few lanes of an idle link",
     [](Gpu& g) {
       Set(g, R::kPcieGenCurrent, 1), Set(g, R::kPcieGenMax, 5), Set(g, R::kPcieWidthCurrent, 8);
       Set(g, R::kPcieWidthMax, 16);
     },
     "pcie_link", "warning", "8 of 16 lanes: 31.5 of 63.0 GB/s once it works at generation 5", kExitWarning},
    {"few lanes",
     [](Gpu& g) {
       Set(g, R::kPcieGenCurrent, 4), Set(g, R::kPcieGenMax, 4), Set(g, R::kPcieWidthCurrent, 4),
           Set(g, R::kPcieWidthMax, 16);
     },
     "pcie_link", "warning", "4 of 16 lanes", kExitWarning},
    {"old slot",
     [](Gpu& g) {
       Set(g, R::kPcieGenCurrent, 3), Set(g, R::kPcieGenMax, 3), Set(g, R::kPcieGenDeviceMax, 4),
           Set(g, R::kPcieGenHostMax, 3), Set(g, R::kPcieWidthCurrent, 16), Set(g, R::kPcieWidthMax, 16);
     },
     "pcie_link", "ok", "the slot does 3", kExitInOrder},
    {"replays of unknown time", [](Gpu& g) { Set(g, R::kPcieReplays, 5000); }, "pcie_replays", "ok", "growth",
     kExitInOrder},
    {"very many replays", [](Gpu& g) { Set(g, R::kPcieReplays, 50000); }, "pcie_replays", "warning", "worth a look",
     kExitWarning},
    {"replays that grow", [](Gpu& g) { Grow(g, R::kPcieReplays, 100, 400, 600); }, "pcie_replays", "warning",
     "300 transfers over the link were repeated in 10 min (30 a minute; DCGM warns beyond 8 a minute)", kExitWarning},
    {"replays that grow slowly", [](Gpu& g) { Grow(g, R::kPcieReplays, 9000, 9010, 600); }, "pcie_replays", "ok",
     "1 a minute", kExitInOrder},
    {"link errors that grow", [](Gpu& g) { Set(g, R::kNvlinkLinks, 18), Grow(g, R::kNvlinkErrors, 5, 25, 10); },
     "nvlink", "warning", "20 errors", kExitWarning},
    {"old link errors", [](Gpu& g) { Set(g, R::kNvlinkLinks, 18), Grow(g, R::kNvlinkErrors, 500, 500, 10); }, "nvlink",
     "ok", "18 links", kExitInOrder},
    {"full fan on a cold card", [](Gpu& g) { Set(g, R::kFanSpeed, 100), Set(g, R::kTemperatureGpu, 39); }, "fan", "ok",
     "set to run so", kExitInOrder},
    {"link down", [](Gpu& g) { Set(g, R::kNvlinkLinks, 17), Set(g, R::kNvlinkLinksDown, 1); }, "nvlink", "warning",
     "1 of 18", kExitWarning},
    {"links up",
     [](Gpu& g) { Set(g, R::kNvlinkLinks, 18), Set(g, R::kNvlinkLinksDown, 0), Set(g, R::kNvlinkErrors, 0); }, "nvlink",
     "ok", "18 links", kExitInOrder},
    {"held by nobody",
     [](Gpu& g) { Set(g, R::kMemoryUsed, 10151.0 * 1048576), Set(g, R::kMemoryTotal, 16384.0 * 1048576); },
     "memory_use", "warning", "no process is listed", kExitWarning},
    {"held by the driver",
     [](Gpu& g) { Set(g, R::kMemoryUsed, 600.0 * 1048576), Set(g, R::kMemoryTotal, 16384.0 * 1048576); }, "memory_use",
     "ok", "600 MiB", kExitInOrder},
    {"window full", [](Gpu& g) { Set(g, R::kBar1Used, 255), Set(g, R::kBar1Total, 256); }, "bar1", "warning", "window",
     kExitWarning},
    {"hot", [](Gpu& g) { Set(g, R::kTemperatureGpu, 88), Set(g, R::kTemperatureSlowdown, 90); }, "temperature",
     "warning", "slows down", kExitWarning},
    {"hot by margin", [](Gpu& g) { Set(g, R::kTemperatureGpu, 80), Set(g, R::kTemperatureLimitMargin, 2); },
     "temperature", "warning", "2 below", kExitWarning},
    {"cool", [](Gpu& g) { Set(g, R::kTemperatureGpu, 44), Set(g, R::kTemperatureSlowdown, 97); }, "temperature", "ok",
     "44 C", kExitInOrder},
    {"fan stands",
     [](Gpu& g) { Set(g, R::kFanSpeed, 0), Set(g, R::kTemperatureGpu, 86), Set(g, R::kTemperatureSlowdown, 97); },
     "fan", "failure", "0 %", kExitBroken},
    {"lost", [](Gpu& g) { g.is_lost = true; }, "management", "failure", "cannot be read", kExitCritical},
};

TEST(Health, FaultsAndWhatIsNone) {
  for (const Case& one : kCases) {
    Machine machine = Fit();
    one.state(machine.gpus[0]);
    const Diagnosis diagnosis = Diagnose(machine);
    const std::string told = Told(diagnosis, one.id);
    if (one.told[0] == '\0') {
      EXPECT_EQ(told, "") << one.what;
    }
    EXPECT_TRUE(told.starts_with(one.told)) << one.what << ": " << told;
    EXPECT_NE(told.find(one.evidence), std::string::npos) << one.what << ": " << told;
    EXPECT_EQ(diagnosis.exit_code, one.exit_code) << one.what << ": " << diagnosis.answer;
    // Whatever is wrong comes with its next step.
    for (const Step& step : diagnosis.steps) {
      if (step.state == State::kWarning || (step.state == State::kFailure && step.because_of.empty())) {
        EXPECT_NE(step.next, "") << one.what << ": " << step.id;
      }
    }
  }
}

TEST(Health, OverManyLooks) {
  Machine machine = Fit();
  Gpu& gpu = machine.gpus[0];
  gpu.looks.clear();
  for (int i = 0; i < 10; ++i) {
    gpu.looks.emplace_back();
    gpu.looks.back().time_ns = 1'750'000'000'000'000'000 + i * 1'000'000'000LL;
    Set(gpu, R::kThrottleSwThermal, i >= 6 ? 1 : 0);
    Set(gpu, R::kClockSm, i >= 6 ? 990 : 1980);
    Set(gpu, R::kClockMaxSm, 1980);
    Set(gpu, R::kUtilizationGpu, 100);
    // At rest in the first look only: the generation under load counts.
    Set(gpu, R::kPcieGenCurrent, i == 0 ? 1 : 5);
    Set(gpu, R::kPcieGenMax, 5), Set(gpu, R::kPcieWidthCurrent, 16), Set(gpu, R::kPcieWidthMax, 16);
  }
  const Diagnosis diagnosis = Diagnose(machine);
  const std::string told = Told(diagnosis, "throttling");
  EXPECT_NE(told.find("in 4 of 10 looks, first at 2025-06-15 15:06:46"), std::string::npos) << told;
  EXPECT_NE(told.find("50 % lost"), std::string::npos) << told;
  EXPECT_TRUE(Told(diagnosis, "pcie_link").starts_with("ok")) << Told(diagnosis, "pcie_link");
}

TEST(Health, ProcessesThatDoNotLetGo) {
  Machine machine = Fit();
  Gpu& gpu = machine.gpus[0];
  Set(gpu, R::kMemoryUsed, 10151.0 * 1048576), Set(gpu, R::kMemoryTotal, 16384.0 * 1048576);
  gpu.processes = {{{4711, "python3", uint64_t{10} << 30, std::nullopt, 0}}};
  EXPECT_TRUE(Told(Diagnose(machine), "memory_use").starts_with("ok"));
  machine.process_list.emplace();
  (*machine.process_list)[1] = {1, "init", std::nullopt, true, 'S'};
  EXPECT_NE(Told(Diagnose(machine), "memory_use").find("not seen here"), std::string::npos);
  (*machine.process_list)[4711] = {4711, "python3", std::nullopt, true, 'D'};
  EXPECT_NE(Told(Diagnose(machine), "memory_use").find("in state D"), std::string::npos);
}

TEST(Fitness, OfMeasurements) {
  Machine machine = Fit();
  FitnessRequest request;
  request.device_name = "NVIDIA H200";
  EXPECT_TRUE(JudgeFitness(machine, request).is_fit());
  EXPECT_EQ(JudgeFitness(machine, request).devices.size(), 1u);
  request.device_name = "NVIDIA H100";
  EXPECT_FALSE(JudgeFitness(machine, request).is_fit());
  request = {};
  Set(machine.gpus[0], R::kThrottleSwThermal, 1);
  ASSERT_EQ(JudgeFitness(machine, request).problems.size(), 1u);
  EXPECT_NE(JudgeFitness(machine, request).problems[0].find("heat"), std::string::npos);
  machine = Fit();
  Set(machine.gpus[0], R::kRemappedPending, 1);
  EXPECT_TRUE(JudgeFitness(machine, request).is_fit());
  EXPECT_EQ(JudgeFitness(machine, request).remarks.size(), 1u);
  machine.gpus[0].processes = {{{1, "x", std::nullopt, true, 0}}};
  request.wants_idle = true;
  EXPECT_FALSE(JudgeFitness(machine, request).is_fit());
  request = {.device_name = "", .devices = {3}, .wants_idle = false};
  EXPECT_FALSE(JudgeFitness(machine, request).is_fit());
  request = {};
  (*machine.variables)["CUDA_VISIBLE_DEVICES"] = "";
  EXPECT_FALSE(JudgeFitness(machine, request).is_fit());
  machine.management = Management{false, "the driver is not loaded", false};
  EXPECT_NE(JudgeFitness(machine, request).problems[0].find("not loaded"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::doctor
