#include "doctor/bundle/names_in.h"

#include <algorithm>
#include <vector>

namespace warpscope::doctor {
namespace {

bool IsHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// "Jul 23 13:42:46 HOST kernel:" and "2025-01-21T04:41:44+00:00 HOST kernel:".
std::string_view HostOf(std::string_view line) {
  constexpr size_t kStampBytes = 15;
  size_t at = std::string_view::npos;
  if (line.size() > kStampBytes + 1 && std::isupper(static_cast<unsigned char>(line[0])) != 0 && line[3] == ' ' &&
      line[9] == ':' && line[12] == ':')
    at = kStampBytes + 1;
  else if (line.size() > 20 && line[4] == '-' && line[7] == '-' && line[10] == 'T') at = line.find(' ') + 1;
  if (at == std::string_view::npos || at == 0 || at >= line.size()) return {};
  const std::string_view host = WordAt(line, at, ".");
  // A program and a colon stand behind it: "kernel:", "systemd[1]:".
  const size_t next = at + host.size();
  if (host.empty() || next >= line.size() || line[next] != ' ') return {};
  const std::string_view program = WordAt(line, next + 1, ".");
  const size_t behind = next + 1 + program.size();
  return behind < line.size() && !program.empty() && (line[behind] == ':' || line[behind] == '[') ? host
                                                                                                  : std::string_view();
}

// "name" of `"user": "name"`, "user=name", "user: name", wherever `key` stands as a whole word.
void EachValue(std::string_view line, std::string_view key, const std::function<void(std::string_view)>& take) {
  for (size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    size_t from = at + key.size();
    // "--master_addr=NAME" is an option of that name.
    const bool is_option = at > 1 && line[at - 1] == '-' && (line[at - 2] == '-' || line[at - 2] == ' ');
    if (at > 0 && IsWordByte(line[at - 1]) && !is_option) continue;
    if (from < line.size() && line[from] == '"') ++from;
    const size_t sign = line.find_first_not_of(' ', from);
    if (sign == std::string_view::npos || (line[sign] != ':' && line[sign] != '=')) continue;
    from = line.find_first_not_of(" \"'", sign + 1);
    if (from == std::string_view::npos) return;
    if (const std::string_view name = WordAt(line, from, "."); !name.empty()) take(name);
  }
}

// The owner in "drwxr-xr-x 2 OWNER GROUP ...", and of a process in "OWNER  4711 99.0 1.2 ..." (ps aux).
std::string_view OwnerIn(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < line.size() && words.size() < 4;) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  const auto is_number = [](std::string_view word) {
    return word.find_first_not_of("0123456789.") == std::string_view::npos;
  };
  if (words.size() < 4) return {};
  const bool is_mode = words[0].size() >= 10 && words[0].size() <= 11 &&
                       words[0].substr(0, 10).find_first_not_of("bcdlps-rwxStT") == std::string_view::npos;
  if (is_mode && is_number(words[1])) return words[2];
  const bool is_process = is_number(words[1]) && is_number(words[2]) && is_number(words[3]) &&
                          words[2].find('.') != std::string_view::npos && words[3].find('.') != std::string_view::npos;
  return is_process && std::isalpha(static_cast<unsigned char>(words[0][0])) != 0 ? words[0] : std::string_view();
}

// "HOST:4711:4712 [0] NCCL INFO ...", as NCCL begins its lines.
std::string_view NcclHostOf(std::string_view line) {
  if (line.find(" NCCL ") == std::string_view::npos) return {};
  const std::string_view host = WordAt(line, 0, ".");
  size_t at = host.size();
  for (int number = 0; number < 2; ++number) {
    if (at + 1 >= line.size() || line[at] != ':' || std::isdigit(static_cast<unsigned char>(line[at + 1])) == 0)
      return {};
    at = std::min(line.find_first_not_of("0123456789", at + 1), line.size());
  }
  return host;
}

// "gerhard" of "uid=1001(gerhard)".
std::string_view IdOwnerOf(std::string_view line) {
  const size_t at = line.find("uid="), open = line.find('(', at == std::string_view::npos ? line.size() : at);
  if (open == std::string_view::npos || line.find_first_not_of("0123456789", at + 4) != open) return {};
  return WordAt(line, open + 1, ".");
}

}  // namespace

std::string_view WordAt(std::string_view text, size_t at, std::string_view others) {
  size_t end = at;
  while (end < text.size() && (IsWordByte(text[end]) || others.find(text[end]) != std::string_view::npos)) ++end;
  return text.substr(at, end - at);
}

