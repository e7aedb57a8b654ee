#include "import/kineto/worker.h"

#include <algorithm>

#include "import/kineto/text.h"

namespace warpscope::import::kineto {

using model::GpuKind;
using model::HostKind;
using model::kNoId;
using model::kNone;
using model::LedgerCode;

namespace {

// Times beyond this (73 years) cannot be; the bound keeps base + start + duration inside int64.
constexpr int64_t kMaxTimeNs = int64_t{1} << 61;
constexpr int64_t kSyncLaneOffset = 1000000;  // libkineto kSyncStreamTidOffset (2026)

uint64_t NonZeroId(uint64_t id) { return id == 0 ? kNoId : id; }
uint64_t NonNegativeId(uint64_t id) { return static_cast<int64_t>(id) < 0 ? kNoId : id; }

std::optional<uint32_t> Small(const RawEvent& event, NumberArg arg) {
  if (!event.Has(arg)) return std::nullopt;
  const uint64_t value = event.Number(arg, 0);
  return value <= UINT32_MAX ? std::optional<uint32_t>(static_cast<uint32_t>(value)) : std::nullopt;
}

// No copy and no message is larger: beyond it the value is damaged, and sums of it would overflow.
constexpr uint64_t kLargestCount = uint64_t{1} << 50;

std::optional<uint64_t> Count64(const RawEvent& event, NumberArg arg) {
  if (!event.Has(arg) || event.Number(arg, 0) > kLargestCount) return std::nullopt;
  return event.Number(arg, 0);
}

// "stream 7" -> 7.
std::optional<int64_t> TrailingNumber(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  if (begin == text.size() || text.size() - begin > 15) return std::nullopt;
  int64_t value = 0;
  for (const char c : text.substr(begin)) value = value * 10 + (c - '0');
  return value;
}

std::optional<int64_t> StreamOf(const RawEvent& event) {
  if (event.Has(NumberArg::kStream)) return event.Signed(NumberArg::kStream, 0);
  if (event.tid.form == Ident::Form::kNumber) return event.tid.number;
  if (event.tid.form == Ident::Form::kText) return TrailingNumber(event.tid.text.view());
  return std::nullopt;
}

// Files made by hand name no category, or one of their own.
Category GuessCategory(const RawEvent& event) {
  if (event.Has(NumberArg::kStream) || event.Has(RawEvent::kGrid)) return Category::kKernel;
  const std::string_view name = event.name.view();
  const auto calls = [&](std::string_view prefix) {
    return name.size() > prefix.size() && name.substr(0, prefix.size()) == prefix && name[prefix.size()] >= 'A' &&
           name[prefix.size()] <= 'Z';
  };
  if (calls("cuda") || calls("hip")) return Category::kRuntimeCall;
  if (calls("cu")) return Category::kDriverCall;
  return Category::kAnnotation;
}

std::optional<HostKind> HostKindOf(Category category) {
  switch (category) {
    case Category::kOperator: return HostKind::kOperator;
    case Category::kAnnotation: return HostKind::kAnnotation;
    case Category::kPython: return HostKind::kPython;
    case Category::kNative: return HostKind::kNative;
    case Category::kRuntimeCall: return HostKind::kRuntimeCall;
    case Category::kDriverCall: return HostKind::kDriverCall;
    case Category::kOverhead: return HostKind::kOverhead;
    case Category::kOsCall: return HostKind::kOsCall;
    default: return std::nullopt;
  }
}

std::optional<GpuKind> GpuKindOf(Category category) {
  switch (category) {
    case Category::kKernel: return GpuKind::kKernel;
    case Category::kCopy: return GpuKind::kCopy;
    case Category::kMemset: return GpuKind::kMemset;
    case Category::kGraphLaunch: return GpuKind::kGraphLaunch;
    default: return std::nullopt;
  }
}

}  // namespace

Worker::Worker(uint32_t number) : number_(number), tables_(std::make_shared<Tables>()) {}

void Worker::Begin(Fragment* fragment) {
  // Files whose texts never repeat would be held twice: once here, once in the trace. So the tables start afresh now
  // and then.
  constexpr uint64_t kMaxTextBytes = uint64_t{16} << 20;
  if (tables_->strings.memory_bytes() + tables_->raw_json.memory_bytes() > kMaxTextBytes) {
    tables_ = std::make_shared<Tables>();
    marks_ = Marks();
    ++epoch_;
  }
  fragment_ = fragment;
  fragment->keep_alive = tables_;
  fragment->worker = number_;
  fragment->epoch = epoch_;
}

void Worker::End() {
  Fragment& out = *fragment_;
  for (; marks_.strings < tables_->strings.size(); ++marks_.strings) {
    out.new_strings.push_back(tables_->strings.Get(marks_.strings));
    out.new_hashes.push_back(tables_->strings.HashOf(marks_.strings));
  }
  const auto hand_over = [](const auto& from, uint32_t* mark, auto* to) {
    to->assign(from.rows().begin() + *mark, from.rows().end());
    *mark = from.size();
  };
  hand_over(tables_->lanes, &marks_.lanes, &out.new_lanes);
  hand_over(tables_->streams, &marks_.streams, &out.new_streams);
  hand_over(tables_->op_details, &marks_.op_details, &out.new_op_details);
  hand_over(tables_->launches, &marks_.launches, &out.new_launches);
  hand_over(tables_->copies, &marks_.copies, &out.new_copies);
  fragment_ = nullptr;
}

void Worker::Take(const RawEvent& event, uint64_t offset_bytes) {
  if (event.bad_numbers > 0) fragment_->ledger.Add(LedgerCode::kBadNumber, event.bad_numbers, offset_bytes);
  const Category category = Categorise(event);
  const LastRow before = fragment_->last_row;
  const size_t host_rows = fragment_->host.size(), gpu_rows = fragment_->gpu.size();
  const bool is_first = !fragment_->has_events;
  fragment_->last_row = LastRow();
  fragment_->has_events = true;
  switch (event.phase) {
    case 'X':
      TakeSpan(event, category, offset_bytes);
      NoteLastRow(category, host_rows, gpu_rows);
      return;
    case 'M': TakeName(event); return;
    case 'i':
    case 'I':
    case 'R':
      if (category == Category::kMemoryEvent) TakeMemory(event, offset_bytes);
      return;
    case 'C': TakeCounter(event, category, offset_bytes); return;
    case 'B':
    case 'E':
    case 'b':
    case 'e': TakeHalf(event, category, offset_bytes); return;
    case 's':
    case 't':
    case 'f':
      if (category != Category::kIgnored) TakeFlow(event, category);
      else if (is_first || before.what != LastRow::What::kNone) TakePlainFlow(event, before);
      return;
    case 'n': return;
    case '\0':
      // Hand-made files leave out "ph"; with a duration it can only be a complete event.
      if (event.Has(RawEvent::kDur)) {
        TakeSpan(event, category, offset_bytes);
      } else {
        Count(LedgerCode::kMissingField, offset_bytes, "no ph");
      }
      return;
    default: Count(LedgerCode::kUnknownEvent, offset_bytes);
  }
}

Category Worker::Categorise(const RawEvent& event) {
  if (!event.Has(RawEvent::kCat)) return Category::kAbsent;
  if (event.cat.view() != last_cat_ || last_category_ == Category::kAbsent) {
    last_cat_ = event.cat.view();
    last_category_ = CategoryOf(last_cat_);
  }
  return last_category_;
}

void Worker::TakeSpan(const RawEvent& event, Category category, uint64_t offset_bytes) {
  if (category == Category::kIgnored) return;
  if (category == Category::kAbsent || category == Category::kUnknown) category = GuessCategory(event);
  if (const auto kind = HostKindOf(category)) return TakeHost(event, *kind, offset_bytes);
  if (const auto kind = GpuKindOf(category)) return TakeGpu(event, *kind, offset_bytes);
  if (!InTime(event, offset_bytes)) return;
  if (category == Category::kSync) return TakeSync(event);
  if (category == Category::kGpuAnnotation) {
    fragment_->annotations.push_back(
        {event.ts_ns, event.dur_ns, Text(event.name, offset_bytes), Stream(event, StreamOf(event))});
    return;
  }
  Count(LedgerCode::kUnknownEvent, offset_bytes);
}

// Whether a span has what it needs and a possible place in time; counts why not.
bool Worker::InTime(const RawEvent& event, uint64_t offset_bytes) {
  const bool complete = event.Has(RawEvent::kName) && event.Has(RawEvent::kTs) && event.Has(RawEvent::kDur);
  if (!complete) {
    const char* missing = !event.Has(RawEvent::kName) ? "no name" : !event.Has(RawEvent::kTs) ? "no ts" : "no dur";
    Count(event.ts_out_of_range ? LedgerCode::kOutOfRange : LedgerCode::kMissingField, offset_bytes,
          event.ts_out_of_range ? "time too large" : missing);
    return false;
  }
  if (event.dur_ns < 0) {
    Count(LedgerCode::kNegativeDuration, offset_bytes);
    return false;
  }
  if (event.ts_ns > kMaxTimeNs || event.ts_ns < -kMaxTimeNs || event.dur_ns > kMaxTimeNs) {
    Count(LedgerCode::kOutOfRange, offset_bytes, "time too large");
    return false;
  }
  return true;
}

HostRow Worker::MakeHostRow(const RawEvent& event, HostKind kind, uint64_t offset_bytes) {
  HostRow row{event.ts_ns,
              event.dur_ns,
              kNoId,
              NonZeroId(event.Number(NumberArg::kExternalId, 0)),
              Text(event.name, offset_bytes),
              Lane(event),
              0,
              kNone,
              kind};
  switch (kind) {
    case HostKind::kOperator:
      row.correlation = NonNegativeId(event.Number(NumberArg::kSequence, kNoId));
      row.forward_thread = Small(event, NumberArg::kForwardThread).value_or(0);
      row.detail = OpDetails(event, offset_bytes);
      break;
    case HostKind::kNative:
    case HostKind::kPython: row.correlation = NonNegativeId(event.Number(NumberArg::kPythonId, kNoId)); break;
    case HostKind::kRuntimeCall:
    case HostKind::kDriverCall: row.correlation = event.Number(NumberArg::kCorrelation, kNoId); break;
    default: break;
  }
  return row;
}

void Worker::TakeHost(const RawEvent& event, HostKind kind, uint64_t offset_bytes) {
  if (!InTime(event, offset_bytes)) return;
  fragment_->host.push_back(MakeHostRow(event, kind, offset_bytes));
  if (HasExtra(event))
    fragment_->extras.push_back(ExtraOf(event, static_cast<uint32_t>(fragment_->host.size() - 1), false));
  if (kind == HostKind::kOverhead) Count(LedgerCode::kProfilerOverhead, offset_bytes);
  if (kind == HostKind::kRuntimeCall || kind == HostKind::kDriverCall) TakeHint(event);
  if (kind == HostKind::kOperator && event.Has(TextArg::kCollective)) {
    TakeCollective(event, static_cast<uint32_t>(fragment_->host.size() - 1), kNone);
  }
}

void Worker::TakeGpu(const RawEvent& event, GpuKind kind, uint64_t offset_bytes) {
  if (!InTime(event, offset_bytes)) return;
  if (event.ts_ns == 0 && event.dur_ns == 0) {
    Count(LedgerCode::kUntimedRecord, offset_bytes);
    return;
  }
  GpuRow row{event.ts_ns,
             event.dur_ns,
             event.Number(NumberArg::kCorrelation, kNoId),
             NonZeroId(event.Number(NumberArg::kExternalId, 0)),
             Text(event.name, offset_bytes),
             Stream(event, StreamOf(event)),
             kNone,
             kind};
  if (kind == GpuKind::kCopy || kind == GpuKind::kMemset) {
    row.detail = CopyOf(event, kind);
  } else if (kind == GpuKind::kGraphLaunch) {
    // The nodes of the graph are not known.
  } else if (const model::LaunchConfig config = LaunchOf(event); config != model::LaunchConfig{}) {
    row.detail = tables_->launches.Intern(config);
  }
  fragment_->gpu.push_back(row);
  if (HasExtra(event))
    fragment_->extras.push_back(ExtraOf(event, static_cast<uint32_t>(fragment_->gpu.size() - 1), true));
  if (event.Has(TextArg::kCollective)) TakeCollective(event, kNone, static_cast<uint32_t>(fragment_->gpu.size() - 1));
}

void Worker::TakeHalf(const RawEvent& event, Category category, uint64_t offset_bytes) {
  if (category == Category::kIgnored) return;
  if (!event.Has(RawEvent::kTs) || event.ts_ns > kMaxTimeNs || event.ts_ns < -kMaxTimeNs) {
    Count(event.Has(RawEvent::kTs) ? LedgerCode::kOutOfRange : LedgerCode::kMissingField, offset_bytes, "no ts");
    return;
  }
  if (category == Category::kAbsent || category == Category::kUnknown) category = GuessCategory(event);
  OpenRow open{event.phase, false, event.Has(RawEvent::kName), 0, {}, {}, false, {}};
  RawEvent whole = event;
  whole.dur_ns = 0;
  if (!open.named) whole.name = {"", 0, 0};
  const auto gpu_kind = GpuKindOf(category);
  open.is_gpu = gpu_kind.has_value();
  open.host = MakeHostRow(whole, HostKindOf(category).value_or(HostKind::kAnnotation), offset_bytes);
  if (open.is_gpu) {
    open.gpu = {event.ts_ns,
                0,
                event.Number(NumberArg::kCorrelation, kNoId),
                open.host.external_id,
                open.host.name,
                Stream(event, StreamOf(event)),
                kNone,
                *gpu_kind};
    if (*gpu_kind == GpuKind::kKernel) {
      open.gpu.detail = tables_->launches.Intern(LaunchOf(event));
    } else if (*gpu_kind != GpuKind::kGraphLaunch) {
      open.gpu.detail = CopyOf(whole, *gpu_kind);
    }
  }
  if (event.phase == 'b' || event.phase == 'e') {
    const std::string_view id = event.Has(RawEvent::kId) ? event.id.view() : std::string_view();
    const std::string_view cat = event.Has(RawEvent::kCat) ? event.cat.view() : std::string_view();
    open.async_id = MixHash(model::StringPool::Hash(id), model::StringPool::Hash(cat)) | 1;
  }
  open.has_extra = HasExtra(event);
  if (open.has_extra) open.extra = ExtraOf(event, kNone, open.is_gpu);
  fragment_->open_rows.push_back(open);
}

void Worker::TakeSync(const RawEvent& event) {
  SyncRow row{{}, kNone, kNone};
  row.sync.start_ns = event.ts_ns;
  row.sync.dur_ns = event.dur_ns;
  row.sync.kind =
      ParseSyncKind(event.Has(TextArg::kSyncKind) ? event.Text(TextArg::kSyncKind).view() : event.name.view());
  row.sync.correlation = event.Number(NumberArg::kCorrelation, kNoId);
  row.sync.event_record_correlation = NonNegativeId(event.Number(NumberArg::kBlockedOnRecord, kNoId));
  const auto known = [&](std::optional<int64_t> stream) {
    return stream && *stream >= 0 && *stream < UINT32_MAX ? Stream(event, stream) : kNone;
  };
  std::optional<int64_t> stream = StreamOf(event);
  if (!event.Has(NumberArg::kStream) && stream && *stream >= kSyncLaneOffset) *stream -= kSyncLaneOffset;
  row.stream = known(stream);
  if (event.Has(NumberArg::kWaitStream)) row.wait_on_stream = known(event.Signed(NumberArg::kWaitStream, -1));
  fragment_->syncs.push_back(row);
}

void Worker::TakeMemory(const RawEvent& event, uint64_t offset_bytes) {
  if (!event.Has(RawEvent::kTs) || !event.Has(NumberArg::kMemoryBytes)) {
    Count(LedgerCode::kMissingField, offset_bytes, "memory event without ts or Bytes");
    return;
  }
  if (event.ts_ns > kMaxTimeNs || event.ts_ns < -kMaxTimeNs) return Count(LedgerCode::kOutOfRange, offset_bytes);
  MemoryRow row{{}, kNoNumber, Lane(event)};
  row.event.time_ns = event.ts_ns;
  row.event.bytes = event.Signed(NumberArg::kMemoryBytes, 0);
  row.event.address = event.Number(NumberArg::kAddress, 0);
  if (event.Has(NumberArg::kAllocated)) row.event.total_allocated_bytes = event.Signed(NumberArg::kAllocated, 0);
  if (event.Has(NumberArg::kReserved)) row.event.total_reserved_bytes = event.Signed(NumberArg::kReserved, 0);
  const int64_t id = event.Signed(NumberArg::kDeviceId, -1);
  if (event.Number(NumberArg::kDeviceType, 0) != 0 && id >= 0) row.device_id = id;
  fragment_->memory.push_back(row);
}

void Worker::TakeHint(const RawEvent& event) {
  const bool has_launch = event.Has(RawEvent::kGrid) || event.Has(RawEvent::kBlock);
  const NumberArg bytes_arg = event.Has(NumberArg::kBytes) ? NumberArg::kBytes : NumberArg::kCopySize;
  if (!event.Has(NumberArg::kCorrelation) || (!has_launch && !event.Has(bytes_arg))) return;
  CallHint hint{event.Number(NumberArg::kCorrelation, 0), event.Signed(NumberArg::kRank, kNoNumber), kNone,
                Count64(event, bytes_arg)};
  if (has_launch) hint.launch = tables_->launches.Intern(LaunchOf(event));
  fragment_->hints.push_back(hint);
}

void Worker::TakeCollective(const RawEvent& event, uint32_t host_row, uint32_t gpu_row) {
  const auto text = [&](TextArg arg) { return event.Has(arg) ? Text(event.Text(arg), 0) : model::kNoString; };
  model::Collective row;
  row.gpu_row = gpu_row;
  row.host_row = host_row;
  row.name = text(TextArg::kCollective);
  row.dtype = text(TextArg::kDtype);
  row.group_name = text(TextArg::kGroupName);
  row.group_ranks = text(TextArg::kGroupRanks);
  row.comms_id = text(TextArg::kCommsId);
  row.in_elements = Count64(event, NumberArg::kInElements);
  row.out_elements = Count64(event, NumberArg::kOutElements);
  row.group_size = Count64(event, NumberArg::kGroupSize);
  row.sequence = Count64(event, NumberArg::kSequenceInGroup);
  fragment_->collectives.push_back(row);
}

model::StringId Worker::Text(TextSpan span, uint64_t offset_bytes) {
  if (span.odd == 0) return tables_->strings.Intern(span.view());
  const CleanedText clean = CleanText(span.view());
  if (clean.replaced) Count(LedgerCode::kBadName, offset_bytes);
  if ((span.odd & kHasControl) != 0) Count(LedgerCode::kRepairedRecord, offset_bytes, "raw control byte in a string");
  if (clean.bad_escape) Count(LedgerCode::kBadEscape, offset_bytes);
  return tables_->strings.Intern(clean.text);
}

model::StringId Worker::Json(TextSpan span) {
  const model::StringId raw = tables_->raw_json.Intern(span.view());
  if (raw >= tables_->raw_json_id.size()) tables_->raw_json_id.resize(raw + 1, model::kNoString);
  model::StringId& id = tables_->raw_json_id[raw];
  if (id == model::kNoString) id = tables_->strings.Intern(NormalJson(span.view()));
  return id;
}

uint32_t Worker::OpDetails(const RawEvent& event, uint64_t offset_bytes) {
  constexpr auto kBit = [](TextArg arg) { return uint32_t{1} << static_cast<unsigned>(arg); };
  constexpr uint32_t kAll = kBit(TextArg::kInputDims) | kBit(TextArg::kInputTypes) | kBit(TextArg::kInputStrides) |
                            kBit(TextArg::kConcreteInputs) | kBit(TextArg::kCallStack);
  if ((event.text_has & kAll) == 0) return kNone;
  const auto json = [&](TextArg arg) { return event.Has(arg) ? Json(event.Text(arg)) : model::kNoString; };
  model::OpDetail detail;
  detail.input_dims = json(TextArg::kInputDims);
  detail.input_types = json(TextArg::kInputTypes);
  detail.input_strides = json(TextArg::kInputStrides);
  detail.concrete_inputs = json(TextArg::kConcreteInputs);
  if (event.Has(TextArg::kCallStack)) detail.call_stack = Text(event.Text(TextArg::kCallStack), offset_bytes);
  return tables_->op_details.Intern(detail);
}

model::LaunchConfig Worker::LaunchOf(const RawEvent& event) {
  model::LaunchConfig config;
  if (event.Has(RawEvent::kGrid)) std::copy(event.grid, event.grid + 3, config.grid);
  if (event.Has(RawEvent::kBlock)) std::copy(event.block, event.block + 3, config.block);
  config.registers_per_thread = Small(event, NumberArg::kRegisters);
  if (config.registers_per_thread == 0U) config.registers_per_thread.reset();  // no kernel runs without registers
  config.shared_bytes = Small(event, NumberArg::kSharedBytes);
  config.recorded_occupancy_pct = Small(event, NumberArg::kOccupancy);
  if (const uint64_t graph = event.Number(NumberArg::kGraphId, 0); graph != 0) {
    config.graph_id = graph;
    config.graph_node_id = event.Number(NumberArg::kGraphNode, kNoId);
  }
  return config;
}

uint32_t Worker::CopyOf(const RawEvent& event, GpuKind kind) {
  model::CopyDetail detail = ParseCopyName(event.name.view(), kind == GpuKind::kMemset);
  if (event.Has(TextArg::kCopyKind)) {
    detail.kind = ParseCopyKindWord(event.Text(TextArg::kCopyKind).view());
    const auto memory = [&](TextArg arg) {
      return event.Has(arg) ? ParseMemoryWord(event.Text(arg).view()) : model::MemoryKind::kUnknown;
    };
    detail.src = memory(TextArg::kSourceMemory);
    detail.dst = memory(TextArg::kTargetMemory);
  }
  detail.bytes = Count64(event, NumberArg::kBytes);
  return tables_->copies.Intern(detail);
}

}  // namespace warpscope::import::kineto
