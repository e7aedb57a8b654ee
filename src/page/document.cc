#include "page/document.h"

#include "page/base64.h"
#include "page/deflate.h"
#include "page/json_text.h"

namespace warpscope::page {

Section JsonSection(std::string name, std::string_view json) {
  return {std::move(name), Encoding::kJson, EscapeMarkup(json)};
}

Section PackedSection(std::string name, std::string_view bytes) {
  return {std::move(name), Encoding::kDeflate, Deflate(bytes)};
}

Result<std::string> FillTemplate(std::string_view page, const std::vector<Section>& sections) {
  const size_t mark = page.find(kDataMark);
  if (mark == std::string_view::npos || page.find(kDataMark, mark + 1) != std::string_view::npos) {
    return Status(StatusCode::kCorrupt,
                  "the page that this program was built with has no single place for the data. "
                  "Build it again: ./dev web");
  }
  size_t size = page.size();
  for (const Section& section : sections) size += section.name.size() + section.content.size() / 3 * 4 + 128;
  std::string out;
  out.reserve(size);
  out += page.substr(0, mark);
  for (const Section& section : sections) {
    const bool packed = section.encoding == Encoding::kDeflate;
    out += "<script type=\"text/plain\" id=\"ws:" + section.name + "\" data-encoding=\"";
    out += packed ? "deflate" : "json";
    out += "\">";
    packed ? AppendBase64(out, section.content) : (void)(out += section.content);
    out += "</script>\n";
  }
  out += page.substr(mark + kDataMark.size());
  return out;
}

}  // namespace warpscope::page
