// ExplainJson: schema warpscope.explain/1 (docs/schema/explain.md).
#include "report/explain_report.h"
#include "report/json_writer.h"

namespace warpscope::report {
namespace {

std::string_view RoleName(explain::Role role) {
  switch (role) {
    case explain::Role::kMachine: return "machine";
    case explain::Role::kRoot: return "root";
    case explain::Role::kSymptom: return "symptom";
    case explain::Role::kRemark: return "remark";
  }
  return "root";
}

void Text(JsonWriter& json, std::string_view key, std::string_view value) {
  json.Key(key);
  if (value.empty()) json.Null();
  else json.String(value);
}

void Write(JsonWriter& json, const explain::Finding& finding) {
  const explain::Answer& answer = finding.answer;
  json.BeginObject();
  Text(json, "id", finding.entry->id);
  Text(json, "relation", NameOf(finding.relation));
  Text(json, "role", RoleName(finding.entry->role));
  Text(json, "headline", answer.headline);
  Text(json, "meaning", answer.meaning);
  Text(json, "cause", answer.cause);
  json.Key("facts");
  json.BeginArray();
  for (const explain::Fact& fact : answer.facts) {
    json.BeginObject(JsonWriter::Layout::kCompact);
    Text(json, "name", fact.name);
    Text(json, "label", fact.label);
    Text(json, "text", fact.text);
    json.Key("value");
    json.Double(fact.value);
    json.EndObject();
  }
  json.EndArray();
  json.Key("checks");
  json.BeginArray();
  for (const explain::Step& step : answer.checks) {
    json.BeginObject(JsonWriter::Layout::kCompact);
    Text(json, "text", step.text);
    Text(json, "command", step.command);
    json.EndObject();
  }
  json.EndArray();
  json.Key("fixes");
  json.BeginArray();
  for (const std::string& fix : answer.fixes) json.String(fix);
  json.EndArray();
  Text(json, "avoid", answer.avoid);
  Text(json, "source", answer.source);
  json.Key("line");
  json.UInt(finding.line);
  json.Key("count");
  json.UInt(finding.count);
  json.Key("ranks");
  json.BeginArray(JsonWriter::Layout::kCompact);
  for (const int64_t rank : finding.ranks) json.Int(rank);
  json.EndArray();
  Text(json, "excerpt", finding.excerpt);
  json.EndObject();
}

}  // namespace

std::string ExplainJson(const explain::Diagnosis& diagnosis, const ExplainOptions& options) {
  JsonWriter json;
  json.BeginObject();
  json.Key("schema");
  json.String("warpscope.explain/1");
  Text(json, "source", options.source);
  json.Key("recognised");
  json.Bool(!diagnosis.findings.empty());
  json.Key("lines");
  json.UInt(diagnosis.lines);
  json.Key("findings");
  json.BeginArray();
  for (const explain::Finding& finding : diagnosis.findings) Write(json, finding);
  json.EndArray();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace warpscope::report
