// A baseline's text, field by field in the order of docs/formats/baseline.md.
#include <algorithm>
#include <map>

#include "analysis/gate/noise.h"
#include "base/version.h"
#include "baseline/baseline.h"
#include "baseline/words.h"
#include "report/json_fields.h"

namespace warpscope::baseline {
namespace {

using analysis::RunSide;
using analysis::StepParts;
using Layout = report::JsonWriter::Layout;

// The words and chains that a baseline uses, numbered in the order of their first use; 0 is nothing.
class Numbers {
 public:
  explicit Numbers(const analysis::Words& words) : words_(words) {}
  uint32_t Text(uint32_t word) {
    if (word == 0) return 0;
    const auto [it, fresh] = texts_.try_emplace(word, static_cast<uint32_t>(texts_.size() + 1));
    if (fresh) text_list.emplace_back(words_.Text(word));
    return it->second;
  }
  uint32_t Chain(uint32_t chain) {
    if (chain == 0) return 0;
    if (const auto it = chains_.find(chain); it != chains_.end()) return it->second;
    const uint32_t outer = Chain(words_.Outer(chain)), inner = Text(words_.Last(chain));
    chain_list.emplace_back(outer, inner);
    return chains_[chain] = static_cast<uint32_t>(chain_list.size());
  }
  std::vector<std::string> text_list;
  std::vector<std::pair<uint32_t, uint32_t>> chain_list;

 private:
  const analysis::Words& words_;
  std::map<uint32_t, uint32_t> texts_, chains_;
};

class Writer : report::JsonFields {
 public:
  explicit Writer(const analysis::Words& words) : numbers_(words) {}

  std::string Run(const Baseline& baseline) {
    for (const baseline::Run& run : baseline.runs) Count(run.side.parts);
    json_.BeginObject();
    Text("schema", kSchema);
    Text("name", baseline.name);
    Text("written_by", std::string(kProductName) + " " + std::string(kVersion));
    json_.Key("saved_s");
    baseline.saved_s > 0 ? json_.Int(baseline.saved_s) : json_.Null();
    Tags(baseline.tags);
    MaybeNumber("items_per_step", baseline.items_per_step);
    Measured(baseline.unprofiled);
    json_.Key("runs");
    json_.BeginArray();
    for (const baseline::Run& run : baseline.runs) One(run, baseline.items_per_step);
    json_.EndArray();
    Texts("texts", numbers_.text_list, Layout::kLines);
    json_.Key("chains");
    json_.BeginArray(Layout::kCompact);
    for (const auto& [outer, inner] : numbers_.chain_list) {
      json_.BeginArray(Layout::kCompact);
      json_.UInt(outer), json_.UInt(inner);
      json_.EndArray();
    }
    json_.EndArray();
    json_.EndObject();
    return json_.Take() + "\n";
  }

 private:
  void Count(const StepParts& parts) {
    for (const analysis::Work& work : parts.works) {
      numbers_.Chain(work.place.path), numbers_.Chain(work.place.module);
      for (const uint32_t word : {work.place.op, work.place.dims, work.name, work.loose}) numbers_.Text(word);
    }
    for (const analysis::IdleWork& idle : parts.idles) numbers_.Text(idle.subject);
  }

  void Texts(std::string_view key, const std::vector<std::string>& values, Layout layout) {
    json_.Key(key);
    json_.BeginArray(layout);
    for (const std::string& value : values) json_.String(value);
    json_.EndArray();
  }
  void Cells(std::string_view key, const std::vector<int64_t>& values) {
    json_.Key(key);
    json_.BeginArray(Layout::kCompact);
    for (const int64_t value : values) json_.Int(value);
    json_.EndArray();
  }
  void Times(std::string_view key, const std::vector<double>& values) {
    json_.Key(key);
    json_.BeginArray(Layout::kCompact);
    for (const double value : values) json_.Double(Rounded(value));
    json_.EndArray();
  }
  void Bool(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }

  void Tags(const std::vector<std::pair<std::string, std::string>>& tags) {
    json_.Key("tags");
    json_.BeginObject(Layout::kCompact);
    for (const auto& [key, value] : tags) Text(key, value);
    json_.EndObject();
  }

  void Measured(const std::optional<Unprofiled>& unprofiled) {
    json_.Key("unprofiled");
    if (!unprofiled) return json_.Null();
    json_.BeginObject(Layout::kCompact);
    Text("of", unprofiled->of);
    Times("values_ms", unprofiled->values_ms);
    json_.EndObject();
  }

  // For people and other programs: all of it follows from the rest and is not read back.
  void Metrics(const baseline::Run& run, const std::optional<double>& items) {
    const StepParts& parts = run.side.parts;
    const auto center = analysis::CenterOf(run.side.step_ms);
    json_.Key("metrics");
    json_.BeginObject();
    MaybeNumber("step_ms", center ? std::optional(center->value()) : std::nullopt);
    const auto [low, high] = std::minmax_element(run.side.step_ms.begin(), run.side.step_ms.end());
    Number("step_low_ms", *low), Number("step_high_ms", *high);
    MaybeNumber("step_error_pct", center && center->used > 1 ? std::optional(100 * center->error) : std::nullopt);
    MaybeNumber("steps_per_s", center ? std::optional(1000 / center->value()) : std::nullopt);
    MaybeNumber("items_per_s", center && items ? std::optional(*items * 1000 / center->value()) : std::nullopt);
    double busy = 0, all = 0;
    for (const analysis::Work& work : parts.works) busy += Total(work.step_ns);
    all = Total(parts.length_ns);
    MaybeNumber("gpu_busy_pct", all > 0 ? std::optional(100 * busy / all) : std::nullopt);
    json_.EndObject();
  }
  static double Total(const std::vector<int64_t>& cells) {
    double total = 0;
    for (const int64_t ns : cells) total += static_cast<double>(ns);
    return total;
  }

