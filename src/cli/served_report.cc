#include "cli/served_report.h"

#include <charconv>
#include <optional>

#include "serve/token.h"

namespace warpscope::cli {
namespace {

constexpr std::string_view kBytes = "application/octet-stream";
constexpr std::string_view kNoConnections = "connect-src 'none'", kOwnConnections = "connect-src 'self'";

// The page's own policy (in its meta element) allows no connection at all; this one asks its server.
std::string AllowOwnConnections(std::string page) {
  if (const size_t at = page.find(kNoConnections); at != std::string::npos)
    page.replace(at, kNoConnections.size(), kOwnConnections);
  return page;
}

// The same policy as a header, with what only a header can forbid.
std::string PolicyOf(std::string_view page) {
  constexpr std::string_view kMeta = "http-equiv=\"Content-Security-Policy\" content=\"";
  std::string policy = "default-src 'none'";
  if (const size_t at = page.find(kMeta); at != std::string_view::npos) {
    page.remove_prefix(at + kMeta.size());
    policy = page.substr(0, page.find('"'));
    if (policy.find_first_of("\r\n") != std::string::npos) policy = "default-src 'none'";
  }
  return "Content-Security-Policy: " + policy + "; frame-ancestors 'none'\r\n";
}

// "%3A" -> ":"; nullopt if an escape is broken.
std::optional<std::string> Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    if (text.size() - i < 3) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (error != std::errc() || end != text.data() + i + 3) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

// The integer of `key` in "track=1&from=2"; nullopt if it is not there once, or is no integer.
template <typename T>
std::optional<T> Parameter(std::string_view query, std::string_view key) {
  std::optional<T> found;
  while (!query.empty()) {
    const std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(item.size() + 1, query.size()));
    if (!item.starts_with(key) || item.size() == key.size() || item[key.size()] != '=') continue;
    T value{};
    const char* last = item.data() + item.size();
    const auto [end, error] = std::from_chars(item.data() + key.size() + 1, last, value);
    if (found || error != std::errc() || end != last) return std::nullopt;
    found = value;
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<ServedReport>> ServedReport::Make(const ReportContent& content, const std::string& page_text,
                                                         std::string token) {
  auto out = std::make_unique<ServedReport>(std::move(token));
  page::Content shown = content.Content();
  shown.paged = true;
  out->page_ = page::Pack(shown);
  const std::string page = AllowOwnConnections(page_text);
  WS_ASSIGN_OR_RETURN(std::string html, page::FillTemplate(page, {out->page_.sections.front()}));
  out->policy_ = PolicyOf(page);
  out->html_ = std::make_shared<const std::string>(std::move(html));
  for (page::Section& section : out->page_.sections) {
    if (section.encoding == page::Encoding::kDeflate)
      out->sections_[section.name] = std::make_shared<const std::string>(std::move(section.content));
  }
  out->page_.sections.clear();
  out->pager_ = std::make_unique<page::Pager>(*out->page_.timeline, *out->page_.names, content.loaded.origin_ns);
  return out;
}

serve::Answer ServedReport::Handle(std::string_view target) const {
  target.remove_prefix(1);  // the '/'
  if (target.size() <= token_.size() || target[token_.size()] != '/' ||
      !serve::SameToken(target.substr(0, token_.size()), token_))
    return serve::Refusal(403, "the address lacks the secret that warpscope view printed");
  target.remove_prefix(token_.size() + 1);
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string_view query = path.size() < target.size() ? target.substr(path.size() + 1) : "";
  if (path.empty()) return {200, "text/html; charset=utf-8", policy_, html_};
  if (path == "spans") return Spans(query);
  constexpr std::string_view kSection = "section/";
  if (path.starts_with(kSection)) {
    const auto name = Decoded(path.substr(kSection.size()));
    const auto found = name ? sections_.find(*name) : sections_.end();
    if (found != sections_.end()) return {200, kBytes, {}, found->second};
  }
  return serve::Refusal(404, "there is no such section");
}

serve::Answer ServedReport::Spans(std::string_view query) const {
  const auto track = Parameter<uint32_t>(query, "track"), pixels = Parameter<uint32_t>(query, "px");
  const auto from = Parameter<int64_t>(query, "from"), to = Parameter<int64_t>(query, "to");
  if (!track || !pixels || !from || !to || *from >= *to || *pixels < 1 || *pixels > page::kMaxPixels) {
    return serve::Refusal(400,
                          "spans takes track, from < to in ns, and px from 1 to " + std::to_string(page::kMaxPixels));
  }
  const auto& tracks = page_.timeline->tracks;
  if (*track >= tracks.size() || tracks[*track].table == page::SpanTable::kSeries)
    return serve::Refusal(404, "there is no such track of spans");
  return {200, kBytes, {}, std::make_shared<const std::string>(pager_->Spans({*track, *from, *to, *pixels}))};
}

}  // namespace warpscope::cli
