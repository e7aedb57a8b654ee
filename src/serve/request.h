// The head of an HTTP request, as far as a server of one page needs it. [MT] Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope::serve {

struct Request {
  std::string_view method, target;
  std::string_view host, site, mode;  // Host, Sec-Fetch-Site, Sec-Fetch-Mode; "" if absent
  bool several_hosts = false, has_body = false, keeps_open = true;
};

// Of the lines up to and with the empty one. nullopt if they are no request of HTTP/1.0 or 1.1.
std::optional<Request> ParseRequest(std::string_view head);

// 0, or the status with which such a request is refused.
int RefusalOf(const Request& request, uint16_t port);

}  // namespace warpscope::serve
