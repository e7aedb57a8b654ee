#include "query/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warpscope::query {
namespace {

bool IsWordByte(char ch) {
  return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

// The end of the text, quoted name or comment that begins at `at`; `at` itself if none does. `open`: it has no end.
size_t EndOfQuoted(std::string_view sql, size_t at, bool& open) {
  const auto until = [&](std::string_view end, size_t from) {
    const size_t found = sql.find(end, from);
    open = found == std::string_view::npos;
    return open ? sql.size() : found + end.size();
  };
  const char ch = sql[at];
  if (ch == '\'' || ch == '"') return until(std::string_view(&sql[at], 1), at + 1);  // a doubled quote: two of them
  if (sql.substr(at, 2) == "/*") return until("*/", at + 2);
  if (sql.substr(at, 2) == "--") {
    const size_t end = sql.find('\n', at);
    return end == std::string_view::npos ? sql.size() : end;
  }
  if (ch != '$' || (at > 0 && IsWordByte(sql[at - 1]))) return at;
  size_t end = at + 1;  // $$text$$, $tag$text$tag$
  while (end < sql.size() && IsWordByte(sql[end])) ++end;
  const bool is_number = at + 1 < sql.size() && sql[at + 1] >= '0' && sql[at + 1] <= '9';
  if (end >= sql.size() || sql[end] != '$' || is_number) return at;
  return until(sql.substr(at, end + 1 - at), end + 1);
}

bool IsComment(std::string_view sql, size_t at) { return sql.substr(at, 2) == "--" || sql.substr(at, 2) == "/*"; }

// Calls visit(begin, end, plain) for each piece: plain bytes one by one, quoted ones as a whole.
template <typename F>
bool Walk(std::string_view sql, F visit) {
  bool open = false;
  for (size_t at = 0; at < sql.size();) {
    const size_t end = EndOfQuoted(sql, at, open);
    if (end == at) at = visit(at, at + 1, true);
    else at = visit(at, end, false);
  }
  return open;
}

}  // namespace

Numbered NumberParameters(std::string_view sql) {
  Numbered out;
  Walk(sql, [&](size_t begin, size_t end, bool plain) {
    const bool named = plain && sql[begin] == '$' && end < sql.size() && IsWordByte(sql[end]) &&
                       !(sql[end] >= '0' && sql[end] <= '9') && (begin == 0 || !IsWordByte(sql[begin - 1]));
    if (!named) {
      out.sql += sql.substr(begin, end - begin);
      return end;
    }
    while (end < sql.size() && IsWordByte(sql[end])) ++end;
    const std::string name(sql.substr(begin + 1, end - begin - 1));
    const auto known = std::find(out.names.begin(), out.names.end(), name);
    out.sql += fmt::format("${}", known - out.names.begin() + 1);
    if (known == out.names.end()) out.names.push_back(name);
    return end;
  });
  return out;
}

std::vector<std::string> SplitStatements(std::string_view sql) {
  std::vector<std::string> statements;
  std::string current;
  bool has_content = false;
  const auto finish = [&](size_t next) {
    if (has_content) statements.push_back(std::move(current));
    has_content = false;
    current.assign(sql.substr(0, next));
    for (char& ch : current) {
      if (ch != '\n') ch = ' ';
    }
  };
  Walk(sql, [&](size_t begin, size_t end, bool plain) {
    if (plain && sql[begin] == ';') {
      finish(end);
      return end;
    }
    current += sql.substr(begin, end - begin);
    const bool blank =
        plain ? std::string_view(" \t\r\n").find(sql[begin]) != std::string_view::npos : IsComment(sql, begin);
    has_content |= !blank;
    return end;
  });
  finish(sql.size());
  return statements;
}

bool IsUnfinished(std::string_view sql) {
  bool content = false;
  const bool open = Walk(sql, [&](size_t begin, size_t end, bool plain) {
    if (plain && sql[begin] == ';') content = false;
    else
      content |=
          plain ? std::string_view(" \t\r\n").find(sql[begin]) == std::string_view::npos : !IsComment(sql, begin);
    return end;
  });
  return open || content;
}

std::string WithoutEnumLists(std::string_view text) {
  constexpr std::string_view kWord = "ENUM('";
  std::string out;
  for (;;) {
    const size_t begin = text.find(kWord);
    if (begin == std::string_view::npos) return out.append(text);
    // 'it''s' ends where a quote is followed by something other than a quote.
    size_t at = begin + kWord.size() - 1;
    while (at < text.size() && text[at] != ')') {
      if (text[at] == '\'') {
        at = text.find('\'', at + 1);
        if (at == std::string_view::npos) return out.append(text.substr(0, begin)) + "VARCHAR";
      }
      ++at;
    }
    out.append(text.substr(0, begin)).append("VARCHAR");
    if (at >= text.size()) return out;
    text.remove_prefix(at + 1);
  }
}

namespace {

struct Place {
  size_t line = 0, column = 0;  // from 1
};

// "LINE 3: ...the line, cut if it is long..." and below it a caret. The column is that in the statement.
Place PlaceOf(std::string_view message, size_t line_at, std::string_view sql) {
  constexpr std::string_view kLine = "LINE ";
  std::string_view rest = message.substr(line_at + kLine.size());
  Place place;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), place.line);
  const size_t prefix = kLine.size() + static_cast<size_t>(end - rest.data()) + 2;  // "LINE 3: "
  const size_t break_at = message.find('\n', line_at);
  if (error != std::errc() || break_at == std::string_view::npos) return {};
  const size_t caret = message.find('^', break_at);
  if (caret == std::string_view::npos || caret - break_at - 1 < prefix) return place;
  std::string_view shown = message.substr(line_at + prefix, break_at - line_at - prefix);
  size_t column = caret - break_at - 1 - prefix;  // within what is shown
  constexpr std::string_view kCut = "...";
  if (shown.starts_with(kCut) && column >= kCut.size()) {
    shown.remove_prefix(kCut.size());
    column -= kCut.size();
    if (shown.ends_with(kCut)) shown.remove_suffix(kCut.size());
    size_t begin = 0;
    for (size_t i = 1; i < place.line && begin != std::string_view::npos; ++i) begin = sql.find('\n', begin) + 1;
    const size_t found = sql.find(shown, begin);
    if (found == std::string_view::npos) return {place.line, 0};
    column += found - begin;
  }
  place.column = column + 1;
  return place;
}

