#include "analysis/replay/simulator.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "analysis/replay/build.h"
#include "analysis/replay/dilation.h"
#include "analysis/replay/edit.h"
#include "analysis/replay/measure.h"
#include "analysis/replay/path.h"
#include "analysis/replay/replay.h"

namespace warpscope::analysis {

using replay::Changed;
using replay::Correction;
using replay::Model;
using replay::Weights;

namespace {

constexpr double kAcceptedErrorPct = 2.0;  // below: the model reproduces the recording
constexpr double kLargestErrorPct = 10.0;  // above: no prediction
constexpr double kLeastWidthRatio = 0.12;  // runs of the same program differ by so much of the step after
constexpr double kWidthPerHalving = 0.04;  // more for each halving of the step
constexpr double kLeastRest = 1.0 / 64;
constexpr double kModesDiffer = 0.02;    // of the step, from which identity weights count as another reading
constexpr double kMoreContention = 0.1;  // kernels beside copies: as much again as the replay assumes
constexpr double kSpread = 0.5;          // of lambda
constexpr double kLeastMu = 0.5;         // of recorded host work, once the recorder's cost is taken out
constexpr double kGivenSpread = 0.15;    // of lambda, when a given step tells it
constexpr double kTellingRatio = 0.02;   // change of the step over that spread from which it does
constexpr double kGivenError = 0.03;     // of a given step: runs differ
constexpr double kLambdaError = 0.35;    // of the constants, over programs
constexpr double kDoubtfulStep = 0.15;
constexpr double kLargestLambda = 1.6;
constexpr double kQuietError = 0.2;  // of stretches without rows, between two runs (log)
constexpr double kQuietShare = 0.1;  // of the step, from which they take part in the fit first
constexpr double kQuietTrial = 1.25;
constexpr double kQuietSteps[] = {1.0, 0.95, 1.05, 0.9, 1.1, 0.85, 1.17, 0.8, 1.25, 0.75, 1.33, 0.7, 1.43, 0.65, 1.55};

// One belief about what the recorder cost.
struct Variant {
  Weights weights;
  double step_ns = 0;
};

// Doubts of different origin about the step after a change, each as far as it reaches down and up in the logarithm;
// they add like independent errors. Never narrower than the widest of them.
class Doubt {
 public:
  explicit Doubt(double after) : after_(std::max(after, kSmallest)) {}

  void Add(const std::vector<double>& readings) {
    double down = 0, up = 0;
    for (const double reading : readings) {
      const double distance = std::log(std::max(reading, kSmallest) / after_);
      down = std::max(down, -distance), up = std::max(up, distance);
    }
    down_ += down * down, up_ += up * up;
  }
  double least() const { return after_ * std::exp(-std::sqrt(down_)); }
  double most() const { return after_ * std::exp(std::sqrt(up_)); }

 private:
  static constexpr double kSmallest = 1e-6;
  double after_, down_ = 0, up_ = 0;
};

}  // namespace

struct Simulator::Impl {
  explicit Impl(Model built) : model(std::move(built)), index(model) {}

  Model model;
  replay::HostIndex index;
  std::vector<Variant> variants;           // the first is the best guess
  Variant identity, raw;                   // as recorded, by either kind of weights
  std::optional<Variant> without_guesses;  // dependencies inferred from timing alone taken away
  ModelError error;
  double recorded_step_ns = 0, base_step_ns = 0;
  std::pair<double, double> doubtful_ns;
  std::vector<std::string> notes;

  // Buffers of finished predictions, so that the next ones need no fresh memory.
  struct Scratch {
    Changed changed;
    std::vector<int64_t> end;
  };
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Scratch>> spare;

  std::unique_ptr<Scratch> Borrow() const {
    const std::lock_guard lock(mutex);
    if (spare.empty()) return std::make_unique<Scratch>();
    auto scratch = std::move(spare.back());
    spare.pop_back();
    return scratch;
  }
  void Return(std::unique_ptr<Scratch> scratch) const {
    const std::lock_guard lock(mutex);
    spare.push_back(std::move(scratch));
  }

  double Replay(const Weights& weights) const {
    auto scratch = Borrow();
    replay::Run({.graph = &model.graph, .weights = &weights}, scratch->end);
    const double step = replay::StepNs(model, scratch->end);
    Return(std::move(scratch));
    return step;
  }

