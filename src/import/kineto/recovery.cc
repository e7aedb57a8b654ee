#include "import/kineto/recovery.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

#include "import/kineto/scan.h"

namespace warpscope::import::kineto {
namespace {

constexpr std::string_view kEventKeys[] = {"ph",   "cat", "name", "pid", "tid",   "ts",  "dur",
                                           "args", "id",  "bp",   "s",   "cname", "tts", "tdur"};
constexpr std::string_view kTopKeys[] = {
    "ERROR",           "INFO",          "WARNING",       "baseTimeNanoseconds", "deviceProperties", "displayTimeUnit",
    "distributedInfo", "record_shapes", "schemaVersion", "traceEvents",         "traceName",        "trace_id",
    "with_stack"};

bool IsEventKey(std::string_view text) {
  return std::any_of(std::begin(kEventKeys), std::end(kEventKeys), [&](std::string_view key) {
    return text.size() > key.size() && text.substr(0, key.size()) == key && text[key.size()] == '"';
  });
}

// `text` behind the opening quote.
bool IsTopKey(std::string_view text) {
  return std::any_of(std::begin(kTopKeys), std::end(kTopKeys), [&](std::string_view key) {
    return text.size() > key.size() && text.substr(0, key.size()) == key && text[key.size()] == '"';
  });
}

// Walks a record with one look-ahead rule: a quote ends its string only if what follows fits the grammar there.
class QuoteFixer {
 public:
  QuoteFixer(std::string_view text, std::string* out) : text_(text), out_(out) {}

  bool Run() {
    out_->clear();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        if (!CopyString()) return false;
        continue;
      }
      if (c == '{' || c == '[') {
        stack_.push_back(c);
        key_next_ = c == '{';
      } else if (c == '}' || c == ']') {
        if (stack_.empty() || stack_.back() != (c == '}' ? '{' : '[')) return false;
        stack_.pop_back();
        key_next_ = false;
      } else if (c == ',') {
        key_next_ = !stack_.empty() && stack_.back() == '{';
      } else if (c == ':') {
        key_next_ = false;
      }
      out_->push_back(c);
      ++at_;
    }
    return stack_.empty();
  }

 private:
  size_t Space(size_t at) const {
    while (at < text_.size() && IsSpace(text_[at])) ++at;
    return at;
  }
  char At(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // `"key" :` at `at`. Keys of the event itself are known; those deeper inside must look like names.
  bool LooksLikeMember(size_t at) const {
    if (At(at) != '"') return false;
    if (stack_.size() == 1) {
      if (!IsEventKey(text_.substr(at + 1))) return false;
    }
    const size_t close = text_.find('"', at + 1);
    if (close == std::string_view::npos) return false;
    return At(Space(close + 1)) == ':';
  }

  bool EndsString(size_t quote) const {
    const size_t next = Space(quote + 1);
    const char c = At(next);
    if (key_next_) return c == ':';
    const bool in_object = !stack_.empty() && stack_.back() == '{';
    if (c == ',') {
      const size_t value = Space(next + 1);
      return in_object ? LooksLikeMember(value)
                       : At(value) != '\0' && std::strchr("\"[{-0123456789tfnIN", At(value)) != nullptr;
    }
    if (c != (in_object ? '}' : ']')) return false;
    const size_t behind = Space(next + 1);
    if (behind >= text_.size()) return true;
    if (stack_.size() == 1) return false;  // the event's own end is the end of the text
    const char d = At(behind);
    if (d == ',') return stack_.size() != 2 || !in_object || LooksLikeEventMember(Space(behind + 1));
    return d == '}' || d == ']';
  }
  bool LooksLikeEventMember(size_t at) const { return At(at) == '"' && IsEventKey(text_.substr(at + 1)); }

  bool CopyString() {
    out_->push_back('"');
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        out_->push_back(c);
        out_->push_back(text_[++at_]);
      } else if (c == '"' && EndsString(at_)) {
        out_->push_back('"');
        ++at_;
        return true;
      } else {
        if (c == '"') out_->push_back('\\');
        out_->push_back(c);
      }
    }
    return false;
  }

  std::string_view text_;
  std::string* out_;
  size_t at_ = 0;
  std::vector<char> stack_;
  bool key_next_ = false;
};

