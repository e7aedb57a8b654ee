#include "report/ledger_json.h"

namespace warpscope::report {

void WriteLedger(JsonWriter& json, const std::vector<model::LedgerEntry>& entries) {
  json.Key("ledger");
  json.BeginArray();
  for (const model::LedgerEntry& entry : entries) {
    json.BeginObject();
    json.Key("name");
    json.String(entry.name);
    json.Key("severity");
    json.String(model::SeverityName(entry.severity));
    json.Key("count");
    json.UInt(entry.count);
    json.Key("first_offset");
    json.MaybeUInt(entry.first_offset_bytes);
    json.Key("message");
    json.String(entry.message);
    json.Key("file");
    entry.file.empty() ? json.Null() : json.String(entry.file);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace warpscope::report
