// faults::Report as JSON: docs/schema/faults.md.
#include <algorithm>

#include "report/faults_report.h"
#include "report/json_writer.h"

namespace warpscope::report {
namespace {

using Layout = JsonWriter::Layout;

void Text(JsonWriter& json, std::string_view key, std::string_view value) {
  json.Key(key);
  if (value.empty()) json.Null();
  else json.String(value);
}

void Time(JsonWriter& json, std::string_view key, const faults::LogTime& time) {
  json.Key(key);
  if (time.clock == faults::Clock::kNone) {
    json.Null();
    return;
  }
  json.BeginObject(Layout::kCompact);
  json.Key("clock");
  json.String(faults::NameOf(time.clock));
  json.Key("ns");
  json.Int(time.ns);
  json.Key("text");
  json.String(faults::TextOf(time));
  json.EndObject();
}

void Steps(JsonWriter& json, std::string_view key, const std::vector<faults::NamedStep>& steps) {
  json.Key(key);
  json.BeginArray();
  for (const faults::NamedStep& step : steps) {
    json.BeginObject(Layout::kCompact);
    json.Key("text");
    json.String(step.text);
    Text(json, "command", step.command);
    json.EndObject();
  }
  json.EndArray();
}

void Strings(JsonWriter& json, std::string_view key, const std::vector<std::string_view>& texts) {
  json.Key(key);
  json.BeginArray();
  for (const std::string_view text : texts) json.String(text);
  json.EndArray();
}

void Addresses(JsonWriter& json, std::string_view key, const std::vector<faults::PciAddress>& addresses) {
  json.Key(key);
  json.BeginArray(Layout::kCompact);
  for (const faults::PciAddress& address : addresses) json.String(faults::TextOf(address));
  json.EndArray();
}

void Burst(JsonWriter& json, const faults::Burst& burst, const faults::Report& report) {
  const faults::Event& event = burst.first;
  json.BeginObject();
  Text(json, "id", event.entry->id);
  json.Key("code");
  if (event.code != 0) json.Int(event.code);
  else json.Null();
  Text(json, "name", faults::NameOf(burst));
  Text(json, "title", event.entry->title);
  Text(json, "severity", faults::NameOf(event.severity));
  Text(json, "action", faults::NameOf(event.action));
  Text(json, "device", event.device ? faults::TextOf(*event.device) : "");
  Text(json, "place", faults::PlaceOf(burst, report.machine));
  json.Key("count");
  json.UInt(burst.count);
  Time(json, "first", event.time);
  Time(json, "last", burst.last_time);
  Text(json, "log", report.logs[event.log].name);
  json.Key("line");
  json.UInt(event.line);
  json.Key("last_line");
  json.UInt(burst.last_line);
  json.Key("boot");
  json.UInt(event.boot);
  json.Key("programs");
  json.BeginArray(Layout::kCompact);
  for (const faults::Program& program : burst.programs) {
    json.BeginObject(Layout::kCompact);
    json.Key("pid");
    json.MaybeUInt(program.pid != 0 ? std::optional(program.pid) : std::nullopt);
    Text(json, "name", program.name);
    json.EndObject();
  }
  json.EndArray();
  json.Key("links");
  json.BeginArray(Layout::kCompact);
  for (const int64_t link : burst.links) json.Int(link);
  json.EndArray();
  json.Key("units");
  json.BeginArray(Layout::kCompact);
  for (const std::string& unit : burst.units) json.String(unit);
  json.EndArray();
  Strings(json, "details", {event.details.begin(), event.details.end()});
  Text(json, "text", event.text);
  json.EndObject();
}

void Incident(JsonWriter& json, const faults::Incident& incident, const faults::Report& report) {
  const faults::Entry& entry = *report.bursts[incident.roots.front()].first.entry;
  json.BeginObject();
  Text(json, "id", entry.id);
  Text(json, "name", faults::NameOf(report.bursts[incident.roots.front()]));
  Text(json, "title", entry.title);
  Text(json, "severity", faults::NameOf(incident.severity));
  Text(json, "scope", faults::NameOf(entry.scope));
  Text(json, "actor", faults::ActorOf(incident));
  json.Key("actions");
  json.BeginArray(Layout::kCompact);
  for (const faults::Action action : incident.actions) json.String(faults::NameOf(action));
  json.EndArray();
  Addresses(json, "devices", incident.devices);
  Addresses(json, "ports", incident.ports);
  json.Key("count");
  json.UInt(incident.count);
  json.Key("occurrences");
  json.UInt(incident.occurrences);
  Text(json, "meaning", entry.meaning);
  Steps(json, "steps", faults::StepsOf(incident, report));
  Strings(json, "causes", faults::Split(entry.causes, '|'));
  Steps(json, "checks", faults::ChecksOf(incident, report));
  Strings(json, "notes", {incident.notes.begin(), incident.notes.end()});
  Text(json, "source", entry.source);
  json.Key("roots");
  json.BeginArray(Layout::kCompact);
  for (const size_t at : incident.roots) json.UInt(at);
  json.EndArray();
  json.Key("followers");
  json.BeginArray(Layout::kCompact);
  for (const size_t at : incident.followers) json.UInt(at);
  json.EndArray();
  json.EndObject();
}

std::string_view RelationOf(const faults::RunHit& hit) {
  switch (hit.relation) {
    case faults::RunHit::Relation::kBefore: return "before";
    case faults::RunHit::Relation::kAfter: return "after";
    case faults::RunHit::Relation::kDuring: break;
  }
  return "during";
}

void Run(JsonWriter& json, const faults::RunJoin& join) {
  json.BeginObject();
  Text(json, "name", join.run.name);
  json.Key("begin_ns");
  json.Int(join.run.begin_ns);
  json.Key("end_ns");
  json.Int(join.run.end_ns);
  json.Key("steps");
  json.UInt(join.run.steps.size());
  json.Key("hits");
  json.BeginArray();
  for (const faults::RunHit& hit : join.hits) {
    json.BeginObject(JsonWriter::Layout::kCompact);
    json.Key("event");
    json.UInt(hit.burst);
    Text(json, "relation", RelationOf(hit));
    json.Key("step");
    json.MaybeUInt(hit.step ? std::optional<uint64_t>(*hit.step) : std::nullopt);
    Text(json, "label", hit.step ? std::string_view(join.run.steps[*hit.step].label) : std::string_view());
    json.Key("offset_ns");
    json.Int(hit.offset_ns);
    json.Key("own_process");
    json.Bool(hit.is_own_process);
    json.EndObject();
  }
  json.EndArray();
  Strings(json, "notes", {join.notes.begin(), join.notes.end()});
  json.EndObject();
}

}  // namespace

std::string FaultsJson(const faults::Report& report, int exit_code, const faults::RunJoin* run) {
  JsonWriter json;
  json.BeginObject();
  Text(json, "schema", "warpscope.faults/1");
  Text(json, "answer", report.answer);
  Text(json, "severity", report.incidents.empty() ? "" : faults::NameOf(report.severity));
  json.Key("exit_code");
  json.Int(exit_code);
  json.Key("incidents");
  json.BeginArray();
  for (const faults::Incident& incident : report.incidents) Incident(json, incident, report);
  json.EndArray();
  json.Key("events");
  json.BeginArray();
  for (const faults::Burst& burst : report.bursts) Burst(json, burst, report);
  json.EndArray();
  json.Key("logs");
  json.BeginArray();
  for (const faults::LogFacts& log : report.logs) {
    json.BeginObject();
    Text(json, "name", log.name);
    json.Key("lines");
    json.UInt(log.lines);
    json.Key("boots");
    json.UInt(log.boots);
    Time(json, "first", log.first);
    Time(json, "last", log.last);
    json.Key("unknown_lines");
    json.UInt(log.unknown_lines);
    json.EndObject();
  }
  json.EndArray();
  json.Key("driver");
  json.BeginObject(Layout::kCompact);
  Text(json, "version", report.machine.nvidia_version);
  json.Key("open_modules");
  if (report.machine.nvidia_is_open) json.Bool(*report.machine.nvidia_is_open);
  else json.Null();
  json.EndObject();
  json.Key("gpus");
  json.BeginArray();
  for (const faults::PciAddress& gpu : report.machine.pci.Gpus(faults::Vendor::kAny)) {
    json.BeginObject(Layout::kCompact);
    Text(json, "address", faults::TextOf(gpu));
    Text(json, "name", report.machine.pci.NameAt(gpu));
    const auto uuid = std::find_if(report.machine.uuids.begin(), report.machine.uuids.end(),
                                   [&](const auto& known) { return known.first == gpu; });
    Text(json, "uuid", uuid == report.machine.uuids.end() ? "" : uuid->second);
    json.EndObject();
  }
  json.EndArray();
  Strings(json, "notes", {report.notes.begin(), report.notes.end()});
  json.Key("run");
  if (run != nullptr) Run(json, *run);
  else json.Null();
  json.EndObject();
  return json.Take() + "\n";
}

std::string EntriesJson(std::span<const faults::Entry* const> entries) {
  JsonWriter json;
  json.BeginObject();
  Text(json, "schema", "warpscope.fault_catalogue/1");
  json.Key("entries");
  json.BeginArray();
  for (const faults::Entry* entry : entries) {
    json.BeginObject();
    Text(json, "id", entry->id);
    Text(json, "family", faults::NameOf(entry->family));
    json.Key("code");
    if (entry->code != 0) json.Int(entry->code);
    else json.Null();
    Text(json, "name", entry->name);
    Text(json, "title", entry->title);
    Text(json, "severity", faults::NameOf(entry->severity));
    Text(json, "scope", faults::NameOf(entry->scope));
    Text(json, "actor", faults::ActorOf(entry->action));
    Text(json, "action", faults::NameOf(entry->action));
    Text(json, "meaning", entry->meaning);
    Strings(json, "causes", faults::Split(entry->causes, '|'));
    json.Key("checks");
    json.BeginArray();
    for (const std::string_view id : faults::Split(entry->checks, ' ')) {
      const faults::Check* check = faults::FindCheck(id);
      if (check == nullptr) continue;
      json.BeginObject(Layout::kCompact);
      Text(json, "text", check->text);
      Text(json, "command", check->command);
      json.EndObject();
    }
    json.EndArray();
    Text(json, "source", entry->source);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace warpscope::report
