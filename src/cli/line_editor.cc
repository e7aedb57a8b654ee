#include "cli/line_editor.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#ifdef WS_HAVE_EDITLINE
#include <editline/readline.h>
#endif

namespace warpscope::cli {

std::string HistoryPath() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::string folder;
  if (state && *state == '/') folder = state;
  else if (home && *home == '/') folder = std::string(home) + "/.local/state";
  else return "";
  return folder + "/warpscope/query_history";
}

#ifdef WS_HAVE_EDITLINE
namespace {

constexpr int kHistoryLines = 1000;
std::vector<std::string> completion_words;

bool SameStart(std::string_view word, std::string_view start) {
  const auto lower = [](char ch) { return ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch; };
  return word.size() >= start.size() &&
         std::equal(start.begin(), start.end(), word.begin(), [&](char a, char b) { return lower(a) == lower(b); });
}

// Called until it returns null; `again` is 0 for the first word of a completion.
char* NextWord(const char* start, int again) {
  static size_t at = 0;
  if (again == 0) at = 0;
  while (at < completion_words.size()) {
    const std::string& word = completion_words[at++];
    if (SameStart(word, start)) return strdup(word.c_str());
  }
  return nullptr;
}

char** Complete(const char* start, int, int) {
  rl_attempted_completion_over = 1;  // file names mean nothing in SQL
  return rl_completion_matches(start, &NextWord);
}

}  // namespace

LineEditor::LineEditor(std::vector<std::string> words, std::string history_path)
    : history_path_(std::move(history_path)) {
  completion_words = std::move(words);
  rl_readline_name = "warpscope";
  rl_initialize();
  rl_attempted_completion_function = &Complete;
  using_history();
  stifle_history(kHistoryLines);
  if (!history_path_.empty()) read_history(history_path_.c_str());
}

LineEditor::~LineEditor() {
  if (history_path_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(history_path_).parent_path(), error);
  if (error) return;
  write_history(history_path_.c_str());
  std::filesystem::permissions(history_path_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
                               error);
}

std::optional<std::string> LineEditor::ReadLine(const std::string& prompt) {
  char* line = readline(prompt.c_str());
  if (!line) return std::nullopt;
  std::string text = line;
  std::free(line);
  return text;
}

void LineEditor::Remember(const std::string& statement) {
  std::string line = statement;
  std::replace(line.begin(), line.end(), '\n', ' ');
  add_history(line.c_str());
}
#else
LineEditor::LineEditor(std::vector<std::string>, std::string history_path) : history_path_(std::move(history_path)) {}
LineEditor::~LineEditor() = default;

std::optional<std::string> LineEditor::ReadLine(const std::string& prompt) {
  std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  std::string text;
  for (int ch = std::fgetc(stdin); ch != EOF; ch = std::fgetc(stdin)) {
    if (ch == '\n') return text;
    text += static_cast<char>(ch);
  }
  std::clearerr(stdin);
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

void LineEditor::Remember(const std::string&) {}
#endif

}  // namespace warpscope::cli
