#include "export/perfetto/packets.h"

#include <bit>
#include <cerrno>
#include <cstring>

#include "base/perfetto_fields.h"

namespace warpscope::exporting::perfetto {
namespace {

namespace pf = warpscope::perfetto;

constexpr uint64_t kSequenceId = 1;
constexpr size_t kFlushBytes = size_t{1} << 20;

constexpr std::string_view kKeys[] = {
#define WS_PERFETTO_KEY(id, name) name,
#include "export/perfetto/keys.def"
#undef WS_PERFETTO_KEY
};
constexpr std::string_view kCategories[] = {
#define WS_PERFETTO_CATEGORY(id, name) name,
#include "export/perfetto/categories.def"
#undef WS_PERFETTO_CATEGORY
};

// Interning numbers begin at 1.
uint64_t IidOf(auto value) { return static_cast<uint64_t>(value) + 1; }

Message Entry(uint64_t iid, std::string_view text) {
  Message entry;
  entry.Number(pf::interned::kIid, iid).Bytes(pf::interned::kName, text);
  return entry;
}

}  // namespace

void Message::Varint(uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

Message& Message::Number(uint32_t field, uint64_t value) {
  Varint(uint64_t{field} << 3);
  Varint(value);
  return *this;
}

Message& Message::Fixed64(uint32_t field, uint64_t value) {
  Varint(uint64_t{field} << 3 | 1);
  for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
  return *this;
}

Message& Message::Double(uint32_t field, double value) { return Fixed64(field, std::bit_cast<uint64_t>(value)); }

Message& Message::Bytes(uint32_t field, std::string_view bytes) {
  Varint(uint64_t{field} << 3 | 2);
  Varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

PacketFile::PacketFile(const model::StringPool& strings, const std::string& path)
    : strings_(strings),
      path_(path),
      file_(std::fopen(path.c_str(), "wb")),
      name_sent_(strings.size(), false),
      text_sent_(strings.size(), false),
      key_sent_(static_cast<size_t>(Key::kCount), false),
      category_sent_(static_cast<size_t>(Category::kCount), false) {
  failed_ = file_ == nullptr;
}

PacketFile::~PacketFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void PacketFile::Send(uint32_t field, const Message& data, std::optional<int64_t> time_ns) {
  Message packet;
  if (time_ns) packet.Signed(pf::packet::kTimestamp, *time_ns);
  packet.Number(pf::packet::kTrustedSequenceId, kSequenceId);
  if (!interned_.empty()) packet.Add(pf::packet::kInternedData, interned_);
  interned_.clear();
  packet.Number(pf::packet::kSequenceFlags, first_ ? pf::packet::kStateCleared : pf::packet::kNeedsState);
  if (first_) packet.Number(pf::packet::kFirstPacketOnSequence, 1);
  first_ = false;
  packet.Add(field, data);
  Message framed;
  framed.Add(pf::kTracePacket, packet);
  buffer_ += framed.bytes();
  if (buffer_.size() >= kFlushBytes) Flush();
}

void PacketFile::Flush() {
  if (!failed_ && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) failed_ = true;
  buffer_.clear();
}

Status PacketFile::Close() {
  Flush();
  const int error = errno;
  if (file_ != nullptr && std::fclose(file_) != 0) failed_ = true;
  file_ = nullptr;
  if (!failed_) return Status::Ok();
  return Status(StatusCode::kOutput,
                path_ + ": cannot be written: " + std::strerror(error) + ". Check the space on the disk.");
}

void PacketFile::Descriptor(const Message& track_descriptor) {
  Send(pf::packet::kTrackDescriptor, track_descriptor, std::nullopt);
}

void PacketFile::BeginSlice(uint64_t track, int64_t time_ns, Category category, model::StringId name) {
  time_ns_ = time_ns;
  event_.clear();
  event_.Number(pf::event::kType, pf::event::kSliceBegin).Number(pf::event::kTrackUuid, track);
  const auto at = static_cast<size_t>(category);
  if (!category_sent_[at]) interned_.Add(pf::interned::kEventCategories, Entry(IidOf(at), kCategories[at]));
  category_sent_[at] = true;
  event_.Number(pf::event::kCategoryIids, IidOf(at));
  if (name == model::kNoString) return;
  if (!name_sent_[name]) interned_.Add(pf::interned::kEventNames, Entry(IidOf(name), strings_.Get(name)));
  name_sent_[name] = true;
  event_.Number(pf::event::kNameIid, IidOf(name));
}

void PacketFile::EndSlice(uint64_t track, int64_t time_ns) {
  event_.clear();
  event_.Number(pf::event::kType, pf::event::kSliceEnd).Number(pf::event::kTrackUuid, track);
  Send(pf::packet::kTrackEvent, event_, time_ns);
}

void PacketFile::BeginMark(uint64_t track, int64_t time_ns, std::string_view name) {
  time_ns_ = time_ns;
  event_.clear();
  event_.Number(pf::event::kType, pf::event::kInstant)
      .Number(pf::event::kTrackUuid, track)
      .Bytes(pf::event::kCategories, pf::kOwnCategory)
      .Bytes(pf::event::kName, name);
}

void PacketFile::Counter(uint64_t track, int64_t time_ns, double value) {
  event_.clear();
  event_.Number(pf::event::kType, pf::event::kCounter)
      .Number(pf::event::kTrackUuid, track)
      .Double(pf::event::kDoubleCounterValue, value);
  Send(pf::packet::kTrackEvent, event_, time_ns);
}

void PacketFile::InternKey(Key key) {
  const auto at = static_cast<size_t>(key);
  if (!key_sent_[at]) interned_.Add(pf::interned::kDebugAnnotationNames, Entry(IidOf(at), kKeys[at]));
  key_sent_[at] = true;
}

namespace {

Message Named(Key key) {
  Message annotation;
  annotation.Number(pf::annotation::kNameIid, IidOf(key));
  return annotation;
}

}  // namespace

void PacketFile::Annotate(Key key, uint64_t value) {
  InternKey(key);
  event_.Add(pf::event::kDebugAnnotations, Named(key).Number(pf::annotation::kUint, value));
}

void PacketFile::Annotate(Key key, int64_t value) {
  InternKey(key);
  event_.Add(pf::event::kDebugAnnotations, Named(key).Signed(pf::annotation::kInt, value));
}

void PacketFile::Annotate(Key key, model::StringId text) {
  if (text == model::kNoString) return;
  InternKey(key);
  if (!text_sent_[text]) interned_.Add(pf::interned::kDebugAnnotationStrings, Entry(IidOf(text), strings_.Get(text)));
  text_sent_[text] = true;
  event_.Add(pf::event::kDebugAnnotations, Named(key).Number(pf::annotation::kStringIid, IidOf(text)));
}

void PacketFile::Annotate(Key key, std::string_view text) {
  if (text.empty()) return;
  InternKey(key);
  event_.Add(pf::event::kDebugAnnotations, Named(key).Bytes(pf::annotation::kString, text));
}

void PacketFile::Annotate(Key key, const uint32_t (&triple)[3]) {
  if (triple[0] == 0 && triple[1] == 0 && triple[2] == 0) return;
  InternKey(key);
  Message annotation = Named(key);
  for (const uint32_t value : triple) {
    Message element;
    annotation.Add(pf::annotation::kArrayValues, element.Number(pf::annotation::kUint, value));
  }
  event_.Add(pf::event::kDebugAnnotations, annotation);
}

void PacketFile::Flow(uint64_t id, bool ends) {
  event_.Fixed64(ends ? pf::event::kTerminatingFlowIds : pf::event::kFlowIds, id);
}

void PacketFile::End() { Send(pf::packet::kTrackEvent, event_, time_ns_); }

}  // namespace warpscope::exporting::perfetto
