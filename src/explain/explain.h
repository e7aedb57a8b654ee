// Reader: recognises the errors of the field in a message or a log and says which came first, what it means and what to
// do. [one thread] a Reader; its results are values.
// Bounded whatever it reads: lines beyond kLineBytes are taken in pieces, an entry keeps kMatchesKept matches.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_decoder.h"
#include "explain/entry.h"
#include "explain/text/clean.h"
#include "faults/one_line.h"

namespace warpscope::explain {

inline constexpr size_t kLineBytes = 16 << 10;
inline constexpr size_t kLinesAhead = 14;  // a message may go on over so many lines
inline constexpr size_t kWindowBytes = 4 << 10;
inline constexpr size_t kMatchesKept = 64;  // of one entry
inline constexpr size_t kMatchesInAll = 1024;

// How a finding stands to the first cause.
enum class Relation : uint8_t {
  kCause,    // the first cause itself
  kSame,     // the same fault in other words
  kFollows,  // a consequence
  kOther,    // an error of its own, to be looked at when the first is gone
  kRemark,   // a warning
};
std::string_view NameOf(Relation relation);

struct Finding {
  const Entry* entry = nullptr;
  Relation relation = Relation::kCause;
  Answer answer;
  uint64_t line = 0;           // of the first match
  uint64_t count = 0;          // lines on which it stands
  std::vector<int64_t> ranks;  // ascending, at most kMatchesKept; empty where the lines do not say
  std::string excerpt;         // cleaned text of the first match
};

struct Diagnosis {
  std::vector<Finding> findings;  // the first cause, then by relation and line; empty: nothing is recognised
  uint64_t lines = 0;             // with text in them
};

// Every entry, in the order of families.def and of their files.
std::vector<const Entry*> Catalogue();
struct Family {
  std::string_view id;
  std::string_view title;
  std::span<const Entry> entries;
};
std::span<const Family> Families();

class Reader {
 public:
  Reader();
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void Feed(std::string_view bytes);
  // Another text begins: no message goes on into it, and its lines are counted from 1.
  void EndText();
  // How many entries were recognised up to the last EndText().
  size_t recognised() const { return seen_.size(); }
  Diagnosis Finish();  // once, after the last Feed

 private:
  struct Seen;
  void Append(std::string_view text);
  void EndLine();
  void TakeFirst();                              // recognises errors that begin in the oldest line held
  void TakeKernelLine(const std::string& line);  // a fault that the kernel tells, where no entry knows the line
  void Keep(uint32_t entry, std::string_view window, size_t own_bytes, const std::vector<std::string_view>& captures);

  faults::OneLine kernel_;
  TextDecoder decoder_;
  std::string line_;  // being read
  std::deque<CleanLine> held_;
  std::deque<uint64_t> numbers_;
  uint64_t line_number_ = 1;
  uint64_t lines_with_text_ = 0;
  size_t kept_ = 0;
  std::map<uint32_t, std::unique_ptr<Seen>> seen_;  // by index in Catalogue()
};

Diagnosis Explain(std::string_view text);

}  // namespace warpscope::explain
