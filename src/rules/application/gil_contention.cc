// gil_contention: another Python thread holds the interpreter lock while the thread that feeds the device wants to go
// on. Trigger: pauses of the issuing thread that (a) coincide with Python work of another thread of the process, or
// (b) last the interpreter's switch interval, which only a thread that waits for the lock does. Must not claim: that
// threads compete when only one was recorded and the pauses have no such length, or when each pause ends with the
// upload of what it may have read or made (16 pieces of a file take about the same time each): it abstains or stays
// silent.
#include <algorithm>
#include <map>

#include "analysis/interval_set.h"
#include "rules/application/host_speed.h"
#include "rules/application/host_work.h"
#include "rules/build.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::GapCause;
using analysis::IntervalSet;
using analysis::WhatIf;
using model::kNone;

// CPython: a waiting thread asks the holder to let go after sys.getswitchinterval() = 5 ms; the hand-over adds little.
constexpr int64_t kSwitchNs = 5'000'000;
constexpr int64_t kSwitchLowNs = 4'950'000, kSwitchHighNs = 5'700'000;
constexpr size_t kMinSwitches = 8;
constexpr double kMinSwitchesPerStep = 4;  // a loop that sleeps 5 ms once a step is another matter (host_wait)
constexpr double kMinSwitchShare = 0.8;    // of the pauses of up to kMaxRounds intervals
constexpr int64_t kMaxRounds = 4;          // beyond, every length is near some multiple
// Pauses under this need no lock to explain them.
constexpr int64_t kMinPauseNs = 1'000'000;
constexpr double kMinOverlapShare = 0.5;

std::vector<HostWork> Pauses(const Context& c) {
  auto work = Only(LongHostWork(c), {GapCause::kPython, GapCause::kDispatch, GapCause::kUnrecorded, GapCause::kOperator,
                                     GapCause::kHostWait});
  std::vector<HostWork> pauses;  // whole gaps
  for (const HostWork& piece : work) {
    const analysis::IssueGap& gap = c.gaps[piece.gap];
    if (gap.end_ns - gap.start_ns < kMinPauseNs) continue;
    if (!pauses.empty() && pauses.back().gap == piece.gap) {
      pauses.back().end_ns = std::max(pauses.back().end_ns, piece.end_ns);
    } else {
      pauses.push_back(piece);
    }
  }
  return pauses;
}

bool IsSwitch(int64_t ns) {
  const int64_t rounds = std::max<int64_t>(1, (ns + kSwitchNs / 4) / kSwitchNs);
  return ns >= rounds * kSwitchLowNs && ns <= rounds * kSwitchHighNs;
}

// The pause may be the making of the data that then goes to the device.
bool EndsWithUpload(const Context& c, const HostWork& pause) {
  constexpr uint64_t kLeastBytes = uint64_t{1} << 20;
  constexpr int64_t kSoonNs = 200'000;
  const analysis::IssueGap& gap = c.gaps[pause.gap];
  if (gap.next_call == kNone) return false;
  // The first call behind the pause may only ask for something.
  for (uint32_t row = gap.next_call; row < c.trace.host.size() && c.trace.host.thread[row] == gap.thread &&
                                     c.trace.host.start_ns[row] < gap.end_ns + kSoonNs;
       ++row) {
    if (!c.index.is_call(row) || !analysis::Issues(c.index.call_kind(row))) continue;
    for (const uint32_t gpu : c.index.IssuedBy(row)) {
      const model::CopyDetail* const copy = c.trace.Copy(gpu);
      if (copy != nullptr && copy->kind == model::CopyKind::kHostToDevice && copy->bytes.value_or(0) >= kLeastBytes)
        return true;
    }
    return false;
  }
  return false;
}

// Time in which a thread that feeds nothing is recorded and does not wait.
struct Rival {
  uint32_t thread = kNone;
  IntervalSet running;
  uint32_t row = kNone;  // of its longest piece
};

Rival RunningOf(const Context& c, uint32_t thread) {
  Rival rival{thread, {}, kNone};
  int64_t longest_ns = 0;
  for (const analysis::HostSpan& span : analysis::PartitionThread(c.index, thread, c.begin_ns, c.end_ns)) {
    switch (span.cause) {
      case GapCause::kUnrecorded:
      case GapCause::kHostWait:
      case GapCause::kDataLoading:
      case GapCause::kProfiler:
      case GapCause::kFileIo: continue;  // these let go of the lock
      default: break;
    }
    rival.running.Append(span.start_ns, span.end_ns);
    if (span.end_ns - span.start_ns > longest_ns) longest_ns = span.end_ns - span.start_ns, rival.row = span.row;
  }
  return rival;
}

