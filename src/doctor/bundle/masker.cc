#include "doctor/bundle/masker.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "doctor/bundle/ids_in.h"
#include "doctor/bundle/names_in.h"
#include "record/redact.h"
#include "record/system.h"

namespace warpscope::doctor {
namespace {

constexpr size_t kMostLine = 4096, kMostNames = 2000;

// Words that name nobody, or that would tear texts apart.
bool IsCommon(std::string_view word) {
  constexpr std::array<std::string_view, 24> kCommon = {"root",   "localhost", "user",   "ubuntu", "kernel",  "nvidia",
                                                        "linux",  "admin",     "home",   "host",   "docker",  "gpu",
                                                        "node",   "none",      "debian", "centos", "systemd", "cuda",
                                                        "python", "worker",    "server", "system", "nobody",  "daemon"};
  constexpr size_t kShortest = 3;
  const std::string lower = record::Lower(std::string(word));
  return word.size() < kShortest || std::find(kCommon.begin(), kCommon.end(), lower) != kCommon.end() ||
         word.find_first_not_of("0123456789.") == std::string_view::npos;
}

void AddName(std::vector<std::string>& names, std::string_view name) {
  if (IsCommon(name) || names.size() >= kMostNames) return;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

}  // namespace

void Masker::AddHost(std::string_view name) {
  AddName(hosts_, name);
  AddName(hosts_, name.substr(0, name.find('.')));  // without its domain
}

void Masker::AddUser(std::string_view name) { AddName(users_, name); }

void Masker::Learn(std::string_view text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, std::min(end - begin, kMostLine));
    begin = end + 1;
    LearnNames(
        line, [this](std::string_view host) { AddHost(host); }, [this](std::string_view user) { AddUser(user); });
  }
}

std::string Masker::NumberOf(std::string_view kind, std::string_view word) {
  ++hidden_;
  const auto found = numbers_.find(word);
  if (found != numbers_.end()) return found->second;
  uint64_t& count = counts_[std::string(kind)];
  std::string mask = std::string(kind) + std::to_string(++count);
  if (numbers_.size() < kMostNames * 10) numbers_.emplace(word, mask);
  return mask;
}

// Names as whole words, whatever their case.
void Masker::HideNames(std::string& line) {
  for (const auto& [kind, names] :
       {std::pair{std::string_view("host"), &hosts_}, std::pair{std::string_view("user"), &users_}}) {
    for (const std::string& name : *names) {
      const std::string lower = record::Lower(line), wanted = record::Lower(name);
      std::string out;
      size_t from = 0;
      for (size_t at = lower.find(wanted); at != std::string::npos; at = lower.find(wanted, at + 1)) {
        const bool is_word = (at == 0 || !IsWordByte(line[at - 1])) &&
                             (at + name.size() >= line.size() || !IsWordByte(line[at + name.size()]));
        if (!is_word || at < from) continue;
        out.append(line, from, at - from).append(NumberOf(kind, name));
        from = at + name.size();
      }
      if (from > 0) line = out.append(line, from);
    }
  }
}

// "/home/NAME/", "C:\Users\NAME\" (where names may hold blanks), "~NAME/".
void Masker::HideHomes(std::string& line) {
  for (const std::string_view start : kHomes) {
    for (size_t at = line.find(start); at != std::string::npos; at = line.find(start, at + 1)) {
      std::string name(WordAt(line, at + start.size(), "."));
      constexpr size_t kLongest = 64;
      const size_t close = line.find('\\', at + start.size());
      if (start.front() == '\\' && close != std::string::npos && close - at < kLongest)
        name = line.substr(at + start.size(), close - at - start.size());
      if (name.empty()) continue;
      line.replace(at + start.size(), name.size(), NumberOf("user", name));
    }
  }
  for (size_t at = line.find('~'); at != std::string::npos; at = line.find('~', at + 1)) {
    const std::string name(WordAt(line, at + 1));
    const size_t end = at + 1 + name.size();
    const bool begins = at == 0 || std::string_view(" \t\"'=:").find(line[at - 1]) != std::string_view::npos;
    if (begins && !name.empty() && end < line.size() && line[end] == '/')
      line.replace(at + 1, name.size(), NumberOf("user", name));
  }
}

