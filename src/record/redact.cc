#include "record/redact.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace warpscope::record {
namespace {

constexpr size_t kMostBytes = 4096;
constexpr const char* kHidden = "***";

// Parts of a name at "-", "_", "." and between small and capital letters, in small letters.
std::vector<std::string> WordsOf(const std::string& name) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isalnum(c) == 0) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    if (std::isupper(c) != 0 && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0)
      words.emplace_back();
    words.back() += static_cast<char>(std::tolower(c));
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool EndsIn(const std::string& word, std::string_view end) {
  return word.size() >= end.size() && word.compare(word.size() - end.size(), end.size(), end) == 0;
}

bool IsSecretWord(const std::string& word) {
  constexpr std::array kWords = {"secret",  "secrets", "pass", "pwd",       "credential", "credentials",
                                 "cred",    "creds",   "auth", "cookie",    "bearer",     "authorization",
                                 "cookies", "sas",     "sig",  "signature", "pw"};
  constexpr std::array kEnds = {"token", "secret", "password", "passwd", "passphrase", "apikey", "credentials"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view one) { return word == one; }) ||
         std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return EndsIn(word, end); });
}

// How keys of services begin that are often passed around; what follows must be long enough to be one.
constexpr std::array<std::string_view, 15> kKeyStarts = {"sk-",         "hf_",    "ghp_",   "gho_", "ghs_",
                                                         "github_pat_", "glpat-", "nvapi-", "AKIA", "ASIA",
                                                         "xoxb-",       "xoxp-",  "eyJ",    "AIza", "pypi-"};

bool IsKeyByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }

void HideKeys(std::string& text) {
  constexpr size_t kShortestKey = 16;
  for (const std::string_view start : kKeyStarts) {
    for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
      if (at > 0 && IsKeyByte(text[at - 1])) continue;
      size_t end = at;
      while (end < text.size() && IsKeyByte(text[end])) ++end;
      if (end - at >= kShortestKey) text.replace(at, end - at, kHidden);
    }
  }
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void HideBearers(std::string& text) {
  for (const std::string_view word : {"bearer ", "basic "}) {
    for (size_t at = Lower(text).find(word); at != std::string::npos; at = Lower(text).find(word, at + 1)) {
      const size_t begin = at + word.size(), end = std::min(text.find_first_of(" \t\"',", begin), text.size());
      text.replace(begin, end - begin, kHidden);
    }
  }
}

// "scheme://user:password@host" -> "scheme://***@host".
void HideUrlUsers(std::string& text) {
  for (size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 1)) {
    const size_t begin = at + 3, end = std::min(text.find_first_of("/?# \t\"'", begin), text.size());
    const size_t user = text.rfind('@', end);
    if (user != std::string::npos && user >= begin && user < end) text.replace(begin, user - begin, kHidden);
  }
}

// A private key to its end, and the address of a web hook, which is its own password.
void HideWholes(std::string& text) {
  if (const size_t at = text.find("PRIVATE KEY-----"); at != std::string::npos)
    text.replace(at + 16, std::string::npos, kHidden);
  constexpr std::string_view kHook = "hooks.slack.com/services/";
  if (const size_t at = text.find(kHook); at != std::string::npos) {
    const size_t begin = at + kHook.size(), end = std::min(text.find_first_of(" \t\"'", begin), text.size());
    text.replace(begin, end - begin, kHidden);
  }
}

constexpr std::string_view kBlanks = " \t\n";

// "--token SECRET" and "password SECRET" inside of one text, as in sh -c "..." or a variable that holds options.
void HideSpacedValues(std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" \t\n\"'", at), text.size());
    const std::string word = text.substr(at, end - at);
    const bool names =
        word.find_first_of("=:") == std::string::npos &&
        ((word.starts_with("-") && NamesSecret(word)) || Lower(word) == "password" || Lower(word) == "passwd");
    at = text.find_first_not_of(" \t\n\"'", end);
    if (at == std::string::npos) return;
    if (!names || text.find_first_of(kBlanks, end) != end) continue;
    const size_t begin = at, stop = std::min(text.find_first_of(" \t\n\"'", begin), text.size());
    text.replace(begin, stop - begin, kHidden);
    at = begin + 3;
  }
}

