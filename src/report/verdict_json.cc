// VerdictJson: field by field in the order of docs/schema/verdict.md.
#include "report/json_fields.h"
#include "report/ledger_json.h"
#include "report/verdict_report.h"

namespace warpscope::report {
namespace {

using Layout = JsonWriter::Layout;

class VerdictWriter : JsonFields {
 public:
  VerdictWriter(const rules::Verdict& verdict, const Input& input) : verdict_(verdict), input_(input) {}

  std::string Write() {
    json_.BeginObject();
    Text("schema", "warpscope.verdict/1");
    Text("answer", verdict_.answer);
    Source("source", verdict_.source);
    Sources();
    Rows();
    Devices();
    Steps();
    Device();
    Breakdown();
    Findings();
    Prediction("together", verdict_.together);
    Abstained();
    WriteLedger(json_, verdict_.ledger);
    Notes();
    json_.EndObject();
    return json_.Take();
  }

 private:
  template <typename S>
  void SourceFields(const S& source) {
    Text("format", source.format);
    MaybeText("producer", source.producer);
    MaybeText("version", source.version);
    MaybeText("path", source.path);
    json_.EndObject();
  }
  void Source(std::string_view key, const rules::SourceSummary& source) {
    json_.Key(key);
    json_.BeginObject();
    SourceFields(source);
  }
  void Sources() {
    json_.Key("sources");
    json_.BeginArray();
    for (const Input::Source& source : input_.sources) {
      json_.BeginObject(Layout::kCompact);
      SourceFields(source);
    }
    json_.EndArray();
  }
  void Rows() {
    const Input& rows = input_;
    json_.Key("rows");
    json_.BeginObject(Layout::kCompact);
    UInt("host", rows.host);
    UInt("gpu", rows.gpu);
    UInt("syncs", rows.syncs);
    UInt("memory", rows.memory);
    UInt("counters", rows.counters);
    UInt("collectives", rows.collectives);
    UInt("profiles", rows.profiles);
    UInt("metrics", rows.metrics);
    UInt("summaries", rows.summaries);
    UInt("readings", rows.readings);
    json_.EndObject();
  }

  void Devices() {
    json_.Key("devices");
    json_.BeginArray();
    for (const rules::DeviceSummary& device : verdict_.devices) {
      json_.BeginObject(Layout::kCompact);
      json_.Key("id");
      json_.Int(device.id);
      MaybeText("name", device.name);
      MaybeNumber("busy_pct", device.busy_pct);
      MaybeNumber("idle_ms_per_step", device.idle_ms_per_step);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Steps() {
    json_.Key("steps");
    json_.BeginObject();
    UInt("count", verdict_.step_count);
    MaybeNumber("median_ms", verdict_.step_median_ms);
    MaybeNumber("p90_ms", verdict_.step_p90_ms);
    UInt("warmup_excluded", verdict_.warmup_excluded);
    MaybeNumber("before_ms", verdict_.before_steps_ms);
    MaybeNumber("after_ms", verdict_.after_steps_ms);
    MaybeText("source", verdict_.step_source);
    MaybeNumber("base_step_ms", verdict_.base_step_ms);
    json_.EndObject();
  }

  void Device() {
    json_.Key("device");
    json_.BeginObject();
    MaybeNumber("busy_pct", verdict_.device_busy_pct);
    MaybeNumber("idle_ms_per_step", verdict_.device_idle_ms_per_step);
    json_.EndObject();
  }

  void Breakdown() {
    json_.Key("breakdown");
    json_.BeginArray();
    for (const rules::TimePart& part : verdict_.breakdown) {
      json_.BeginObject(Layout::kCompact);
      Text("name", part.name);
      Text("label", part.label);
      Number("ms", part.ms);
      Number("pct", part.pct);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Prediction(std::string_view key, const std::optional<analysis::Prediction>& predicted) {
    json_.Key(key);
    if (!predicted) return json_.Null();
    json_.BeginObject();
    Number("step_ms_before", predicted->step_ms_before);
    Number("step_ms_after", predicted->step_ms_after);
    Number("gain_pct", predicted->gain_pct);
    Number("low_pct", predicted->low_pct);
    Number("high_pct", predicted->high_pct);
    json_.EndObject();
  }

  void EvidenceAndActions(const rules::Finding& finding) {
    json_.Key("evidence");
    json_.BeginArray();
    for (const rules::Evidence& evidence : finding.evidence) {
      json_.BeginObject();
      Text("text", evidence.text);
      MaybeText("query", evidence.query);
      json_.EndObject();
    }
    json_.EndArray();
    json_.Key("actions");
    json_.BeginArray();
    for (const rules::Action& action : finding.actions) {
      json_.BeginObject();
      Text("text", action.text);
      MaybeText("code", action.code);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Findings() {
    json_.Key("findings");
    json_.BeginArray();
    uint64_t rank = 0;
    for (const rules::Finding& finding : verdict_.findings) {
      json_.BeginObject();
      Text("id", finding.id);
      UInt("rank", ++rank);
      Text("layer", view::LayerName(finding.layer));
      Text("dimension", view::DimensionName(finding.dimension));
      Text("title", finding.title);
      MaybeText("subject", finding.subject);
      MaybeNumber("share_pct", finding.share_pct);
      Prediction("predicted", finding.predicted);
      json_.Key("upper_bound");
      json_.Bool(finding.upper_bound);
      MaybeNumber("kernel_speedup", finding.kernel_speedup);
      MaybeNumber("kernel_speedup_low", finding.kernel_speedup_low);
      MaybeNumber("kernel_speedup_high", finding.kernel_speedup_high);
      Text("confidence", view::ConfidenceName(finding.confidence));
      EvidenceAndActions(finding);
      MaybeText("verify", finding.verify);
      MaybeText("caused_by", finding.caused_by);
      MaybeText("concept", finding.concept_text);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Abstained() {
    json_.Key("abstained");
    json_.BeginArray();
    for (const rules::Abstention& abstention : verdict_.abstained) {
      json_.BeginObject();
      Text("id", abstention.id);
      Text("reason", abstention.reason);
      MaybeText("record_instead", abstention.record_instead);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Notes() {
    json_.Key("notes");
    json_.BeginArray();
    for (const std::string& note : verdict_.notes) json_.String(note);
    json_.EndArray();
  }

  const rules::Verdict& verdict_;
  const Input& input_;
};

}  // namespace

std::string VerdictJson(const rules::Verdict& verdict, const Input& input) {
  return VerdictWriter(verdict, input).Write();
}

}  // namespace warpscope::report
