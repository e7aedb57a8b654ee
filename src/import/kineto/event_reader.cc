#include "import/kineto/event_reader.h"

#include <algorithm>
#include <string>

#include "import/kineto/decimal.h"
#include "import/kineto/text.h"

namespace warpscope::import::kineto {
namespace {

struct KnownArg {
  std::string_view key;
  uint8_t form;
  uint8_t slot;
};

constexpr size_t kMaxLearnedKeys = 200;  // a file with more kinds of keys is read slower, not worse

enum Dim3Slot : uint8_t { kGrid, kBlock };

bool EndsNumber(char c) { return c == ',' || c == '}' || c == ']' || IsSpace(c); }

// A bare word where a value belongs: inf, NaN, N/A, null, true ... `*after` behind it.
Scan ScanToken(const char* p, const char* end, const char** after) {
  const char* start = p;
  while (p < end && !EndsNumber(*p) && *p != '"' && *p != ':' && *p != '{' && *p != '[') ++p;
  if (p >= end) return Scan::kNeedMore;
  *after = p;
  return p == start ? Scan::kSyntax : Scan::kOk;
}

bool SaysAbsent(std::string_view token) { return token == "null" || token == "true" || token == "false"; }

// inf, -inf, Infinity, NaN, N/A: bare words that recorders write where a number belongs. Null, true and false are JSON.
bool IsNoValueWord(const char* p) {
  const char* word = *p == '-' || *p == '+' ? p + 1 : p;
  return *word == 'i' || *word == 'I' || *word == 'N' || (*word == 'n' && word[1] == 'a');
}

// "0x7f12" as recorders of AMD write pointers and streams.
bool ParseHex(std::string_view text, uint64_t* value) {
  if (text.size() < 3 || text.size() > 18 || text[0] != '0' || (text[1] | 0x20) != 'x') return false;
  uint64_t result = 0;
  for (const char c : text.substr(2)) {
    const char low = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      result = result * 16 + static_cast<unsigned>(c - '0');
    } else if (low >= 'a' && low <= 'f') {
      result = result * 16 + static_cast<unsigned>(low - 'a' + 10);
    } else {
      return false;
    }
  }
  *value = result;
  return true;
}

// The text of a scalar, in quotes or not. Containers are passed over and give an empty text.
Scan ScanScalar(const char* p, const char* end, std::string_view* text, bool* quoted, const char** after) {
  *quoted = *p == '"';
  *text = {};
  if (*quoted) {
    uint8_t odd;
    const Scan scan = ScanString(p + 1, end, after, &odd);
    if (scan == Scan::kOk) *text = {p + 1, static_cast<size_t>(*after - 1 - (p + 1))};
    return scan;
  }
  if (*p == '{' || *p == '[') return SkipValue(p, end, after);
  const Scan scan = ScanToken(p, end, after);
  if (scan == Scan::kOk) *text = {p, static_cast<size_t>(*after - p)};
  return scan;
}

// An id or count. `*found` stays false for "no value".
Scan ReadNumber(const char** p, const char* end, uint64_t* value, bool* found, uint32_t* bad) {
  unsigned digits;
  const uint64_t quick = UpTo16Digits(*p, &digits);
  if (digits > 0 && digits < 16 && EndsNumber((*p)[digits])) {
    *value = quick;
    *found = true;
    *p += digits;
    return Scan::kOk;
  }
  std::string_view text;
  bool quoted;
  const char* after;
  const Scan scan = ScanScalar(*p, end, &text, &quoted, &after);
  if (scan != Scan::kOk) return scan;
  *p = after;
  DecimalError error;
  const auto number = DecimalToId(text, &error);
  *found = number.has_value() || (quoted && ParseHex(text, value));
  if (number) *value = *number;
  if (!*found && !quoted && !SaysAbsent(text)) ++*bad;
  return Scan::kOk;
}

// Microseconds with any fraction, to ns.
Scan ReadTime(const char** p, const char* end, int64_t* ns, bool* found, bool* too_large, uint32_t* bad) {
  unsigned digits;
  const uint64_t whole = UpTo16Digits(*p, &digits);
  if (digits > 0 && (digits < 16 || whole < 9000000000000000ULL)) {
    const char* at = *p + digits;
    uint64_t fraction = 0;
    unsigned fraction_digits = 0;
    if (*at == '.') {
      fraction = UpTo16Digits(at + 1, &fraction_digits);
      at += 1 + fraction_digits;
    }
    if (fraction_digits < 16 && EndsNumber(*at) && at < end) {
      fraction = fraction_digits <= 3 ? fraction * kPowersOfTen[3 - fraction_digits]
                                      : fraction / kPowersOfTen[fraction_digits - 3];
      *ns = static_cast<int64_t>(whole * 1000 + fraction);
      *found = true;
      *p = at;
      return Scan::kOk;
    }
  }
  std::string_view text;
  bool quoted;
  const char* after;
  const Scan scan = ScanScalar(*p, end, &text, &quoted, &after);
  if (scan != Scan::kOk) return scan;
  *p = after;
  DecimalError error;
  const auto value = DecimalToInt64(text, 3, &error);
  *found = value.has_value();
  if (value) *ns = *value;
  if (error == DecimalError::kTooLarge) *too_large = true;
  if (error == DecimalError::kNotANumber && !SaysAbsent(text)) ++*bad;
  return Scan::kOk;
}

Scan ReadText(const char** p, const char* end, TextSpan* text, bool* found) {
  if (**p != '"') {
    *found = false;
    return SkipValue(*p, end, p);
  }
  const char* start = *p + 1;
  const char* after;
  const Scan scan = ScanString(start, end, &after, &text->odd);
  if (scan != Scan::kOk) return scan;
  text->at = start;
  text->size = static_cast<uint32_t>(after - 1 - start);
  *found = true;
  *p = after;
  return Scan::kOk;
}

Scan ReadIdent(const char** p, const char* end, Ident* ident) {
  unsigned digits;
  const uint64_t quick = UpTo16Digits(*p, &digits);
  if (digits > 0 && digits < 16 && EndsNumber((*p)[digits])) {
    ident->form = Ident::Form::kNumber;
    ident->number = static_cast<int64_t>(quick);
    *p += digits;
    return Scan::kOk;
  }
  const char* start = *p;
  std::string_view text;
  bool quoted;
  const Scan scan = ScanScalar(start, end, &text, &quoted, p);
  if (scan != Scan::kOk) return scan;
  DecimalError error;
  const auto number = DecimalToId(text, &error);
  ident->form = number ? Ident::Form::kNumber : quoted ? Ident::Form::kText : Ident::Form::kAbsent;
  if (number) ident->number = static_cast<int64_t>(*number);
  if (ident->form == Ident::Form::kText) ident->text = {text.data(), static_cast<uint32_t>(text.size()), kHasEscape};
  return Scan::kOk;
}

Scan ReadDim3(const char** p, const char* end, uint32_t* dims, bool* found, uint32_t* bad) {
  *found = false;
  if (**p != '[') return SkipValue(*p, end, p);
  const char* at = SkipSpace(*p + 1);
  uint32_t values[3] = {1, 1, 1};
  for (unsigned i = 0; i < 3 && *at != ']'; ++i) {
    uint64_t value = 0;
    bool is_number = false;
    const Scan scan = ReadNumber(&at, end, &value, &is_number, bad);
    if (scan != Scan::kOk) return scan;
    if (!is_number || value > UINT32_MAX) return SkipValue(*p, end, p);
    values[i] = static_cast<uint32_t>(value);
    *found = true;
    at = SkipSpace(at);
    if (*at == ',') at = SkipSpace(at + 1);
  }
  if (at >= end) return Scan::kNeedMore;
  if (*at != ']') return SkipValue(*p, end, p);
  *p = at + 1;
  if (*found) std::copy(values, values + 3, dims);
  return Scan::kOk;
}

}  // namespace

