// host_wait: the thread that feeds the device sleeps or waits for another thread, process or machine. Trigger: sleep,
// lock, queue, join or select frames (or system calls) on an issuing thread. Must not claim: waits of a data loader
// (data_loading), waits for the device (host_sync), nor a pause that no frame marks.
#include <algorithm>

#include "rules/application/host_work.h"
#include "rules/build.h"
#include "rules/text.h"

namespace warpscope::rules {
namespace {

using analysis::GapCause;

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

// What the thread waits in, in words.
std::string KindOf(std::string_view name) {
  if (Has(name, "sleep")) return "sleeps";
  if (Has(name, "queue")) return "waits for an empty queue";
  if (Has(name, "lock") || Has(name, "acquire") || Has(name, "mutex") || Has(name, "futex")) return "waits for a lock";
  if (Has(name, "join") || Has(name, "result") || Has(name, "waitpid")) return "waits for another thread or process";
  if (Has(name, "recv") || Has(name, "accept") || Has(name, "select") || Has(name, "poll"))
    return "waits for data from outside";
  return "waits";
}

Outcome Evaluate(const Context& c) {
  if (!HasHostRows(c)) return AbstainNoHost();
  // In the gaps alone: a thread that waits while another one issues (main during the backward pass) holds nothing up.
  const std::vector<HostWork> spans = Only(LongHostWork(c), {GapCause::kHostWait});
  if (spans.empty()) {
    if (HasStacks(c) || !HasUnnamedWork(c)) return Clean();
    return Abstain("the host pauses without a recorded reason; a sleep or a lock is seen only with Python frames",
                   kRecordStacks);
  }
  if (!c.sim) return AbstainNoSteps(c);
  const int64_t idle_ns = IdleNs(c, spans);
  const HostWork& longest = *std::max_element(
      spans.begin(), spans.end(), [](const HostWork& a, const HostWork& b) { return a.length_ns() < b.length_ns(); });
  const std::string name(longest.row == model::kNone ? "" : c.trace.HostName(longest.row));
  const std::string frame = longest.row == model::kNone ? "" : c.UserFrame(longest.row);

  Finding finding;
  finding.share_pct = c.SharePct(idle_ns);
  finding.subject = frame.empty() ? name : frame;
  finding.title =
      "The thread that feeds the GPU " + KindOf(name) + " for " + Ms(c.PerStepMs(TotalNs(spans))) + " of each step";
  finding.evidence.push_back({"the longest wait lasts " + Ns(longest.length_ns()) + " in " + Short(name, 60) +
                                  (frame.empty() ? "" : ", called from " + frame) + "; the GPU is idle for " +
                                  Ms(c.PerStepMs(idle_ns)) + " of each step meanwhile",
                              c.Query("gaps")});
  finding.actions.push_back(
      {"Do not poll with sleep: let the producer wake the loop, and fetch the next item before it is needed.",
       "item = queue.get()                 # blocks until there is one, no sleep()\n"
       "upcoming = pool.submit(fetch)      # ask one step ahead"});
  finding.actions.push_back(
      {"Hold locks only to swap a pointer; keep slow work (files, network, logging) outside of them.",
       "with lock: batch, self.batch = self.batch, None\nprocess(batch)"});
  finding.verify = "Record again with stacks: the wait should be gone from `" + c.Query("gaps") + "`.";
  finding.confidence = Confidence::kHigh;
  finding.change = Shrink(spans, 0.02);
  const analysis::WhatIf low = Shrink(spans, 0.5);
  const analysis::WhatIf high = Shrink(spans, 0);
  return Conclude(c, std::move(finding), analysis::Side::kHost, &low, &high);
}

}  // namespace

extern const Rule kHostWaitRule;
const Rule kHostWaitRule = {
    "host_wait",
    Layer::kApplication,
    Dimension::kLatency,
    Breadth::kSpecific,
    Evaluate,
    "One thread of the program sends work to the GPU. When it sleeps, or waits for a lock or for data from elsewhere, "
    "nothing is sent and the GPU runs dry."};

}  // namespace warpscope::rules