// The thread that runs most during the pauses; its share of the pause time.
std::pair<Rival, double> MainRival(const Context& c, const std::vector<HostWork>& pauses) {
  IntervalSet paused;
  for (const HostWork& pause : pauses) paused.Append(pause.start_ns, pause.end_ns);
  std::pair<Rival, double> best{{}, 0};
  for (const uint32_t thread : c.rank.threads) {
    if (std::find(c.rank.issuing_threads.begin(), c.rank.issuing_threads.end(), thread) != c.rank.issuing_threads.end())
      continue;
    Rival rival = RunningOf(c, thread);
    const double share = static_cast<double>(rival.running.IntersectionLength(paused)) /
                         static_cast<double>(std::max<int64_t>(1, paused.length_ns()));
    if (share > best.second) best = {std::move(rival), share};
  }
  return best;
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  const std::vector<HostWork> pauses = Pauses(c);
  const int64_t total_ns = TotalNs(pauses);
  if (pauses.empty() || c.SharePct(total_ns) < 5) return Clean();
  size_t judged = 0, switches = 0, uploads = 0;
  for (const HostWork& pause : pauses) {
    if (pause.length_ns() > kMaxRounds * kSwitchHighNs) continue;
    ++judged;
    if (!IsSwitch(pause.length_ns())) continue;
    ++switches;
    uploads += EndsWithUpload(c, pause) ? 1 : 0;
  }
  const bool by_length = switches >= kMinSwitches && uploads * 2 < switches &&
                         static_cast<double>(switches) >= kMinSwitchesPerStep * c.step_count() &&
                         static_cast<double>(switches) >= kMinSwitchShare * static_cast<double>(judged);
  const auto [rival, share] = MainRival(c, pauses);
  const bool by_thread = share >= kMinOverlapShare;
  if (!by_length && !by_thread) {
    if (HasStacks(c) || !HasUnnamedWork(c)) return Clean();
    return Abstain(
        "the host pauses without a recorded reason, and other Python threads are not recorded without Python frames",
        kRecordStacks);
  }
  if (!c.sim) return AbstainNoSteps(c);

  Finding finding;
  finding.share_pct = c.SharePct(TotalNs(pauses));
  finding.title = "Another Python thread keeps the interpreter busy: the thread that feeds the GPU stands still for " +
                  Ms(c.PerStepMs(TotalNs(pauses))) + " of each step";
  if (by_length) {
    finding.evidence.push_back({Plural(c.CountPerStep(static_cast<double>(switches)), "pause") +
                                    " a step last 5 ms or a multiple of it: that is how long Python lets a thread wait "
                                    "before it takes the lock from another",
                                c.Query("gaps")});
  }
  if (by_thread) {
    const std::string name(c.trace.HostName(rival.row));
    const std::string frame = c.UserFrame(rival.row);
    finding.subject = frame.empty() ? name : frame;
    finding.evidence.push_back({"during " + Pct(100 * share) + " of the pauses thread " +
                                    std::to_string(c.trace.threads[rival.thread].tid) + " runs " +
                                    Short(finding.subject, 70),
                                c.Query("ops")});
  }
  finding.actions.push_back(
      {"Move that thread's work to another process, or into code that releases the lock (numpy, torch, C++).",
       "worker = multiprocessing.get_context(\"spawn\").Process(target=count_words, daemon=True)\nworker.start()"});
  finding.actions.push_back({"Issue fewer calls from Python, so that the lock matters less.",
                             "model = torch.compile(model, mode=\"reduce-overhead\")"});
  finding.verify = "Record again: the pauses should be gone from `" + c.Query("gaps") + "`.";
  finding.confidence = by_length && by_thread ? Confidence::kHigh : Confidence::kMedium;
  // Who has to ask for the lock at each call also issues slowly (docs/whatif.md, "Interval of a gain").
  const double unit = HostSpeedUnit(c);
  finding.change = Shrink(pauses, 0.01);
  SpeedUpHost(c, (1 + unit) / 2, finding.change);
  const WhatIf low = Shrink(pauses, 0.1);
  WhatIf high = Shrink(pauses, 0);
  SpeedUpHost(c, unit, high);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kGilContentionRule;
const Rule kGilContentionRule = {
    "gil_contention",
    Layer::kApplication,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "In Python only one thread runs at a time: the one that holds the interpreter's lock. A busy second thread takes "
    "it "
    "for up to 5 ms at a time, and meanwhile the thread that launches work for the GPU can do nothing."};

}  // namespace warpscope::rules
