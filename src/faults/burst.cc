#include "faults/burst.h"

#include <algorithm>
#include <functional>

namespace warpscope::faults {
namespace {

// GSP time-outs come every 45 s and are one fault; two minutes without a repeat end it.
constexpr int64_t kGapNs = 120'000'000'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kMostSeen = 65536;
// Copies of a log inside one file (bug reports hold the kernel log more than once) lie this far apart at least.
constexpr uint64_t kCopyLines = 200;

}  // namespace

int64_t PositionOf(const LogTime& time, uint64_t line) {
  if (time.clock != Clock::kNone) return time.ns;
  return static_cast<int64_t>(std::min<uint64_t>(line, 1'000'000'000)) * kSecond;
}

bool Comparable(const Burst& left, const Burst& right) {
  const Clock clock = left.first.time.clock;
  if (clock != right.first.time.clock) return false;
  if (clock == Clock::kUtc) return true;
  return left.first.log == right.first.log && left.first.boot == right.first.boot;
}

// The same text at the same instant, in another log or far below in this one. Times of whole seconds cannot tell a copy
// from a repeat inside one log.
bool BurstFolder::IsCopy(const Event& event) {
  if (event.time.clock == Clock::kNone) return false;
  size_t hash = std::hash<std::string>{}(event.text);
  const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL; };
  mix(static_cast<uint64_t>(event.time.ns));
  mix(static_cast<uint64_t>(event.time.clock));
  mix(static_cast<uint64_t>(event.code));
  if (event.device) mix(static_cast<uint64_t>(event.device->domain) << 16 | event.device->bus);
  const auto found = seen_.find(hash);
  if (found == seen_.end()) {
    if (seen_.size() < kMostSeen) seen_.emplace(hash, std::pair(event.log, event.line));
    return false;
  }
  if (found->second.first != event.log) return true;
  const bool is_fine = event.time.ns % kSecond != 0;
  return is_fine && event.line - found->second.second > kCopyLines;
}

void BurstFolder::Add(Event event) {
  if (IsCopy(event)) {
    ++repeated_count_;
    return;
  }
  const Key key{event.entry,
                event.code,
                event.log,
                event.boot,
                event.severity,
                event.device.has_value(),
                event.device.value_or(PciAddress{}),
                event.place,
                event.kind};
  const int64_t at = PositionOf(event.time, event.line);
  const auto open = open_.find(key);
  Burst* burst = nullptr;
  if (open != open_.end()) {
    Burst& last = bursts_[open->second];
    const bool same_clock = last.last_time.clock == event.time.clock;
    if (same_clock && std::abs(at - PositionOf(last.last_time, last.last_line)) <= kGapNs) burst = &last;
    else if (bursts_.size() >= kMostBursts) burst = &last;
    if (burst != nullptr && bursts_.size() >= kMostBursts) ++folded_late_count_;
  }
  if (burst == nullptr) {
    if (bursts_.size() >= kMostBursts) {  // a device or number never seen, after thousands of others
      ++folded_late_count_;
      return;
    }
    open_[key] = bursts_.size();
    burst = &bursts_.emplace_back();
    burst->first = event;
  }
  // Often a later line tells what the first does not.
  for (std::string& detail : event.details) {
    auto& known = burst->first.details;
    if (known.size() < Event::kMostDetails && std::find(known.begin(), known.end(), detail) == known.end())
      known.push_back(std::move(detail));
  }
  burst->last_time = event.time;
  burst->last_line = event.line;
  ++(event.is_header ? burst->header_count : burst->count);
  if (event.pid || !event.process.empty()) {
    const Program program{event.pid.value_or(0), event.process};
    if (burst->programs.size() < Burst::kMostPrograms) burst->programs.insert(program);
    else if (!burst->programs.contains(program)) ++burst->programs_left_out;
  }
  if (event.link && burst->links.size() < Burst::kMostLinks) burst->links.insert(*event.link);
  if (!event.unit.empty() && burst->units.size() < Burst::kMostLinks) burst->units.insert(event.unit);
}

std::vector<Burst> BurstFolder::Take() {
  // The line that announces a PCIe error and the error itself are one.
  for (Burst& burst : bursts_) {
    if (burst.count == 0) burst.count = burst.header_count;
  }
  std::stable_sort(bursts_.begin(), bursts_.end(), [](const Burst& left, const Burst& right) {
    const bool both_utc = left.first.time.clock == Clock::kUtc && right.first.time.clock == Clock::kUtc;
    if (both_utc && left.first.log != right.first.log) return left.first.time.ns < right.first.time.ns;
    return std::pair(left.first.log, left.first.line) < std::pair(right.first.log, right.first.line);
  });
  open_.clear();
  return std::move(bursts_);
}

}  // namespace warpscope::faults
