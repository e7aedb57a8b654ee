// A regular expression that is searched in names of a recording: RE2's syntax (no back references, no look-ahead),
// letter case does not matter. Names are the recorded program's and expressions come from anywhere: a search takes time
// in proportion to (bytes of the name) x (size of the expression), and no stack that grows with either.
// [MT] Find is const and may run in several threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace re2 {
class RE2;
}

namespace warpscope::analysis {

class NamePattern {
 public:
  // kInvalidArgument with the reason, without the name of an option: no expression, longer than kMostBytes, or too
  // large once its repetitions are written out.
  static Result<NamePattern> Compile(std::string_view expression);

  // Of a name longer than kMostNameBytes the beginning counts.
  bool Find(std::string_view name) const;

  static constexpr size_t kMostBytes = 1000;
  static constexpr size_t kMostNameBytes = 65536;

 private:
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace warpscope::analysis
