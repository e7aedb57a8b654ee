// BlockDecoder: records of a capture stream -> rows of a trace.
// [one thread]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "import/appender.h"
#include "model/trace.h"
#include "wire/block_reader.h"
#include "wire/format.h"

namespace warpscope::import::capture {

class BlockDecoder {
 public:
  BlockDecoder(model::Trace* trace, const std::string& path, const wire::FileHeader& header);

  void Decode(std::string_view payload, int64_t base_ns, uint64_t offset_bytes);
  void Cut(uint64_t offset_bytes);      // the file ends inside a block
  void Damaged(uint64_t offset_bytes);  // a block with a wrong checksum
  // After the last block. kUnsupported if the process recorded nothing at all.
  Status Finish(uint64_t file_bytes);

 private:
  // A kernel whose launch is known by its queue times alone.
  struct Queued {
    uint64_t correlation;
    int64_t start_ns, dur_ns;
  };

  bool DecodeRecord(wire::BlockReader& in);
  void Define(wire::Tag tag, wire::BlockReader& in);
  void Kernel(wire::Tag tag, wire::BlockReader& in);
  void Copy(wire::Tag tag, wire::BlockReader& in);
  void Memset(wire::BlockReader& in);
  void Graph(wire::BlockReader& in);
  void Call(wire::BlockReader& in);
  void Sync(wire::BlockReader& in);
  void Range(wire::Tag tag, wire::BlockReader& in);
  void Overhead(wire::BlockReader& in);
  void Lost(wire::BlockReader& in);
  void Note(wire::BlockReader& in);
  void Device(wire::BlockReader& in);
  void Fact(wire::BlockReader& in);
  void Series(wire::BlockReader& in);
  void Sample(wire::BlockReader& in);
  uint32_t DeviceOf(uint64_t number);
  void AddQueuedLaunches();

  model::StringId Text(uint64_t ref) const;
  uint32_t StreamOf(uint64_t ref);
  uint32_t ThreadOf(uint64_t ref);
  // Rows of definitions by the stream's numbers, which start at 1 and grow by one: kMostDefinitions bounds hostile
  // ones.
  template <typename Value>
  void Set(std::vector<Value>& table, uint64_t ref, Value value);

  Appender to_;
  uint32_t process_;
  std::vector<model::StringId> texts_;
  std::vector<uint32_t> streams_, threads_;
  std::vector<model::LaunchConfig> shapes_;
  std::unordered_map<uint64_t, uint32_t> stream_of_id_;  // context << 32 | stream id
  std::vector<model::CounterSample> series_;             // without time and value
  std::vector<Queued> queued_;
  std::unordered_map<uint64_t, bool> launch_recorded_;  // by correlation id
  uint64_t rows_ = 0;
  bool ended_ = false;
};

}  // namespace warpscope::import::capture
