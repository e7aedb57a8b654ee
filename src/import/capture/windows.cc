// When a process was recorded, and what that cost it: into the ledger.
#include <algorithm>
#include <optional>
#include <string>

#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;

std::string Tenths(int64_t value) { return std::to_string(value / 10) + "." + std::to_string(value % 10); }

class Windows : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kWindow) ReadWindow(in);
    else ReadCost(in);
  }

  void Finish() override {
    // The usual recording is one window from the start to the end of the process: nothing to say about it.
    // A file of a ring that is not its last has nothing to say either.
    if ((windows_ > 1 || unusual_) && (ended_ || !ring_)) {
      state_.to.Note(LedgerCode::kPartlyRecorded, std::max<uint64_t>(windows_, 1), std::nullopt,
                     "process " + Pid() + ": from \"" + first_reason_ + "\" to \"" + last_reason_ + "\"");
    }
    // Medians of fewer say more about the moment than about the recorder.
    constexpr uint64_t kEnough = 30;
    if (has_cost_ && std::min(timed_with_, timed_without_) >= kEnough) state_.to.source().launch_cost_ns = added_ns_;
    if (has_cost_) state_.to.Note(LedgerCode::kRecordingCost, 1, std::nullopt, "process " + Pid() + ": " + Cost());
  }

 private:
  void ReadWindow(wire::BlockReader& in) {
    const bool began = in.Get() == 1;
    constexpr size_t kMostReason = 100;  // the agent's are shorter
    const std::string reason(state_.to.trace().Text(state_.Text(in.Get())).substr(0, kMostReason));
    const int64_t time_ns = in.GetTime();
    if (!in.ok() || !state_.InRange(time_ns)) return;
    if (began) {
      if (windows_++ == 0) {
        first_reason_ = reason;
        last_reason_ = "now";
      }
      if (reason != "start") unusual_ = true;
      if (reason == "the last part of a ring") ring_ = true;
      if (ended_ && time_ns > ended_ns_) state_.to.trace().pauses.push_back({state_.process, ended_ns_, time_ns});
      ended_ = false;
    } else {
      last_reason_ = reason;
      ended_ = true;
      ended_ns_ = time_ns;
      if (reason != "the process ended") unusual_ = true;
      state_.Saw(time_ns);
    }
  }

  void ReadCost(wire::BlockReader& in) {
    const uint64_t added = in.Get(), with = in.Get(), without = in.Get(), cpu_ns = in.Get(), launches = in.Get(),
                   recorded_ns = in.Get();
    if (!in.ok()) return;
    has_cost_ = true;
    added_ns_ = Length(added) / 1000;
    timed_with_ = with;
    timed_without_ = without;
    cpu_ns_ = Length(cpu_ns);
    launches_ = Length(launches);
    recorded_ns_ = Length(recorded_ns);
  }

  std::string Cost() const {
    std::string text;
    const bool known = state_.attached_ns > 0 && state_.last_ns > state_.attached_ns;
    const int64_t life_ns = known ? state_.last_ns - state_.attached_ns : 0;
    if (timed_with_ > 0 && timed_without_ > 0) {
      text = "about " + Tenths(added_ns_ / 100) + " us a launch (medians of " + std::to_string(timed_with_) +
             " launches with and " + std::to_string(timed_without_) + " without kernel records)";
      if (const auto share = Share(launches_, added_ns_, recorded_ns_))
        text += ", " + *share + " % of the recorded time";
      // With breaks the program paid less than that: nothing in them.
      const auto of_life = windows_ > 1 ? Share(launches_, added_ns_, life_ns) : std::nullopt;
      if (of_life) text += " and " + *of_life + " % of the program's";
      text += "; ";
    }
    text += "the recorder's thread used ";
    // A short life is all beginning and end: its share would say nothing.
    constexpr int64_t kShortNs = 500'000'000;
    const auto share = life_ns >= kShortNs ? Share(1, cpu_ns_, life_ns) : std::nullopt;
    return text + (share ? *share + " % of one core" : Tenths(cpu_ns_ / 100'000) + " ms of a core");
  }

  // count * ns of a time in per cent with one digit; absent without a time, or beyond all reason.
  static std::optional<std::string> Share(int64_t count, int64_t ns, int64_t of_ns) {
    if (of_ns <= 0 || count <= 0) return std::nullopt;
    const double share_pct = static_cast<double>(count) * static_cast<double>(ns) / static_cast<double>(of_ns) * 100;
    if (share_pct > 1e6) return std::nullopt;
    return Tenths(static_cast<int64_t>(share_pct * 10 + 0.5));
  }

  std::string Pid() const { return std::to_string(state_.to.trace().processes[state_.process].pid); }

  uint64_t windows_ = 0;
  bool unusual_ = false, has_cost_ = false, ring_ = false, ended_ = false;
  std::string first_reason_, last_reason_;
  int64_t ended_ns_ = 0;  // the last window
  int64_t added_ns_ = 0, cpu_ns_ = 0, launches_ = 0, recorded_ns_ = 0;
  uint64_t timed_with_ = 0, timed_without_ = 0;
};

}  // namespace

std::unique_ptr<RecordGroup> MakeWindows(State* state) { return std::make_unique<Windows>(state); }

}  // namespace warpscope::import::capture
