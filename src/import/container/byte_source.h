// ByteSource: where the bytes of one document come from - a file, standard input, memory, or a layer over another
// source (gzip, tar entry). Read in order, once; nothing is ever mapped, so a file larger than memory works.
// [one thread] at a time; may be handed from thread to thread between calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::import {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `to` as far as there is data. Fewer bytes than asked for means the end; then every later call gives 0.
  virtual Result<size_t> Read(char* to, size_t size_bytes) = 0;
  // Share of the underlying file that was read, 0..1; negative if its size is unknown (pipe).
  virtual double done_ratio() const = 0;
  // Bytes that will come in all, if known; a hint only.
  virtual uint64_t size_hint_bytes() const { return 0; }
  // True once the data ended where its container says that more should follow.
  virtual bool cut_short() const { return false; }
  // Path of the plain file on disk that has exactly these bytes; "" for pipes, archives and memory. For readers that
  // need random access; they read the file itself and leave the source alone.
  virtual std::string plain_path() const { return {}; }
};

// A source with a look at its first bytes before anything is consumed.
class PeekSource : public ByteSource {
 public:
  explicit PeekSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}

  // The first bytes, at most `size_bytes`; fewer only if the data is shorter. REQUIRES: nothing was read yet.
  Result<std::string_view> Peek(size_t size_bytes);

  Result<size_t> Read(char* to, size_t size_bytes) override;
  double done_ratio() const override { return inner_->done_ratio(); }
  uint64_t size_hint_bytes() const override { return inner_->size_hint_bytes(); }
  bool cut_short() const override { return inner_->cut_short(); }
  std::string plain_path() const override { return inner_->plain_path(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  std::string head_;
  size_t taken_ = 0;
};

// "-" is standard input.
Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path);
// `bytes` must outlive the source.
std::unique_ptr<ByteSource> OpenMemory(std::string_view bytes);

bool LooksLikeGzip(std::string_view head);
// Inflates on the fly: several members one after the other, zero padding, a cut stream (what was inflated counts).
std::unique_ptr<ByteSource> OpenGzip(std::unique_ptr<ByteSource> compressed);

}  // namespace warpscope::import
