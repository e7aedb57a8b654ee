#include "import/kineto/block_parser.h"

#include <algorithm>
#include <string>

#include "import/kineto/recovery.h"
#include "import/kineto/text.h"

namespace warpscope::import::kineto {
namespace {

using model::LedgerCode;

// Members of the outermost object that are kept; the rest is passed over.
constexpr std::string_view kHeaderKeys[] = {
    "baseTimeNanoseconds", "computeProperties", "cuda_driver_version",     "cuda_runtime_version",
    "cupti_version",       "deviceProperties",  "distributedInfo",         "hip_driver_version",
    "hip_runtime_version", "host_name",         "profile_memory",          "record_shapes",
    "roctracer_version",   "schemaVersion",     "warpscope_producer",      "warpscope_sample_period_ns",
    "warpscope_vendor",    "with_stack",        "warpscope_launch_cost_ns"};

class Parser {
 public:
  Parser(Worker& worker, const char* text, size_t size_bytes, Place place, bool is_last)
      : worker_(worker), text_(text), end_(text + size_bytes), p_(text), is_last_(is_last) {
    result_.place = place;
  }

  ParsedBlock Run() {
    while (Step()) {
    }
    result_.consumed_bytes = static_cast<size_t>(p_ - text_);
    if (is_last_) CountMissingEnd();
    return result_;
  }

 private:
  uint64_t Offset(const char* at) const { return static_cast<uint64_t>(at - text_); }
  bool Bare() const { return result_.place == Place::kBareEvents || result_.place == Place::kBareLost; }

  // One unit; false when nothing more can be done with this text.
  bool Step() {
    p_ = SkipSpace(p_);
    if (p_ >= end_) {
      p_ = end_;
      return false;
    }
    switch (result_.place) {
      case Place::kStart: return StepStart();
      case Place::kTop: return StepTop();
      case Place::kEvents:
      case Place::kBareEvents: return StepEvents();
      case Place::kLost:
      case Place::kBareLost: return StepLost();
      case Place::kDone: return StepDone();
      case Place::kTrailing:
      case Place::kForeign: break;
    }
    p_ = end_;
    return false;
  }

  bool StepStart() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const std::string_view here(p_, std::min<size_t>(static_cast<size_t>(end_ - p_), kByteOrderMark.size()));
    if (here == kByteOrderMark) {
      p_ += kByteOrderMark.size();  // the next step may begin in another block: as many marks as there are
      return true;
    }
    if (!is_last_ && here.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(here)) return false;
    if (*p_ == '{') {
      result_.place = Place::kTop;
    } else if (*p_ == '[') {
      result_.place = Place::kBareEvents;
      result_.saw_events_member = true;
    } else {
      result_.place = Place::kForeign;
    }
    ++p_;
    return true;
  }

  // Several documents one behind the other are read as one.
  bool StepDone() {
    if (*p_ == '{' || *p_ == '[') {
      result_.place = Place::kStart;
      return true;
    }
    result_.place = Place::kTrailing;
    p_ = end_;
    return false;
  }

  bool StepTop() {
    if (*p_ == ',') {
      ++p_;
      return true;
    }
    if (*p_ == '}') {
      ++p_;
      result_.place = Place::kDone;
      return true;
    }
    const char* const start = p_;
    const char* after;
    uint8_t odd;
    if (*p_ != '"') return BrokenHeader(start);
    Scan scan = ScanString(p_ + 1, end_, &after, &odd);
    if (scan == Scan::kNeedMore) return WantMore(start, true);
    const std::string_view raw_key(start + 1, static_cast<size_t>(after - 2 - start));
    const char* value = SkipSpace(after);
    if (value >= end_) return WantMore(start, true);
    if (*value != ':') return BrokenHeader(start);
    value = SkipSpace(value + 1);
    if (value >= end_) return WantMore(start, true);
    const std::string key = CleanText(raw_key).text;
    if (key == "traceEvents" && *value == '[') {
      result_.place = Place::kEvents;
      result_.saw_events_member = true;
      p_ = value + 1;
      return true;
    }
    scan = SkipValue(value, end_, &after);
    if (scan == Scan::kNeedMore) return WantMore(start, true);
    const std::string_view json(value, static_cast<size_t>(after - value));
    if (scan == Scan::kSyntax || FindTopLevelKey(json, true) != std::string_view::npos) return BrokenHeader(start);
    if (!IsValidJson(json)) worker_.Count(LedgerCode::kBrokenHeader, Offset(start), key);
    if (std::find(std::begin(kHeaderKeys), std::end(kHeaderKeys), key) != std::end(kHeaderKeys)) {
      worker_.fragment().header.push_back({key, std::string(json)});
    }
    p_ = after;
    return true;
  }

  // A member that is not JSON: go on at the next one that is known by name.
  bool BrokenHeader(const char* start) {
    const std::string_view rest(start + 1, static_cast<size_t>(end_ - start - 1));
    const size_t next = FindTopLevelKey(rest, false);
    if (next == std::string_view::npos) {
      if (!is_last_ && rest.size() < kMaxRecordBytes) return WantMore(start, false);
      worker_.Count(LedgerCode::kBrokenHeader, Offset(start));
      result_.place = Place::kTrailing;
      p_ = end_;
      return false;
    }
    worker_.Count(LedgerCode::kBrokenHeader, Offset(start));
    p_ = start + 1 + next;
    return true;
  }