EventReader::EventReader() : unknown_{{}, 0, ArgForm::kSkip, 0, nullptr}, first_{{}, 0, ArgForm::kSkip, 0, nullptr} {}

Scan EventReader::Read(const char* p, const char* end, RawEvent* event, const char** after) {
  event->Clear();
  p = SkipSpace(p + 1);
  for (;;) {
    if (p >= end) return Scan::kNeedMore;
    if (*p == '}') break;
    if (*p != '"') return Scan::kSyntax;
    const char* key = p + 1;
    const Scan scan = ReadMember(key, end, event, &p);
    if (scan != Scan::kOk) return scan;
    p = SkipSpace(p);
    if (*p == ',') {
      p = SkipSpace(p + 1);
    } else if (*p != '}') {
      return p >= end ? Scan::kNeedMore : Scan::kSyntax;
    }
  }
  *after = p + 1;
  return Scan::kOk;
}

// `key` behind the opening quote; leaves `*p` behind the value.
Scan EventReader::ReadMember(const char* key, const char* end, RawEvent* event, const char** p) {
  const char* after_key;
  uint8_t odd;
  Scan scan = ScanString(key, end, &after_key, &odd);
  if (scan != Scan::kOk) return scan;
  std::string_view name(key, static_cast<size_t>(after_key - 1 - key));
  const char* at = SkipSpace(after_key);
  if (at >= end) return Scan::kNeedMore;
  if (*at != ':') return Scan::kSyntax;
  at = SkipSpace(at + 1);
  if (at >= end) return Scan::kNeedMore;
  *p = at;
  std::string unescaped;
  if ((odd & kHasEscape) != 0) {
    unescaped = CleanText(name).text;
    name = unescaped;
  }
  const auto set = [event](RawEvent::Part bit, bool found) {
    event->has = found ? event->has | bit : event->has & ~static_cast<uint32_t>(bit);
  };
  bool found = false;
  if (name == "ts") {
    scan = ReadTime(p, end, &event->ts_ns, &found, &event->ts_out_of_range, &event->bad_numbers);
    set(RawEvent::kTs, found);
  } else if (name == "dur") {
    scan = ReadTime(p, end, &event->dur_ns, &found, &event->ts_out_of_range, &event->bad_numbers);
    set(RawEvent::kDur, found);
  } else if (name == "ph") {
    TextSpan text;
    scan = ReadText(p, end, &text, &found);
    event->phase = found && text.size == 1 ? *text.at : '\0';
  } else if (name == "pid") {
    scan = ReadIdent(p, end, &event->pid);
  } else if (name == "tid") {
    scan = ReadIdent(p, end, &event->tid);
  } else if (name == "cat") {
    scan = ReadText(p, end, &event->cat, &found);
    set(RawEvent::kCat, found);
  } else if (name == "name") {
    scan = ReadText(p, end, &event->name, &found);
    set(RawEvent::kName, found);
  } else if (name == "args") {
    if (*at == '{') {
      event->number_has = event->text_has = 0;
      event->has &= ~static_cast<uint32_t>(RawEvent::kGrid | RawEvent::kBlock);
      scan = ReadArgs(at, end, event, p);
      event->args = {at, static_cast<uint32_t>(*p - at), 0};
      set(RawEvent::kArgs, true);
    } else {
      scan = SkipValue(at, end, p);
    }
  } else if (name == "id") {
    std::string_view text;
    bool quoted;
    scan = ScanScalar(at, end, &text, &quoted, p);
    event->id = {text.data(), static_cast<uint32_t>(text.size()), 0};
    set(RawEvent::kId, !text.empty());
  } else {
    scan = SkipValue(at, end, p);
  }
  return scan;
}

