// Running `nsys export`: without a shell, into a temporary folder of its own, with a time limit.
// [one thread]
#pragma once

#include <string>

#include "base/status.h"

namespace warpscope::import::nsys_rep {

// The exported file; its folder is removed with it.
class Exported {
 public:
  explicit Exported(std::string folder) : folder_(std::move(folder)) {}
  ~Exported();
  Exported(Exported&& other) noexcept : folder_(std::move(other.folder_)) { other.folder_.clear(); }
  Exported& operator=(Exported&&) = delete;
  std::string file() const { return folder_ + "/report.sqlite"; }
  std::string log() const { return folder_ + "/log"; }

 private:
  std::string folder_;
};

// Full path of the first `nsys` on the PATH; "" if there is none. Relative entries of the PATH are not looked at: the
// folder in which a report lies must not decide what is run.
std::string FindNsys();

// kUnsupported with what went wrong ("it ended with exit status 1: ..."), to be put behind "nsys was run, but ".
// WARPSCOPE_NSYS_SECONDS in the environment replaces the limit of ten minutes.
Result<Exported> RunNsysExport(const std::string& program, const std::string& report);

}  // namespace warpscope::import::nsys_rep
