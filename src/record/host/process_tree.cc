#include "record/host/process_tree.h"

#include <set>

#include "record/host/proc_files.h"
#include "wire/clock.h"

namespace warpscope::record::host {
namespace {

constexpr size_t kMostThreads = 4096;

std::optional<Stat> StatOf(int pid) {
  const auto text = ReadProc(ProcFolder(pid) + "/stat", 4096);
  return text ? ParseStat(*text) : std::nullopt;
}

// A zombie has ended; its parent has only not asked yet.
bool Lives(const std::optional<Stat>& stat) { return stat && stat->state != 'Z' && stat->state != 'X'; }

}  // namespace

void ProcessTree::Describe(SeenProcess* process) const {
  process->program = LinkTarget(ProcFolder(process->pid) + "/exe");
  process->command = ParseCommandLine(ReadProc(ProcFolder(process->pid) + "/cmdline", 16384).value_or(""));
}

std::vector<int> ProcessTree::ChildrenOf(int pid, bool thorough) {
  const std::vector<int> threads =
      thorough ? NumberedEntries(ProcFolder(pid) + "/task", kMostThreads) : std::vector<int>{pid};
  std::vector<int> children;
  for (const int tid : threads) {
    const auto text = ReadProc(TaskFolder(pid, tid) + "/children", 65536);
    if (!text) {
      if (tid == pid && ReadProc(TaskFolder(pid, tid) + "/stat", 16)) no_children_file_ = true;
      continue;
    }
    const std::vector<int> some = ParseNumbers(*text);
    children.insert(children.end(), some.begin(), some.end());
  }
  return children;
}

std::map<int, std::vector<int>> ProcessTree::ChildrenByParent() const {
  std::map<int, std::vector<int>> children;
  constexpr size_t kMostLooked = 65536;
  for (const int pid : NumberedEntries("/proc", kMostLooked)) {
    if (const auto stat = StatOf(pid)) children[stat->parent].push_back(pid);
  }
  return children;
}

ProcessTree::Changes ProcessTree::Look(bool thorough) {
  Changes changes;
  const std::map<int, std::vector<int>> by_parent =
      no_children_file_ && thorough ? ChildrenByParent() : std::map<int, std::vector<int>>();
  std::vector<int> queue = {root_};
  std::set<int> visited;
  for (const auto& [pid, process] : alive_) queue.push_back(pid);
  for (size_t i = 0; i < queue.size(); ++i) {
    const int pid = queue[i];
    if (!visited.insert(pid).second || (pid == root_ && root_ended_)) continue;
    const auto stat = StatOf(pid);
    if (const auto it = alive_.find(pid);
        it != alive_.end() && (!Lives(stat) || stat->start_ticks != it->second.start_ticks)) {
      it->second.end_ns = wire::NowNs();
      changes.ended.push_back(std::move(it->second));
      alive_.erase(it);
      root_ended_ |= pid == root_;  // its number may be used again
    }
    if (!Lives(stat)) continue;
    auto it = alive_.find(pid);
    if (it == alive_.end()) {
      if (alive_.size() >= kMostProcesses) {
        ++beyond_limit_;
        continue;
      }
      SeenProcess process;
      process.pid = pid;
      process.parent = stat->parent;
      process.start_ticks = stat->start_ticks;
      process.start_code = stat->start_code;
      process.start_ns = EpochOfTicksNs(stat->start_ticks);
      Describe(&process);
      alive_.emplace(pid, std::move(process));
      changes.started.push_back(pid);
    } else if (const std::string program = LinkTarget(ProcFolder(pid) + "/exe");
               !program.empty() && (program != it->second.program || stat->start_code != it->second.start_code)) {
      it->second.start_code = stat->start_code;
      Describe(&it->second);
      changes.replaced.push_back(pid);
    }
    std::vector<int> children;
    if (!no_children_file_) {
      children = ChildrenOf(pid, thorough);
    } else if (const auto found = by_parent.find(pid); found != by_parent.end()) {
      children = found->second;
    }
    queue.insert(queue.end(), children.begin(), children.end());
  }
  return changes;
}

}  // namespace warpscope::record::host
