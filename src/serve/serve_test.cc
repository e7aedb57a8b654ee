#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "serve/loopback.h"
#include "serve/request.h"
#include "serve/token.h"

namespace warpscope::serve {
namespace {

constexpr uint16_t kPort = 8080;

int StatusOf(std::string_view head) {
  const auto request = ParseRequest(head);
  return request ? RefusalOf(*request, kPort) : 400;
}

TEST(Request, OnlyThisMachinesNamesAreHosts) {
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"), 0);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nhOsT:localhost:8080 \r\n\r\n"), 0);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: evil.example:8080\r\n\r\n"), 403);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 403);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: 127.0.0.1:80801\r\n\r\n"), 403);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\n\r\n"), 403);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nHost: evil.example\r\n\r\n"), 403);
}

TEST(Request, PagesOfOtherSitesAreRefused) {
  const std::string head = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nSec-Fetch-Site: ";
  EXPECT_EQ(StatusOf(head + "cross-site\r\n\r\n"), 403);
  EXPECT_EQ(StatusOf(head + "same-site\r\n\r\n"), 403);
  EXPECT_EQ(StatusOf(head + "cross-site\r\nSec-Fetch-Mode: no-cors\r\n\r\n"), 403);
  EXPECT_EQ(StatusOf(head + "cross-site\r\nSec-Fetch-Mode: navigate\r\n\r\n"), 0);
  EXPECT_EQ(StatusOf(head + "same-origin\r\n\r\n"), 0);
  EXPECT_EQ(StatusOf(head + "none\r\n\r\n"), 0);
}

TEST(Request, WhatIsNoPlainGet) {
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"), 405);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 3\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET http://127.0.0.1:8080/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/2\r\nHost: 127.0.0.1:8080\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET /\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET /\x01 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"), 400);
  EXPECT_EQ(StatusOf(""), 400);
}

TEST(Token, RandomAndCompared) {
  const auto a = MakeToken(), b = MakeToken();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a.value().size(), 32U);
  EXPECT_NE(a.value(), b.value());
  EXPECT_TRUE(SameToken(a.value(), a.value()));
  EXPECT_FALSE(SameToken(a.value(), a.value().substr(1)));
  EXPECT_FALSE(SameToken("ab", "ac"));
}

class Client {
 public:
  explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { ::close(socket_); }
  void Send(std::string_view text) { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  // Until `ending` has come or the other side closes.
  std::string Read(std::string_view ending) {
    std::string out;
    char piece[4096];
    while (!out.ends_with(ending) || ending.empty()) {
      const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
      if (got <= 0) break;
      out.append(piece, static_cast<size_t>(got));
    }
    return out;
  }

 private:
  int socket_;
};

TEST(LoopbackServer, AnswersKeepsOpenAndStops) {
  auto opened = LoopbackServer::Open(0, [](std::string_view target) {
    Answer answer;
    answer.body = std::make_shared<const std::string>("you asked for " + std::string(target) + "!");
    return answer;
  });
  ASSERT_TRUE(opened.ok());
  LoopbackServer& server = *opened.value();
  std::thread runner([&] { server.Run(); });
  const std::string host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n\r\n";
  {
    Client client(server.port());
    client.Send("GET /a HTTP/1.1\r\n" + host);
    const std::string first = client.Read("!");
    EXPECT_NE(first.find("HTTP/1.1 200 OK\r\n"), std::string::npos);
    EXPECT_NE(first.find("Cache-Control: no-store\r\n"), std::string::npos);
    EXPECT_NE(first.find("you asked for /a!"), std::string::npos);
    client.Send("GET /b HTTP/1.1\r\n" + host);  // on the same connection
    EXPECT_NE(client.Read("!").find("you asked for /b!"), std::string::npos);
    client.Send("DELETE /b HTTP/1.1\r\n" + host);
    EXPECT_NE(client.Read("").find("405"), std::string::npos);
  }
  {
    Client client(server.port());
    client.Send("GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n");
    const std::string answer = client.Read("");
    EXPECT_NE(answer.find("403"), std::string::npos);
    EXPECT_EQ(answer.find("you asked"), std::string::npos);
  }
  {
    Client client(server.port());
    client.Send(std::string(40000, 'x'));
    EXPECT_NE(client.Read("").find("431"), std::string::npos);
  }
  Client idle(server.port());  // holds nothing up
  server.Stop();
  runner.join();
}

TEST(LoopbackServer, HalfOpenConnectionsLockNobodyOut) {
  auto opened = LoopbackServer::Open(0, [](std::string_view) {
    Answer answer;
    answer.body = std::make_shared<const std::string>("here!");
    return answer;
  });
  ASSERT_TRUE(opened.ok());
  LoopbackServer& server = *opened.value();
  std::thread runner([&] { server.Run(); });
  std::vector<std::unique_ptr<Client>> strangers;
  for (int i = 0; i < 80; ++i) {
    strangers.push_back(std::make_unique<Client>(server.port()));
    if (i % 2 == 0) strangers.back()->Send("GET /a HTT");  // and never the rest
  }
  Client owner(server.port());
  owner.Send("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n\r\n");
  EXPECT_NE(owner.Read("!").find("here!"), std::string::npos);
  server.Stop();
  runner.join();
}

TEST(LoopbackServer, ATakenPortIsNamed) {
  auto first = LoopbackServer::Open(0, [](std::string_view) { return Answer{}; });
  ASSERT_TRUE(first.ok());
  const auto second = LoopbackServer::Open(first.value()->port(), [](std::string_view) { return Answer{}; });
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.status().message().find("--port"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::serve
