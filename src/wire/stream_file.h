// StreamFile: the file of one process: whole blocks, each written by one call, so that a kill costs at most the block
// that is not written yet. [one thread] the writer's.
#pragma once

#include <cstdint>

#include "wire/block_writer.h"
#include "wire/format.h"

namespace warpscope::wire {

class StreamFile {
 public:
  // Creates FOLDER/NAME.capture, or FOLDER/PID.capture if `name` is null; a name that is taken gets a number behind it
  // (pid reuse, exec). False: errno tells.
  bool Open(const char* folder, const char* name, uint32_t cupti_version);
  bool is_open() const { return descriptor_ >= 0; }

  // The block under construction, with room for one more record (flushes when it is full).
  BlockWriter& block() {
    if (!block_.HasRoom()) Flush();
    return block_;
  }
  // The same with room for `bytes` of text.
  BlockWriter& BlockFor(uint32_t bytes) {
    if (!block_.HasRoom(BlockWriter::kMaxRecordBytes + bytes)) Flush();
    return block_;
  }
  void Flush();
  void Close();
  // In a forked child: the descriptor is the parent's.
  void Abandon();

  uint64_t written_bytes() const { return written_bytes_; }
  uint64_t lost_bytes() const { return lost_bytes_; }  // that the disk refused
  int write_error() const { return write_error_; }

 private:
  bool WriteAll(const uint8_t* bytes, uint32_t size);

  int descriptor_ = -1;
  BlockWriter block_{nullptr};
  uint64_t written_bytes_ = 0, lost_bytes_ = 0;
  int write_error_ = 0;
};

}  // namespace warpscope::wire
