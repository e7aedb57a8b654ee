// Whether a document is a Kineto or Chrome trace, by its first bytes.
#include "import/kineto/sniff.h"

#include <algorithm>

#include "import/kineto/recovery.h"
#include "import/kineto/scan.h"

namespace warpscope::import::kineto {
namespace {

std::string_view Trimmed(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

bool HasMember(std::string_view text, std::string_view key) {
  const std::string quoted = "\"" + std::string(key) + "\"";
  for (size_t at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
    const std::string_view behind = Trimmed(text.substr(at + quoted.size()));
    if (!behind.empty() && behind.front() == ':') return true;
  }
  return false;
}

}  // namespace

Confidence Sniff(const Head& head) {
  const std::string_view text = Trimmed(head.bytes);
  if (text.empty()) return Confidence::kNo;
  if (text.front() == '[') {
    const std::string_view element = Trimmed(text.substr(1));
    if (element.empty()) return head.is_whole ? Confidence::kNo : Confidence::kMaybe;
    if (element.front() == ']') return Confidence::kMaybe;
    if (element.front() != '{') return Confidence::kNo;
    return HasMember(text, "ph") || HasMember(text, "ts") ? Confidence::kYes : Confidence::kNo;
  }
  if (text.front() != '{') return Confidence::kNo;
  if (HasMember(text, "traceEvents")) return Confidence::kYes;
  const bool hints = HasMember(text, "deviceProperties") || HasMember(text, "distributedInfo") ||
                     HasMember(text, "displayTimeUnit") || HasMember(text, "baseTimeNanoseconds") ||
                     HasMember(text, "schemaVersion");
  if (hints) return Confidence::kYes;
  return head.is_whole ? Confidence::kNo : Confidence::kMaybe;
}

}  // namespace warpscope::import::kineto
