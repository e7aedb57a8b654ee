// Status and Result<T>: how every fallible function reports failure. No exceptions cross a module border.
// [MT] Values; no shared state.
// Messages name the file, the byte offset or line, and what was expected; they end with what to do next.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace warpscope {

enum class StatusCode {
  kOk,
  kNotFound,         // no such file, kernel, step ...
  kInvalidArgument,  // the caller's or user's words are off
  kCorrupt,          // the bytes are not what the format demands and nothing usable is left
  kUnsupported,      // recognised, but not something this command can use
  kIo,               // the operating system refused
  kOutput,           // what the command was to write cannot be written
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  Status status() const { return ok() ? Status::Ok() : std::get<1>(state_); }
  // REQUIRES: ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace warpscope

#define WS_CONCAT_INNER(a, b) a##b
#define WS_CONCAT(a, b) WS_CONCAT_INNER(a, b)
#define WS_RETURN_IF_ERROR(expr)            \
  do {                                      \
    ::warpscope::Status ws_status = (expr); \
    if (!ws_status.ok()) return ws_status;  \
  } while (false)
#define WS_ASSIGN_OR_RETURN(lhs, expr) WS_ASSIGN_OR_RETURN_IMPL(WS_CONCAT(ws_result_, __LINE__), lhs, expr)
#define WS_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                             \
  if (!tmp.ok()) return tmp.status();            \
  lhs = std::move(tmp).value()