void DropPrefix(std::string& text) {
  for (const std::string_view kind :
       {"Binder", "Parser", "Catalog", "Conversion", "Invalid Input", "Permission", "Out of Memory", "Not implemented",
        "INTERRUPT", "Constraint", "Out of Range", "Invalid"}) {
    if (!text.starts_with(kind)) continue;
    const std::string_view rest = std::string_view(text).substr(kind.size());
    for (const std::string_view word : {" Error: ", " error: ", ": "}) {
      if (rest.starts_with(word)) {
        text.erase(0, kind.size() + word.size());
        return;
      }
    }
  }
}

}  // namespace

std::string ExplainError(std::string_view message, std::string_view sql) {
  if (message.starts_with("INTERRUPT")) return "interrupted";
  const size_t line_at = message.find("\nLINE ");
  const Place place = line_at == std::string_view::npos ? Place{} : PlaceOf(message, line_at + 1, sql);
  std::string words(message.substr(0, line_at));
  words = WithoutEnumLists(words);
  DropPrefix(words);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  std::string line;
  for (const char ch : words) {
    if (ch == '\n') line += line.ends_with(' ') ? "" : " ";
    else line += ch;
  }
  if (place.line == 0) return "SQL: " + line;
  if (place.column == 0) return fmt::format("SQL, line {}: {}", place.line, line);
  return fmt::format("SQL, line {}, column {}: {}", place.line, place.column, line);
}

}  // namespace warpscope::query
