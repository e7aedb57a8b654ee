// Reads a baseline's text back. It may come from anywhere: every number is checked before it is used as an index or a
// length, and what is missing or of another kind is named.
#include <simdjson.h>

#include <algorithm>
#include <cmath>

#include "analysis/diff/shift.h"
#include "analysis/kernel_name.h"
#include "baseline/baseline.h"
#include "baseline/store.h"
#include "baseline/words.h"

namespace warpscope::baseline {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kMostSteps = 1'000'000, kMostCells = 4096, kMostTexts = 4'000'000;

class Reader {
 public:
  Reader(const std::string& path, analysis::Words* words) : path_(path), words_(*words) {}

  Result<Baseline> Run(const element& root) {
    Baseline baseline;
    object document;
    if (root.get(document) != simdjson::SUCCESS) return Bad("the document is no object");
    WS_RETURN_IF_ERROR(CheckVersion(document));
    WS_ASSIGN_OR_RETURN(baseline.name, Text(document, "name"));
    WS_RETURN_IF_ERROR(CheckName(baseline.name));
    if (int64_t saved = 0; document["saved_s"].get(saved) == simdjson::SUCCESS) baseline.saved_s = saved;
    WS_RETURN_IF_ERROR(Tags(document, &baseline));
    baseline.items_per_step = Maybe(document, "items_per_step");
    WS_RETURN_IF_ERROR(Measured(document, &baseline));
    WS_RETURN_IF_ERROR(Words(document));
    WS_ASSIGN_OR_RETURN(const array runs, List(document, "runs"));
    for (const element one : runs) {
      if (baseline.runs.size() == kMostRuns) return Bad("it holds more than 100 runs");
      WS_ASSIGN_OR_RETURN(baseline::Run run, One(one));
      baseline.runs.push_back(std::move(run));
    }
    if (baseline.runs.empty()) return Bad("it holds no run");
    return baseline;
  }

 private:
  Status Bad(const std::string& what) const {
    return {StatusCode::kCorrupt, path_ + ": no usable baseline: " + what + where_ +
                                      ". Save it anew: warpscope baseline save NAME RUN... --replace"};
  }
  Status Missing(std::string_view key, const char* kind) const {
    return Bad("'" + std::string(key) + "' is missing or no " + kind);
  }

