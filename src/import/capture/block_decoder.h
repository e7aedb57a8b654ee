// BlockDecoder: the blocks of one capture file -> rows of a trace. It knows which group of records (record_group.h)
// reads which tag; the groups do the rest. [one thread]
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/capture/decoder_state.h"
#include "import/capture/record_group.h"

namespace warpscope::import::capture {

class BlockDecoder {
 public:
  BlockDecoder(model::Trace* trace, const std::string& path, const wire::FileHeader& header);

  void Decode(std::string_view payload, int64_t base_ns, uint64_t offset_bytes);
  void Cut(uint64_t offset_bytes);      // the file ends inside a block
  void Damaged(uint64_t offset_bytes);  // a block with a wrong checksum
  // After the last block.
  Status Finish(uint64_t file_bytes);

 private:
  State state_;
  std::vector<std::unique_ptr<RecordGroup>> groups_;
  std::array<RecordGroup*, wire::kTagCount> group_of_{};  // by tag; null: no group reads it
};

}  // namespace warpscope::import::capture
