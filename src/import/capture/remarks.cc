// What the recorder says about the recording itself: losses, notes, its end.
#include "import/capture/record_group.h"

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;

class Remarks : public RecordGroup {
 public:
  using RecordGroup::RecordGroup;

  void Read(wire::Tag tag, wire::BlockReader& in) override {
    if (tag == wire::kLost) return ReadLost(in);
    if (tag == wire::kNote) return ReadNote(in);
    const int64_t time_ns = in.GetTime();
    in.Get();
    in.Get();
    if (!in.ok()) return;
    state_.ended = true;
    if (state_.InRange(time_ns)) state_.Saw(time_ns);
  }

 private:
  void ReadLost(wire::BlockReader& in) {
    const uint64_t what = in.Get(), count = in.Get();
    in.GetTime();
    if (!in.ok()) return;
    Appender& to = state_.to;
    switch (what) {
      case wire::kBadTime: return to.Note(LedgerCode::kUntimedRecord, count);
      case wire::kUnknownDropCount: return to.Note(LedgerCode::kUnknownLoss, count);
      case wire::kNoRoom:
        return to.Note(LedgerCode::kLostRecord, count, std::nullopt, "bytes that the disk did not take");
      case wire::kNoBuffer:
        return to.Note(LedgerCode::kLostRecord, count, std::nullopt, "requests for a buffer beyond the memory limit");
      case wire::kOutsideWindow: return to.Note(LedgerCode::kOutOfRange, count);
      case wire::kRingFull: return to.Note(LedgerCode::kLostRecord, count, std::nullopt, "NVTX events");
      case wire::kNodeRingFull: return to.Note(LedgerCode::kLostRecord, count, std::nullopt, "nodes of graphs");
      case wire::kSwitchesLost:
        return to.Note(LedgerCode::kLostRecord, count, std::nullopt, "times that more switches came than were read");
      case wire::kTornStack: return to.Note(LedgerCode::kTornSample, count);
      default: return to.Note(LedgerCode::kLostRecord, count, std::nullopt, "device records, by CUPTI's count");
    }
  }

  void ReadNote(wire::BlockReader& in) {
    const uint64_t severity = in.Get();
    const model::StringId text = state_.Text(in.Get());
    if (!in.ok()) return;
    state_.to.Note(severity >= 2 ? LedgerCode::kRecorderFailure : LedgerCode::kRecorderNote, 1, std::nullopt,
                   state_.to.trace().Text(text));
  }
};

}  // namespace

std::unique_ptr<RecordGroup> MakeRemarks(State* state) { return std::make_unique<Remarks>(state); }

}  // namespace warpscope::import::capture