Scan EventReader::ReadArgs(const char* p, const char* end, RawEvent* event, const char** after) {
  p = SkipSpace(p + 1);
  Key* previous = &first_;
  for (;;) {
    if (p >= end) return Scan::kNeedMore;
    if (*p == '}') break;
    if (*p != '"') return Scan::kSyntax;
    Key* key;
    Scan scan = FindKey(p + 1, end, previous, &key, &p);
    if (scan != Scan::kOk) return scan;
    previous = key;
    scan = ReadArg(*key, end, event, &p);
    if (scan != Scan::kOk) return scan;
    p = SkipSpace(p);
    if (*p == ',') {
      p = SkipSpace(p + 1);
    } else if (*p != '}') {
      return p >= end ? Scan::kNeedMore : Scan::kSyntax;
    }
  }
  *after = p + 1;
  return Scan::kOk;
}

Scan EventReader::ReadArg(const Key& key, const char* end, RawEvent* event, const char** p) {
  bool found = false;
  Scan scan;
  const uint32_t bit = uint32_t{1} << key.slot;
  const auto set = [&](uint32_t* has) { *has = found ? *has | bit : *has & ~bit; };
  switch (key.form) {
    case ArgForm::kSkip:
      if (IsNoValueWord(*p)) ++event->bad_numbers;
      return SkipValue(*p, end, p);
    case ArgForm::kNumber:
      scan = ReadNumber(p, end, &event->number[key.slot], &found, &event->bad_numbers);
      set(&event->number_has);
      return scan;
    case ArgForm::kText:
      scan = ReadText(p, end, &event->text[key.slot], &found);
      set(&event->text_has);
      return scan;
    case ArgForm::kRaw: {
      const char* start = *p;
      scan = SkipValue(start, end, p);
      event->text[key.slot] = {start, static_cast<uint32_t>(*p - start), 0};
      found = scan == Scan::kOk;
      set(&event->text_has);
      return scan;
    }
    case ArgForm::kToken: {
      std::string_view text;
      bool quoted;
      const char* start = *p;
      scan = ScanScalar(start, end, &text, &quoted, p);
      if (scan == Scan::kOk && (*start == '[' || *start == '{')) text = {start, static_cast<size_t>(*p - start)};
      event->text[key.slot] = {text.data(), static_cast<uint32_t>(text.size()), quoted ? kHasEscape : uint8_t{0}};
      found = scan == Scan::kOk && !text.empty();
      set(&event->text_has);
      return scan;
    }
    case ArgForm::kDim3: {
      scan = ReadDim3(p, end, key.slot == kGrid ? event->grid : event->block, &found, &event->bad_numbers);
      const uint32_t has = key.slot == kGrid ? RawEvent::kGrid : RawEvent::kBlock;
      event->has = found ? event->has | has : event->has & ~has;
      return scan;
    }
  }
  return Scan::kSyntax;
}

