#include "serve/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <list>
#include <system_error>
#include <thread>

#include "serve/request.h"

namespace warpscope::serve {
namespace {

constexpr size_t kMaxHeadBytes = 16 << 10;
constexpr size_t kMaxConnections = 32;
constexpr int kIdleMs = 60'000;
// For a request's head, from its first byte: a connection that says nothing whole holds a place no longer than this.
constexpr int kHeadMs = 10'000;
constexpr int kNoDescriptorMs = 100;
constexpr int kWriteMs = 30'000;

std::string_view Reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 431: return "Request Header Fields Too Large";
    default: return "Error";
  }
}

// Waits until the socket can be read or written; false once `waker` says stop, or after `timeout_ms`.
bool WaitFor(int socket, short events, int waker, int timeout_ms) {
  pollfd watched[] = {{socket, events, 0}, {waker, POLLIN, 0}};
  int ready;
  do {
    ready = ::poll(watched, 2, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && (watched[1].revents & POLLIN) == 0;
}

bool Send(int socket, int waker, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return false;
    } else if (!WaitFor(socket, POLLOUT, waker, kWriteMs)) {
      return false;
    }
  }
  return true;
}

int MsLeft(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<int64_t>(0, left.count()));
}

// Reads up to the empty line; what came behind it stays in `*buffer`. "" at the end, at a stop, if it gets too long, or
// if it takes too long: kHeadMs, or kIdleMs for the first byte of a connection that was answered before.
std::string ReadHead(int socket, int waker, bool answered, std::string* buffer, bool* too_long) {
  const auto now = std::chrono::steady_clock::now();
  bool begun = !answered || !buffer->empty();
  auto until = now + std::chrono::milliseconds(begun ? kHeadMs : kIdleMs);
  for (;;) {
    if (const size_t end = buffer->find("\r\n\r\n"); end != std::string::npos) {
      std::string head = buffer->substr(0, end + 4);
      buffer->erase(0, end + 4);
      return head;
    }
    if (buffer->size() > kMaxHeadBytes) {
      *too_long = true;
      return {};
    }
    if (!WaitFor(socket, POLLIN, waker, MsLeft(until))) return {};
    if (!begun) until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kHeadMs);
    begun = true;
    char piece[4096];
    const ssize_t got = ::recv(socket, piece, sizeof piece, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return {};
    buffer->append(piece, static_cast<size_t>(got));
  }
}

bool SendAnswer(int socket, int waker, const Answer& answer, bool with_body, bool keeps_open) {
  const size_t size = answer.body == nullptr ? 0 : answer.body->size();
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  head += Reason(answer.status);
  head += "\r\nContent-Type: ";
  head += answer.type;
  head += "\r\nContent-Length: " + std::to_string(size);
  head +=
      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n";
  head += answer.headers;
  head += keeps_open ? "\r\n" : "Connection: close\r\n\r\n";
  if (!Send(socket, waker, head)) return false;
  return !with_body || size == 0 || Send(socket, waker, *answer.body);
}

void Serve(int socket, int waker, uint16_t port, const Handler& handler, std::atomic<bool>* waits) {
  std::string buffer;
  bool answered = false;
  for (bool open = true; open;) {
    bool too_long = false;
    *waits = true;
    const std::string head = ReadHead(socket, waker, answered, &buffer, &too_long);
    *waits = false;
    answered = true;
    if (head.empty()) {
      if (too_long) SendAnswer(socket, waker, Refusal(431, "the request's head is too long"), true, false);
      return;
    }
    const auto request = ParseRequest(head);
    const int refused = request ? RefusalOf(*request, port) : 400;
    open = refused == 0 && request->keeps_open;
    const Answer answer = refused == 0 ? handler(request->target) : Refusal(refused, "this request is not answered");
    open = SendAnswer(socket, waker, answer, !request || request->method != "HEAD", open) && open;
  }
}

struct Connection {
  std::atomic<bool> done = false;
  std::atomic<bool> waits = true;  // for a request: may be given up for another connection
  int socket = -1;
  std::jthread thread;
};

// All places are taken: the oldest connection that waits for a request makes room, so that half-open ones of a stranger
// cannot lock the owner out. False if every one is being answered.
bool MakeRoom(std::list<Connection>* connections) {
  for (auto it = connections->begin(); it != connections->end(); ++it) {
    if (!it->waits || it->done) continue;
    ::shutdown(it->socket, SHUT_RDWR);
    it->thread.join();
    ::close(it->socket);
    connections->erase(it);
    return true;
  }
  return false;
}

void Collect(std::list<Connection>* connections) {
  connections->remove_if([](Connection& connection) {
    if (!connection.done) return false;
    connection.thread.join();
    ::close(connection.socket);
    return true;
  });
}

}  // namespace

Answer Refusal(int status, std::string text) {
  Answer answer;
  answer.status = status;
  answer.body = std::make_shared<const std::string>(std::move(text) + "\n");
  return answer;
}

Result<std::unique_ptr<LoopbackServer>> LoopbackServer::Open(uint16_t port, Handler handler) {
  const auto failed = [&](std::string_view what, int fd) {
    Status status(StatusCode::kIo, std::string(what) + " 127.0.0.1:" + std::to_string(port) + ": " +
                                       std::generic_category().message(errno) + ". Choose another one with --port.");
    if (fd >= 0) ::close(fd);
    return status;
  };
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return failed("cannot listen on", -1);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 64) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return failed("cannot listen on", listener);
  const int waker = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (waker < 0) return failed("cannot listen on", listener);
  return std::make_unique<LoopbackServer>(listener, waker, ntohs(address.sin_port), std::move(handler));
}

LoopbackServer::LoopbackServer(int listener, int waker, uint16_t port, Handler handler)
    : listener_(listener), waker_(waker), port_(port), handler_(std::move(handler)) {}

LoopbackServer::~LoopbackServer() {
  ::close(listener_);
  ::close(waker_);
}

void LoopbackServer::Run() {
  std::list<Connection> connections;
  while (WaitFor(listener_, POLLIN, waker_, -1)) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int error = errno;
    Collect(&connections);
    if (socket < 0) {
      // No descriptor is left: the connection stays in the queue, and asking at once again would only spin.
      if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM)
        WaitFor(-1, 0, waker_, kNoDescriptorMs);
      continue;
    }
    if (connections.size() >= kMaxConnections && !MakeRoom(&connections)) {
      ::close(socket);
      continue;
    }
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection& connection = connections.emplace_back();
    connection.socket = socket;
    connection.thread = std::jthread([this, socket, &connection] {
      Serve(socket, waker_, port_, handler_, &connection.waits);
      ::shutdown(socket, SHUT_RDWR);
      connection.done = true;
    });
  }
  for (Connection& connection : connections) {  // the waker ends their threads
    connection.thread.join();
    ::close(connection.socket);
  }
}

void LoopbackServer::Stop() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(waker_, &one, sizeof one);
}

}  // namespace warpscope::serve