  Result<std::string> Text(const object& in, std::string_view key) const {
    std::string_view text;
    if (in[key].get(text) != simdjson::SUCCESS) return Missing(key, "text");
    return std::string(text);
  }
  static std::string MaybeText(const object& in, std::string_view key) {
    std::string_view text;
    return in[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
  }
  static std::optional<double> Maybe(const object& in, std::string_view key) {
    double value = 0;
    if (in[key].get(value) != simdjson::SUCCESS || !std::isfinite(value)) return std::nullopt;
    return value;
  }
  Result<uint64_t> Count(const object& in, std::string_view key, uint64_t most = INT64_MAX) const {
    uint64_t value = 0;
    if (in[key].get(value) != simdjson::SUCCESS || value > most) return Missing(key, "number in its range");
    return value;
  }
  Result<array> List(const object& in, std::string_view key) const {
    array list;
    if (in[key].get(list) != simdjson::SUCCESS) return Missing(key, "list");
    return list;
  }
  static bool Flag(const object& in, std::string_view key) {
    bool value = false;
    return in[key].get(value) == simdjson::SUCCESS && value;
  }

  Status CheckVersion(const object& document) const {
    const std::string schema = MaybeText(document, "schema");
    if (schema == kSchema) return Status::Ok();
    if (!schema.starts_with(kSchemaName)) return Bad("its schema is not " + std::string(kSchema));
    return {StatusCode::kUnsupported, path_ + ": its schema is " + schema + ", and this program reads " +
                                          std::string(kSchema) + "; save the baseline anew, or update the program"};
  }

  Status Tags(const object& document, Baseline* baseline) const {
    object tags;
    if (document["tags"].get(tags) != simdjson::SUCCESS) return Status::Ok();
    for (const auto& [key, value] : tags) {
      std::string_view text;
      if (value.get(text) != simdjson::SUCCESS) return Bad("a tag is no text");
      baseline->tags.emplace_back(std::string(key), std::string(text));
    }
    std::sort(baseline->tags.begin(), baseline->tags.end());
    return Status::Ok();
  }

  Status Measured(const object& document, Baseline* baseline) const {
    object measured;
    if (document["unprofiled"].get(measured) != simdjson::SUCCESS) return Status::Ok();
    Unprofiled out{MaybeText(measured, "of"), {}};
    WS_ASSIGN_OR_RETURN(out.values_ms, Times(measured, "values_ms"));
    baseline->unprofiled = std::move(out);
    return Status::Ok();
  }

  // The texts and chains of the whole document, as words of ours.
  Status Words(const object& document) {
    WS_ASSIGN_OR_RETURN(const array texts, List(document, "texts"));
    if (texts.size() > kMostTexts) return Bad("it holds too many texts");
    texts_ = {0}, chains_ = {0};
    for (const element one : texts) {
      std::string_view text;
      if (one.get(text) != simdjson::SUCCESS) return Bad("one of 'texts' is no text");
      texts_.push_back(words_.Of(text));
    }
    WS_ASSIGN_OR_RETURN(const array chains, List(document, "chains"));
    for (const element one : chains) {
      array pair;
      uint64_t outer = 0, inner = 0;
      const bool fits = one.get(pair) == simdjson::SUCCESS && pair.at(0).get(outer) == simdjson::SUCCESS &&
                        pair.at(1).get(inner) == simdjson::SUCCESS && outer < chains_.size() && inner < texts_.size();
      if (!fits) return Bad("one of 'chains' is no pair of an earlier chain and a text");
      chains_.push_back(words_.Chain(chains_[outer], texts_[inner]));
    }
    return Status::Ok();
  }
  Result<uint32_t> Word(const object& in, std::string_view key, const std::vector<uint32_t>& words) const {
    WS_ASSIGN_OR_RETURN(const uint64_t at, Count(in, key, words.size() - 1));
    return words[at];
  }

  Result<std::vector<double>> Times(const object& in, std::string_view key) const {
    WS_ASSIGN_OR_RETURN(const array list, List(in, key));
    std::vector<double> values;
    for (const element one : list) {
      double value = 0;
      const bool fits = one.get(value) == simdjson::SUCCESS && std::isfinite(value) && value >= 0;
      if (!fits || values.size() == kMostSteps) return Missing(key, "list of times");
      values.push_back(value);
    }
    return values;
  }
  // `count` times in ns; a step is no longer than a month.
  Result<std::vector<int64_t>> Cells(const object& in, std::string_view key, size_t count) const {
    constexpr int64_t kMostNs = int64_t{31} * 86400 * 1'000'000'000;
    WS_ASSIGN_OR_RETURN(const array list, List(in, key));
    std::vector<int64_t> values;
    for (const element one : list) {
      int64_t value = 0;
      const bool fits = one.get(value) == simdjson::SUCCESS && value >= 0 && value <= kMostNs && values.size() < count;
      if (!fits) return Missing(key, "list with a time for each kept step");
      values.push_back(value);
    }
    if (values.size() != count) return Missing(key, "list with a time for each kept step");
    return values;
  }

  Result<baseline::Run> One(const element& from) {
    where_ = " (in one of 'runs')";
    object in;
    if (from.get(in) != simdjson::SUCCESS) return Bad("a run is no object");
    baseline::Run run;
    run.source = MaybeText(in, "source");
    run.base_step_ms = Maybe(in, "base_step_ms");
    analysis::RunSide& side = run.side;
    side.peak_memory_bytes = Maybe(in, "peak_memory_bytes");
    if (int64_t rank = 0; in["rank"].get(rank) == simdjson::SUCCESS) side.rank = rank;
    WS_ASSIGN_OR_RETURN(side.ranks, Small(in, "ranks"));
    WS_ASSIGN_OR_RETURN(side.devices, Small(in, "devices"));
    WS_ASSIGN_OR_RETURN(side.warmup, Small(in, "warmup"));
    side.has_host = Flag(in, "has_host");
    side.has_timeline = true;
    WS_ASSIGN_OR_RETURN(const std::string source, Text(in, "step_source"));
    const auto known = std::find(kStepSources.begin(), kStepSources.end(), source);
    if (known == kStepSources.end()) return Missing("step_source", "known word");
    side.source = static_cast<analysis::StepSource>(known - kStepSources.begin());
    WS_ASSIGN_OR_RETURN(side.step_ms, Times(in, "step_ms"));
    if (side.step_ms.empty()) return Bad("a run has no step times");
    WS_RETURN_IF_ERROR(Environment(in, &side));
    WS_RETURN_IF_ERROR(Findings(in, &run));
    WS_ASSIGN_OR_RETURN(run.readings, Values(in, "readings"));
    WS_ASSIGN_OR_RETURN(run.counters, Values(in, "counters"));
    WS_RETURN_IF_ERROR(Parts(in, &side.parts));
    WS_RETURN_IF_ERROR(Recorder(in, run.base_step_ms, &side));
    where_.clear();
    return run;
  }
  Result<uint32_t> Small(const object& in, std::string_view key) const {
    WS_ASSIGN_OR_RETURN(const uint64_t value, Count(in, key, UINT32_MAX));
    return static_cast<uint32_t>(value);
  }

  Status Environment(const object& in, analysis::RunSide* side) const {
    WS_ASSIGN_OR_RETURN(const array facts, List(in, "environment"));
    for (const element one : facts) {
      object fact;
      if (one.get(fact) != simdjson::SUCCESS) return Missing("environment", "list of objects");
      side->facts.push_back(
          {MaybeText(fact, "subject"), MaybeText(fact, "name"), MaybeText(fact, "value"), Flag(fact, "suspect")});
    }
    WS_ASSIGN_OR_RETURN(const array losses, List(in, "losses"));
    for (const element one : losses) {
      object loss;
      if (one.get(loss) != simdjson::SUCCESS) return Missing("losses", "list of objects");
      WS_ASSIGN_OR_RETURN(const uint64_t weight, Count(loss, "weight", 100));
      side->losses.push_back({MaybeText(loss, "text"), static_cast<uint32_t>(weight)});
    }
    return Status::Ok();
  }

  // Baselines of earlier versions do not keep it: their verdict's step tells as much, but not how sure that is.
  Status Recorder(const object& in, std::optional<double> base_step_ms, analysis::RunSide* side) const {
    element from;
    if (in["recorder"].get(from) != simdjson::SUCCESS) {
      const double mean_ms = analysis::MeanOf(side->step_ms);
      side->recorder = base_step_ms && *base_step_ms > 0 && mean_ms > 0
                           ? analysis::HalfSureRecorderCost(*base_step_ms, mean_ms)
                           : analysis::UnknownRecorderCost(side->parts);
      return Status::Ok();
    }
    if (from.is_null()) return Status::Ok();
    object recorder;
    if (from.get(recorder) != simdjson::SUCCESS) return Missing("recorder", "object");
    const auto number = [&](std::string_view key) { return Maybe(recorder, key).value_or(-1); };
    analysis::RecorderCost cost{Flag(recorder, "known"), number("left_ratio"), number("less_ratio"),
                                number("more_ratio"),    number("cost_ms"),    number("at_most_pct")};
    const bool fits = cost.more_ratio > 0 && cost.more_ratio <= cost.left_ratio && cost.left_ratio <= cost.less_ratio &&
                      cost.less_ratio <= 1 && cost.cost_ms >= 0 && cost.at_most_pct >= 0 && cost.at_most_pct <= 100;
    if (!fits) return Missing("recorder", "object with ratios in (0, 1]");
    side->recorder = cost;
    return Status::Ok();
  }

  Status Findings(const object& in, baseline::Run* run) const {
    WS_ASSIGN_OR_RETURN(const array findings, List(in, "findings"));
    for (const element one : findings) {
      object finding;
      if (one.get(finding) != simdjson::SUCCESS) return Missing("findings", "list of objects");
      run->findings.push_back({MaybeText(finding, "id"), MaybeText(finding, "subject"), MaybeText(finding, "title"),
                               Maybe(finding, "gain_pct"), Maybe(finding, "low_pct"), Maybe(finding, "high_pct")});
    }
    WS_ASSIGN_OR_RETURN(const array abstained, List(in, "abstained"));
    for (const element one : abstained) {
      std::string_view id;
      if (one.get(id) != simdjson::SUCCESS) return Missing("abstained", "list of texts");
      run->abstained.emplace_back(id);
    }
    return Status::Ok();
  }

  Result<std::vector<KeptValue>> Values(const object& in, std::string_view key) const {
    WS_ASSIGN_OR_RETURN(const array list, List(in, key));
    std::vector<KeptValue> values;
    for (const element one : list) {
      object value;
      if (one.get(value) != simdjson::SUCCESS) return Missing(key, "list of objects");
      const std::optional<double> mean = Maybe(value, "mean");
      if (mean) values.push_back({MaybeText(value, "name"), MaybeText(value, "unit"), *mean});
    }
    return values;
  }

  Status Parts(const object& in, analysis::StepParts* parts) const {
    object from;
    if (in["parts"].get(from) != simdjson::SUCCESS) return Missing("parts", "object");
    WS_ASSIGN_OR_RETURN(parts->step_ms, Times(from, "step_ms"));
    const size_t cells = parts->step_ms.size();
    if (cells == 0 || cells > kMostCells) return Missing("step_ms", "list of the kept steps");
    parts->counted = static_cast<uint32_t>(cells);
    parts->device = 0;
    WS_ASSIGN_OR_RETURN(parts->totals_of, Small(from, "totals_of"));
    if (parts->totals_of == 0) return Missing("totals_of", "number of steps");
    WS_ASSIGN_OR_RETURN(parts->length_ns, Cells(from, "length_ns", cells));
    WS_ASSIGN_OR_RETURN(parts->rest_ns, Cells(from, "rest_ns", cells));
    object totals;
    if (from["totals"].get(totals) != simdjson::SUCCESS) return Missing("totals", "object");
    for (const Total64& total : kTotals) {
      WS_ASSIGN_OR_RETURN(parts->*total.value, Count(totals, total.name));
    }
    WS_ASSIGN_OR_RETURN(const uint64_t call_ns, Count(totals, "launch_call_ns"));
    parts->launch_call_ns = static_cast<int64_t>(call_ns);
    WS_RETURN_IF_ERROR(Works(from, cells, parts));
    return Idles(from, cells, parts);
  }

  Status Works(const object& in, size_t cells, analysis::StepParts* parts) const {
    WS_ASSIGN_OR_RETURN(const array works, List(in, "works"));
    for (const element one : works) {
      object from;
      if (one.get(from) != simdjson::SUCCESS) return Missing("works", "list of objects");
      analysis::Work work;
      const auto kind = std::find(kWorkKinds.begin(), kWorkKinds.end(), MaybeText(from, "kind"));
      if (kind == kWorkKinds.end()) return Missing("kind", "known word");
      work.kind = static_cast<analysis::WorkKind>(kind - kWorkKinds.begin());
      WS_ASSIGN_OR_RETURN(work.name, Word(from, "name", texts_));
      WS_ASSIGN_OR_RETURN(work.loose, Word(from, "loose", texts_));
      WS_ASSIGN_OR_RETURN(work.place.op, Word(from, "op", texts_));
      WS_ASSIGN_OR_RETURN(work.place.dims, Word(from, "dims", texts_));
      WS_ASSIGN_OR_RETURN(work.place.path, Word(from, "path", chains_));
      WS_ASSIGN_OR_RETURN(work.place.module, Word(from, "module", chains_));
      WS_ASSIGN_OR_RETURN(work.geometry, Count(from, "geometry", UINT64_MAX));
      WS_ASSIGN_OR_RETURN(work.count, Count(from, "count"));
      WS_ASSIGN_OR_RETURN(const uint64_t own_ns, Count(from, "own_ns"));
      work.own_ns = static_cast<int64_t>(own_ns);
      if (uint64_t bytes = 0; from["bytes"].get(bytes) == simdjson::SUCCESS) work.bytes = bytes;
      WS_ASSIGN_OR_RETURN(work.step_ns, Cells(from, "step_ns", cells));
      Classify(MaybeText(from, "category"), &work);
      parts->works.push_back(std::move(work));
    }
    return Status::Ok();
  }

  // As the importers' names are; what stands for many small kernels has its category alone.
  void Classify(const std::string& category, analysis::Work* work) const {
    using analysis::KernelCategory;
    if (work->kind != analysis::WorkKind::kKernel && work->kind != analysis::WorkKind::kCommunication) return;
    work->kernel_class = analysis::ClassifyKernel(words_.Text(work->name));
    for (int at = 0; at <= static_cast<int>(KernelCategory::kMemory); ++at) {
      const auto known = static_cast<KernelCategory>(at);
      if (analysis::KernelCategoryName(known) == category) work->kernel_class.category = known;
    }
  }

  Status Idles(const object& in, size_t cells, analysis::StepParts* parts) const {
    WS_ASSIGN_OR_RETURN(const array idles, List(in, "idle"));
    for (const element one : idles) {
      object from;
      if (one.get(from) != simdjson::SUCCESS) return Missing("idle", "list of objects");
      analysis::IdleWork idle{};
      const std::string kind = MaybeText(from, "kind");
      size_t at = 0;
      while (at < analysis::kIdleKinds && analysis::IdleKindName(static_cast<analysis::IdleKind>(at)) != kind) ++at;
      if (at == analysis::kIdleKinds) return Missing("kind", "known reason to stand idle");
      idle.kind = static_cast<analysis::IdleKind>(at);
      WS_ASSIGN_OR_RETURN(idle.subject, Word(from, "subject", texts_));
      WS_ASSIGN_OR_RETURN(idle.step_ns, Cells(from, "step_ns", cells));
      parts->idles.push_back(std::move(idle));
    }
    return Status::Ok();
  }

  const std::string& path_;
  analysis::Words& words_;
  std::string where_;
  std::vector<uint32_t> texts_, chains_;
};

}  // namespace

Result<Baseline> Parse(std::string_view text, const std::string& path, analysis::Words* words) {
  simdjson::dom::parser parser;
  element root;
  const simdjson::error_code error = parser.parse(text.data(), text.size(), true).get(root);
  if (error != simdjson::SUCCESS) {
    return Status(StatusCode::kCorrupt, path + ": no usable baseline: no JSON (" + simdjson::error_message(error) +
                                            "). Save it anew: warpscope baseline save NAME RUN... --replace");
  }
  return Reader(path, words).Run(root);
}

bool LooksLikeBaseline(std::string_view head) {
  const size_t at = head.find("\"schema\"");
  constexpr size_t kFirstKey = 64;  // the schema stands first
  return at < kFirstKey && head.substr(at, kFirstKey).find(kSchemaName) != std::string_view::npos;
}

}  // namespace warpscope::baseline
