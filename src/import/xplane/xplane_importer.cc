#include "import/xplane/xplane_importer.h"

#include <algorithm>

#include "import/protobuf/wire.h"
#include "import/xplane/reader.h"

namespace warpscope::import::xplane {
namespace {

using protobuf::Field;
using protobuf::Fields;
using protobuf::WireType;

// protobuf itself cannot write a larger message, and the whole file is one.
constexpr size_t kMaxFileBytes = (size_t{1} << 31) - 1;
// Later line times are absolute (2001-09-09 as ns since 1970); earlier ones count from the profile's start.
constexpr int64_t kAbsoluteNs = 1000000000LL * 1000000000LL;

// Fields of an XPlane and their wire types: id, name, lines, event_metadata, stat_metadata, stats.
bool IsPlaneField(const Field& field) {
  if (field.number == 1) return field.type == WireType::kVarint;
  return field.number >= 2 && field.number <= 6 && field.is_bytes();
}

bool IsPlaneName(std::string_view name) {
  for (const std::string_view start :
       {"/host:", "/device:", "/virtualdevice:", "Task Environment", "Host CPUs", "Syscalls", "#Chip"}) {
    if (name.substr(0, start.size()) == start) return true;
  }
  return false;
}

// The first plane lies at the beginning, and its name near its own; what follows may be cut off by the look at the
// head.
Confidence Sniff(const Head& head) {
  size_t at = 1;
  uint64_t size = 0;
  if (head.bytes.empty() || head.bytes[0] != '\x0a' || !protobuf::ReadVarint(head.bytes, at, size))
    return Confidence::kNo;
  Fields fields(head.bytes.substr(at, static_cast<size_t>(std::min<uint64_t>(size, head.bytes.size() - at))));
  while (fields.Next()) {
    if (!IsPlaneField(*fields)) return Confidence::kNo;
    if (fields->number == 2) return IsPlaneName(fields->bytes) ? Confidence::kYes : Confidence::kNo;
  }
  return Confidence::kNo;
}

struct Space {
  std::vector<std::string> planes;  // bytes
  std::vector<uint64_t> offsets;
};

Status NothingIn(const std::string& path) {
  return Status(StatusCode::kUnsupported,
                path +
                    ": byte 0: this profile (XSpace) holds no events of a host or a device. Trace some steps between "
                    "jax.profiler.start_trace() and stop_trace(), and wait for the results before stopping.");
}

// What every time is counted from: the profile's start where the lines are relative to it.
int64_t TimeBase(const std::vector<Plane>& planes) {
  int64_t profile_start_ns = 0;
  bool absolute = false;
  for (const Plane& plane : planes) {
    for (const Stat& stat : plane.stats()) {
      if (stat.kind == StatKind::kProfileStart && stat.number) profile_start_ns = *stat.number;
    }
    for (const Line& line : plane.lines()) absolute = absolute || line.timestamp_ns >= kAbsoluteNs;
  }
  return absolute || profile_start_ns < kAbsoluteNs ? 0 : profile_start_ns;
}

bool IsHost(const Plane& plane) { return plane.name().substr(0, 6) == "/host:"; }

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  Appender out(trace, path, kImporter.id);
  protobuf::MessageStream stream(&bytes, kMaxFileBytes);
  Space space;
  Field field;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, stream.Next(&field));
    if (!more) break;
    if (field.number == 4 && field.is_bytes() && out.source().host_name.empty()) out.source().host_name = field.bytes;
    if (field.number != 1 || !field.is_bytes()) continue;
    if (stream.offset_bytes() + field.bytes.size() > kMaxFileBytes) {
      return Status(StatusCode::kUnsupported,
                    path + ": byte " + std::to_string(stream.offset_bytes()) +
                        ": a profile (XSpace) ends at 2 GiB, this file goes on. Trace fewer steps.");
    }
    space.planes.emplace_back(field.bytes);
    space.offsets.push_back(stream.offset_bytes());
    if (options.progress) options.progress(bytes.done_ratio());
  }
  std::vector<Plane> planes;
  for (const std::string& plane : space.planes) planes.emplace_back(plane);
  const int64_t base_ns = TimeBase(planes);
  if (base_ns != 0) out.source().base_time_ns = base_ns;
  Reader reader(&out, base_ns);
  // Devices first: their vendor tells the names of the host's calls.
  for (const bool host : {false, true}) {
    for (size_t i = 0; i < planes.size(); ++i) {
      if (IsHost(planes[i]) == host) reader.AddPlane(planes[i], space.offsets[i]);
    }
  }
  if (reader.rows() == 0) return NothingIn(path);
  reader.Finish();
  out.source().producer = reader.has_tpu() ? "XLA profiler (TPU)" : "XLA profiler";
  if (bytes.cut_short() || stream.cut_short()) out.Note(model::LedgerCode::kTruncatedFile, 1, stream.offset_bytes());
  else if (stream.damaged()) out.Note(model::LedgerCode::kBrokenRecord, 1, stream.offset_bytes());
  out.Note(model::LedgerCode::kBrokenRecord, stream.too_large());
  return Status::Ok();
}

}  // namespace

const Importer kImporter = {"xplane", "JAX or TensorFlow profile (xplane.pb)", &Sniff, &Read};

}  // namespace warpscope::import::xplane
