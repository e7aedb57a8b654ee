#include "import/pytorch_snapshot/history.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "import/pytorch_snapshot/stack_rows.h"

namespace warpscope::import::pytorch_snapshot {
namespace {

using Kind = Pickle::Kind;
using Value = Pickle::Value;
using model::LedgerCode;

constexpr int64_t kMaxBytes = int64_t{1} << 50;
constexpr int64_t kMaxTimeUs = int64_t{4'600'000'000'000'000};  // 146 years

std::optional<int64_t> Integer(const Pickle& pickle, const Value& dict, std::string_view key) {
  const Value* value = pickle.Find(dict, key);
  if (value == nullptr || value->kind != Kind::kInteger) return std::nullopt;
  return value->integer;
}

std::optional<int64_t> Bytes(const Pickle& pickle, const Value& dict, std::string_view key) {
  const auto bytes = Integer(pickle, dict, key);
  return bytes && *bytes >= 0 && *bytes < kMaxBytes ? bytes : std::nullopt;
}

constexpr std::string_view kOlder = "allocated before the snapshot's history";

enum class Act : uint8_t { kAlloc, kFree, kReserve, kRelease, kOutOfMemory, kNothing, kUnknown };

Act ActOf(std::string_view action) {
  if (action == "alloc") return Act::kAlloc;
  if (action == "free_completed" || action == "free") return Act::kFree;
  if (action == "segment_alloc" || action == "segment_map") return Act::kReserve;
  if (action == "segment_free" || action == "segment_unmap") return Act::kRelease;
  if (action == "oom") return Act::kOutOfMemory;
  if (action == "free_requested" || action == "snapshot") return Act::kNothing;
  return Act::kUnknown;
}

struct Event {
  Act act;
  int64_t time_ns, bytes;
  uint64_t address;
  const Value* frames;
};

class Device {
 public:
  Device(const Pickle& pickle, int64_t device, const Segments& segments, Frames* frames, Appender* out)
      : pickle_(pickle),
        number_(device),
        segments_(segments),
        frames_(*frames),
        out_(*out),
        row_(out->Device(device)),
        thread_(out->Thread(out->Process(-1), device)),
        stacks_(out, thread_) {
    out->trace().threads[thread_].name = out->Text("stacks of allocations, device " + std::to_string(device));
  }

  uint64_t Add(const Value& events) {
    Read(events);
    if (events_.empty() && segments_.in_use.empty()) return 0;
    if (segments_.known) reserved_ = ReservedBefore();
    AddOlder();
    for (const Event& event : events_) Apply(event);
    stacks_.Finish();
    TellBounds();
    return events_.size();
  }

 private:
  void Read(const Value& list) {
    bool timed = false;
    int64_t last_ns = 0;
    for (const Value& item : pickle_.Items(list)) {
      Event event{ActOf(pickle_.TextOf(item, "action")), 0, 0, 0, pickle_.Find(item, "frames")};
      if (event.act == Act::kNothing) continue;
      const auto bytes = Bytes(pickle_, item, "size"), address = Integer(pickle_, item, "addr");
      if (event.act == Act::kUnknown && pickle_.Find(item, "action") != nullptr) {
        out_.Note(LedgerCode::kUnknownEvent);
        continue;
      }
      if (event.act == Act::kUnknown || !bytes || (!address && event.act != Act::kOutOfMemory)) {
        out_.Note(LedgerCode::kMissingField, 1, std::nullopt, "an allocator event without action, addr or size");
        continue;
      }
      event.bytes = *bytes;
      event.address = static_cast<uint64_t>(address.value_or(0));
      if (TimeOf(pickle_, item, &event.time_ns)) timed = true;
      else event.time_ns = timed ? last_ns : static_cast<int64_t>(events_.size()) * 1000;
      // The allocator writes its events in order; a clock that was set back must not undo that.
      if (!events_.empty()) event.time_ns = std::max(event.time_ns, last_ns + 1);
      last_ns = event.time_ns;
      if (event.act == Act::kOutOfMemory) AddOutOfMemory(item, event);
      else events_.push_back(event);
    }
    if (!timed && !events_.empty()) {
      out_.Note(LedgerCode::kRecorderNote, 1, std::nullopt,
                "the snapshot's events have no times (PyTorch before 2.2); they stand 1 us apart, in their order");
    }
  }

  void AddOutOfMemory(const Value& item, const Event& event) {
    const auto free_bytes = Bytes(pickle_, item, "device_free");
    Appender::Host row;
    std::string name = "out of memory: " + std::to_string(event.bytes) + " bytes were asked for";
    if (free_bytes) name += ", " + std::to_string(*free_bytes) + " were free";
    row.name = out_.Text(name);
    row.thread = thread_;
    row.start_ns = event.time_ns;
    model::AnnotationDetail mark;
    mark.form = model::AnnotationForm::kMark;
    row.detail = out_.Annotation(mark);
    out_.Add(row);
  }

  int64_t ReservedBefore() const {
    __extension__ __int128 reserved = segments_.reserved_bytes;
    for (const Event& event : events_) {
      if (event.act == Act::kReserve) reserved -= event.bytes;
      if (event.act == Act::kRelease) reserved += event.bytes;
    }
    return static_cast<int64_t>(reserved < 0 ? 0 : reserved > kMaxBytes ? kMaxBytes : reserved);
  }

  // Blocks whose allocation is not among the events: freed in them, or still in use at the snapshot.
  void AddOlder() {
    struct Older {
      uint64_t address;
      int64_t bytes;
      const Value* frames;
    };
    std::vector<Older> older;
    std::unordered_map<uint64_t, int64_t> live;
    for (const Event& event : events_) {
      if (event.act == Act::kAlloc) live[event.address] = event.bytes;
      if (event.act == Act::kFree && live.erase(event.address) == 0)
        older.push_back({event.address, event.bytes, nullptr});
    }
    for (const Block& block : segments_.in_use) {
      if (!live.contains(block.address)) older.push_back({block.address, block.bytes, block.frames});
    }
    int64_t time_ns = (events_.empty() ? 0 : events_.front().time_ns) - static_cast<int64_t>(older.size());
    for (const Older& block : older) {
      if (!Push(time_ns, block.bytes, block.address)) continue;
      const Frames::Stack& stack = frames_.StackOf(block.frames);
      stacks_.Add(time_ns++, stack.empty() ? Frames::Stack{out_.Text(kOlder)} : stack);
    }
    if (!older.empty()) {
      out_.Note(LedgerCode::kRecorderNote, 1, std::nullopt,
                std::to_string(older.size()) + " blocks of device " + std::to_string(number_) +
                    " are older than the snapshot's history; they stand just before its first event");
    }
  }

  void Apply(const Event& event) {
    switch (event.act) {
      case Act::kAlloc:
        if (Push(event.time_ns, event.bytes, event.address)) stacks_.Add(event.time_ns, frames_.StackOf(event.frames));
        break;
      case Act::kFree: Push(event.time_ns, -event.bytes, event.address); break;
      case Act::kReserve:
        if (reserved_) *reserved_ = std::min(kMaxBytes, *reserved_ + event.bytes);
        break;
      case Act::kRelease:
        if (reserved_) *reserved_ = std::max<int64_t>(0, *reserved_ - event.bytes);
        break;
      case Act::kOutOfMemory:
      case Act::kNothing:
      case Act::kUnknown: break;
    }
  }

  // False if it is left out: the bytes in use would be more than kMaxBytes, or fewer than none. Sizes that a file makes
  // up would otherwise overflow the total. The release of a block that was left out is none.
  bool Push(int64_t time_ns, int64_t bytes, uint64_t address) {
    if (bytes <= 0 && left_out_.erase(address) > 0) return false;
    const int64_t after = allocated_ + bytes;
    if (after < 0 || after > kMaxBytes) {
      ++refused_;
      if (after > 0) left_out_.insert(address);
      return false;
    }
    if (bytes > 0) left_out_.erase(address);
    allocated_ = after;
    model::MemoryEvent row;
    row.time_ns = time_ns;
    row.bytes = bytes;
    row.address = address;
    row.device = row_;
    row.thread = thread_;
    row.total_allocated_bytes = allocated_;
    row.total_reserved_bytes = reserved_;
    out_.trace().memory.push_back(row);
    return true;
  }

  void TellBounds() {
    out_.Note(LedgerCode::kRecorderNote, stacks_.shortened() > 0 ? 1 : 0, std::nullopt,
              std::to_string(stacks_.shortened()) + " stacks of device " + std::to_string(number_) +
                  " are shown by their innermost frame alone: the snapshot holds more than can be kept");
    out_.Note(LedgerCode::kMissingField, refused_, std::nullopt,
              "an allocator event of device " + std::to_string(number_) +
                  " that would put more than 1 PiB, or less than nothing, in use: its size is not used");
  }

  const Pickle& pickle_;
  int64_t number_;
  const Segments& segments_;
  Frames& frames_;
  Appender& out_;
  uint32_t row_, thread_;
  StackRows stacks_;
  std::vector<Event> events_;
  int64_t allocated_ = 0;
  uint64_t refused_ = 0;
  std::unordered_set<uint64_t> left_out_;  // addresses of blocks whose allocation was refused
  std::optional<int64_t> reserved_;
};

}  // namespace

bool TimeOf(const Pickle& pickle, const Value& event, int64_t* time_ns) {
  const auto time_us = Integer(pickle, event, "time_us");
  if (!time_us || *time_us > kMaxTimeUs || *time_us < -kMaxTimeUs) return false;
  *time_ns = *time_us * 1000;
  return true;
}

uint64_t AddHistory(const Pickle& pickle, const Value& events, int64_t device, const Segments& segments, Frames* frames,
                    Appender* out) {
  return Device(pickle, device, segments, frames, out).Add(events);
}

std::unordered_map<int64_t, Segments> SegmentsOf(const Pickle& pickle, const Value* list, Appender* out) {
  std::unordered_map<int64_t, Segments> found;
  if (list == nullptr) return found;
  for (const Value& item : pickle.Items(*list)) {
    const auto device = Integer(pickle, item, "device"), total = Bytes(pickle, item, "total_size");
    if (!device || *device < 0 || *device > INT32_MAX || !total) {
      out->Note(LedgerCode::kMissingField, 1, std::nullopt, "a segment without device or total_size");
      continue;
    }
    Segments& segments = found[*device];
    segments.known = true;
    if (*total > kMaxBytes - segments.reserved_bytes) {
      out->Note(LedgerCode::kMissingField, 1, std::nullopt, "a segment that would put more than 1 PiB aside");
      continue;
    }
    segments.reserved_bytes += *total;
    const Value* blocks = pickle.Find(item, "blocks");
    if (blocks == nullptr) continue;
    int64_t address = Integer(pickle, item, "address").value_or(0);
    for (const Value& block : pickle.Items(*blocks)) {
      const auto size = Bytes(pickle, block, "size");
      // Blocks lie one behind the other; old snapshots tell no address of each.
      const int64_t at = Integer(pickle, block, "address").value_or(address);
      address = static_cast<int64_t>(static_cast<uint64_t>(at) + static_cast<uint64_t>(size.value_or(0)));
      if (!pickle.TextOf(block, "state").starts_with("active_")) continue;
      const auto asked = Bytes(pickle, block, "requested_size");
      const auto bytes = asked ? asked : size;
      if (bytes) segments.in_use.push_back({static_cast<uint64_t>(at), *bytes, pickle.Find(block, "frames")});
    }
  }
  return found;
}

}  // namespace warpscope::import::pytorch_snapshot
