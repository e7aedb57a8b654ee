#include "import/capture/block_decoder.h"

#include <initializer_list>

namespace warpscope::import::capture {
namespace {

using model::LedgerCode;

struct GroupTags {
  std::unique_ptr<RecordGroup> (*make)(State*);
  std::vector<wire::Tag> tags;
};

// In this order they finish.
const std::vector<GroupTags>& Groups() {
  static const std::vector<GroupTags> groups = {
      {&MakeDefinitions,
       {wire::kText, wire::kThread, wire::kStream, wire::kLaunchShape, wire::kProcess, wire::kLaunchKey,
        wire::kCallKey}},
      {&MakeMachine, {wire::kDevice, wire::kFact, wire::kSeries, wire::kSample}},
      {&MakeSyncs, {wire::kSync, wire::kSyncEvent, wire::kEventRecord}},
      {&MakeMemory, {wire::kMemory, wire::kMemoryEvent, wire::kPool, wire::kUnified}},
      {&MakeDeviceWork,
       {wire::kKernel, wire::kKernelQueued, wire::kGraphKernel, wire::kCopy, wire::kGraphCopy, wire::kMemset,
        wire::kGraphMemset, wire::kKeyed, wire::kKeyedQueued, wire::kGraph}},
      {&MakeHostCalls, {wire::kCall, wire::kKeyedCall, wire::kOverhead, wire::kExternal, wire::kJit, wire::kModule}},
      {&MakeGraphNodes, {wire::kGraphNode}},
      {&MakeHostSamples,
       {wire::kHostThread, wire::kFrame, wire::kStackSample, wire::kOsCall, wire::kChild, wire::kSamplePeriod,
        wire::kNativeName}},
      {&MakeNvtx,
       {wire::kNvtxKey, wire::kNvtx, wire::kNvtxSchema, wire::kRange, wire::kMark, wire::kSpan, wire::kOpen}},
      {&MakeKernelCounters, {wire::kMetric, wire::kMetricSet, wire::kKernelCounters, wire::kUnmeasured}},
      {&MakeSampledCounters, {wire::kCounterSamples, wire::kCounterWindow}},
      {&MakePcSamples,
       {wire::kCode, wire::kCodeFunction, wire::kStallReason, wire::kPcSamples, wire::kPcLine, wire::kPcWindow}},
      {&MakeRemarks, {wire::kLost, wire::kNote, wire::kEnd}},
      {&MakeWindows, {wire::kWindow, wire::kOverheadCost}},
  };
  return groups;
}

}  // namespace

BlockDecoder::BlockDecoder(model::Trace* trace, const std::string& path, const wire::FileHeader& header)
    : state_(trace, path, header) {
  for (const GroupTags& group : Groups()) {
    groups_.push_back(group.make(&state_));
    for (const wire::Tag tag : group.tags) group_of_[tag] = groups_.back().get();
  }
}

void BlockDecoder::Decode(std::string_view payload, int64_t base_ns, uint64_t offset_bytes) {
  wire::BlockReader in(payload, base_ns);
  while (in.ok() && !in.at_end()) {
    const uint64_t tag = in.Get();
    RecordGroup* group = tag < group_of_.size() ? group_of_[tag] : nullptr;
    if (group != nullptr) group->Read(static_cast<wire::Tag>(tag), in);
    if (group == nullptr || !in.ok()) {
      // The length of an unknown record is unknown: the rest of the block goes with it.
      state_.to.Note(LedgerCode::kBrokenRecord, 1, offset_bytes + in.at_bytes());
      return;
    }
  }
}

void BlockDecoder::Cut(uint64_t offset_bytes) { state_.to.Note(LedgerCode::kTruncatedFile, 1, offset_bytes); }
void BlockDecoder::Damaged(uint64_t offset_bytes) { state_.to.Note(LedgerCode::kBrokenRecord, 1, offset_bytes); }

Status BlockDecoder::Finish(uint64_t file_bytes) {
  for (const auto& group : groups_) group->Finish();
  state_.to.source().text_bytes = file_bytes;
  if (!state_.ended) state_.to.Note(LedgerCode::kKilledProcess);
  return Status::Ok();
}

}  // namespace warpscope::import::capture
