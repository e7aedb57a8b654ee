#include "record/host/sampled_thread.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "record/host/syscall_names.h"
#include "wire/clock.h"

namespace warpscope::record::host {
namespace {

int OpenProc(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }
void CloseProc(int* file) {
  if (*file >= 0) ::close(*file);
  *file = -1;
}

}  // namespace

SampledThread::SampledThread(int pid, int tid) : pid_(pid), tid_(tid) {}

SampledThread::~SampledThread() {
  CloseProc(&schedstat_);
  CloseProc(&syscall_);
  CloseProc(&stat_);
}

SampledThread::SampledThread(SampledThread&& other) noexcept { *this = std::move(other); }

SampledThread& SampledThread::operator=(SampledThread&& other) noexcept {
  pid_ = other.pid_;
  tid_ = other.tid_;
  std::swap(schedstat_, other.schedstat_);
  std::swap(syscall_, other.syscall_);
  std::swap(stat_, other.stat_);
  selected_ = other.selected_;
  look_again_ = other.look_again_;
  has_counters_ = other.has_counters_;
  number_ = other.number_;
  counters_ = other.counters_;
  python_ = other.python_;
  last_ = other.last_;
  seen_ns_ = other.seen_ns_;
  written_ns_ = other.written_ns_;
  watch_ = std::move(other.watch_);
  native_ = std::move(other.native_);
  python_frame_ = other.python_frame_;
  off_since_ns_ = other.off_since_ns_;
  off_call_ = std::move(other.off_call_);
  return *this;
}

bool SampledThread::Select(SamplerState* state) {
  const std::string folder = TaskFolder(pid_, tid_);
  schedstat_ = OpenProc(folder + "/schedstat");
  stat_ = OpenProc(folder + "/stat");
  syscall_ = OpenProc(folder + "/syscall");  // may be forbidden; then the state alone is told
  selected_ = stat_ >= 0;
  if (!selected_) return false;
  int error = 0;
  watch_ = SwitchWatch::Open(tid_, &error);
  if (watch_ != nullptr && !state->waits.is_open() && !state->waits.Open(state->folder)) watch_.reset();
  ++(watch_ != nullptr ? state->watched : state->unwatched);
  if (watch_ == nullptr && state->watch_error == 0) state->watch_error = error;
  native_ = native::NativeWatch::Open(tid_, state->period_ns, &error);
  if (native_ != nullptr) {
    ++state->native_threads;
  } else if (error != ESRCH) {  // else it has just ended
    ++state->no_native_threads;
    if (state->native_error == 0) state->native_error = error;
  }
  return true;
}

uint64_t SampledThread::GrownNs() {
  const auto text = ReadProc(TaskFolder(pid_, tid_) + "/schedstat", 256);
  const auto now = text ? ParseSchedStat(*text) : std::nullopt;
  if (!now) return 0;
  const uint64_t grown = now->cpu_ns - counters_.cpu_ns;  // at first: since it began, within the recording
  counters_ = *now;
  return grown;
}

SampledThread::Look SampledThread::LookAtState() {
  std::array<char, 512> buffer;
  if (syscall_ >= 0) {
    if (const auto call = ParseSyscall(ReadAgain(syscall_, buffer.data(), buffer.size())))
      return {call->running, call->number ? SyscallName(*call->number) : std::string(), call->sp, call->pc};
  }
  const auto stat = ParseStat(ReadAgain(stat_, buffer.data(), buffer.size()));
  return {!stat || stat->state == 'R', {}, 0, 0};
}

void SampledThread::WriteWait(int64_t end_ns, SamplerState* state) {
  constexpr int64_t kShortestNs = 1'000'000;
  if (off_since_ns_ != 0 && end_ns - off_since_ns_ >= kShortestNs)
    state->waits.Wait(pid_, tid_, off_call_, off_since_ns_, end_ns - off_since_ns_);
  off_since_ns_ = 0;
  off_call_.clear();
}

void SampledThread::WriteWaits(SamplerState* state) {
  std::vector<Switch> switches;
  if (!watch_->Drain(&switches)) {
    // What is left tells no longer when a wait began.
    ++state->switches_lost;
    off_since_ns_ = 0;
    off_call_.clear();
    switches.erase(switches.begin(), std::find_if(switches.begin(), switches.end(),
                                                  [](const Switch& s) { return s.kind == Switch::Kind::kBlocked; }));
  }
  for (const Switch& change : switches) {
    WriteWait(change.time_ns, state);
    if (change.kind == Switch::Kind::kBlocked) off_since_ns_ = change.time_ns;
  }
}

// A Python frame that both the look before and this one see was there at the sample between them: what ran inside it
// then is told below it.
uint32_t SampledThread::BelowPython(uint32_t frame, const native::NativeSample* seen, native::NativeProcess* native,
                                    SamplerState* state) {
  if (frame != python_frame_) return frame;
  if (seen == nullptr) return last_.state == wire::kOnCpu ? last_.frame : frame;
  const native::NativeStack stack = native->Unwind(*seen, true);
  ++state->native_stacks;
  if (stack.end != native::NativeStack::End::kInterpreter) return frame;
  ++state->native_whole;
  return native->Number(stack, frame, &state->stream.stacks());
}

// Its stack does not change meanwhile. Half a stack tells nothing: where a caller cannot be found there is none.
uint32_t SampledThread::WhereItWaits(const Look& look, native::NativeProcess* native, SamplerState* state) {
  native::NativeSample at;
  at.registers.Set(native::kStackPointer, look.sp);
  at.registers.Set(native::kReturnAddress, look.pc);
  const native::NativeStack stack = native->Unwind(at, false);
  const bool whole = stack.end == native::NativeStack::End::kOutermost;
  ++(whole ? state->native_waits : state->native_waits_cut);
  return whole ? native->Number(stack, 0, &state->stream.stacks()) : 0;
}

// Fills sample->frame, and writes what ran before a thread that waits now. False: nothing can be told now.
bool SampledThread::FindFrame(PythonProcess* python, native::NativeProcess* native, int64_t now_ns, const Look& look,
                              ThreadSample* sample, SamplerState* state) {
  native::NativeSample seen;
  bool has_native = false;
  if (native_ != nullptr) {
    native_->SetPeriod(state->period_ns);
    has_native = native_->Newest(&state->native_bytes, &seen);
  }
  const bool runs = sample->state == wire::kOnCpu;
  if (python != nullptr && python_) {
    const auto frame = python->ReadStack(*python_, &state->stream.stacks());
    if (!frame) return false;
    sample->frame = *frame;
    if (*frame != 0) {
      if (native_ != nullptr && runs) sample->frame = BelowPython(*frame, has_native ? &seen : nullptr, native, state);
      python_frame_ = *frame;
      return true;
    }
  }
  python_frame_ = 0;
  if (native_ == nullptr) return true;
  if (!runs && look.pc != 0) sample->frame = WhereItWaits(look, native, state);
  if (!has_native) {
    // Its stack holds until it has used the processor for another period. What one is that waited before is not known.
    if (runs && last_.state == wire::kOnCpu) sample->frame = last_.frame;
    return !runs || seen_ns_ == 0 || last_.state == wire::kOnCpu;
  }
  const native::NativeStack stack = native->Unwind(seen, false);
  ++state->native_stacks;
  if (stack.end == native::NativeStack::End::kOutermost) ++state->native_whole;
  const ThreadSample ran{wire::kOnCpu, 0, native->Number(stack, 0, &state->stream.stacks())};
  Write(std::clamp(seen.time_ns, seen_ns_, now_ns), ran, true, state);
  return !runs;
}

void SampledThread::Sample(PythonProcess* python, native::NativeProcess* native, SamplerState* state) {
  std::array<char, 128> buffer;
  const int64_t now_ns = wire::NowNs();
  bool ran = true;
  if (watch_ != nullptr && seen_ns_ != 0) {
    ran = last_.state == wire::kOnCpu || watch_->HasNews();
  } else if (has_counters_) {
    const auto counters = ParseSchedStat(ReadAgain(schedstat_, buffer.data(), buffer.size()));
    if (!counters && ::access(TaskFolder(pid_, tid_).c_str(), F_OK) != 0) return;
    has_counters_ = counters.has_value();
    if (counters) {
      ran = !(*counters == counters_);
      counters_ = *counters;
    }
  }
  if (!ran && !look_again_ && last_.state != wire::kOnCpu) {
    seen_ns_ = now_ns;
    return;
  }
  ran |= look_again_;  // what a dropped sample would have told
  if (watch_ != nullptr) WriteWaits(state);
  const Look look = LookAtState();
  ThreadSample sample;
  sample.state = look.running ? wire::kOnCpu : wire::kWaiting;
  if (watch_ != nullptr && !look.running) {
    off_call_ = look.call;
    if (seen_ns_ == 0 && off_since_ns_ == 0)
      off_since_ns_ = now_ns;  // it began before the watch: since when is unknown
  }
  if (watch_ == nullptr && !look.call.empty()) sample.call = state->stream.stacks().Text(look.call);
  look_again_ = !FindFrame(python, native, now_ns, look, &sample, state);
  if (look_again_) return;
  Write(now_ns, sample, ran, state);
}

void SampledThread::LookIdle(SamplerState* state) {
  if (selected_) return;
  const std::string folder = TaskFolder(pid_, tid_);
  const int64_t now_ns = wire::NowNs();
  ThreadSample sample;
  sample.state = wire::kWaiting;
  const auto text = ReadProc(folder + "/syscall", 512);
  const auto call = text ? ParseSyscall(*text) : std::nullopt;
  const auto stat = call ? std::nullopt : ParseStat(ReadProc(folder + "/stat", 512).value_or(""));
  if (call ? call->running : !stat || stat->state == 'R') return;  // it runs just now: less than is worth a sample
  if (call && call->number) sample.call = state->stream.stacks().Text(SyscallName(*call->number));
  Write(now_ns, sample, false, state);
}

void SampledThread::Write(int64_t now_ns, const ThreadSample& sample, bool ran, SamplerState* state) {
  constexpr int64_t kMostPeriods = 3;  // a longer pause of a thread that ran hides what it did
  HostStream& out = state->stream;
  if (number_ == 0) {
    const auto text = ReadProc(TaskFolder(pid_, tid_) + "/comm", 64);
    number_ = out.Thread(pid_, tid_, text ? text->substr(0, text->find('\n')) : std::string());
  }
  const bool same = seen_ns_ != 0 && sample.state == last_.state && sample.call == last_.call &&
                    sample.frame == last_.frame && (!ran || sample.state == wire::kOnCpu || sample.call == 0);
  const bool hidden = seen_ns_ != 0 && ran && now_ns - seen_ns_ > kMostPeriods * state->period_ns;
  if (same && !hidden) {
    seen_ns_ = now_ns;
    return;
  }
  if (seen_ns_ > written_ns_) {
    if (last_.state == wire::kWaiting) last_.state = wire::kStillWaiting;
    out.Sample(number_, seen_ns_, last_);
  }
  if (hidden) out.Sample(number_, seen_ns_, {.state = wire::kUnseen, .call = 0, .frame = 0});
  last_ = sample;
  seen_ns_ = written_ns_ = now_ns;
  out.Sample(number_, now_ns, sample);
}

void SampledThread::End(SamplerState* state) {
  if (watch_ != nullptr) {
    WriteWaits(state);
    WriteWait(seen_ns_, state);  // it still waits
  }
  if (number_ == 0 || seen_ns_ == 0) return;
  if (seen_ns_ > written_ns_) {
    if (last_.state == wire::kWaiting) last_.state = wire::kStillWaiting;
    state->stream.Sample(number_, seen_ns_, last_);
  }
  state->stream.Sample(number_, seen_ns_, {.state = wire::kUnseen, .call = 0, .frame = 0});
  seen_ns_ = 0;
}

}  // namespace warpscope::record::host
