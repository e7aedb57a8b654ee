// LoopbackServer: answers GET requests of this machine's browser, on 127.0.0.1 only. A few dozen lines of HTTP/1.1 in
// place of a library, which would bring TLS and compressors into every start of the program.
// What it refuses before the handler sees it: hosts but 127.0.0.1:PORT and localhost:PORT (DNS rebinding), requests of
// other sites' pages (Sec-Fetch-Site), methods but GET and HEAD, bodies, heads over 16 KiB. Every answer forbids
// caching, framing, sniffing and referrers. [one thread] but Stop(), which is [signal-safe]. The handler is called from
// several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace warpscope::serve {

struct Answer {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";
  std::string headers;                      // further lines, each with its CRLF
  std::shared_ptr<const std::string> body;  // null: empty
};
Answer Refusal(int status, std::string text);

// `target`: path and query as sent, not decoded.
using Handler = std::function<Answer(std::string_view target)>;

class LoopbackServer {
 public:
  // Port 0: any free one. kIo if the port is taken.
  static Result<std::unique_ptr<LoopbackServer>> Open(uint16_t port, Handler handler);
  // Use Open().
  LoopbackServer(int listener, int waker, uint16_t port, Handler handler);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  uint16_t port() const { return port_; }
  void Run();   // until Stop(); threads of its connections end before it returns
  void Stop();  // from anywhere

 private:
  int listener_, waker_;
  uint16_t port_;
  Handler handler_;
};

}  // namespace warpscope::serve
