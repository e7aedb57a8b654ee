#include "record/orphans.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace warpscope::record {
namespace {

struct Process {
  pid_t id = 0, parent = 0;
  char state = '?';
};

// From /proc/ID/stat: "ID (name) STATE PARENT ...", where the name may hold anything.
Process ProcessOf(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string line;
  std::getline(file, line, '\0');
  const size_t name_end = line.rfind(") ");
  if (name_end == std::string::npos || name_end + 4 >= line.size()) return {};
  Process process{id, 0, line[name_end + 2]};
  std::from_chars(line.data() + name_end + 4, line.data() + line.size(), process.parent);
  return process;
}

// By the parent that each process tells: lists of children (/proc/ID/task/ID/children) are not built into all kernels.
std::vector<Process> ChildrenOf(pid_t parent) {
  std::vector<Process> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return children;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    pid_t id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ptr != name.data() + name.size() || id <= 0)
      continue;
    const Process process = ProcessOf(id);
    if (process.id != 0 && process.parent == parent) children.push_back(process);
  }
  return children;
}

}  // namespace

Orphans::Orphans() {
  for (const Process& child : ChildrenOf(::getpid())) own_.push_back(child.id);
  ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans::~Orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }

int Orphans::EndAll(pid_t except) const {
  constexpr int kMostRounds = 1000;
  int running = 0;
  std::vector<pid_t> killed;
  for (int round = 0; round < kMostRounds; ++round) {
    bool any = false;
    for (const Process& child : ChildrenOf(::getpid())) {
      if (std::find(own_.begin(), own_.end(), child.id) != own_.end()) continue;
      if (child.state != 'Z' && std::find(killed.begin(), killed.end(), child.id) == killed.end()) {
        ::kill(child.id, SIGKILL);
        killed.push_back(child.id);
        running += child.id != except ? 1 : 0;
      }
      if (child.id == except) continue;
      any = true;
      ::waitpid(child.id, nullptr, WNOHANG);  // its children come to us: the next round ends them
    }
    if (!any) break;
    if (round > 2) ::usleep(1000);
  }
  return running;
}

}  // namespace warpscope::record
