// replay_accuracy FILE [STEP_MS]: how well the replay of one recording reproduces it, as one line of tab-separated
// values for tools/whatif_accuracy.py. Fields: steps, step error %, wait error % or -, start error p95 us, recorded
// step ms, base step ms, base step ms with the given true step or -, ms to build, number of notes. Or: error TAB
// reason. [one thread]
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstring>

#include "analysis/replay/simulator.h"
#include "analysis/steps.h"
#include "import/import.h"

namespace warpscope {
namespace {

int Fail(const Status& status) {
  fmt::print("error\t{}\n", status.message());
  return 0;
}

int Run(const char* path, std::optional<double> step_ms) {
  Result<model::Trace> trace = import::Load({path});
  if (!trace.ok()) return Fail(trace.status());
  uint32_t domain = model::kNone;
  for (uint32_t row = 0; row < trace->gpu.size(); ++row) domain = std::min(domain, trace->GpuDomain(row));
  if (domain == model::kNone) return Fail({StatusCode::kUnsupported, "no device work"});
  const analysis::Steps steps = analysis::FindSteps(*trace.operator->(), domain);
  const auto begin = std::chrono::steady_clock::now();
  Result<analysis::Simulator> built =
      analysis::Simulator::Build(*trace, steps, {.true_step_ms = {}, .link_domain = domain});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (!built.ok()) return Fail(built.status());
  std::string with_given = "-";
  if (step_ms) {
    Result<analysis::Simulator> given =
        analysis::Simulator::Build(*trace, steps, {.true_step_ms = step_ms, .link_domain = domain});
    if (given.ok()) with_given = fmt::format("{:.4f}", given->base_step_ms());
  }
  const analysis::ModelError& error = built->error();
  fmt::print("{}\t{:.3f}\t{}\t{:.1f}\t{:.4f}\t{:.4f}\t{}\t{:.1f}\t{}\n", steps.counted(), error.step_error_pct,
             error.wait_error_pct ? fmt::format("{:.2f}", *error.wait_error_pct) : "-", error.kernel_start_error_p95_us,
             built->recorded_step_ms(), built->base_step_ms(), with_given, took.count(), built->notes().size());
  return 0;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::optional<double> step_ms;
  double value = 0;
  if (argc > 2 && std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), value).ec == std::errc()) step_ms = value;
  return warpscope::Run(argv[1], step_ms);
}
