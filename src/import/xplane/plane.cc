#include "import/xplane/plane.h"

namespace warpscope::import::xplane {
namespace {

using protobuf::Fields;

struct Known {
  std::string_view name;
  StatKind kind;
};

constexpr Known kKnown[] = {
    {"correlation_id", StatKind::kCorrelationId},
    {"kernel_details", StatKind::kKernelDetails},
    {"memcpy_details", StatKind::kMemcpyDetails},
    {"Memset_details", StatKind::kMemsetDetails},
    {"memset_details", StatKind::kMemsetDetails},
    {"memalloc_details", StatKind::kMemory},
    {"MemFree_details", StatKind::kMemory},
    {"MemoryResidency_details", StatKind::kMemory},
    {"hlo_op", StatKind::kHloOp},
    {"hlo_module", StatKind::kHloModule},
    {"tf_op", StatKind::kTfOp},
    {"step_num", StatKind::kStepNum},
    {"device_id", StatKind::kDeviceId},
    {"device_vendor", StatKind::kDeviceVendor},
    {"device_type_string", StatKind::kDeviceType},
    {"core_count", StatKind::kCoreCount},
    {"memory_size", StatKind::kMemorySize},
    {"compute_cap_major", StatKind::kComputeCapMajor},
    {"compute_cap_minor", StatKind::kComputeCapMinor},
    {"profile_start_time", StatKind::kProfileStart},
    {"allocator_name", StatKind::kAllocatorName},
    {"bytes_allocated", StatKind::kBytesAllocated},
    {"bytes_reserved", StatKind::kBytesReserved},
    {"allocation_bytes", StatKind::kAllocationBytes},
    {"addr", StatKind::kAddress},
};

StatKind KindOf(std::string_view name) {
  for (const Known& known : kKnown) {
    if (known.name == name) return known.kind;
  }
  return StatKind::kOther;
}

// A map entry: key in field 1, message in field 2.
std::pair<int64_t, std::string_view> ReadEntry(std::string_view bytes) {
  std::pair<int64_t, std::string_view> entry{0, {}};
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number == 1 && fields->is_number()) entry.first = fields->Signed();
    if (fields->number == 2 && fields->is_bytes()) entry.second = fields->bytes;
  }
  return entry;
}

void SetOnce(std::string_view& to, std::string_view text) {
  if (to.empty()) to = text;
}
void SetOnce(std::optional<int64_t>& to, std::optional<int64_t> number) {
  if (!to) to = number;
}

}  // namespace

Plane::Plane(std::string_view bytes) {
  Fields fields(bytes);
  while (fields.Next()) {
    if (fields->number == 1 && fields->is_number()) id_ = fields->Signed();
    if (!fields->is_bytes()) continue;
    switch (fields->number) {
      case 2: name_ = fields->bytes; break;
      case 3: ReadLine(fields->bytes); break;
      case 4: ReadEventName(fields->bytes); break;
      case 5: ReadStatName(fields->bytes); break;
      case 6: stats_.push_back(fields->bytes); break;
      default: break;
    }
  }
  damaged_ = fields.damaged();
}

void Plane::ReadLine(std::string_view bytes) {
  Line line;
  line.bytes = bytes;
  for (Fields fields(bytes); fields.Next();) {
    switch (fields->number) {
      case 1: line.id = fields->Signed(); break;
      case 2: line.name = fields->bytes; break;
      case 3: line.timestamp_ns = fields->Signed(); break;
      case 11: line.display_name = fields->bytes; break;
      default: break;
    }
  }
  lines_.push_back(line);
}

void Plane::ReadEventName(std::string_view entry_bytes) {
  const auto [key, bytes] = ReadEntry(entry_bytes);
  EventName& name = event_names_[key];
  name.bytes = bytes;
  for (Fields fields(bytes); fields.Next();) {
    if (!fields->is_bytes()) continue;
    if (fields->number == 2) name.name = fields->bytes;
    if (fields->number == 4) name.display_name = fields->bytes;
    if (fields->number == 5) name.has_stats = true;
  }
}

