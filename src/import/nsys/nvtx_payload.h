// NVTX payloads with a schema: the bytes that a library (NCCL) attached to a range, decoded as its schema says.
// [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpscope::import::nsys {

struct PayloadField {
  std::string name;
  std::optional<int64_t> value;  // of whole numbers; unsigned ones beyond int64 wrap
  std::string text;              // as shown
};

class PayloadSchemas {
 public:
  struct Entry {
    int64_t type = 0;  // NVTX_PAYLOAD_ENTRY_TYPE_*, or the number of an enumeration
    std::string name;
    int64_t offset_bytes = 0;
  };
  void AddEntry(int64_t domain, int64_t schema, Entry entry) { entries_[{domain, schema}].push_back(std::move(entry)); }
  void AddEnumValue(int64_t domain, int64_t id, int64_t value, std::string name) {
    enums_[{domain, id}][value] = std::move(name);
  }
  bool empty() const { return entries_.empty(); }

  // The fields of one payload: bytes as NVTX_EVENTS.binaryData holds them. Empty if no schema fits.
  // Layout: u32 domain, u32 -, u32 schema, u32 -, u64 payload size, u64 total size, payload; little endian.
  std::vector<PayloadField> Decode(std::string_view bytes) const;

 private:
  using Key = std::pair<int64_t, int64_t>;  // domain, schema or enumeration
  std::map<Key, std::vector<Entry>> entries_;
  std::map<Key, std::map<int64_t, std::string>> enums_;
};

std::string PayloadText(const std::vector<PayloadField>& fields);  // "Rank=1, Message size [bytes]=4096"

}  // namespace warpscope::import::nsys
