// LineEditor: one line from the terminal, with editing, history and completion where libedit was there when the program
// was built; plain lines otherwise.
// [one thread], one at a time: the library keeps its state in globals.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpscope::cli {

class LineEditor {
 public:
  // `words`: what the tab key completes. History is kept in `history_path` between runs; "" = not kept.
  LineEditor(std::vector<std::string> words, std::string history_path);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  // Absent at the end of input, and when a signal came.
  std::optional<std::string> ReadLine(const std::string& prompt);
  void Remember(const std::string& statement);

 private:
  std::string history_path_;
};

// $XDG_STATE_HOME/warpscope/query_history, or ~/.local/state/...; "" where there is no home.
std::string HistoryPath();

}  // namespace warpscope::cli
