// Any bytes as a text for support: no crash, and the names that are known are gone.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "doctor/bundle/masker.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  warpscope::doctor::Masker masker;
  masker.AddHost("qzhostqz");
  masker.AddUser("qzuserqz");
  masker.Learn(text);
  const std::string masked = masker.Masked(text + "\non qzhostqz for qzuserqz\n");
  // The last line: before it the names may stand inside of longer words.
  const std::string last = masked.substr(masked.rfind('\n', masked.size() - 2) + 1);
  if (last.find("qzhostqz") != std::string::npos || last.find("qzuserqz") != std::string::npos) std::abort();
  return 0;
}
