// Worker: who a row belongs to (lanes, streams), names of them, counters.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "import/kineto/decimal.h"
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

// Every member of args is a series of its own, but for those that say where or in what unit. The pid is the device of
// hardware counters; of other tools' counters it is the process.
void Worker::TakeCounter(const RawEvent& event, Category category, uint64_t offset_bytes) {
  if (!event.Has(RawEvent::kName) || !event.Has(RawEvent::kTs) || !event.Has(RawEvent::kArgs)) {
    Count(LedgerCode::kMissingField, offset_bytes, "counter without name, ts or args");
    return;
  }
  std::vector<JsonMember> members = MembersOf(event.args.view());
  model::StringId unit = model::kNoString;
  std::erase_if(members, [&](const JsonMember& member) {
    if (member.key == "unit" && member.is_string) {
      unit = Text({member.value.data(), static_cast<uint32_t>(member.value.size()), member.odd}, offset_bytes);
      return true;
    }
    return category == Category::kCounter && (member.key == "device" || member.key == "rank");
  });
  const bool pid_is_device =
      category == Category::kCounter && event.pid.form == Ident::Form::kNumber && event.pid.number >= 0;
  const int64_t device = event.Signed(NumberArg::kDevice, pid_is_device ? event.pid.number : kNoNumber);
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
    fragment_->counters.push_back({event.ts_ns, Text(text, offset_bytes), device, value, unit});
  }
}

void Worker::TakeName(const RawEvent& event) {
  if (!event.Has(RawEvent::kName) || !event.Has(RawEvent::kArgs)) return;
  const std::string_view what = event.name.view();
  NameRow row{NameRow::What::kThread, 0, model::kNoString};
  if (what == "process_name") {
    row.what = NameRow::What::kProcess;
  } else if (what == "process_labels") {
    row.what = NameRow::What::kProcessLabels;
  } else if (what != "thread_name") {
    return;
  }
  for (const JsonMember& member : MembersOf(event.args.view())) {
    if ((member.key != "name" && member.key != "labels") || !member.is_string) continue;
    std::string_view text = member.value;
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);  // "stream 7 "
    row.name = Text({text.data(), static_cast<uint32_t>(text.size()), member.odd}, 0);
  }
  if (row.name == model::kNoString) return;
  row.lane = Lane(event);
  fragment_->names.push_back(row);
}

bool Worker::HasExtra(const RawEvent& event) {
  constexpr auto kNumber = [](NumberArg arg) { return uint32_t{1} << static_cast<unsigned>(arg); };
  constexpr auto kText = [](TextArg arg) { return uint32_t{1} << static_cast<unsigned>(arg); };
  constexpr uint32_t kNumbers = kNumber(NumberArg::kConnection) | kNumber(NumberArg::kElements);
  constexpr uint32_t kTexts = kText(TextArg::kTaskType) | kText(TextArg::kKernelDetails) | kText(TextArg::kCopyDetails);
  return (event.number_has & kNumbers) != 0 || (event.text_has & kTexts) != 0;
}

ExtraRow Worker::ExtraOf(const RawEvent& event, uint32_t row, bool is_gpu) {
  const auto text = [&](TextArg arg) { return event.Has(arg) ? Text(event.Text(arg), 0) : model::kNoString; };
  ExtraRow extra{row,
                 is_gpu,
                 text(TextArg::kTaskType),
                 text(TextArg::kKernelDetails),
                 text(TextArg::kDtype),
                 event.Number(NumberArg::kConnection, event.Number(NumberArg::kCorrelation, model::kNoId)),
                 event.Number(NumberArg::kElements, model::kNoId),
                 event.Number(NumberArg::kBytes, model::kNoId)};
  if (extra.details == model::kNoString) extra.details = text(TextArg::kCopyDetails);
  return extra;
}

// A call or device row that was just taken and has no correlation id.
void Worker::NoteLastRow(Category category, size_t host_rows, size_t gpu_rows) {
  const bool call = category == Category::kRuntimeCall || category == Category::kDriverCall;
  if (call && fragment_->host.size() > host_rows && fragment_->host.back().correlation == model::kNoId) {
    fragment_->last_row = {LastRow::What::kCall, static_cast<uint32_t>(host_rows)};
  } else if (fragment_->gpu.size() > gpu_rows && fragment_->gpu.back().correlation == model::kNoId) {
    fragment_->last_row = {LastRow::What::kDevice, static_cast<uint32_t>(gpu_rows)};
  }
}

// Kineto's own flows are of no use where correlation ids stand (half of them lack their partner). Where none stand, the
// flow right behind a row tells it.
void Worker::TakePlainFlow(const RawEvent& event, LastRow before) {
  DecimalError error;
  const auto id = DecimalToId(event.Has(RawEvent::kId) ? event.id.view() : std::string_view(), &error);
  if (!id) return;
  switch (before.what) {
    case LastRow::What::kNone: fragment_->first_flow = *id; break;  // of the row that the fragment before ends with
    case LastRow::What::kCall: fragment_->host[before.row].correlation = *id; break;
    case LastRow::What::kDevice: fragment_->gpu[before.row].correlation = *id; break;
  }
}

// Flows of other tools are the only links that those have.
void Worker::TakeFlow(const RawEvent& event, Category category) {
  if (category == Category::kIgnored || !event.Has(RawEvent::kTs)) return;
  const std::string_view id = event.Has(RawEvent::kId) ? event.id.view() : std::string_view();
  const std::string_view cat = event.Has(RawEvent::kCat) ? event.cat.view() : std::string_view();
  std::string_view kind = cat;  // "Flow_H2D_17_0" -> "Flow_H2D"
  while (!kind.empty() && ((kind.back() >= '0' && kind.back() <= '9') || kind.back() == '_')) kind.remove_suffix(1);
  const TextSpan text{kind.data(), static_cast<uint32_t>(kind.size()), event.cat.odd};
  fragment_->flows.push_back({event.phase, Lane(event), Text(text, 0), event.ts_ns,
                              MixHash(model::StringPool::Hash(id), model::StringPool::Hash(cat))});
}

}  // namespace warpscope::import::kineto
