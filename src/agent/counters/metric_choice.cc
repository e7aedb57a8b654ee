#include "agent/counters/metric_choice.h"

#include <stdio.h>
#include <string.h>

namespace warpscope::agent {

// CUPTI refuses a set as a whole: the ones that do not go with those before them are found by halving.
int MetricChoice::AddAll(perf::MetricHost* host, const char* const* more, size_t more_count) {
  if (more_count == 0) return perf::kOk;
  const size_t before = count;
  for (size_t i = 0; i < more_count; ++i) names[count++] = more[i];
  const int answer = host->Configure(names, count);
  if (answer == perf::kOk) return answer;
  count = before;
  if (more_count == 1) {
    refused[refused_count++] = more[0];
    return answer;
  }
  const size_t half = more_count / 2;
  AddAll(host, more, half);
  AddAll(host, more + half, more_count - half);
  return perf::kOk;
}

int MetricChoice::Choose(perf::MetricHost* host, const char* const* wanted, size_t wanted_count) {
  count = unknown_count = refused_count = 0;
  static const char* known[kMost];
  size_t known_count = 0;
  for (size_t i = 0; i < wanted_count && i < kMost; ++i) {
    if (host->Knows(wanted[i])) known[known_count++] = wanted[i];
    else unknown[unknown_count++] = wanted[i];
  }
  AddAll(host, known, known_count);
  if (count == 0) return perf::kNotSupported;
  return refused_count == 0 ? perf::kOk : host->Configure(names, count);  // the last one tried may have failed
}

bool MetricChoice::DropPatched() {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (strstr(names[i], "__sass_") != nullptr) refused[refused_count++] = names[i];
    else names[kept++] = names[i];
  }
  const bool dropped = kept < count;
  count = kept;
  return dropped;
}

void ListNames(const char* const* names, size_t count, char* text, size_t size) {
  constexpr size_t kShown = 4;
  size_t at = 0;
  if (size > 0) text[0] = '\0';
  for (size_t i = 0; i < count && i < kShown && at < size; ++i) {
    const int got = snprintf(text + at, size - at, "%s%s", i == 0 ? "" : ", ", names[i]);
    if (got > 0) at += static_cast<size_t>(got);
  }
  if (count > kShown && at < size) snprintf(text + at, size - at, " and %zu more", count - kShown);
}

}  // namespace warpscope::agent
