#include "import/kineto/pipeline.h"

#include <cstring>
#include <memory>

#include "import/kineto/block_parser.h"
#include "import/kineto/source_builder.h"

namespace warpscope::import::kineto {
namespace {

constexpr size_t kBlockBytes = size_t{4} << 20;

}  // namespace

Status ReadTrace(ByteSource& bytes, const std::string& path, const Options& options, model::Trace* trace) {
  Worker worker(0);
  SourceBuilder builder(trace, path);
  std::vector<char> buffer;
  size_t held = 0;
  uint64_t offset_bytes = 0;
  Place place = Place::kStart;
  bool is_last = false;
  while (!is_last) {
    buffer.resize(held + kBlockBytes + kScanPadBytes);
    auto got = bytes.Read(buffer.data() + held, kBlockBytes);
    if (!got.ok() && offset_bytes == 0 && held == 0) return got.status();
    const size_t fresh = got.ok() ? *got : 0;
    is_last = fresh < kBlockBytes;
    const size_t size = held + fresh;
    std::memset(buffer.data() + size, 0, kScanPadBytes);
    Fragment fragment;
    worker.Begin(&fragment);
    const ParsedBlock parsed = ParseBlock(worker, buffer.data(), size, place, is_last);
    worker.End();
    builder.Append(fragment, offset_bytes, bytes.done_ratio());
    place = parsed.place;
    held = size - parsed.consumed_bytes;
    std::memmove(buffer.data(), buffer.data() + parsed.consumed_bytes, held);
    offset_bytes += parsed.consumed_bytes;
    if (options.progress) options.progress(bytes.done_ratio());
  }
  builder.Finish(offset_bytes + held);
  return Status::Ok();
}

}  // namespace warpscope::import::kineto
