// Packets: state of sequences, descriptors, and the halves of slices.
#include "import/perfetto/reader.h"

#include <algorithm>

#include "base/perfetto_fields.h"
#include "import/protobuf/wire.h"

namespace warpscope::import::perfetto {

namespace pf = warpscope::perfetto;
using model::LedgerCode;
using protobuf::Field;
using protobuf::Fields;

namespace {
constexpr std::string_view kLostWords = "the recorder lost data (a full buffer): events are missing";
}

struct Reader::Packet {
  std::optional<uint64_t> timestamp;
  std::optional<uint32_t> clock;
  uint32_t sequence = 0;
  uint64_t flags = 0;
  bool cleared = false, dropped = false, first = false;
  std::string_view interned, defaults, event, descriptor, clocks, tree, stage, gpu_counters, stats, ftrace, process,
      thread;
  bool other = false;
  bool damaged = false;

  explicit Packet(std::string_view bytes) {
    Fields fields(bytes);
    while (fields.Next()) Take(*fields);
    damaged = fields.damaged();
  }

 private:
  void Take(const Field& field) {
    namespace packet = pf::packet;
    switch (field.number) {
      case packet::kTimestamp: timestamp = field.value; return;
      case packet::kTimestampClockId: clock = static_cast<uint32_t>(field.value); return;
      case packet::kTrustedSequenceId: sequence = static_cast<uint32_t>(field.value); return;
      case packet::kSequenceFlags: flags = field.value; return;
      case packet::kIncrementalStateCleared: cleared = field.value != 0; return;
      case packet::kPreviousPacketDropped: dropped = field.value != 0; return;
      case packet::kFirstPacketOnSequence: first = field.value != 0; return;
      default: break;
    }
    if (!field.is_bytes()) return;
    switch (field.number) {
      case packet::kInternedData: interned = field.bytes; break;
      case packet::kTracePacketDefaults: defaults = field.bytes; break;
      case packet::kTrackEvent: event = field.bytes; break;
      case packet::kTrackDescriptor: descriptor = field.bytes; break;
      case packet::kClockSnapshot: clocks = field.bytes; break;
      case packet::kProcessTree: tree = field.bytes; break;
      case packet::kGpuRenderStageEvent: stage = field.bytes; break;
      case packet::kGpuCounterEvent: gpu_counters = field.bytes; break;
      case packet::kTraceStats: stats = field.bytes; break;
      case packet::kFtraceEvents: ftrace = field.bytes; break;
      default: other = true; break;
    }
  }
};

void Reader::AddPacket(std::string_view bytes, uint64_t offset_bytes) {
  ++packets_;
  const Packet packet(bytes);
  if (packet.damaged) out_.Note(LedgerCode::kBrokenRecord, 1, offset_bytes);
  Sequence& sequence = sequences_[packet.sequence];
  // The first packet of a sequence says "dropped" too, as nobody knows what was before it.
  if (packet.dropped && !packet.first && sequence.seen) {
    out_.Note(LedgerCode::kRecorderMessage, 1, offset_bytes, kLostWords);
    sequence.intact = false;
  }
  sequence.seen = true;
  if ((packet.flags & pf::packet::kStateCleared) != 0 || packet.cleared) sequence.Clear();
  AddClockOrTree(packet, sequence);
  if (!packet.interned.empty()) sequence.AddInterned(packet.interned, &trace_->strings);
  if (!packet.defaults.empty()) sequence.AddDefaults(packet.defaults);
  if (!packet.descriptor.empty()) tracks_.AddDescriptor(packet.descriptor);
  const bool timed = !packet.event.empty() || !packet.stage.empty() || !packet.gpu_counters.empty();
  if (!timed) return;
  // What refers to lost texts cannot be read; an incremental clock is off as well until it is sent anew.
  const int64_t time_ns = packet.timestamp ? clocks_.ToTraceNs(*packet.timestamp, packet.clock, &sequence) : 0;
  if (!sequence.intact && (packet.flags & pf::packet::kNeedsState) != 0) {
    ++lost_;
    return;
  }
  if (!packet.event.empty()) AddEvent(packet.event, time_ns, sequence, packet.sequence);
  if (!packet.stage.empty()) AddRenderStage(packet.stage, time_ns, sequence);
  if (!packet.gpu_counters.empty()) AddGpuCounters(packet.gpu_counters, time_ns);
}

void Reader::AddClockOrTree(const Packet& packet, Sequence& sequence) {
  if (!packet.clocks.empty()) clocks_.AddSnapshot(packet.clocks, &sequence);
  if (!packet.tree.empty()) AddProcessTree(packet.tree);
  if (!packet.stats.empty()) AddStats(packet.stats);
  if (packet.ftrace.empty()) return;
  constexpr uint32_t kEvent = 2;  // FtraceEventBundle.event
  for (Fields fields(packet.ftrace); fields.Next();) passed_over_ += fields->number == kEvent ? 1 : 0;
}

void Reader::Describe(const Args& args, StringId name, Extra* extra) {
  if (args.correlation) extra->correlation = *args.correlation;
  if (args.external_id) extra->external_id = *args.external_id;
  extra->has_place = args.device || args.stream || args.queue;
  extra->device = args.device.value_or(0);
  extra->stream = args.stream ? *args.stream : args.queue.value_or(0);
  extra->forward_thread = static_cast<uint32_t>(std::clamp<int64_t>(args.forward_thread.value_or(0), 0, UINT32_MAX));
  if (const model::LaunchConfig launch = args.Launch(); !(launch == model::LaunchConfig()))
    extra->launch = out_.Launch(launch);
  if (args.bytes || args.copy_kind)
    extra->copy = out_.Copy(args.Copy(name == model::kNoString ? std::string_view() : trace_->strings.Get(name)));
  if (args.has_range) extra->range = out_.Annotation(args.range);
  const model::OpDetail& detail = args.operation;
  if (detail == model::OpDetail()) return;
  const auto [it, fresh] = operations_.try_emplace(
      {detail.input_dims, detail.input_types, detail.input_strides, detail.concrete_inputs, detail.call_stack},
      static_cast<uint32_t>(trace_->op_details.size()));
  if (fresh) trace_->op_details.push_back(detail);
  extra->operation = it->second;
}

uint32_t Reader::ExtraRow(const Extra& extra, bool plain) {
  if (plain) {
    const auto it = plain_extras_.find(extra.category);
    if (it != plain_extras_.end()) return it->second;
  }
  extras_.push_back(extra);
  const auto row = static_cast<uint32_t>(extras_.size() - 1);
  if (plain) plain_extras_.emplace(extras_.back().category, row);
  return row;
}

namespace {

struct LegacyEvent {
  uint64_t name_iid = 0, phase = 0;
  std::optional<int64_t> duration_us;
};

LegacyEvent ReadLegacy(std::string_view bytes) {
  LegacyEvent event;
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number == pf::legacy::kNameIid) event.name_iid = fields->value;
    if (fields->number == pf::legacy::kPhase) event.phase = fields->value;
    if (fields->number == pf::legacy::kDurationUs) event.duration_us = fields->Signed();
  }
  return event;
}

}  // namespace

