// TarReader: the files of a tar archive, one after the other, from a stream. POSIX ustar, GNU and pax archives.
// [one thread]
#pragma once

#include <memory>
#include <string>

#include "import/container/byte_source.h"

namespace warpscope::import {

bool LooksLikeTar(std::string_view head);

class TarReader {
 public:
  // `archive` must outlive the reader and every entry.
  explicit TarReader(ByteSource* archive) : archive_(archive) {}

  // Moves to the next regular file. False at the end (or where the archive is cut). Folders, links, pax records and
  // the "._" files of macOS are passed over. What was not read of the entry before is skipped.
  Result<bool> Next();

  const std::string& name() const { return name_; }
  // The bytes of the current entry; valid until Next().
  std::unique_ptr<ByteSource> Open();

 private:
  friend class TarEntry;
  Status Skip(uint64_t bytes);

  ByteSource* archive_;
  std::string name_;
  uint64_t left_bytes_ = 0;     // of the entry
  uint64_t padding_bytes_ = 0;  // behind the entry
  bool cut_short_ = false;
};

}  // namespace warpscope::import
