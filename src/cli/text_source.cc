#include "cli/text_source.h"

#include <fmt/format.h>

#include <memory>

#include "base/text_decoder.h"
#include "base/text_kind.h"
#include "import/container/byte_source.h"

namespace warpscope::cli {

Status ReadText(const std::string& path, const std::function<void(std::string_view)>& take) {
  WS_ASSIGN_OR_RETURN(auto file, import::OpenFile(path));
  auto peeked = std::make_unique<import::PeekSource>(std::move(file));
  WS_ASSIGN_OR_RETURN(const std::string_view head, peeked->Peek(4096));
  std::unique_ptr<import::ByteSource> source = std::move(peeked);
  if (import::LooksLikeGzip(head)) source = import::OpenGzip(std::move(source));
  std::string buffer(1u << 16, '\0');
  for (bool is_first = true;; is_first = false) {
    WS_ASSIGN_OR_RETURN(const size_t size, source->Read(buffer.data(), buffer.size()));
    if (size == 0) return Status::Ok();
    const std::string_view bytes = std::string_view(buffer).substr(0, size);
    if (is_first) {
      const BinaryKind kind = BinaryKindOf(DecodeText(bytes));
      if (kind)
        return {StatusCode::kUnsupported,
                fmt::format("{}: byte 0: this is {}. Give a text: {}", path == "-" ? "standard input" : path, kind.what,
                            kind.next.empty() ? "a log, or the words of an error" : kind.next)};
    }
    take(bytes);
  }
}

}  // namespace warpscope::cli