void Plane::ReadStatName(std::string_view entry_bytes) {
  const auto [key, bytes] = ReadEntry(entry_bytes);
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number == 2 && fields->is_bytes()) stat_names_[key] = {fields->bytes, KindOf(fields->bytes)};
  }
}

Stat Plane::ReadStat(std::string_view bytes) const {
  Stat stat;
  for (Fields fields(bytes); fields.Next();) {
    switch (fields->number) {
      case 1: {
        const auto it = stat_names_.find(fields->Signed());
        if (it != stat_names_.end()) stat.kind = it->second.second;
        break;
      }
      case 3:
      case 4:
        if (fields->is_number()) stat.number = fields->Signed();
        break;
      case 5: stat.text = fields->bytes; break;
      case 7: {
        const auto it = stat_names_.find(fields->Signed());
        if (it != stat_names_.end()) stat.text = it->second.first;
        break;
      }
      default: break;
    }
  }
  return stat;
}

void Plane::AddStat(std::string_view bytes, Stats* stats) const {
  const Stat stat = ReadStat(bytes);
  switch (stat.kind) {
    case StatKind::kCorrelationId: SetOnce(stats->correlation_id, stat.number); break;
    case StatKind::kKernelDetails: SetOnce(stats->kernel_details, stat.text); break;
    case StatKind::kMemcpyDetails: SetOnce(stats->memcpy_details, stat.text); break;
    case StatKind::kMemsetDetails: SetOnce(stats->memset_details, stat.text); break;
    case StatKind::kHloOp: SetOnce(stats->hlo_op, stat.text); break;
    case StatKind::kHloModule: SetOnce(stats->hlo_module, stat.text); break;
    case StatKind::kTfOp: SetOnce(stats->tf_op, stat.text); break;
    case StatKind::kStepNum: SetOnce(stats->step_num, stat.number); break;
    case StatKind::kDeviceId: SetOnce(stats->device_id, stat.number); break;
    case StatKind::kAllocatorName: SetOnce(stats->allocator, stat.text); break;
    case StatKind::kBytesAllocated: SetOnce(stats->bytes_allocated, stat.number); break;
    case StatKind::kBytesReserved: SetOnce(stats->bytes_reserved, stat.number); break;
    case StatKind::kAllocationBytes: SetOnce(stats->allocation_bytes, stat.number); break;
    case StatKind::kAddress: SetOnce(stats->address, stat.number); break;
    default: break;
  }
}

std::vector<Stat> Plane::stats() const {
  std::vector<Stat> out;
  for (const std::string_view bytes : stats_) out.push_back(ReadStat(bytes));
  return out;
}

bool Plane::ReadEvent(std::string_view bytes, Event* event) const {
  *event = Event();
  const EventName* name = nullptr;
  Fields fields(bytes);
  while (fields.Next()) {
    switch (fields->number) {
      case 1: {
        const auto it = event_names_.find(fields->Signed());
        if (it != event_names_.end()) name = &it->second;
        break;
      }
      case 2: event->offset_ps = fields->Signed(); break;
      case 3: event->duration_ps = fields->Signed(); break;
      case 4: AddStat(fields->bytes, &event->stats); break;
      case 5: event->aggregated = true; break;
      default: break;
    }
  }
  if (name == nullptr) {  // the id 0 is not written out
    const auto it = event_names_.find(0);
    if (it != event_names_.end()) name = &it->second;
  }
  if (name != nullptr) {
    event->name = name->name;
    event->display_name = name->display_name;
    if (name->has_stats) {
      for (Fields metadata(name->bytes); metadata.Next();) {
        if (metadata->number == 5 && metadata->is_bytes()) AddStat(metadata->bytes, &event->stats);
      }
    }
  }
  return !fields.damaged();
}

}  // namespace warpscope::import::xplane