void Reader::AddEvent(std::string_view bytes, int64_t time_ns, Sequence& sequence, uint32_t sequence_id) {
  namespace event = pf::event;
  Half half;
  half.time_ns = time_ns;
  half.sequence = sequence_id;
  half.track = sequence.default_track.value_or(0);
  Extra extra;
  LegacyEvent legacy;
  bool plain = true, is_legacy = false;
  std::optional<double> counter_value;
  Fields fields(bytes);
  const auto look_up = [&](const std::unordered_map<uint64_t, StringId>& table, uint64_t iid) {
    const auto it = table.find(iid);
    if (it == table.end()) ++unnamed_;
    return it == table.end() ? model::kNoString : it->second;
  };
  while (fields.Next()) {
    switch (fields->number) {
      case event::kType: half.type = static_cast<uint8_t>(std::min<uint64_t>(fields->value, 255)); break;
      case event::kTrackUuid: half.track = fields->value; break;
      case event::kNameIid: half.name = look_up(sequence.names, fields->value); break;
      case event::kName: half.name = trace_->strings.Intern(fields->bytes); break;
      case event::kCategoryIids:
        protobuf::ForEachNumber(*fields, false, [&](uint64_t iid) {
          if (extra.category == model::kNoString) extra.category = look_up(sequence.categories, iid);
        });
        break;
      case event::kCategories:
        if (extra.category == model::kNoString) extra.category = trace_->strings.Intern(fields->bytes);
        break;
      case event::kCounterValue: counter_value = static_cast<double>(fields->Signed()); break;
      case event::kDoubleCounterValue: counter_value = fields->Double(); break;
      case event::kFlowIds:
      case event::kTerminatingFlowIds:
      case event::kFlowIdsOld:
      case event::kTerminatingFlowIdsOld:
        protobuf::ForEachNumber(*fields,
                                fields->number == event::kFlowIds || fields->number == event::kTerminatingFlowIds,
                                [&](uint64_t id) { extra.flow = id; });
        plain = false;
        break;
      case event::kLegacyEvent:
        legacy = ReadLegacy(fields->bytes);
        is_legacy = true;
        break;
      default: break;
    }
  }
  if (fields.damaged()) ++broken_;
  if (is_legacy && half.type == 0) {
    if (legacy.phase == 'B') half.type = event::kSliceBegin;
    if (legacy.phase == 'E') half.type = event::kSliceEnd;
    if (legacy.phase == 'X' && legacy.duration_us) {
      half.type = event::kSliceBegin;
      half.duration_ns = std::clamp<int64_t>(*legacy.duration_us, 0, INT64_MAX / 1000) * 1000;
    }
    if (half.name == model::kNoString && legacy.name_iid != 0) half.name = look_up(sequence.names, legacy.name_iid);
  }
  if (half.type == event::kCounter) {
    if (counter_value) AddCounterValue(half.track, *counter_value, time_ns);
    return;
  }
  if (half.type == event::kSliceEnd) {
    halves_.push_back(half);
    return;
  }
  if (half.type == event::kInstant && extra.category != model::kNoString &&
      AddOwn(bytes, trace_->strings.Get(extra.category), half.name, time_ns, sequence))
    return;
  if (half.type != event::kSliceBegin) {
    ++passed_over_;
    return;
  }
  std::optional<model::Collective> collective;
  Args args;
  for (Fields again(bytes); again.Next();) {
    if (again->number != event::kDebugAnnotations || !again->is_bytes()) continue;
    const Value value = ReadAnnotation(again->bytes, sequence, trace_->strings);
    if (!AddToCollective(value, &trace_->strings, &collective)) args.Add(value, &trace_->strings);
    plain = false;
  }
  if (collective && collective->name != model::kNoString) {
    collectives_.push_back(*collective);
    extra.collective = static_cast<uint32_t>(collectives_.size() - 1);
  }
  if (!plain) Describe(args, half.name, &extra);
  half.args = ExtraRow(extra, plain);
  halves_.push_back(half);
}

