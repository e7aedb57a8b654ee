// The tokenizer, recovery and row maker on a stretch of text, without threads and without a whole trace: the quick
// target. The first byte says where in a document the text begins and whether more follows.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "import/kineto/block_parser.h"

namespace {

namespace kineto = warpscope::import::kineto;

constexpr unsigned kRunsPerWorker = 5000;  // its tables grow with every run

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::unique_ptr<kineto::Worker> worker;
  static kineto::Fragment fragment;
  static unsigned runs = 0;
  if (size < 1) return 0;
  if (runs++ % kRunsPerWorker == 0) worker = std::make_unique<kineto::Worker>(0);
  const auto place = static_cast<kineto::Place>(data[0] % (static_cast<unsigned>(kineto::Place::kDone) + 1));
  const bool is_last = (data[0] & 0x80) != 0;
  // A buffer of its own, so that a read behind the pad is seen.
  const auto text = std::make_unique<char[]>(size - 1 + kineto::kScanPadBytes);
  std::memcpy(text.get(), data + 1, size - 1);
  fragment.Clear();
  worker->Begin(&fragment);
  const kineto::ParsedBlock parsed = kineto::ParseBlock(*worker, text.get(), size - 1, place, is_last);
  worker->End();
  if (parsed.consumed_bytes > size - 1) std::abort();
  return 0;
}
