#include "page/deflate.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpscope::page {
namespace {

// Largest input given to the packer at once: its counts are 32 bits wide.
constexpr size_t kPieceBytes = size_t{1} << 30;

}  // namespace

std::string Deflate(std::string_view bytes) {
  auto stream = std::make_unique<isal_zstream>();
  std::vector<uint8_t> level_room(ISAL_DEF_LVL3_DEFAULT);
  std::vector<char> out_room(size_t{1} << 18);
  isal_deflate_init(stream.get());
  stream->level = 3;
  stream->level_buf = level_room.data();
  stream->level_buf_size = static_cast<uint32_t>(level_room.size());
  std::string out;
  do {
    const size_t piece = std::min(bytes.size(), kPieceBytes);
    stream->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    stream->avail_in = static_cast<uint32_t>(piece);
    bytes.remove_prefix(piece);
    stream->end_of_stream = bytes.empty() ? 1 : 0;
    do {
      stream->next_out = reinterpret_cast<uint8_t*>(out_room.data());
      stream->avail_out = static_cast<uint32_t>(out_room.size());
      isal_deflate(stream.get());  // its failures are wrong settings, which are constants here
      out.append(out_room.data(), out_room.size() - stream->avail_out);
    } while (stream->avail_out == 0);
  } while (!bytes.empty());
  return out;
}

}  // namespace warpscope::page