// Grammar check without a tree and without recursion.
class Validator {
 public:
  explicit Validator(std::string_view text) : text_(text) {}
  bool Run() {
    bool want_value = true;
    for (;;) {
      Space();
      if (want_value) {
        if (!Value(&want_value)) return false;
        if (want_value) continue;
      }
      Space();
      if (stack_.empty()) return at_ == text_.size();
      const char c = Next();
      if (c == ',') {
        if (stack_.back() == '{' && !Key()) return false;
        want_value = true;
      } else if (c == (stack_.back() == '{' ? '}' : ']')) {
        stack_.pop_back();
      } else {
        return false;
      }
    }
  }

 private:
  char Next() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  void Space() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool String() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c == '\\') ++at_;
    }
    return false;
  }
  bool Key() {
    Space();
    if (Next() != '"' || !String()) return false;
    Space();
    return Next() == ':';
  }
  // A scalar, or an opening bracket after which `*want_value` stays true if a value must follow.
  bool Value(bool* want_value) {
    *want_value = false;
    const char c = Next();
    if (c == '"') return String();
    if (c == '{' || c == '[') {
      Space();
      const char close = c == '{' ? '}' : ']';
      if (at_ < text_.size() && text_[at_] == close) {
        ++at_;
        return true;
      }
      stack_.push_back(c);
      *want_value = true;
      return c == '[' || Key();
    }
    if (c == '\0' || std::strchr("-0123456789tfn", c) == nullptr) return false;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || std::strchr("+-.", text_[at_]) != nullptr))
      ++at_;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<char> stack_;
};

}  // namespace

NextEvent FindNextEvent(const char* p, const char* end, bool all_there) {
  for (; p < end; ++p) {
    p = static_cast<const char*>(std::memchr(p, '}', static_cast<size_t>(end - p)));
    if (p == nullptr) break;
    const char* at = SkipSpace(p + 1);
    if (at >= end) break;
    if (*at == ',') {
      const char* const brace = SkipSpace(at + 1);
      if (brace >= end) break;
      if (*brace != '{') continue;
      const char* const quote = SkipSpace(brace + 1);
      if (end - quote < 8 && !all_there) break;
      if (quote < end && *quote == '"' && IsEventKey({quote + 1, static_cast<size_t>(end - quote - 1)}))
        return {true, brace, p + 1};
    } else if (*at == ']') {
      const char* const behind = SkipSpace(at + 1);
      if (behind >= end) {
        if (all_there) return {true, at, p + 1};
        break;
      }
      if (*behind == '}') return {true, at, p + 1};
      if (*behind != ',') continue;
      const char* const quote = SkipSpace(behind + 1);
      if (end - quote < 24 && !all_there) break;
      if (quote < end && *quote == '"' && IsTopKey({quote + 1, static_cast<size_t>(end - quote - 1)}))
        return {true, at, p + 1};
    }
  }
  return {};
}

size_t FindLastEventStart(std::string_view text) {
  constexpr size_t kLookBack = size_t{512} << 10;
  const size_t stop = text.size() > kLookBack ? text.size() - kLookBack : 0;
  for (size_t at = text.rfind('{'); at != std::string_view::npos && at > stop; at = text.rfind('{', at - 1)) {
    size_t before = at;
    while (before > stop && IsSpace(text[before - 1])) --before;
    if (before == stop || text[before - 1] != ',') continue;
    --before;
    while (before > stop && IsSpace(text[before - 1])) --before;
    if (before == stop || text[before - 1] != '}') continue;
    size_t key = at + 1;
    while (key < text.size() && IsSpace(text[key])) ++key;
    if (key < text.size() && text[key] == '"' && IsEventKey(text.substr(key + 1))) return at;
  }
  return std::string_view::npos;
}

size_t FindTopLevelKey(std::string_view text, bool only_events) {
  for (size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at + 1)) {
    for (const std::string_view key : kTopKeys) {
      if (only_events && key != "traceEvents") continue;
      const std::string_view rest = text.substr(at + 1);
      if (rest.size() <= key.size() || rest.substr(0, key.size()) != key || rest[key.size()] != '"') continue;
      size_t colon = key.size() + 1;
      while (colon < rest.size() && IsSpace(rest[colon])) ++colon;
      if (colon < rest.size() && rest[colon] == ':') return at;
    }
  }
  return std::string_view::npos;
}

bool EscapeBareQuotes(std::string_view record, std::string* repaired) { return QuoteFixer(record, repaired).Run(); }

bool IsValidJson(std::string_view text) { return Validator(text).Run(); }

}  // namespace warpscope::import::kineto
