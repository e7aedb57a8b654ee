#include "agent/counters/pm_sets.h"

#include <stdlib.h>
#include <string.h>

namespace warpscope::agent {
namespace {

struct Wish {
  bool core;
  const char* names;  // parted by '|'
};
constexpr Wish kWishes[] = {
#define METRIC(core, names) {core, names},
#include "agent/counters/pm_metrics.def"
#undef METRIC
};

// A quantity that is wanted: the names that the chip knows it by, and which one is tried.
struct Candidate {
  bool core, done;
  uint32_t at, count;
  const char* names[4];
};
constexpr uint32_t kMostCandidates = 256;
// One device at a time.
Candidate g_candidates[kMostCandidates];
uint32_t g_count = 0;

const char* Copy(const char* text, size_t size) {
  auto* const copy = static_cast<char*>(malloc(size + 1));
  if (copy == nullptr) return nullptr;
  memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

// Copies of our own list's names, which are made once a process.
void AddWish(const perf::MetricHost& host, const Wish& wish) {
  Candidate candidate = {wish.core, false, 0, 0, {}};
  for (const char* at = wish.names; at != nullptr;) {
    const char* const bar = strchr(at, '|');
    const size_t size = bar == nullptr ? strlen(at) : static_cast<size_t>(bar - at);
    char name[192];
    if (size < sizeof(name) && candidate.count < 4) {
      memcpy(name, at, size);
      name[size] = '\0';
      const char* const copy = host.Knows(name) ? Copy(name, size) : nullptr;
      if (copy != nullptr) candidate.names[candidate.count++] = copy;
    }
    at = bar == nullptr ? nullptr : bar + 1;
  }
  if (candidate.count > 0 && g_count < kMostCandidates) g_candidates[g_count++] = candidate;
}

class Packer {
 public:
  Packer(perf::MetricHost* host, PmSet* set, bool (*go_on)()) : host_(host), set_(set), go_on_(go_on) {}

  // Takes what fits of candidates [begin, end) that are not done: all at once if they do, else by halves.
  void Take(uint32_t begin, uint32_t end, bool core_only) {
    uint32_t wanted = 0;
    const uint32_t before = set_->count;
    for (uint32_t i = begin; i < end; ++i) {
      Candidate& candidate = g_candidates[i];
      if (candidate.done || (core_only && !candidate.core) || set_->count == PmSet::kMostMetrics) continue;
      set_->names[set_->count++] = candidate.names[candidate.at];
      ++wanted;
    }
    if (wanted == 0) return;
    if (Fits()) {
      Mark(begin, end, core_only, wanted);
      return;
    }
    set_->count = before;
    if (wanted == 1) {
      TakeOther(begin, end, core_only);
      return;
    }
    const uint32_t middle = begin + (end - begin) / 2;
    Take(begin, middle, core_only);
    Take(middle, end, core_only);
  }

 private:
  bool Fits() {
    if (stopped_) return false;
    const bool fits = host_->Configure(set_->names, set_->count) == perf::kOk && host_->passes() == 1;
    stopped_ = go_on_ != nullptr && !go_on_();
    return fits;
  }
  void Mark(uint32_t begin, uint32_t end, bool core_only, uint32_t wanted) {
    for (uint32_t i = begin; i < end && wanted > 0; ++i) {
      Candidate& candidate = g_candidates[i];
      if (candidate.done || (core_only && !candidate.core)) continue;
      candidate.done = true;
      --wanted;
    }
  }
  // The one candidate by its other names.
  void TakeOther(uint32_t begin, uint32_t end, bool core_only) {
    for (uint32_t i = begin; i < end; ++i) {
      Candidate& candidate = g_candidates[i];
      if (candidate.done || (core_only && !candidate.core)) continue;
      for (uint32_t other = 1; other < candidate.count && !candidate.done; ++other) {
        set_->names[set_->count++] = candidate.names[other];
        candidate.done = Fits();
        if (!candidate.done) --set_->count;
      }
    }
  }

  perf::MetricHost* host_;
  PmSet* set_;
  bool (*go_on_)();
  bool stopped_ = false;
};

bool Keep(const perf::MetricHost& host, PmSet* set) {
  if (set->host.OpenLike(host) != perf::kOk || set->host.Configure(set->names, set->count) != perf::kOk ||
      set->host.passes() != 1)
    return false;
  for (uint32_t i = 0; i < set->count; ++i) {
    perf::MetricHost::Properties properties;
    // CUPTI's own texts, whose life it does not tell.
    const bool known = host.Describe(set->names[i], &properties);
    set->units[i] = known ? Copy(properties.unit, strlen(properties.unit)) : nullptr;
  }
  return true;
}

}  // namespace

bool PmSets::Build(perf::MetricHost* host, const Plan& plan, bool (*go_on)()) {
  g_count = 0;
  if (plan.metric_count > 0) {
    for (size_t i = 0; i < plan.metric_count && g_count < kMostCandidates; ++i) {
      if (host->Knows(plan.metrics[i])) {
        g_candidates[g_count++] = {false, false, 0, 1, {plan.metrics[i]}};
      } else {
        if (unknown++ == 0) example = plan.metrics[i];
      }
    }
  } else {
    for (const Wish& wish : kWishes) AddWish(*host, wish);
  }
  const bool has_core = plan.metric_count == 0;
  uint32_t core = 0;  // of the first set's metrics
  while (count < kMostSets) {
    PmSet& set = sets[count];
    Packer packer(host, &set, go_on);
    if (has_core && count == 0) {
      packer.Take(0, g_count, true);
      core = set.count;
      packer.Take(0, g_count, false);
    } else {
      // What the core left out goes first, with no more than the activity of the SMs beside it.
      const struct {
        uint32_t base;
        bool core_only;
      } tries[] = {{1, true}, {core, false}, {1, false}};
      for (const auto& one : tries) {
        const uint32_t base = one.base < core ? one.base : core;
        memcpy(set.names, sets[0].names, sizeof(set.names[0]) * base);
        set.count = base;
        packer.Take(0, g_count, one.core_only);
        if (set.count > base) break;
        set.count = 0;
      }
    }
    if (set.count == 0 || (go_on != nullptr && !go_on()) || !Keep(*host, &set)) break;
    ++count;
  }
  for (uint32_t i = 0; i < g_count; ++i) {
    if (g_candidates[i].done) continue;
    if (left_out++ == 0 && example == nullptr) example = g_candidates[i].names[0];
  }
  return count > 0;
}

void PmSets::Close() {
  for (PmSet& set : sets) set.host.Close();
}

}  // namespace warpscope::agent
