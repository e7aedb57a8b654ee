#include "agent/counters/kernel_choice.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace warpscope::agent {
namespace {

constexpr uint64_t kHashStart = 14695981039346656037ULL;  // FNV-1a

uint64_t Hash(const void* bytes, size_t size, uint64_t hash) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * 1099511628211ULL;
  return hash == 0 ? 1 : hash;
}

template <typename Known>
Known* Find(Known* table, uint32_t slots, uint32_t* used, uint64_t hash, bool* is_new) {
  uint32_t at = static_cast<uint32_t>(hash ^ hash >> 32) % slots;
  for (; table[at].hash != 0; at = (at + 1) % slots) {
    if (table[at].hash != hash) continue;
    *is_new = false;
    return &table[at];
  }
  *is_new = true;
  if (*used >= slots / 2) return nullptr;
  ++*used;
  table[at].hash = hash;
  return &table[at];
}

}  // namespace

bool KernelChoice::Init(const Plan* plan) {
  plan_ = plan;
  demangle_ = reinterpret_cast<decltype(demangle_)>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  for (size_t i = 0; i < plan->kernel_count; ++i) {
    const int answer = regcomp(&expressions_[i], plan->kernels[i], REG_EXTENDED | REG_NOSUB);
    if (answer == 0) continue;
    char why[100];
    regerror(answer, &expressions_[i], why, sizeof(why));
    snprintf(problem_, sizeof(problem_), "'%.150s' is no regular expression: %s", plan->kernels[i], why);
    return false;
  }
  return true;
}

bool KernelChoice::MatchesText(const char* name) const {
  for (size_t i = 0; i < plan_->kernel_count; ++i) {
    if (regexec(&expressions_[i], name, 0, nullptr, 0) == 0) return true;
  }
  for (size_t i = 0; i < plan_->name_count; ++i) {
    if (strcmp(plan_->names[i], name) == 0) return true;
  }
  return false;
}

bool KernelChoice::Matches(const char* name) {
  if (plan_->kernel_count + plan_->name_count == 0) return true;
  bool is_new = false;
  Known* const known = Find(names_, kNames, &name_count_, Hash(name, strlen(name), kHashStart), &is_new);
  if (known != nullptr && !is_new) return known->value != 0;
  // A runtime library that comes later (Python loads torch) may bring it.
  if (demangle_ == nullptr) demangle_ = reinterpret_cast<decltype(demangle_)>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  bool matches = MatchesText(name);
  if (!matches && demangle_ != nullptr && strncmp(name, "_Z", 2) == 0) {
    int status = 0;
    char* const text = demangle_(name, nullptr, nullptr, &status);
    matches = text != nullptr && status == 0 && MatchesText(text);
    free(text);
  }
  if (known != nullptr) known->value = matches ? 1 : 0;
  return matches;
}

uint32_t* KernelChoice::CountOf(const char* name, const LaunchCall& call) {
  uint64_t hash = Hash(name, strlen(name), kHashStart);
  hash = Hash(call.grid, sizeof(call.grid), hash);
  hash = Hash(call.block, sizeof(call.block), hash);
  hash = Hash(&call.dynamic_shared, sizeof(call.dynamic_shared), hash);
  bool is_new = false;
  Known* const known = Find(geometries_, kGeometries, &geometry_count_, hash, &is_new);
  return known == nullptr ? nullptr : &known->value;
}

bool KernelChoice::Takes(const char* name, const LaunchCall& call) {
  if (done() || !Matches(name)) return false;
  if (++matched_ <= plan_->skip) return false;
  if (plan_->per_name != 0) {
    uint32_t* const count = CountOf(name, call);
    if (count == nullptr || *count >= plan_->per_name) return false;
    ++*count;
  }
  ++taken_;
  return true;
}

void KernelChoice::GiveBack(const char* name, const LaunchCall& call) {
  --taken_;
  if (plan_->per_name == 0) return;
  if (uint32_t* const count = CountOf(name, call); count != nullptr && *count > 0) --*count;
}

}  // namespace warpscope::agent
