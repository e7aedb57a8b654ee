// Inflating on the fly with ISA-L; format: RFC 1952.
#include <isa-l/igzip_lib.h>

#include <vector>

#include "import/container/byte_source.h"

namespace warpscope::import {
namespace {

constexpr size_t kInputBytes = size_t{64} << 10;

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> compressed)
      : compressed_(std::move(compressed)), input_(kInputBytes) {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    state_.avail_in = 0;
  }

  Result<size_t> Read(char* to, size_t size_bytes) override {
    size_t filled = 0;
    while (filled < size_bytes && !done_) {
      if (state_.avail_in == 0) WS_RETURN_IF_ERROR(Refill());
      if (state_.block_state == ISAL_BLOCK_FINISH && !NextMember()) break;
      const auto room = static_cast<uint32_t>(std::min<size_t>(size_bytes - filled, size_t{1} << 30));
      state_.next_out = reinterpret_cast<uint8_t*>(to + filled);
      state_.avail_out = room;
      const uint32_t input_before = state_.avail_in;
      const int outcome = isal_inflate(&state_);
      const size_t made = room - state_.avail_out;
      filled += made;
      member_has_output_ = member_has_output_ || made > 0;
      if (outcome < 0) End(true);  // damaged: what came out so far counts
      const bool stuck = made == 0 && input_before == state_.avail_in;
      if (!done_ && stuck && input_ended_ && state_.block_state != ISAL_BLOCK_FINISH) End(true);
    }
    return filled;
  }
  double done_ratio() const override { return compressed_->done_ratio(); }
  bool cut_short() const override { return cut_short_; }

 private:
  Status Refill() {
    if (input_ended_) return Status::Ok();
    WS_ASSIGN_OR_RETURN(const size_t got, compressed_->Read(reinterpret_cast<char*>(input_.data()), input_.size()));
    input_ended_ = got < input_.size();
    state_.next_in = input_.data();
    state_.avail_in = static_cast<uint32_t>(got);
    return Status::Ok();
  }

  // After one member: another may follow; zero padding or foreign bytes end the data.
  bool NextMember() {
    if (state_.avail_in == 0 || *state_.next_in != 0x1f) {
      End(false);
      return false;
    }
    uint8_t* next_in = state_.next_in;
    const uint32_t avail_in = state_.avail_in;
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
    state_.next_in = next_in;
    state_.avail_in = avail_in;
    return true;
  }

  void End(bool cut) {
    done_ = true;
    cut_short_ = cut_short_ || cut;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::vector<uint8_t> input_;
  inflate_state state_;
  bool input_ended_ = false;
  bool member_has_output_ = false;
  bool done_ = false;
  bool cut_short_ = false;
};

}  // namespace

bool LooksLikeGzip(std::string_view head) {
  return head.size() >= 3 && head[0] == '\x1f' && head[1] == '\x8b' && head[2] == '\x08';
}

std::unique_ptr<ByteSource> OpenGzip(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<GzipSource>(std::move(compressed));
}

}  // namespace warpscope::import
