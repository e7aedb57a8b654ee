// EventReader: text of one element of traceEvents -> RawEvent. Strict JSON plus what recorders really write: bare
// inf/nan/N/A, raw control bytes in strings, numbers in quotes, any key order, repeated keys (the last counts).
// [one thread] It learns the order in which keys follow each other; that changes its speed, never its result.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "import/kineto/event.h"
#include "import/kineto/scan.h"

namespace warpscope::import::kineto {

class EventReader {
 public:
  EventReader();

  // `p` at the '{'. On kOk `event` is filled and `*after` is behind the '}'.
  Scan Read(const char* p, const char* end, RawEvent* event, const char** after);

 private:
  enum class ArgForm : uint8_t { kSkip, kNumber, kText, kRaw, kToken, kDim3 };
  // A key as it stands in the text from behind its opening quote up to its value: `correlation": `.
  struct Key {
    char text[56];
    uint8_t size;
    ArgForm form;
    uint8_t slot;
    Key* next;  // the key that followed last time
  };

  Scan ReadMember(const char* key, const char* end, RawEvent* event, const char** p);
  Scan ReadArgs(const char* p, const char* end, RawEvent* event, const char** after);
  Scan ReadArg(const Key& key, const char* end, RawEvent* event, const char** p);
  Scan FindKey(const char* p, const char* end, Key* previous, Key** key, const char** after);
  Key* Classify(const char* text, const char* text_end, const char* value);

  Key unknown_;
  Key first_;
  std::vector<std::unique_ptr<Key>> keys_;
  std::array<Key*, 256> buckets_{};
};

}  // namespace warpscope::import::kineto