  // Step after the change, as a share of the step before.
  double After(const Variant& variant, const WhatIf& edits) const {
    auto scratch = Borrow();
    Changed& changed = scratch->changed;
    changed.weights = variant.weights;
    changed.prev.clear();
    changed.issue.clear();
    changed.tickets.clear();
    replay::Apply(model, index, edits, changed);
    replay::Run(changed.view(model.graph), scratch->end);
    const double step = replay::StepNs(model, scratch->end);
    Return(std::move(scratch));
    return variant.step_ns > 0 ? std::max(0.0, step) / variant.step_ns : 1.0;
  }

  void AddVariant(const replay::DilationCosts& costs, const Correction& correction) {
    Variant variant;
    variant.weights = replay::Corrected(model, costs, correction);
    variant.step_ns = Replay(variant.weights);
    variants.push_back(std::move(variant));
  }

  void MakeVariants(const SimulatorOptions& options);
  void MakeWithoutGuesses();
  Correction FitTo(double step_ns, const replay::DilationCosts& costs) const;
  // What the replay misses of the recording is not the recorder's cost: the recorded step by the replayed one.
  double missed() const { return 1.0 / (1.0 + error.step_error_pct / 100.0); }
  void AddGivenVariants(const Correction& fitted, const replay::DilationCosts& costs);
  void Describe(const model::Trace& trace);
};

// The likeliest correction given the true step: the replay should take that long, and the constants should be about
// right. Long stretches without rows may have been longer or shorter in that run. Where the device is the limit the
// step says nothing about the host, and lambda stays 1. If even the largest lambda leaves the step too long, mu
// shortens the rest of the host work.
Correction Simulator::Impl::FitTo(double step_ns, const replay::DilationCosts& costs) const {
  const auto step_with = [&](const Correction& c) { return Replay(replay::Corrected(model, costs, c)); };
  // What the step gains for each unit of `quiet`: the replay is close to linear in it.
  const double with_constants = step_with({});
  const double per_quiet = (step_with({.quiet = kQuietTrial}) - with_constants) / (kQuietTrial - 1.0);
  Correction correction{.lambda = kLargestLambda};
  if (per_quiet < kQuietShare * step_ns && step_with(correction) > (1.0 + kGivenError) * step_ns) {
    double low = 0.05, high = 1.0;
    for (int i = 0; i < 12; ++i) {
      correction.mu = (low + high) / 2;
      (step_with(correction) > step_ns ? high : low) = correction.mu;
    }
    // No host is twice as quick: what differs is the device, its copies or the program.
    return correction.mu < kLeastMu ? Correction{} : correction;
  }
  double best = INFINITY;
  for (double lambda = 0; lambda <= kLargestLambda + 1e-9; lambda += kLargestLambda / 32) {
    const double doubt = (lambda - 1.0) / kLambdaError;
    const double step = step_with({.lambda = lambda});
    for (const double quiet : kQuietSteps) {
      const double miss = std::log(std::max(1.0, step + (quiet - 1.0) * per_quiet) / step_ns) / kGivenError;
      const double odd = std::log(quiet) / kQuietError;
      const double unlikely = miss * miss + doubt * doubt + odd * odd;
      if (unlikely >= best) continue;
      best = unlikely;
      correction.lambda = lambda;
      correction.quiet = quiet;
    }
  }
  return correction;
}

// A given step narrows the doubt about lambda only as far as the step depends on it.
void Simulator::Impl::AddGivenVariants(const Correction& fitted, const replay::DilationCosts& costs) {
  AddVariant(costs, fitted);
  const auto step_with = [&](double factor) {
    return Replay(
        replay::Corrected(model, costs, {.lambda = fitted.lambda * factor, .mu = fitted.mu, .quiet = fitted.quiet}));
  };
  const double change = std::abs(step_with(1.0 - kGivenSpread) - step_with(1.0 + kGivenSpread));
  const bool told = change > kTellingRatio * variants[0].step_ns || fitted.mu < 1.0;
  const double spread = told ? kGivenSpread : kSpread;
  for (const double factor : {1.0 - spread, 1.0 + spread}) {
    AddVariant(costs,
               {.lambda = fitted.lambda * factor, .mu = std::min(1.0, fitted.mu / factor), .quiet = fitted.quiet});
  }
}

void Simulator::Impl::MakeVariants(const SimulatorOptions& options) {
  const replay::DilationCosts costs = replay::CostsFor(*model.trace);
  const double given_ns = options.true_step_ms.value_or(0) * 1e6;
  if (given_ns <= 0) {
    for (const double factor : {1.0, 1.0 - kSpread, 1.0 + kSpread}) AddVariant(costs, {.lambda = factor});
    const auto bounded = [&](const Variant& variant) {
      const double step_ns = std::max(variant.step_ns * missed(), options.least_step_ms * 1e6);
      return options.most_step_ms > 0 ? std::min(step_ns, options.most_step_ms * 1e6) : step_ns;
    };
    base_step_ns = bounded(variants[0]);
    doubtful_ns = {bounded(variants[1]), bounded(variants[2])};
    // How much Python without rows was slowed is known of one program only: it may have been nothing.
    replay::DilationCosts no_python = costs;
    no_python.python_only_ratio = 0;
    AddVariant(no_python, {});
    if (std::abs(variants.back().step_ns - variants[0].step_ns) < kTellingRatio * variants[0].step_ns) {
      variants.pop_back();
    } else {
      doubtful_ns.first = std::max(doubtful_ns.first, bounded(variants.back()));
      notes.push_back("How much the recorder slows Python code without recorded calls is known of one program only.");
    }
    return;
  }
  base_step_ns = given_ns;
  doubtful_ns = {given_ns, given_ns};
  const Correction fitted = FitTo(given_ns, costs);
  AddGivenVariants(fitted, costs);
  const double off = std::abs(std::log(variants[0].step_ns / given_ns));
  if (recorded_step_ns <= given_ns) {
    notes.push_back("The recorded step is no longer than the one given.");
  } else if (fitted.mu < 0.7 || off > kDoubtfulStep) {
    notes.push_back(
        "The given step time does not fit what recording usually costs: check that it is the same program.");
  }
}

// The other reading of a trace whose dependencies are partly guesses, if it explains the recording too.
void Simulator::Impl::MakeWithoutGuesses() {
  if (model.guessed_edges == 0) return;
  Variant variant{variants[0].weights, 0};
  for (uint32_t e = 0; e < model.graph.edge_from.size(); ++e) {
    const bool guess =
        model.graph.edge_certainty[e] == replay::kGuessed && model.graph.edge_kind[e] == replay::EdgeKind::kEvent;
    if (guess) variant.weights.edge_lag[e] = replay::kNever;
  }
  variant.step_ns = Replay(variant.weights);
  const double differs = std::abs(variant.step_ns - variants[0].step_ns);
  if (100.0 * differs < kLargestErrorPct * variants[0].step_ns) without_guesses = std::move(variant);
}

void Simulator::Impl::Describe(const model::Trace& trace) {
  notes.insert(notes.end(), model.notes.begin(), model.notes.end());
  if (!replay::KnownRecorder(trace)) {
    notes.push_back("What the recorder cost is not known for this producer: host times are taken as recorded.");
  }
  if (model.guessed_targets > 0) {
    notes.push_back("For " + std::to_string(model.guessed_targets) +
                    " waits it was guessed which stream they wait for; record with cuda_sync events to know.");
  }
  if (model.guessed_edges > 0) {
    notes.push_back(std::to_string(model.guessed_edges) + " dependencies between streams were inferred from timing.");
  }
  if (model.graph.dropped_edges > 0) {
    notes.push_back(std::to_string(model.graph.dropped_edges) + " contradicting dependencies were dropped.");
  }
  if (model.free_threads > 0) {
    notes.push_back(std::to_string(model.free_threads) + " further host thread(s) keep their recorded pace.");
  }
  if (!model.collective_waits.empty()) {
    notes.push_back("Collectives wait for other ranks: it is assumed that those change in the same way.");
  }
  if (model.steps < 2) notes.push_back("One step only: the whole window was simulated; low confidence.");
}

Simulator::Simulator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

Result<Simulator> Simulator::Build(const model::Trace& trace, const Steps& steps, const SimulatorOptions& options) {
  WS_ASSIGN_OR_RETURN(Model model, replay::BuildModel(trace, steps, options.link_domain));
  auto impl = std::make_unique<Impl>(std::move(model));
  {
    std::vector<int64_t> end;
    replay::Run({.graph = &impl->model.graph, .weights = &impl->model.structural}, end);
    impl->error = replay::ErrorOf(impl->model, end);
    impl->recorded_step_ns = replay::StepNs(impl->model, end);
  }
  if (std::abs(impl->error.step_error_pct) > kLargestErrorPct) {
    return Status(StatusCode::kUnsupported, "the replay misses the recorded step by " +
                                                std::to_string(std::lround(impl->error.step_error_pct)) +
                                                " %, too much to predict from");
  }
  impl->identity.weights = replay::IdentityWeights(impl->model.graph, impl->model.structural);
  impl->identity.step_ns = impl->Replay(impl->identity.weights);
  impl->raw = {impl->model.structural, impl->recorded_step_ns};
  impl->MakeVariants(options);
  impl->MakeWithoutGuesses();
  impl->Describe(trace);
  return Simulator(std::move(impl));
}

const ModelError& Simulator::error() const { return impl_->error; }
double Simulator::recorded_step_ms() const { return impl_->recorded_step_ns / 1e6; }
double Simulator::base_step_ms() const { return impl_->base_step_ns / 1e6; }
double Simulator::dilation_ratio() const {
  return impl_->base_step_ns > 0 ? impl_->recorded_step_ns * impl_->missed() / impl_->base_step_ns : 1.0;
}
std::pair<double, double> Simulator::doubtful_base_steps_ms() const {
  return {impl_->doubtful_ns.first / 1e6, impl_->doubtful_ns.second / 1e6};
}
const std::vector<std::string>& Simulator::notes() const { return impl_->notes; }

Prediction Simulator::Predict(const WhatIf& point, Side side, const WhatIf* low, const WhatIf* high) const {
  Prediction prediction;
  prediction.step_ms_before = prediction.step_ms_after = base_step_ms();
  if (point.empty()) return prediction;
  const Impl& impl = *impl_;
  const double after = impl.After(impl.variants[0], point);
  Doubt doubt(after);
  doubt.Add({low ? impl.After(impl.variants[0], *low) : after, high ? impl.After(impl.variants[0], *high) : after});
  if (side == Side::kHost) {
    std::vector<double> costs;
    for (size_t v = 1; v < impl.variants.size(); ++v) costs.push_back(impl.After(impl.variants[v], point));
    doubt.Add(costs);
  }
  if (impl.without_guesses) doubt.Add({impl.After(*impl.without_guesses, point)});
  const double error = std::abs(impl.error.step_error_pct) / 100.0;
  const double other_mode = impl.After(impl.identity, point) - impl.After(impl.raw, point);
  if (std::abs(other_mode) > std::max(error, kModesDiffer)) doubt.Add({after + other_mode});
  const bool moves = std::any_of(point.gpu_edits.begin(), point.gpu_edits.end(),
                                 [](const WhatIf::Gpu& edit) { return edit.kind == WhatIf::Gpu::kLane; });
  if (moves) doubt.Add({after * (1.0 + kMoreContention), after * (1.0 - replay::kSlowerBesideCopies)});
  // The smaller the rest, the more it consists of what nobody looked at.
  const double width = kLeastWidthRatio + kWidthPerHalving * std::max(0.0, -std::log2(std::max(after, kLeastRest)));
  doubt.Add({after * (1.0 - width), after * (1.0 + width)});
  const double model = 100.0 * error > kAcceptedErrorPct ? error : 0.0;
  prediction.step_ms_after = base_step_ms() * after;
  prediction.gain_pct = 100.0 * (1.0 - after);
  // Taking work away makes nothing slower: the cautious end of a gain is none.
  const double cautious = std::max(0.0, 100.0 * (1.0 - doubt.most() - model));
  prediction.low_pct = std::min(prediction.gain_pct, cautious);
  prediction.high_pct = std::max(prediction.gain_pct, std::min(100.0, 100.0 * (1.0 - doubt.least() + model)));
  return prediction;
}

std::vector<Simulator::PathItem> Simulator::CriticalPath() const {
  return replay::CriticalPathOf(impl_->model, impl_->variants[0].weights);
}

}  // namespace warpscope::analysis
