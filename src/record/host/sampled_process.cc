#include "record/host/sampled_process.h"

#include <algorithm>

#include "record/host/proc_files.h"

namespace warpscope::record::host {
namespace {

constexpr size_t kMostListed = 1024;
constexpr unsigned kWholeEvery = 20;        // refreshes
constexpr uint64_t kGrowthNs = 10'000'000;  // of CPU time between two whole refreshes: a thread that does something
constexpr size_t kMostIdle = 64;            // threads that hardly run, of which is told where they wait
constexpr unsigned kLongestPause = 64;      // refreshes between two tries to find a Python
constexpr unsigned kYoung = 20;             // refreshes in which a Python is looked for every time
constexpr unsigned kMostFailures = 5;       // of reading the thread list, before it is looked for again

}  // namespace

void SampledProcess::SelectThread(SampledThread* thread, SamplerState* state) {
  if (thread->selected()) return;
  if (selected_ >= kMostThreads || state->open_threads >= state->most_threads) {
    if (!limit_told_) ++state->threads_left_out;
    limit_told_ = true;
    return;
  }
  if (!thread->Select(state)) return;
  ++selected_;
  ++state->open_threads;
}

void SampledProcess::AttachPython(SamplerState* state) {
  if (python_done_ || python_ != nullptr || refreshes_ < next_attach_) return;
  std::string why;
  switch (PythonProcess::Open(pid_, &state->symbols, &python_, &why)) {
    case PythonProcess::Attach::kDone:
      python_->SetSearchFolders(SearchFolders(seen_.command, LinkTarget(ProcFolder(pid_) + "/cwd")));
      ++state->python_processes;
      native_.SetInterpreter(python_->interpreter_path());
      attach_pause_ = 1;
      failures_ = 0;
      return;
    case PythonProcess::Attach::kRefused:
      state->memory_refused = true;
      python_done_ = true;
      return;
    case PythonProcess::Attach::kUnsupported:
      ++state->unsupported[why];
      python_done_ = true;
      return;
    case PythonProcess::Attach::kNotReady: attach_pause_ = 1; break;
    // Its libraries may not be mapped yet; and a program may load an interpreter later.
    case PythonProcess::Attach::kNoPython:
      attach_pause_ = refreshes_ < kYoung ? 1 : std::min(attach_pause_ * 2, kLongestPause);
      break;
  }
  next_attach_ = refreshes_ + attach_pause_;
}

void SampledProcess::ReadPythonThreads(SamplerState* state) {
  std::vector<PythonThread> listed;
  if (python_ == nullptr) return;
  if (!python_->ReadThreads(&listed)) {
    if (++failures_ < kMostFailures) return;
    // Another program took the process over, or the interpreter ended.
    python_.reset();
    for (auto& [tid, thread] : threads_) thread.SetPythonThread(std::nullopt);
    next_attach_ = refreshes_ + kMostFailures;
    return;
  }
  failures_ = 0;
  std::map<int, PythonThread> by_tid;
  for (const PythonThread& thread : listed) by_tid[thread.tid] = thread;
  for (auto& [tid, thread] : threads_) {
    const auto it = by_tid.find(tid);
    thread.SetPythonThread(it == by_tid.end() ? std::nullopt : std::optional(it->second));
    if (it != by_tid.end()) SelectThread(&thread, state);
  }
}

void SampledProcess::Refresh(SamplerState* state) {
  // A whole look costs a few calls a thread; in between the number of threads tells whether there is something new.
  const auto stat = ParseStat(ReadProc(ProcFolder(pid_) + "/stat", 4096).value_or(""));
  const bool whole = refreshes_++ % kWholeEvery == 0;
  AttachPython(state);
  constexpr unsigned kLooksAfterChange = 3;  // Python lists a new thread a moment after the kernel does
  const bool changed = !stat || stat->threads != known_threads_ || has_python_ != (python_ != nullptr);
  if (changed || failures_ > 0) looks_left_ = kLooksAfterChange;
  if (!whole && looks_left_ == 0) return;
  looks_left_ -= looks_left_ > 0 ? 1 : 0;
  known_threads_ = stat ? stat->threads : 0;
  has_python_ = python_ != nullptr;
  const std::vector<int> tids = NumberedEntries(ProcFolder(pid_) + "/task", kMostListed);
  for (auto it = threads_.begin(); it != threads_.end();) {
    if (std::binary_search(tids.begin(), tids.end(), it->first)) {
      ++it;
      continue;
    }
    it->second.End(state);
    if (it->second.selected()) {
      --selected_;
      --state->open_threads;
    }
    it = threads_.erase(it);
  }
  for (const int tid : tids) threads_.try_emplace(tid, pid_, tid);
  if (const auto main = threads_.find(pid_); main != threads_.end()) SelectThread(&main->second, state);
  ReadPythonThreads(state);
  for (auto& [tid, thread] : threads_) {
    if (!thread.selected() && thread.GrownNs() >= kGrowthNs) SelectThread(&thread, state);
  }
  // A thread that only sleeps is part of the answer too.
  size_t looked = 0;
  for (auto& [tid, thread] : threads_) {
    if (thread.selected()) continue;
    if (looked++ == kMostIdle) break;
    thread.LookIdle(state);
  }
}

void SampledProcess::Sample(SamplerState* state) {
  for (auto& [tid, thread] : threads_) {
    if (thread.selected()) thread.Sample(python_.get(), &native_, state);
  }
  if (python_ == nullptr) return;
  state->torn += python_->torn() - torn_before_;
  torn_before_ = python_->torn();
}

void SampledProcess::End(SamplerState* state) {
  for (auto& [tid, thread] : threads_) thread.End(state);
  state->open_threads -= selected_;
  threads_.clear();
  selected_ = 0;
}

}  // namespace warpscope::record::host
