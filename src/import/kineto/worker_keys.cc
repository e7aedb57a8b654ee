// Worker: who a row belongs to (lanes, streams), names of them, counters.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "import/kineto/header.h"
#include "import/kineto/worker.h"

namespace warpscope::import::kineto {

using model::LedgerCode;

LaneKey Worker::MakeLaneKey(const RawEvent& event) {
  LaneKey key;
  if (event.pid.form == Ident::Form::kNumber) key.pid = event.pid.number;
  if (event.pid.form == Ident::Form::kText) key.pid_text = Text(event.pid.text, 0);
  if (event.tid.form == Ident::Form::kNumber) key.tid = event.tid.number;
  if (event.tid.form == Ident::Form::kText) key.tid_text = Text(event.tid.text, 0);
  key.rank = event.Signed(NumberArg::kRank, kNoNumber);
  return key;
}

uint32_t Worker::Lane(const RawEvent& event) { return tables_->lanes.Intern(MakeLaneKey(event)); }

uint32_t Worker::Stream(const RawEvent& event, std::optional<int64_t> stream) {
  StreamKey key;
  if (event.pid.form == Ident::Form::kNumber) key.lane.pid = event.pid.number;
  if (event.pid.form == Ident::Form::kText) key.lane.pid_text = Text(event.pid.text, 0);
  key.lane.rank = event.Signed(NumberArg::kRank, kNoNumber);
  key.device = event.Signed(NumberArg::kDevice, kNoNumber);
  key.context = event.Signed(NumberArg::kContext, -1);
  key.stream = stream.value_or(0);
  return tables_->streams.Intern(key);
}

void Worker::TakeCounter(const RawEvent& event, uint64_t offset_bytes) {
  if (!event.Has(RawEvent::kName) || !event.Has(RawEvent::kTs) || !event.Has(RawEvent::kArgs)) {
    Count(LedgerCode::kMissingField, offset_bytes, "counter without name, ts or args");
    return;
  }
  const auto members = MembersOf(event.args.view());
  for (const JsonMember& member : members) {
    double value = 0;
    const auto [parsed, error] = std::from_chars(member.value.data(), member.value.data() + member.value.size(), value);
    if (error != std::errc() || !std::isfinite(value)) {
      if (!member.is_string) Count(LedgerCode::kBadNumber, offset_bytes);
      continue;
    }
    std::string name(event.name.view());
    if (members.size() > 1 || (member.key != "value" && member.key != name)) name += " " + member.key;
    const auto text = TextSpan{name.data(), static_cast<uint32_t>(name.size()), event.name.odd};
    const int64_t device =
        event.Signed(NumberArg::kDevice, event.pid.form == Ident::Form::kNumber ? event.pid.number : kNoNumber);
    fragment_->counters.push_back({event.ts_ns, Text(text, offset_bytes), device, value});
  }
}

void Worker::TakeName(const RawEvent& event) {
  if (!event.Has(RawEvent::kName) || !event.Has(RawEvent::kArgs)) return;
  const std::string_view what = event.name.view();
  NameRow row{NameRow::What::kThread, 0, model::kNoString};
  if (what == "process_name") {
    row.what = NameRow::What::kProcess;
  } else if (what != "thread_name") {
    return;
  }
  for (const JsonMember& member : MembersOf(event.args.view())) {
    if (member.key != "name" || !member.is_string) continue;
    std::string_view text = member.value;
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);  // "stream 7 "
    row.name = Text({text.data(), static_cast<uint32_t>(text.size()), member.odd}, 0);
  }
  if (row.name == model::kNoString) return;
  row.lane = Lane(event);
  fragment_->names.push_back(row);
}

}  // namespace warpscope::import::kineto