void LearnNames(std::string_view line, const std::function<void(std::string_view)>& host,
                const std::function<void(std::string_view)>& user) {
  if (const std::string_view name = HostOf(line); !name.empty()) host(name);
  if (const std::string_view name = NcclHostOf(line); !name.empty()) host(name);
  if (const std::string_view name = IdOwnerOf(line); !name.empty()) user(name);
  for (const std::string_view key :
       {"\"_HOSTNAME\":\"", "_HOSTNAME=", "HOSTNAME=", "uname: Linux ", "Linux ", "hostname: ", "Computer: "}) {
    const size_t at = line.find(key);
    // "Linux HOST 5.15.0-91-generic": a version stands behind the name.
    if (at == std::string_view::npos) continue;
    const std::string_view word = WordAt(line, at + key.size(), ".");
    const size_t behind = at + key.size() + word.size();
    const bool is_uname = key.ends_with("Linux ");
    if (is_uname && word == "version") continue;  // the kernel's own line
    if (is_uname && (behind + 1 >= line.size() || std::isdigit(static_cast<unsigned char>(line[behind + 1])) == 0))
      continue;
    host(word);
  }
  for (const std::string_view key :
       {"hostname", "host_name", "Host Name", "HostName", "nodename", "node_name", "Node name", "NODE_NAME",
        "MASTER_ADDR", "master_addr", "master-addr", "rdzv_endpoint", "rdzv-endpoint", "coordinator_address",
        "SLURMD_NODENAME", "SLURM_NODELIST", "SLURM_JOB_NODELIST"}) {
    EachValue(line, key, host);
  }
  for (const std::string_view key : {"USER", "LOGNAME", "USERNAME", "user", "username", "user_name", "User", "Username",
                                     "owner", "login", "SLURM_JOB_USER", "logged in as"}) {
    EachValue(line, key, user);
  }
  for (const std::string_view start : kHomes) {
    for (size_t at = line.find(start); at != std::string_view::npos; at = line.find(start, at + 1))
      user(WordAt(line, at + start.size(), "."));
  }
  // "Accepted publickey for NAME from 10.1.2.3", "session opened for user NAME(uid=1000)".
  for (const std::string_view start : {" for user ", " for invalid user ", "Accepted publickey for ",
                                       "Accepted password for ", "Failed password for "}) {
    const size_t at = line.find(start);
    if (at != std::string_view::npos) user(WordAt(line, at + start.size(), "."));
  }
  if (const std::string_view owner = OwnerIn(line); !owner.empty()) user(owner);
}

bool IsUuid(std::string_view text, size_t at) {
  constexpr size_t kBytes = 36;
  if (at + kBytes > text.size()) return false;
  for (size_t i = 0; i < kBytes; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[at + i] != '-' : !IsHex(text[at + i])) return false;
  }
  return true;
}

size_t Ip4Bytes(std::string_view text, size_t at) {
  size_t end = at;
  int parts = 0;
  while (parts < 4) {
    size_t digits = 0;
    unsigned value = 0;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0 && digits < 4)
      value = value * 10 + static_cast<unsigned>(text[end++] - '0'), ++digits;
    if (digits == 0 || digits > 3 || value > 255) return 0;
    if (++parts < 4 && (end >= text.size() || text[end++] != '.')) return 0;
  }
  const bool goes_on = end < text.size() && (text[end] == '.' || IsWordByte(text[end]));
  return goes_on ? 0 : end - at;
}

size_t Ip6Bytes(std::string_view text, size_t at) {
  size_t end = at, colons = 0, digits = 0, group = 0;
  bool has_gap = false, has_number = false;
  for (; end < text.size() && (IsHex(text[end]) || text[end] == ':'); ++end) {
    if (text[end] != ':') {
      has_number = has_number || std::isdigit(static_cast<unsigned char>(text[end])) != 0;
      ++digits;
      if (++group > 4) return 0;
      continue;
    }
    ++colons, group = 0;
    has_gap = has_gap || (end > at && text[end - 1] == ':');
  }
  const bool goes_on = end < text.size() && (IsWordByte(text[end]) || text[end] == '.');
  constexpr size_t kLeastDigits = 4, kFullColons = 7;
  const bool is_address =
      has_gap ? colons <= kFullColons && digits >= kLeastDigits : colons == kFullColons && digits >= 8;
  return is_address && has_number && !goes_on ? end - at : 0;
}

size_t HostBytes(std::string_view text, size_t at) {
  std::string_view host = WordAt(text, at, ".");
  while (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view before = text.substr(0, at);
  const bool is_url =
      before.ends_with("://") || (before.ends_with('@') && before.find("://") != std::string_view::npos);
  // "[HOST]:PORT".
  const size_t behind = at + host.size();
  const bool is_bracketed = before.ends_with('[') && text.substr(behind, 2) == "]:" && behind + 2 < text.size() &&
                            std::isdigit(static_cast<unsigned char>(text[behind + 2])) != 0;
  const bool has_name = host.find_first_not_of("0123456789.") != std::string_view::npos && host != "localhost";
  if ((is_url || is_bracketed) && has_name && host.find('.') == std::string_view::npos) return host.size();
  if (host.find('.') == std::string_view::npos) return 0;
  for (const std::string_view domain : {".local", ".internal", ".lan", ".corp", ".intranet", ".localdomain"}) {
    if (host.ends_with(domain)) return host.size();
  }
  constexpr std::string_view kPublic[] = {"nvidia.com",    "pytorch.org",    "github.com",     "githubusercontent.com",
                                          "python.org",    "pypi.org",       "huggingface.co", "microsoft.com",
                                          "kernel.org",    "intel.com",      "amd.com",        "ubuntu.com",
                                          "debian.org",    "redhat.com",     "docker.com",     "tensorflow.org",
                                          "google.com",    "googleapis.com", "anaconda.org",   "hiascend.com",
                                          "kubernetes.io", "w3.org",         "localhost"};
  // Outside of URLs: what ends as names of the net do. Modules and files of programs end otherwise.
  constexpr std::string_view kEnds[] = {".com", ".net", ".org", ".edu", ".gov", ".mil", ".cloud",
                                        ".de",  ".uk",  ".fr",  ".jp",  ".ch",  ".eu",  ".cn"};
  const bool ends_so = std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) {
    return host.ends_with(end) && host.size() > end.size() + 1;
  });
  const bool is_called = behind < text.size() && (text[behind] == '(' || text[behind] == '=');
  if (!is_url && !is_bracketed && (!ends_so || is_called)) return 0;
  const bool is_public = std::any_of(std::begin(kPublic), std::end(kPublic), [&](std::string_view domain) {
    return host == domain || (host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.');
  });
  return is_public ? 0 : host.size();
}

}  // namespace warpscope::doctor
