// What the parts of the fake CUPTI share. [MT] Append with the lock held.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/cupti_abi.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace fake {

class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

uint64_t Now();
void AppendBytes(const void* record, size_t size);
template <typename R>
void Append(const R& record) {
  AppendBytes(&record, sizeof(R));
}
bool On(uint32_t kind);
bool CallOn(uint32_t id);  // a runtime call
uint32_t NextCorrelation(bool take = true);

extern warpscope::agent::cupti::Callback g_callback;  // of the one subscriber, or null
extern bool g_callback_on[4][32];                     // domain, id
void Call(uint32_t domain, uint32_t id, const void* data);

}  // namespace fake
