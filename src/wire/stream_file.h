// StreamFile: the file of one process: whole blocks, each written by one call, so that a kill costs at most the block
// that is not written yet. [one thread] the writer's.
// A stream may be a chain of files (a ring: the oldest are removed): Next() goes on in a new one, whose records must
// define again what they refer to. Invariants: nothing is ever written to a descriptor that is not ours any more; a
// block that the disk took in part is taken back.
#pragma once

#include <cstdint>

#include "wire/block_writer.h"
#include "wire/format.h"
#include "wire/own_descriptor.h"

namespace warpscope::wire {

class StreamFile {
 public:
  // Creates FOLDER/NAME.capture, or FOLDER/PID.capture if `name` is null; a name that is taken gets a number behind it
  // (pid reuse, exec). False: errno tells.
  bool Open(const char* folder, const char* name, uint32_t cupti_version);
  bool is_open() const { return file_.is_set(); }

  // Ends this file and goes on in FOLDER/NAME.ring-NUMBER.capture, NUMBER growing by one. False: the new file cannot be
  // made; then the old one goes on.
  bool Next();
  // Removes the oldest files of the chain but the newest `keep`; those before KeepSoFar() stay.
  void RemoveOld(uint32_t keep);
  void KeepSoFar() { oldest_ = number_ + 1; }

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

  uint64_t written_bytes() const { return written_bytes_; }  // of all files
  uint64_t lost_bytes() const { return lost_bytes_; }        // that the disk refused
  int write_error() const { return write_error_; }

 private:
  static constexpr uint32_t kMostName = 64, kMostFolder = 4096;

  bool WriteAll(const uint8_t* bytes, uint32_t size);
  bool WriteHeader();
  int Descriptor();  // -1: neither ours any more nor to be found again
  int Create(const char* file_name);
  void RingName(char* name, uint32_t number) const;

  OwnDescriptor file_, folder_;
  BlockWriter block_{nullptr};
  uint64_t written_bytes_ = 0, lost_bytes_ = 0;
  uint64_t file_bytes_ = 0;  // of the file that is open
  int write_error_ = 0;
  uint32_t cupti_version_ = 0;
  int64_t start_ns_ = 0;
  uint32_t number_ = 0, oldest_ = 1;  // of the chain: number_ 0 is no part of a ring
  char folder_path_[kMostFolder] = {};
  char base_name_[kMostName] = {};  // without ".capture"
  char file_name_[kMostName + 32] = {};
};

}  // namespace warpscope::wire