  void One(const baseline::Run& run, const std::optional<double>& items) {
    const RunSide& side = run.side;
    json_.BeginObject();
    MaybeText("source", run.source);
    Metrics(run, items);
    MaybeNumber("base_step_ms", run.base_step_ms);
    Recorder(side.recorder);
    MaybeNumber("peak_memory_bytes", side.peak_memory_bytes);
    json_.Key("rank");
    side.rank ? json_.Int(*side.rank) : json_.Null();
    UInt("ranks", side.ranks), UInt("devices", side.devices);
    Bool("has_host", side.has_host);
    Text("step_source", kStepSources[static_cast<size_t>(side.source)]);
    UInt("warmup", side.warmup);
    Times("step_ms", side.step_ms);
    Environment(side);
    Findings(run);
    Values("readings", run.readings), Values("counters", run.counters);
    Parts(side.parts);
    json_.EndObject();
  }

  void Recorder(const std::optional<analysis::RecorderCost>& recorder) {
    json_.Key("recorder");
    if (!recorder) return json_.Null();
    json_.BeginObject(Layout::kCompact);
    Bool("known", recorder->known);
    Number("left_ratio", recorder->left_ratio);
    Number("less_ratio", recorder->less_ratio), Number("more_ratio", recorder->more_ratio);
    Number("cost_ms", recorder->cost_ms), Number("at_most_pct", recorder->at_most_pct);
    json_.EndObject();
  }

  void Environment(const RunSide& side) {
    json_.Key("environment");
    json_.BeginArray();
    for (const analysis::Fact& fact : side.facts) {
      json_.BeginObject(Layout::kCompact);
      Text("subject", fact.subject), Text("name", fact.name), Text("value", fact.value);
      Bool("suspect", fact.suspect);
      json_.EndObject();
    }
    json_.EndArray();
    json_.Key("losses");
    json_.BeginArray();
    for (const analysis::Objection& loss : side.losses) {
      json_.BeginObject(Layout::kCompact);
      Text("text", loss.text), UInt("weight", loss.weight);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Findings(const baseline::Run& run) {
    json_.Key("findings");
    json_.BeginArray();
    for (const KeptFinding& finding : run.findings) {
      json_.BeginObject(Layout::kCompact);
      Text("id", finding.id), MaybeText("subject", finding.subject), Text("title", finding.title);
      MaybeNumber("gain_pct", finding.gain_pct);
      MaybeNumber("low_pct", finding.low_pct), MaybeNumber("high_pct", finding.high_pct);
      json_.EndObject();
    }
    json_.EndArray();
    Texts("abstained", run.abstained, Layout::kCompact);
  }

  void Values(std::string_view key, const std::vector<KeptValue>& values) {
    json_.Key(key);
    json_.BeginArray();
    for (const KeptValue& value : values) {
      json_.BeginObject(Layout::kCompact);
      Text("name", value.name), MaybeText("unit", value.unit), Number("mean", value.mean);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Parts(const StepParts& parts) {
    json_.Key("parts");
    json_.BeginObject();
    UInt("totals_of", parts.totals_of);
    Times("step_ms", parts.step_ms);
    Cells("length_ns", parts.length_ns), Cells("rest_ns", parts.rest_ns);
    json_.Key("totals");
    json_.BeginObject(Layout::kCompact);
    for (const Total64& total : kTotals) UInt(total.name, parts.*total.value);
    json_.Key("launch_call_ns");
    json_.Int(parts.launch_call_ns);
    json_.EndObject();
    json_.Key("works");
    json_.BeginArray();
    for (const analysis::Work& work : parts.works) One(work);
    json_.EndArray();
    json_.Key("idle");
    json_.BeginArray();
    for (const analysis::IdleWork& idle : parts.idles) {
      json_.BeginObject(Layout::kCompact);
      Text("kind", analysis::IdleKindName(idle.kind)), UInt("subject", numbers_.Text(idle.subject));
      Cells("step_ns", idle.step_ns);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void One(const analysis::Work& work) {
    json_.BeginObject(Layout::kCompact);
    Text("kind", kWorkKinds[static_cast<size_t>(work.kind)]);
    UInt("name", numbers_.Text(work.name)), UInt("loose", numbers_.Text(work.loose));
    UInt("op", numbers_.Text(work.place.op)), UInt("dims", numbers_.Text(work.place.dims));
    UInt("path", numbers_.Chain(work.place.path)), UInt("module", numbers_.Chain(work.place.module));
    UInt("geometry", work.geometry);
    if (work.kernel_class.category != analysis::KernelCategory::kOther)
      Text("category", analysis::KernelCategoryName(work.kernel_class.category));
    UInt("count", work.count);
    json_.Key("own_ns");
    json_.Int(work.own_ns);
    if (work.bytes > 0) UInt("bytes", work.bytes);
    Cells("step_ns", work.step_ns);
    json_.EndObject();
  }

  Numbers numbers_;
};

}  // namespace

std::string Write(const Baseline& baseline, const analysis::Words& words) { return Writer(words).Run(baseline); }

}  // namespace warpscope::baseline