// "Serial Number : 0334517001520", "<serial>...</serial>", and keys of the like.
void Masker::HideSerials(std::string& line) {
  // What stands between a key and its number: "Serial Number : 0334", "<serial>0334", "\"asic_serial\": \"0x12\"".
  constexpr std::string_view kBetween = " \t:=>\"',";
  for (const std::string_view key : {"serial number", "serial_number", "serial", "asset tag", "guid", "vdie id",
                                     "unique id", "unique_id", "s/n", "imei", "part uuid"}) {
    std::string lower = record::Lower(line);
    for (size_t key_at = lower.find(key); key_at != std::string::npos; key_at = lower.find(key, key_at + 1)) {
      const size_t at = line.find_first_not_of(kBetween, key_at + key.size());
      if (at == std::string::npos || at == key_at + key.size()) continue;
      const std::string word(WordAt(line, at, ":-"));
      constexpr size_t kShortest = 6;
      if (word.size() < kShortest || word.find_first_of("0123456789") == std::string::npos) continue;
      line.replace(at, word.size(), NumberOf("serial", word));
      lower = record::Lower(line);
    }
  }
}

// "-u NAME:PASSWORD" of curl, and the body of a public key, which names its owner.
void Masker::HideLogins(std::string& line) {
  for (const std::string_view flag : {" -u ", " --user ", "--proxy-user "}) {
    const size_t at = line.find(flag);
    if (at == std::string::npos) continue;
    const size_t from = at + flag.size(), end = std::min(line.find(' ', from), line.size());
    if (line.substr(from, end - from).find(':') == std::string::npos) continue;
    line.replace(from, end - from, "***");
    ++hidden_;
  }
  HidePasswordFlags(line);
  // "password for NAME: WORD", of which "for" may be hidden already.
  const std::string lower = record::Lower(line);
  const size_t asked = std::min(lower.find("password for "), lower.find("password *** ")),
               said = lower.find(": ", asked == std::string::npos ? asked : asked + 13);
  if (asked != std::string::npos && said != std::string::npos && said + 2 < line.size()) {
    line.replace(said + 2, std::string::npos, "***");
    ++hidden_;
  }
  // The list of a job's machines: "gpu[01-04,07]".
  for (size_t at = line.find("NODELIST="); at != std::string::npos; at = line.find("NODELIST=", at + 1)) {
    const size_t from = at + 9, end = std::min(line.find_first_of(" \t\"';", from), line.size());
    if (end > from) line.replace(from, end - from, NumberOf("hosts", line.substr(from, end - from)));
  }
  for (const std::string_view kind : {"ssh-rsa ", "ssh-ed25519 ", "ssh-dss ", "ecdsa-sha2-"}) {
    const size_t at = line.find(kind), body = line.find("AAAA", at == std::string::npos ? line.size() : at);
    if (body == std::string::npos) continue;
    line.replace(body, std::min(line.find(' ', body), line.size()) - body, "***");
    ++hidden_;
  }
}

// "-pPASSWORD" of MySQL's programs and sshpass, with a blank between where the program takes it so.
void Masker::HidePasswordFlags(std::string& line) {
  constexpr std::string_view kTakesBlank[] = {"sshpass", "mysql", "mariadb", "ldap", "mongo", "redis-cli", "psql"};
  const bool takes_blank = std::any_of(std::begin(kTakesBlank), std::end(kTakesBlank), [&](std::string_view program) {
    return line.find(program) != std::string::npos;
  });
  for (const std::string_view flag : {" -p", " -a ", " -w "}) {
    if (flag != " -p" && !takes_blank) continue;
    for (size_t at = line.find(flag); at != std::string::npos; at = line.find(flag, at + 1)) {
      size_t from = at + flag.size();
      const bool is_apart = from < line.size() && line[from] == ' ';
      if (is_apart && !takes_blank) continue;
      if (is_apart) ++from;
      const char quote = from < line.size() && (line[from] == '\'' || line[from] == '"') ? line[from] : ' ';
      if (quote != ' ') ++from;
      const size_t end = std::min(line.find(quote, from), line.size());
      std::string_view value = std::string_view(line).substr(from, end - from);
      while (value.ends_with(',') || value.ends_with(';')) value.remove_suffix(1);
      // Ports ("-p8080:80") and the words of compilers ("-pthread") are none.
      const bool is_other = value.find_first_not_of("0123456789:.,/") == std::string_view::npos || value == "thread" ||
                            value == "ipe" || value == "ie" || value == "edantic" || value == "***" ||
                            value.starts_with('-') || value.starts_with('=');
      if (is_other) continue;
      line.replace(from, end - from, "***");
      ++hidden_;
    }
  }
}