  // The text ends inside the unit that begins at `start`.
  bool WantMore(const char* start, bool in_header) {
    const bool too_long = static_cast<size_t>(end_ - start) > kMaxRecordBytes;
    if (in_header && (too_long || (is_last_ && FindTopLevelKey({start + 1, static_cast<size_t>(end_ - start - 1)},
                                                               false) != std::string_view::npos))) {
      return BrokenHeader(start);
    }
    p_ = start;
    return false;
  }

  bool StepEvents() {
    const char c = *p_;
    if (c == ',') {
      ++p_;
      return true;
    }
    if (c == '{') return StepEvent();
    if (c == ']') {
      ++p_;
      result_.place = Bare() ? Place::kDone : Place::kTop;
      return true;
    }
    return StepForeignElement();
  }

  // Something that is no event: passed over if it is JSON.
  bool StepForeignElement() {
    const char* after;
    const Scan scan = SkipValue(p_, end_, &after);
    if (scan == Scan::kOk) {
      const char* const next = SkipSpace(after);
      if (next < end_ ? *next == ',' || *next == ']' : is_last_) {
        worker_.Count(LedgerCode::kUnknownEvent, Offset(p_));
        p_ = after;
        return true;
      }
      if (next < end_) return Damaged(p_);
    }
    if (scan != Scan::kSyntax && !is_last_ && static_cast<size_t>(end_ - p_) < kMaxRepairBytes) return false;
    return Damaged(p_);
  }

  bool StepEvent() {
    const char* after;
    const Scan scan = worker_.reader().Read(p_, end_, &event_, &after);
    const bool too_long = static_cast<size_t>((scan == Scan::kOk ? after : end_) - p_) > kMaxRecordBytes;
    if (scan == Scan::kOk && !too_long) {
      worker_.Take(event_, Offset(p_));
      p_ = after;
      return true;
    }
    if (scan != Scan::kNeedMore || too_long) return Damaged(p_);
    if (is_last_ && FindNextEvent(p_, end_, true).found) return Damaged(p_);
    return false;
  }

  // An event that is not JSON: repair it if its end can be told, else drop it.
  bool Damaged(const char* start) {
    const char* const limit = start + std::min<size_t>(static_cast<size_t>(end_ - start), kMaxRepairBytes);
    const bool may_grow = !is_last_ && limit == end_ && static_cast<size_t>(end_ - start) < kMaxRepairBytes;
    const NextEvent next = FindNextEvent(start, limit == end_ ? end_ : limit, !may_grow);
    if (!next.found) {
      if (may_grow) {
        p_ = start;
        return false;
      }
      worker_.Count(LedgerCode::kBrokenRecord, Offset(start));
      result_.place = Bare() ? Place::kBareLost : Place::kLost;
      p_ = limit == end_ ? end_ : limit;
      return p_ < end_;
    }
    if (*start == '{' && Repair({start, static_cast<size_t>(next.record_end - start)})) {
      worker_.Count(LedgerCode::kRepairedRecord, Offset(start), "bare quotes");
      worker_.Take(event_, Offset(start));
    } else {
      worker_.Count(LedgerCode::kBrokenRecord, Offset(start));
    }
    p_ = next.at;
    return true;
  }

  bool Repair(std::string_view record) {
    if (!EscapeBareQuotes(record, &repaired_)) return false;
    const size_t size = repaired_.size();
    repaired_.append(kScanPadBytes, '\0');
    const char* after;
    const char* const begin = repaired_.data();
    return worker_.reader().Read(begin, begin + size, &event_, &after) == Scan::kOk &&
           SkipSpace(after) >= begin + size && event_.phase != 0 &&
           (event_.phase != 'X' || (event_.Has(RawEvent::kName) && event_.Has(RawEvent::kTs)));
  }

  bool StepLost() {
    const NextEvent next = FindNextEvent(p_, end_, is_last_);
    if (next.found) {
      result_.place = Bare() ? Place::kBareEvents : Place::kEvents;
      p_ = next.at;
      return true;
    }
    const auto size = static_cast<size_t>(end_ - p_);
    if (is_last_) {
      p_ = end_;
    } else if (size > kBoundaryBytes) {
      p_ = end_ - kBoundaryBytes;  // an event may begin across the end
    }
    return false;
  }

  void CountMissingEnd() {
    if (result_.place >= Place::kDone || result_.place == Place::kStart) return;
    worker_.Count(LedgerCode::kTruncatedFile, Offset(p_),
                  p_ < end_ ? "cut inside a record" : "the closing brackets are missing");
  }

  Worker& worker_;
  const char* const text_;
  const char* const end_;
  const char* p_;
  const bool is_last_;
  ParsedBlock result_;
  RawEvent event_;
  std::string repaired_;
};

}  // namespace

ParsedBlock ParseBlock(Worker& worker, const char* text, size_t size_bytes, Place place, bool is_last) {
  return Parser(worker, text, size_bytes, place, is_last).Run();
}

}  // namespace warpscope::import::kineto
