// Entry: one error that is recognised, as data; and the words of an answer. [MT] Values; entries are constants.
// Lists stand in one string, one item a line; in `checks` a command follows its sentence after " $ ".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::explain {

// Where an error stands in a chain of failures. The first cause of a log is its earliest entry of the lowest role.
enum class Role : uint8_t {
  kMachine,  // the device, link or driver failed by itself: explains all others, wherever it stands
  kRoot,     // a fault of its own
  kSymptom,  // usually follows from something else, often in another process
  kRemark,   // a warning that explains something and stops nothing
};

struct Step {
  std::string text;
  std::string command;  // may be empty
};

// A number of the message, or one worked out of such numbers.
struct Fact {
  std::string name;   // stable, with its unit: "asked_bytes"
  std::string label;  // plain words: "asked for"
  std::string text;   // as shown: "2.00 GiB"
  double value = 0;
};

struct Answer {
  std::string headline;  // one sentence: what it is, and the most likely cause where the text shows it
  std::string meaning;
  std::string cause;  // the most likely one
  std::vector<Fact> facts;
  std::vector<Step> checks;        // in the order to make them
  std::vector<std::string> fixes;  // most helpful first
  std::string avoid;               // what not to do
  std::string source;              // public document or project where this is told
};

// One place of the text at which an entry was recognised.
struct Match {
  uint64_t line = 0;   // 1 is the first
  int64_t rank = -1;   // of the process that wrote the line; -1 where it does not say
  std::string window;  // cleaned: the matched line from the match on and what follows it, at most kWindowBytes
  std::vector<std::string> captures;  // of the pattern's placeholders
  size_t own_bytes = 0;               // of the window: up to the end of the line or of the match, whichever is later
};

struct Entry {
  std::string_view id;        // "memory.torch"
  std::string_view title;     // one line, without full stop
  std::string_view patterns;  // text/pattern.h
  Role role = Role::kRoot;
  std::string_view group;  // entries of one group tell the same fault in other words
  std::string_view meaning;
  std::string_view cause;
  std::string_view checks;
  std::string_view fixes;
  std::string_view avoid;
  std::string_view source;
  // Reads numbers and words of the matches (never empty, in text order) and refines the answer made of the texts above.
  void (*work)(std::span<const Match> matches, Answer* answer) = nullptr;
};

// The lines of one string of an entry; empty lines are left out.
std::vector<std::string_view> Lines(std::string_view text);
std::vector<Step> StepsOf(std::string_view checks);
std::vector<std::string> TextsOf(std::string_view lines);

}  // namespace warpscope::explain
