// Names that a program gives by NVTX: domains, categories, threads, registered strings. Fixed tables; what does not fit
// stays unnamed.
// [MT] under an own lock. Names are never taken back, so the texts that are handed out stay.
#pragma once

#include <cstdint>

namespace warpscope::agent {

// A domain's number: the same for the same name; 0 is the default domain, which also stands for what does not fit.
uint32_t DomainNumber(const char* name);
const char* NvtxDomainName(uint32_t domain);  // "" for the default domain and for unknown numbers

void NameCategory(uint32_t domain, uint32_t category, const char* name);
const char* NvtxCategoryName(uint32_t domain, uint32_t category);  // "" if it has none

void NameThread(uint32_t tid, const char* name);
const char* NvtxThreadName(uint32_t tid);  // "" if it has none
// Calls `see` for each thread that was named since the call before; the writer's.
void ForNewThreadNames(void (*see)(void* context, uint32_t tid, const char* name), void* context);

// Grows when a category gets a name: what was looked up before may have one now.
uint32_t NvtxNamingSerial();

// A copy that stays, as handle of a registered string; null if there is no memory.
const char* KeepString(const char* text);

// In a forked child: the lock may have been held by a thread that is gone.
void ResetNvtxNamesAfterFork();

}  // namespace warpscope::agent