// `p` behind the opening quote of a key; `*after` at its value.
Scan EventReader::FindKey(const char* p, const char* end, Key* previous, Key** key, const char** after) {
  if (Key* guess = previous->next;
      guess != nullptr && p + guess->size < end && std::memcmp(p, guess->text, guess->size) == 0) {
    *key = guess;
    *after = SkipSpace(p + guess->size);
    return *after >= end ? Scan::kNeedMore : Scan::kOk;
  }
  const char* after_key;
  uint8_t odd;
  const Scan scan = ScanString(p, end, &after_key, &odd);
  if (scan != Scan::kOk) return scan;
  const char* at = SkipSpace(after_key);
  if (at >= end) return Scan::kNeedMore;
  if (*at != ':') return Scan::kSyntax;
  at = SkipSpace(at + 1);
  if (at >= end) return Scan::kNeedMore;
  *key = Classify(p, after_key - 1, at);
  if (*key != &unknown_) previous->next = *key;
  *after = at;
  return Scan::kOk;
}

// The entry of a key, made on first sight.
EventReader::Key* EventReader::Classify(const char* text, const char* text_end, const char* value) {
  static constexpr KnownArg kKnown[] = {
#define WS_ARG(key, form, slot) {key, static_cast<uint8_t>(ArgForm::k##form), WS_SLOT_##form(slot)},
#define WS_SLOT_Number(slot) static_cast<uint8_t>(NumberArg::slot)
#define WS_SLOT_Text(slot) static_cast<uint8_t>(TextArg::slot)
#define WS_SLOT_Raw(slot) static_cast<uint8_t>(TextArg::slot)
#define WS_SLOT_Token(slot) static_cast<uint8_t>(TextArg::slot)
#define WS_SLOT_Dim3(slot) static_cast<uint8_t>(Dim3Slot::slot)
#include "import/kineto/keys.def"
#undef WS_ARG
  };
  std::string_view name(text, static_cast<size_t>(text_end - text));
  const auto size = static_cast<size_t>(value - text);
  size_t bucket = size;
  for (const char c : name.substr(0, 24)) bucket = bucket * 31 + static_cast<unsigned char>(c);
  Key*& slot = buckets_[bucket % buckets_.size()];
  if (slot != nullptr && slot->size == size && std::memcmp(slot->text, text, size) == 0) return slot;

  const std::string unescaped = name.find('\\') == std::string_view::npos ? std::string(name) : CleanText(name).text;
  Key made{{}, 0, ArgForm::kSkip, 0, nullptr};
  for (const KnownArg& known : kKnown) {
    if (known.key != unescaped) continue;
    made.form = static_cast<ArgForm>(known.form);
    made.slot = known.slot;
  }
  const bool keep = size <= sizeof made.text && keys_.size() < kMaxLearnedKeys;
  if (!keep) {
    unknown_.form = made.form;
    unknown_.slot = made.slot;
    return &unknown_;
  }
  std::memcpy(made.text, text, size);
  made.size = static_cast<uint8_t>(size);
  keys_.push_back(std::make_unique<Key>(made));
  slot = keys_.back().get();
  return slot;
}

}  // namespace warpscope::import::kineto