// UUIDs, network addresses, mail addresses, hosts of URLs.
void Masker::HideWords(std::string& line) {
  constexpr std::string_view kUnits[] = {".service", ".socket", ".timer", ".mount", ".target", ".slice", ".scope"};
  for (size_t at = 0; at < line.size(); ++at) {
    if (at > 0 && (IsWordByte(line[at - 1]) || line[at - 1] == '.') && line[at - 1] != '-') continue;
    const auto hide = [&](std::string_view kind, size_t bytes) {
      const std::string mask = NumberOf(kind, std::string_view(line).substr(at, bytes));
      line.replace(at, bytes, mask);
      at += mask.size() - 1;
    };
    constexpr size_t kUuidBytes = 36;
    if (IsUuid(line, at)) hide("uuid", kUuidBytes);
    else if (const size_t secret = BareSecretBytes(line, at); secret > 0) hide("secret", secret);
    else if (const size_t mac = LinkIdBytes(line, at); mac > 0) hide("mac", mac);
    else if (const size_t id = HexIdBytes(line, at); id > 0) hide("id", id);
    else if (const size_t name = AddressNameBytes(line, at); name > 0) hide("host", name);
    else if (const size_t ip = Ip4Bytes(line, at);
             ip > 0 && line.compare(at, ip, "127.0.0.1") != 0 && line.compare(at, ip, "0.0.0.0") != 0)
      hide("ip", ip);
    else if (const size_t ip6 = Ip6Bytes(line, at); ip6 > 0) hide("ip", ip6);
    else if (const size_t host = HostBytes(line, at); host > 0) hide("host", host);
    else if (IsWordByte(line[at])) {
      const std::string_view word = WordAt(line, at, ".+");
      const size_t end = at + word.size();
      if (end + 1 < line.size() && line[end] == '@' && IsWordByte(line[end + 1])) {
        const std::string_view domain = WordAt(line, end + 1, ".");
        // "modprobe@drm.service" is a unit of systemd.
        const bool is_unit = std::any_of(std::begin(kUnits), std::end(kUnits),
                                         [&](std::string_view unit) { return domain.ends_with(unit); });
        if (is_unit) at = end + domain.size();
        else hide("mail", word.size() + 1 + domain.size());
      }
    }
  }
}

std::string Masker::Line(std::string_view line) {
  std::string text(line.substr(0, kMostLine));
  const std::string shown = record::Redacted(text);
  if (shown != text) ++hidden_;
  text = shown;
  HideHomes(text);
  HideLogins(text);
  HideSerials(text);
  HideWords(text);
  HideNames(text);
  if (line.size() > kMostLine) text += " [cut]";
  return text;
}

std::string Masker::Masked(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_key = false;  // of a private key, which is hidden to its end
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    // Certificates name their owners.
    const bool is_private = line.find("PRIVATE KEY") != std::string_view::npos;
    const bool begins_key = line.find("-----BEGIN") != std::string_view::npos &&
                            (is_private || line.find("CERTIFICATE") != std::string_view::npos ||
                             line.find("PGP ") != std::string_view::npos);
    if (begins_key) out += is_private ? "[a private key]\n" : "[a certificate]\n", ++hidden_, in_key = true;
    if (!in_key) out.append(Line(line)).push_back('\n');
    if (in_key && line.find("-----END") != std::string_view::npos) in_key = false;
  }
  return out;
}

}  // namespace warpscope::doctor
