#include "import/perfetto/sequence.h"

#include <vector>

#include "base/perfetto_fields.h"

namespace warpscope::import::perfetto {
namespace {

namespace interned = warpscope::perfetto::interned;
namespace clock = warpscope::perfetto::clock;
using protobuf::Fields;

struct Entry {
  uint64_t iid = 0;
  std::string_view name, demangled;
  uint64_t number = 0;    // the pid of a context
  uint64_t category = 0;  // of a GPU specification
};

Entry ReadEntry(std::string_view bytes) {
  Entry entry;
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number == interned::kIid && fields->is_number()) entry.iid = fields->value;
    if (fields->number == interned::kName && fields->is_bytes()) entry.name = fields->bytes;
    if (fields->number == interned::kContextPid && fields->is_number()) entry.number = fields->value;
    if (fields->number == interned::kKernelDemangledName && fields->is_bytes()) entry.demangled = fields->bytes;
    if (fields->number == interned::kSpecificationCategory && fields->is_number()) entry.category = fields->value;
  }
  return entry;
}

// Times and units come from the file: everything wraps or saturates instead of overflowing.
int64_t Scale(uint64_t value, uint64_t unit) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(value, unit, &product) || product > static_cast<uint64_t>(INT64_MAX)) return INT64_MAX;
  return static_cast<int64_t>(product);
}

int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}

int64_t Minus(int64_t a, int64_t b) {
  int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? (b < 0 ? INT64_MAX : INT64_MIN) : difference;
}

bool IsOfSequence(uint32_t id) { return id >= clock::kFirstOfSequence && id <= clock::kLastOfSequence; }

}  // namespace

void Sequence::Clear() {
  categories.clear(), names.clear(), annotation_names.clear(), annotation_strings.clear();
  gpu_specifications.clear(), kernels.clear(), is_compute.clear(), context_pids.clear();
  default_clock.reset();
  default_track.reset();
  intact = true;
}

void Sequence::AddInterned(std::string_view interned_data, model::StringPool* strings) {
  for (Fields fields(interned_data); fields.Next();) {
    if (!fields->is_bytes()) continue;
    const auto add = [&](std::unordered_map<uint64_t, StringId>& table) {
      const Entry entry = ReadEntry(fields->bytes);
      table[entry.iid] = strings->Intern(entry.name);
    };
    switch (fields->number) {
      case interned::kEventCategories: add(categories); break;
      case interned::kEventNames: add(names); break;
      case interned::kDebugAnnotationNames: add(annotation_names); break;
      case interned::kDebugAnnotationStrings: add(annotation_strings); break;
      case interned::kGpuSpecifications: {
        add(gpu_specifications);
        const Entry entry = ReadEntry(fields->bytes);
        is_compute[entry.iid] = entry.category == 2;
        break;
      }
      case interned::kGraphicsContexts: {
        const Entry entry = ReadEntry(fields->bytes);
        context_pids[entry.iid] = static_cast<int32_t>(entry.number);
        break;
      }
      case interned::kComputeKernels: {
        const Entry entry = ReadEntry(fields->bytes);
        kernels[entry.iid] = strings->Intern(entry.demangled.empty() ? entry.name : entry.demangled);
        break;
      }
      default: break;
    }
  }
}

void Sequence::AddDefaults(std::string_view trace_packet_defaults) {
  namespace defaults = warpscope::perfetto::defaults;
  for (Fields fields(trace_packet_defaults); fields.Next();) {
    if (fields->number == defaults::kTimestampClockId && fields->is_number())
      default_clock = static_cast<uint32_t>(fields->value);
    if (fields->number != defaults::kTrackEventDefaults || !fields->is_bytes()) continue;
    for (Fields inner(fields->bytes); inner.Next();) {
      if (inner->number == warpscope::perfetto::event::kTrackUuid && inner->is_number()) default_track = inner->value;
    }
  }
}

void Clocks::AddSnapshot(std::string_view clock_snapshot, Sequence* sequence) {
  struct Reading {
    uint32_t id = 0;
    uint64_t value = 0, unit_ns = 1;
    bool incremental = false;
    int64_t ns() const { return Scale(value, unit_ns); }
  };
  std::vector<Reading> readings;
  for (Fields fields(clock_snapshot); fields.Next();) {
    if (fields->number != clock::kClocks || !fields->is_bytes()) continue;
    Reading reading;
    for (Fields inner(fields->bytes); inner.Next();) {
      if (!inner->is_number()) continue;
      if (inner->number == clock::kClockId) reading.id = static_cast<uint32_t>(inner->value);
      if (inner->number == clock::kTimestamp) reading.value = inner->value;
      if (inner->number == clock::kIsIncremental) reading.incremental = inner->value != 0;
      if (inner->number == clock::kUnitMultiplierNs && inner->value > 0) reading.unit_ns = inner->value;
    }
    readings.push_back(reading);
  }
  // The trace's clock is the boot time; without it in the snapshot, one of the others stands for it.
  const Reading* base = nullptr;
  for (const uint32_t id : {clock::kBoottime, clock::kMonotonic, clock::kRealtime}) {
    for (const Reading& reading : readings) {
      if (base == nullptr && reading.id == id) base = &reading;
    }
  }
  if (base == nullptr) return;
  const auto base_offset = offsets_ns_.find(base->id);
  const int64_t trace_ns = Plus(base->ns(), base_offset == offsets_ns_.end() ? 0 : base_offset->second);
  for (const Reading& reading : readings) {
    const int64_t offset_ns = Minus(trace_ns, reading.ns());
    if (IsOfSequence(reading.id))
      sequence->clocks[reading.id] = {reading.incremental, reading.unit_ns, reading.value, offset_ns};
    else if (reading.id != base->id) offsets_ns_[reading.id] = offset_ns;
    if (reading.id == clock::kRealtime && !epoch_offset_ns_) epoch_offset_ns_ = Minus(reading.ns(), trace_ns);
  }
}

int64_t Clocks::ToTraceNs(uint64_t timestamp, std::optional<uint32_t> clock_id, Sequence* sequence) {
  const uint32_t id = clock_id ? *clock_id : sequence->default_clock.value_or(clock::kBoottime);
  if (IsOfSequence(id)) {
    Sequence::OwnClock& own = sequence->clocks[id];
    if (own.incremental) timestamp = own.last += timestamp;
    return Plus(Scale(timestamp, own.unit_ns), own.offset_ns);
  }
  const auto it = offsets_ns_.find(id);
  return Plus(Scale(timestamp, 1), it == offsets_ns_.end() ? 0 : it->second);
}

}  // namespace warpscope::import::perfetto
