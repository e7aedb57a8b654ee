// ProcessTree: a program and all that descends from it, as long as each lives. A process that was seen stays known when
// its parent ends.
// [one thread] Reads /proc/PID/task/TID/children; where the kernel lacks that, all of /proc for parents.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpscope::record::host {

struct SeenProcess {
  int pid = 0, parent = 0;
  int64_t start_ticks = 0;           // since boot: tells a number that is used again
  uint64_t start_code = 0;           // tells a program that started itself anew
  int64_t start_ns = 0, end_ns = 0;  // epoch; end 0: still running
  std::string program;               // target of /proc/PID/exe
  std::vector<std::string> command;
};

class ProcessTree {
 public:
  static constexpr size_t kMostProcesses = 4096;

  explicit ProcessTree(int root) : root_(root) {}
  // Looks again: appends what is new, and what ended or became another program (exec) since the last look. `thorough`
  // also asks all threads, not only the main ones, for children.
  struct Changes {
    std::vector<int> started, replaced;
    std::vector<SeenProcess> ended;
  };
  Changes Look(bool thorough);
  const std::map<int, SeenProcess>& alive() const { return alive_; }
  uint64_t beyond_limit() const { return beyond_limit_; }

 private:
  std::vector<int> ChildrenOf(int pid, bool thorough);
  std::map<int, std::vector<int>> ChildrenByParent() const;
  void Describe(SeenProcess* process) const;

  int root_;
  bool no_children_file_ = false, root_ended_ = false;
  std::map<int, SeenProcess> alive_;
  uint64_t beyond_limit_ = 0;
};

}  // namespace warpscope::record::host
