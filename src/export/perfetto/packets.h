// Perfetto packets: one sequence, texts interned where they are first used. Field numbers: base/perfetto_fields.h.
// [one thread]
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/trace.h"

namespace warpscope::exporting::perfetto {

// A message under construction.
class Message {
 public:
  Message& Number(uint32_t field, uint64_t value);
  Message& Signed(uint32_t field, int64_t value) { return Number(field, static_cast<uint64_t>(value)); }
  Message& Fixed64(uint32_t field, uint64_t value);
  Message& Double(uint32_t field, double value);
  Message& Bytes(uint32_t field, std::string_view bytes);
  Message& Add(uint32_t field, const Message& message) { return Bytes(field, message.bytes_); }
  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  void Varint(uint64_t value);
  std::string bytes_;
};

// Names of debug annotations that this writer uses; interned by their place in the list.
enum class Key : uint8_t {
#define WS_PERFETTO_KEY(id, name) id,
#include "export/perfetto/keys.def"
#undef WS_PERFETTO_KEY
  kCount,
};

enum class Category : uint8_t {
#define WS_PERFETTO_CATEGORY(id, name) id,
#include "export/perfetto/categories.def"
#undef WS_PERFETTO_CATEGORY
  kCount,
};

class PacketFile {
 public:
  PacketFile(const model::StringPool& strings, const std::string& path);
  ~PacketFile();
  PacketFile(const PacketFile&) = delete;
  PacketFile& operator=(const PacketFile&) = delete;

  void Descriptor(const Message& track_descriptor);

  // One event. Calls between Begin..() and End() add to it.
  void BeginSlice(uint64_t track, int64_t time_ns, Category category, model::StringId name);
  void EndSlice(uint64_t track, int64_t time_ns);
  void BeginMark(uint64_t track, int64_t time_ns, std::string_view name);
  void Counter(uint64_t track, int64_t time_ns, double value);
  void Annotate(Key key, uint64_t value);
  void Annotate(Key key, int64_t value);
  void Annotate(Key key, model::StringId text);   // nothing for kNoString
  void Annotate(Key key, std::string_view text);  // nothing for ""
  void Annotate(Key key, const uint32_t (&triple)[3]);
  template <typename T>
  void Annotate(Key key, const std::optional<T>& value) {
    if (!value) return;
    if constexpr (std::is_signed_v<T>) Annotate(key, static_cast<int64_t>(*value));
    else Annotate(key, static_cast<uint64_t>(*value));
  }
  void Flow(uint64_t id, bool ends);
  void End();

  // Writes what is buffered; kIo if anything could not be written.
  Status Close();

 private:
  uint64_t Text(model::StringId id);
  void InternKey(Key key);
  void Send(uint32_t field, const Message& data, std::optional<int64_t> time_ns);
  void Flush();

  const model::StringPool& strings_;
  std::string path_;
  std::FILE* file_;
  bool failed_ = false, first_ = true;
  std::string buffer_;
  Message event_, interned_;
  int64_t time_ns_ = 0;
  std::vector<bool> name_sent_, text_sent_, key_sent_, category_sent_;
};

}  // namespace warpscope::exporting::perfetto
