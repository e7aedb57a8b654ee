// What every table command does around its table: load, sort, filter, cut, print as asked. [one thread]
#pragma once

#include "base/status.h"
#include "cli/args.h"
#include "cli/io.h"
#include "cli/loaded.h"
#include "view/table.h"
#include "view/tables.h"

namespace warpscope::cli {

inline constexpr uint8_t kTableCommand = kInput | kSelect | kJson | kTable;

// Rows that a terminal gets without --limit.
inline constexpr uint64_t kTerminalRows = 20;
// Prints a finished table by --json, --csv, --limit, --sort, --match, --wide.
Status PrintTable(view::Table table, const Args& args, Io& io);

using TableBuilder = Result<view::Table> (*)(const Loaded& loaded, const Args& args);
// Loads the inputs, builds, adds the ledger, prints.
Status RunTable(const Args& args, Io& io, TableBuilder build);

// For tables that explain a step: the counted steps alone where a long start-up lies before them, if no other time or
// device was asked for; else as SubjectOf(). OfSteps() tells so in the table's summary.
view::Subject StepSubjectOf(const Loaded& loaded);
view::Table OfSteps(const Loaded& loaded, view::Table table);
// For tables of all that was recorded: says so where most of the time is start-up before the counted steps.
view::Table WithStartUp(const Loaded& loaded, view::Table table);
view::Subject SubjectOf(const Loaded& loaded);

// Words of a choice flag with what they mean; the first is the default.
template <typename T>
struct Choice {
  std::string_view word;
  T value;
};
template <typename T, size_t N>
T Chosen(const Args& args, std::string_view flag, const Choice<T> (&choices)[N]) {
  const std::string word = args.Text(flag).value_or(std::string(choices[0].word));
  for (const Choice<T>& choice : choices) {
    if (choice.word == word) return choice.value;
  }
  return choices[0].value;
}

}  // namespace warpscope::cli
