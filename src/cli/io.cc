#include "cli/io.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "base/version.h"
#include "report/text.h"

namespace warpscope::cli {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

std::string_view Env(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// By the variables that setlocale() would read, in its order; without setlocale(), so that numbers stay as they are.
bool Utf8Locale() {
  std::string_view locale = Env("LC_ALL");
  if (locale.empty()) locale = Env("LC_CTYPE");
  if (locale.empty()) locale = Env("LANG");
  for (const std::string_view word : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
    if (locale.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// COLUMNS goes before what the terminal says, as in other programs; 0 if neither tells.
size_t TerminalColumns() {
  const std::string_view columns = Env("COLUMNS");
  size_t value = 0;
  const auto parsed = std::from_chars(columns.data(), columns.data() + columns.size(), value);
  if (parsed.ec == std::errc() && parsed.ptr == columns.data() + columns.size() && value > 0) return value;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 0;
}

int64_t NowNs() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

Io ProcessIo() {
  constexpr size_t kDefaultColumns = 100, kLeast = 60, kMost = 200;
  Io io;
  io.interactive = isatty(STDOUT_FILENO) != 0;
  const size_t columns = TerminalColumns();
  io.terminal.columns = columns == 0 ? kDefaultColumns : std::clamp(columns, kLeast, kMost);
  io.terminal.utf8 = Utf8Locale();
  if (const std::string_view wanted = Env("WARPSCOPE_LANG"); !wanted.empty()) {
    io.terminal.language = lang::ParseLanguage(wanted).value_or(lang::Language::kEnglish);
    if (io.terminal.language != lang::Language::kEnglish) io.terminal.utf8 = true;
  }
  io.terminal.color = io.interactive && Env("NO_COLOR").empty() && Env("TERM") != "dumb" && !Env("TERM").empty();
  return io;
}

std::string Message(std::string_view head, std::string_view sentence, const report::Terminal& terminal) {
  constexpr std::string_view kIndent = "  ";
  std::string text = report::Clean(sentence, terminal.utf8);
  if (!head.empty()) text = fmt::format("{}: {}", head, text);
  std::string out;
  // The room of the further lines is that of the first too: one column more or less is not worth a second width.
  for (const std::string& line : report::WrapWholeWords(text, terminal.columns - kIndent.size()))
    out += fmt::format("{}{}\n", out.empty() ? "" : kIndent, line);
  return out;
}

void Io::Warn(std::string_view sentence) { err += Message(kProductName, sentence, terminal); }

void WarnNow(std::string_view sentence) {
  static const report::Terminal terminal = ProcessIo().terminal;
  WriteAll(stderr, Message(kProductName, sentence, terminal));
}

ProgressBar::ProgressBar() : start_ns_(NowNs()) {}

void ProgressBar::Update(double done_ratio) {
  if (done_ratio >= 1) return Clear();
  const int64_t now_ns = NowNs();
  if (now_ns - start_ns_ < kSecondNs || now_ns - shown_ns_ < kSecondNs / 10) return;
  constexpr int kCells = 40;
  const double ratio = std::clamp(done_ratio, 0.0, 1.0);
  const int filled = static_cast<int>(ratio * kCells);
  fmt::print(stderr, "\rreading [{}{}] {:3.0f} %", std::string(static_cast<size_t>(filled), '#'),
             std::string(static_cast<size_t>(kCells - filled), ' '), ratio * 100);
  std::fflush(stderr);
  shown_ns_ = now_ns;
  visible_ = true;
}

void ProgressBar::Clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r{}\r", std::string(60, ' '));
  std::fflush(stderr);
  visible_ = false;
}

Written WriteAll(std::FILE* file, std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  if (whole) return Written::kAll;
  return errno == EPIPE ? Written::kPipeClosed : Written::kFailed;
}

}  // namespace warpscope::cli
