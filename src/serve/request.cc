#include "serve/request.h"

#include <algorithm>
#include <string>

namespace warpscope::serve {
namespace {

bool SameWord(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
         });
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The line up to CRLF (or LF alone), taken off `head`.
std::string_view TakeLine(std::string_view* head) {
  const size_t end = std::min(head->find('\n'), head->size());
  std::string_view line = head->substr(0, end);
  head->remove_prefix(std::min(end + 1, head->size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace

std::optional<Request> ParseRequest(std::string_view head) {
  const std::string_view line = TakeLine(&head);
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  Request request;
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return std::nullopt;
  if (!IsPlain(request.method) || !IsPlain(request.target) || !request.target.starts_with('/')) return std::nullopt;
  request.keeps_open = version == "HTTP/1.1";
  while (!head.empty()) {
    const std::string_view header = TakeLine(&head);
    if (header.empty()) return request;
    const size_t colon = header.find(':');
    if (colon == std::string_view::npos || colon == 0 || !IsPlain(header.substr(0, colon))) return std::nullopt;
    const std::string_view name = header.substr(0, colon), value = Trimmed(header.substr(colon + 1));
    if (SameWord(name, "host")) {
      request.several_hosts |= !request.host.empty();
      request.host = value;
    } else if (SameWord(name, "sec-fetch-site")) {
      request.site = value;
    } else if (SameWord(name, "sec-fetch-mode")) {
      request.mode = value;
    } else if (SameWord(name, "transfer-encoding") || (SameWord(name, "content-length") && value != "0")) {
      request.has_body = true;
    } else if (SameWord(name, "connection") && SameWord(value, "close")) {
      request.keeps_open = false;
    }
  }
  return std::nullopt;  // no empty line
}

int RefusalOf(const Request& request, uint16_t port) {
  const std::string ending = ":" + std::to_string(port);
  if (request.several_hosts || (request.host != "127.0.0.1" + ending && request.host != "localhost" + ending))
    return 403;
  // "none": typed or opened by the user. Programs other than browsers send nothing. A link that is followed shows the
  // page to the user, not to the site that holds the link.
  const bool own = request.site.empty() || request.site == "same-origin" || request.site == "none";
  if (!own && request.mode != "navigate") return 403;
  if (request.method != "GET" && request.method != "HEAD") return 405;
  return request.has_body ? 400 : 0;
}

}  // namespace warpscope::serve
