#include "agent/counters/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/counter_plan.h"

namespace warpscope::agent {
namespace {

constinit Plan g_plan;

bool Is(const char* a, const char* b) { return strcmp(a, b) == 0; }

uint32_t Number(const char* value) {
  const unsigned long number = strtoul(value, nullptr, 10);
  return number > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(number);
}

void Append(const char* value, const char** list, size_t most, size_t* count) {
  if (*count < most) list[(*count)++] = value;
}

void Set(const char* word, const char* value, Plan* plan) {
  if (Is(word, "mode")) {
    if (Is(value, "exact")) plan->exact = true;
    else if (Is(value, "sampled")) plan->sampled = true;
    else if (Is(value, "stalls")) plan->stalls = true;
  } else if (Is(word, "metric")) {
    Append(value, plan->metrics, Plan::kMostMetrics, &plan->metric_count);
  } else if (Is(word, "kernel")) {
    Append(value, plan->kernels, Plan::kMostKernels, &plan->kernel_count);
  } else if (Is(word, "name")) {
    Append(value, plan->names, Plan::kMostKernels, &plan->name_count);
  } else if (Is(word, "replay")) {
    plan->application_replay = Is(value, "application");
  } else if (Is(word, "code")) {
    plan->keep_code = Number(value) != 0;
  } else {
    const struct {
      const char* word;
      uint32_t* number;
    } numbers[] = {
        {"skip", &plan->skip},           {"count", &plan->count},         {"per-name", &plan->per_name},
        {"pass", &plan->pass},           {"turn", &plan->turn},           {"interval-us", &plan->interval_us},
        {"window-ms", &plan->window_ms}, {"period-ms", &plan->period_ms}, {"pc-period", &plan->pc_period}};
    for (const auto& one : numbers) {
      if (Is(word, one.word)) *one.number = Number(value);
    }
  }
}

// The whole file, ended by a 0; null: none, or it cannot be read.
char* ReadText(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  auto* const text = static_cast<char*>(malloc(wire::kMostCounterPlanBytes + 1));
  size_t size = 0;
  while (text != nullptr && size < wire::kMostCounterPlanBytes) {
    const ssize_t got = read(file, text + size, wire::kMostCounterPlanBytes - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  close(file);
  if (text != nullptr) text[size] = '\0';
  return text;
}

}  // namespace

void ParsePlan(char* text, Plan* plan) {
  for (char* line = text; line != nullptr;) {
    char* const next = strchr(line, '\n');
    if (next != nullptr) *next = '\0';
    if (char* const blank = strchr(line, ' '); blank != nullptr) {
      *blank = '\0';
      Set(line, blank + 1, plan);
    }
    line = next == nullptr ? nullptr : next + 1;
  }
}

const Plan& ReadPlan(const char* run_folder) {
  static bool read = false;
  if (read) return g_plan;
  read = true;
  char path[4200];
  snprintf(path, sizeof(path), "%s/%s", run_folder, wire::kCounterPlanName);
  if (char* const text = ReadText(path); text != nullptr) ParsePlan(text, &g_plan);
  return g_plan;
}

}  // namespace warpscope::agent