// A mark of our own exporter.
bool Reader::AddOwn(std::string_view bytes, std::string_view category, StringId name, int64_t time_ns,
                    Sequence& sequence) {
  if (category != pf::kOwnCategory || name == model::kNoString) return false;
  Record record;
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number != pf::event::kDebugAnnotations || !fields->is_bytes()) continue;
    const Value value = ReadAnnotation(fields->bytes, sequence, trace_->strings);
    record.Set(value.name, value.whole, value.text);
  }
  own_.Add(trace_->strings.Get(name), std::move(record), time_ns);
  return true;
}

void Reader::AddCounterValue(uint64_t track, double value, int64_t time_ns) {
  samples_.push_back({track, time_ns, value});
}

void Reader::AddProcessTree(std::string_view process_tree) {
  for (Fields fields(process_tree); fields.Next();) {
    if (!fields->is_bytes()) continue;
    int64_t id = -1;
    std::string_view name;
    // The first word of the command line only: the others may carry secrets.
    const bool process = fields->number == pf::tree::kProcesses;
    for (Fields inner(fields->bytes); inner.Next();) {
      if (inner->number == 1 && inner->is_number()) id = static_cast<int32_t>(inner->value);
      if (inner->number == (process ? pf::tree::kCmdline : pf::tree::kThreadName) && inner->is_bytes() && name.empty())
        name = inner->bytes;
    }
    if (id < 0 || name.empty()) continue;
    if (process) {
      name = name.substr(0, name.find(' '));
      tracks_.NameProcess(id, name.substr(name.rfind('/') + 1));
    } else if (fields->number == pf::tree::kThreads) {
      tracks_.NameThread(-1, id, name);
    }
  }
}

void Reader::AddStats(std::string_view trace_stats) {
  uint64_t lost = 0;
  for (Fields fields(trace_stats); fields.Next();) {
    if (fields->number != pf::stats::kBuffers || !fields->is_bytes()) continue;
    for (Fields inner(fields->bytes); inner.Next();) {
      if (inner->number == pf::stats::kChunksOverwritten || inner->number == pf::stats::kChunksDiscarded ||
          inner->number == pf::stats::kWriterPacketLoss)
        lost += inner->is_number() ? std::min<uint64_t>(inner->value, uint64_t{1} << 40) : 0;
    }
  }
  out_.Note(LedgerCode::kRecorderMessage, lost, std::nullopt, kLostWords);
}

}  // namespace warpscope::import::perfetto
