#include "agent/nvtx_names.h"

#include <pthread.h>
#include <string.h>

#include <atomic>

#include "agent/nvtx_text.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostDomains = 256, kMostCategories = 1024, kMostThreads = 512;
constexpr size_t kNameBytes = 96, kMostStringBytes = 4096;

struct Category {
  uint32_t domain, number;
  char name[kNameBytes];
};
struct ThreadName {
  uint32_t tid;
  char name[kNameBytes];
};

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
char g_domains[kMostDomains][kNameBytes];
std::atomic<uint32_t> g_domain_count{1};
Category g_categories[kMostCategories];
uint32_t g_category_count = 0;
ThreadName g_threads[kMostThreads];
uint32_t g_thread_count = 0, g_threads_told = 0;
std::atomic<uint32_t> g_serial{0};

class Locked {
 public:
  Locked() { pthread_mutex_lock(&g_lock); }
  ~Locked() { pthread_mutex_unlock(&g_lock); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

}  // namespace

uint32_t DomainNumber(const char* name) {
  if (name == nullptr) return 0;
  char kept[kNameBytes];
  CopyText(kept, sizeof(kept), name);
  Locked hold;
  const uint32_t count = g_domain_count.load(std::memory_order_relaxed);
  for (uint32_t number = 1; number < count; ++number) {
    if (strcmp(g_domains[number], kept) == 0) return number;
  }
  if (count == kMostDomains) return 0;
  memcpy(g_domains[count], kept, sizeof(kept));
  g_domain_count.store(count + 1, std::memory_order_release);
  return count;
}

const char* NvtxDomainName(uint32_t domain) {
  return domain > 0 && domain < g_domain_count.load(std::memory_order_acquire) ? g_domains[domain] : "";
}

void NameCategory(uint32_t domain, uint32_t category, const char* name) {
  if (name == nullptr) return;
  Locked hold;
  for (uint32_t i = 0; i < g_category_count; ++i) {
    if (g_categories[i].domain == domain && g_categories[i].number == category) return;  // the first name stays
  }
  if (g_category_count == kMostCategories) return;
  Category& added = g_categories[g_category_count++];
  added.domain = domain;
  added.number = category;
  CopyText(added.name, sizeof(added.name), name);
  g_serial.fetch_add(1, std::memory_order_release);
}

const char* NvtxCategoryName(uint32_t domain, uint32_t category) {
  Locked hold;
  for (uint32_t i = 0; i < g_category_count; ++i) {
    if (g_categories[i].domain == domain && g_categories[i].number == category) return g_categories[i].name;
  }
  return "";
}

void NameThread(uint32_t tid, const char* name) {
  if (name == nullptr) return;
  Locked hold;
  if (g_thread_count == kMostThreads) return;
  ThreadName& added = g_threads[g_thread_count++];
  added.tid = tid;
  CopyText(added.name, sizeof(added.name), name);
}

const char* NvtxThreadName(uint32_t tid) {
  Locked hold;
  for (uint32_t i = g_thread_count; i > 0; --i) {
    if (g_threads[i - 1].tid == tid) return g_threads[i - 1].name;
  }
  return "";
}

void ForNewThreadNames(void (*see)(void* context, uint32_t tid, const char* name), void* context) {
  for (;;) {
    const ThreadName* next = nullptr;
    {
      Locked hold;
      if (g_threads_told == g_thread_count) return;
      next = &g_threads[g_threads_told++];
    }
    see(context, next->tid, next->name);
  }
}

uint32_t NvtxNamingSerial() { return g_serial.load(std::memory_order_acquire); }

const char* KeepString(const char* text) { return text == nullptr ? nullptr : strndup(text, kMostStringBytes); }

void ResetNvtxNamesAfterFork() { g_lock = PTHREAD_MUTEX_INITIALIZER; }

}  // namespace warpscope::agent
