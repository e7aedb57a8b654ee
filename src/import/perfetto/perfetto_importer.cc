#include "import/perfetto/perfetto_importer.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <memory>

#include "base/perfetto_fields.h"
#include "import/perfetto/reader.h"
#include "import/protobuf/wire.h"

namespace warpscope::import::perfetto {
namespace {

namespace pf = warpscope::perfetto;
using protobuf::Field;
using protobuf::Fields;
using protobuf::WireType;

// Perfetto splits what is larger; compressed bundles are meant to stay below 512 KB.
constexpr size_t kMaxPacketBytes = size_t{64} << 20;
constexpr size_t kMaxInflatedBytes = size_t{256} << 20;

// Whether a field of a packet has the wire type that its number asks for; unknown numbers may have any.
bool FitsPacket(const Field& field) {
  namespace packet = pf::packet;
  switch (field.number) {
    case packet::kTimestamp:
    case packet::kTrustedUid:
    case packet::kTrustedSequenceId:
    case packet::kSequenceFlags:
    case packet::kIncrementalStateCleared:
    case packet::kPreviousPacketDropped:
    case packet::kTimestampClockId:
    case packet::kFirstPacketOnSequence: return field.type == WireType::kVarint;
    case packet::kFtraceEvents:
    case packet::kProcessTree:
    case packet::kClockSnapshot:
    case packet::kTrackEvent:
    case packet::kInternedData:
    case packet::kTraceStats:
    case packet::kCompressedPackets:
    case packet::kTracePacketDefaults:
    case packet::kTrackDescriptor: return field.is_bytes();
    default:
      return field.number <= packet::kLastKnown || field.number == 900 || (field.number >= 1000 && field.number < 2000);
  }
}

bool IsTelling(const Field& field) {
  namespace packet = pf::packet;
  for (const uint32_t number :
       {packet::kTrustedUid, packet::kTimestamp, packet::kTrustedSequenceId, packet::kTrackEvent,
        packet::kSequenceFlags, packet::kCompressedPackets, packet::kTrackDescriptor, 36u, 89u}) {
    if (field.number == number) return true;
  }
  return false;
}

// A run of packets from the first byte on, each of which is one as far as it can be seen.
Confidence Sniff(const Head& head) {
  constexpr int kEnough = 8;
  size_t at = 0;
  int packets = 0;
  while (at < head.bytes.size() && packets < kEnough) {
    if (head.bytes[at] != '\x0a') return Confidence::kNo;
    uint64_t size = 0;
    if (!protobuf::ReadVarint(head.bytes, ++at, size)) return packets > 0 ? Confidence::kYes : Confidence::kNo;
    const bool whole = size <= head.bytes.size() - at;
    if (!whole && head.is_whole && packets == 0) return Confidence::kNo;
    Fields fields(head.bytes.substr(at, whole ? static_cast<size_t>(size) : std::string_view::npos));
    bool telling = false;
    while (fields.Next()) {
      if (!FitsPacket(*fields)) return Confidence::kNo;
      telling = telling || IsTelling(*fields);
    }
    if (whole && (fields.damaged() || !telling)) return Confidence::kNo;
    if (!whole) return packets > 0 || telling ? Confidence::kYes : Confidence::kNo;
    ++packets;
    at += static_cast<size_t>(size);
  }
  return packets > 0 ? Confidence::kYes : Confidence::kNo;
}

// zlib data; "" if it is damaged or inflates without bound.
std::string Inflate(std::string_view bytes) {
  auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));  // isa-l only reads it
  state->avail_in = static_cast<uint32_t>(bytes.size());
  std::string out;
  constexpr size_t kStep = size_t{1} << 18;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    const size_t old = out.size();
    if (old > kMaxInflatedBytes) return {};
    out.resize(old + kStep);
    state->next_out = reinterpret_cast<uint8_t*>(out.data() + old);
    state->avail_out = kStep;
    const int result = isal_inflate(state.get());
    out.resize(old + kStep - state->avail_out);
    if (result != ISAL_DECOMP_OK ||
        (state->avail_in == 0 && out.size() == old && state->block_state != ISAL_BLOCK_FINISH))
      return {};
  }
  return out;
}

// A packet, or a bundle of compressed ones (never nested).
void AddPacket(std::string_view bytes, uint64_t offset_bytes, Reader* reader) {
  for (Fields fields(bytes); fields.Next();) {
    if (fields->number == pf::packet::kZstdCompressedPackets && fields->is_bytes())
      return reader->Note(model::LedgerCode::kBrokenRecord, 1, offset_bytes);
    if (fields->number != pf::packet::kCompressedPackets || !fields->is_bytes()) continue;
    const std::string inflated = Inflate(fields->bytes);
    if (inflated.empty()) return reader->Note(model::LedgerCode::kBrokenRecord, 1, offset_bytes);
    for (Fields inner(inflated); inner.Next();) {
      if (inner->number == pf::kTracePacket && inner->is_bytes()) reader->AddPacket(inner->bytes, offset_bytes);
    }
    return;
  }
  reader->AddPacket(bytes, offset_bytes);
}

Status Read(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  Reader reader(trace, path);
  protobuf::MessageStream stream(&bytes, kMaxPacketBytes);
  Field field;
  constexpr uint64_t kReportEvery = 4096;
  for (;;) {
    WS_ASSIGN_OR_RETURN(const bool more, stream.Next(&field));
    if (!more) break;
    if (field.number != pf::kTracePacket || !field.is_bytes()) continue;
    AddPacket(field.bytes, stream.offset_bytes(), &reader);
    if (options.progress && reader.packets() % kReportEvery == 0) options.progress(bytes.done_ratio());
  }
  if (bytes.cut_short() || stream.cut_short()) reader.Note(model::LedgerCode::kTruncatedFile, 1, stream.offset_bytes());
  else if (stream.damaged()) reader.Note(model::LedgerCode::kBrokenRecord, 1, stream.offset_bytes());
  reader.Note(model::LedgerCode::kBrokenRecord, stream.too_large());
  if (!reader.Finish()) {
    return Status(StatusCode::kUnsupported,
                  path + ": byte 0: this Perfetto trace holds no slices, GPU work or counters (" +
                      std::to_string(reader.packets()) +
                      " packets; scheduling and other system events are not read). Record with the data source "
                      "\"track_event\", or with rocprofv3 --output-format pftrace.");
  }
  return Status::Ok();
}

}  // namespace

const Importer kImporter = {"perfetto", "Perfetto trace (protobuf)", &Sniff, &Read};

}  // namespace warpscope::import::perfetto
