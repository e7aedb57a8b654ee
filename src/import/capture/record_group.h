// RecordGroup: the records of a capture stream that belong together, one file a group. To add one: a class here or in a
// file of its own, its maker below, and a line in block_decoder.cc with its tags. [one thread] Fields are read whole
// before anything is kept: a broken record leaves nothing behind.
#pragma once

#include <memory>

#include "import/capture/decoder_state.h"
#include "wire/block_reader.h"
#include "wire/format.h"

namespace warpscope::import::capture {

class RecordGroup {
 public:
  explicit RecordGroup(State* state) : state_(*state) {}
  virtual ~RecordGroup() = default;
  RecordGroup(const RecordGroup&) = delete;
  RecordGroup& operator=(const RecordGroup&) = delete;

  // The fields of one record with one of the group's tags. Afterwards in.ok() tells whether they were whole.
  virtual void Read(wire::Tag tag, wire::BlockReader& in) = 0;
  // After the last block of the file.
  virtual void Finish() {}

 protected:
  State& state_;
};

std::unique_ptr<RecordGroup> MakeDefinitions(State* state);
std::unique_ptr<RecordGroup> MakeDeviceWork(State* state);
std::unique_ptr<RecordGroup> MakeGraphNodes(State* state);
std::unique_ptr<RecordGroup> MakeHostCalls(State* state);
std::unique_ptr<RecordGroup> MakeHostSamples(State* state);
std::unique_ptr<RecordGroup> MakeKernelCounters(State* state);
std::unique_ptr<RecordGroup> MakeMachine(State* state);
std::unique_ptr<RecordGroup> MakeMemory(State* state);
std::unique_ptr<RecordGroup> MakeNvtx(State* state);
std::unique_ptr<RecordGroup> MakePcSamples(State* state);
std::unique_ptr<RecordGroup> MakeRemarks(State* state);
std::unique_ptr<RecordGroup> MakeSampledCounters(State* state);
std::unique_ptr<RecordGroup> MakeSyncs(State* state);
std::unique_ptr<RecordGroup> MakeWindows(State* state);

}  // namespace warpscope::import::capture