bool IsNameByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }

// NAME=value, "name": "value", ?name=value&: the value of a secret's name.
void HideNamedValues(std::string& text) {
  for (size_t at = text.find_first_of("=:"); at != std::string::npos; at = text.find_first_of("=:", at + 1)) {
    size_t end_of_name = at;
    while (end_of_name > 0 &&
           (text[end_of_name - 1] == ' ' || text[end_of_name - 1] == '"' || text[end_of_name - 1] == '\''))
      --end_of_name;
    size_t begin_of_name = end_of_name;
    while (begin_of_name > 0 && IsNameByte(text[begin_of_name - 1])) --begin_of_name;
    const std::string name = text.substr(begin_of_name, end_of_name - begin_of_name);
    if (!NamesSecret(name)) continue;
    size_t begin = at + 1;
    while (begin < text.size() && std::string_view(" [({\"'").find(text[begin]) != std::string_view::npos) ++begin;
    // A quoted value ends at its quote; a bare one at what separates it from the next.
    const bool quoted = begin > at + 1 && (text[begin - 1] == '"' || text[begin - 1] == '\'');
    const size_t end =
        std::min(quoted ? text.find(text[begin - 1], begin)
                        : text.find_first_of(Lower(name) == "authorization" ? "\n\"'" : " \t&,;}\"'", begin),
                 text.size());
    if (end > begin && text.compare(begin, end - begin, kHidden) != 0) text.replace(begin, end - begin, kHidden);
  }
}

}  // namespace

bool NamesSecret(const std::string& name) {
  const std::vector<std::string> words = WordsOf(name);
  if (std::any_of(words.begin(), words.end(), IsSecretWord)) return true;
  // A "key" is one at the end ("license_key") or behind such a word ("AWS_ACCESS_KEY_ID"); "num-key-value-heads" is
  // none.
  for (size_t i = 0; i < words.size(); ++i) {
    if (!EndsIn(words[i], "key")) continue;
    if (i + 1 == words.size()) return true;
    if (i > 0 && (words[i - 1] == "access" || words[i - 1] == "api" || words[i - 1] == "private")) return true;
  }
  return false;
}

std::string Redacted(const std::string& text) {
  std::string shown = text.substr(0, kMostBytes);
  HideWholes(shown);
  HideUrlUsers(shown);
  HideNamedValues(shown);
  HideBearers(shown);
  HideSpacedValues(shown);
  HideKeys(shown);
  return shown;
}

std::string RedactedValue(const std::string& name, const std::string& value) {
  return NamesSecret(name) ? kHidden : Redacted(value);
}

std::string RedactedCommand(const std::vector<std::string>& words) {
  std::string text;
  std::string last;
  bool hide_next = false;
  for (const std::string& word : words) {
    const bool hidden = hide_next && !word.empty();
    const size_t equals = word.find('=');
    std::string shown = hidden ? std::string(kHidden) : Redacted(word);
    // The whole value, whatever it holds.
    if (!hidden && equals != std::string::npos && NamesSecret(word.substr(0, equals)))
      shown = word.substr(0, equals + 1) + kHidden;
    // "-u name:password" is curl's; an empty word is no value yet.
    if (last == "-u" && word.find(':') != std::string::npos) shown = kHidden;
    if (!word.empty() || !hide_next)
      hide_next = !hidden && !word.empty() && word[0] == '-' && equals == std::string::npos && NamesSecret(word);
    last = word;
    text += (text.empty() ? "" : " ") + shown;
    if (text.size() > kMostBytes) break;
  }
  return text.substr(0, kMostBytes);
}

}  // namespace warpscope::record
