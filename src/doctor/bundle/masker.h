// Masker: takes secrets and names of hosts and people out of texts before they are passed on. What is the same before
// is the same after ("host1", "user2", "uuid1"), so that lines can still be joined; numbers follow the order in which
// words are met, so the same texts give the same bytes. In doubt a word is hidden. [one thread]
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::doctor {

class Masker {
 public:
  // Words that are known to be names; very short or common ones ("root", "localhost") are left.
  void AddHost(std::string_view name);
  void AddUser(std::string_view name);
  // Names of hosts and people that the lines of a text carry: in the stamps of logs, homes, logins, lists of processes.
  void Learn(std::string_view text);
  // Line by line; lines are cut at 4 KiB.
  std::string Masked(std::string_view text);
  // How often something was hidden.
  uint64_t hidden_count() const { return hidden_; }

 private:
  std::string Line(std::string_view line);
  std::string NumberOf(std::string_view kind, std::string_view word);
  void HideNames(std::string& line);
  void HideHomes(std::string& line);
  void HideLogins(std::string& line);
  void HidePasswordFlags(std::string& line);
  void HideSerials(std::string& line);
  void HideWords(std::string& line);

  std::vector<std::string> hosts_, users_;
  std::map<std::string, std::string, std::less<>> numbers_;  // word -> mask
  std::map<std::string, uint64_t, std::less<>> counts_;      // by kind
  uint64_t hidden_ = 0;
};

}  // namespace warpscope::doctor
