#include "agent/nvtx.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

#include "wire/clock.h"

// Names and numbers of the interface: the public NVTX 3 headers (nvToolsExt.h, nvtxDetail/nvtxTypes.h).
namespace warpscope::agent {
namespace {

constexpr uint32_t kMostDomains = 256, kMostDepth = 64, kMostSpans = 4096;

std::atomic<NvtxRing*> g_ring{nullptr};
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
char g_domains[kMostDomains][96];
uint32_t g_domain_count = 1;  // 0 is the default domain

struct Attributes {  // nvtxEventAttributes_v2
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;  // 1: char, 2: wchar_t, 3: registered
  const void* message;
};

struct Open {
  int64_t start_ns;
  uint32_t domain, category;
  const char* text;
  char copy[NvtxEvent::kTextBytes];
};

struct Stack {
  uint32_t depth;  // may exceed kMostDepth: those levels are not recorded
  uint32_t tid;
  Open levels[kMostDepth];
};

Stack* ThisStack() {
  static thread_local Stack* stack = nullptr;
  if (stack == nullptr) {
    stack =
        static_cast<Stack*>(calloc(1, sizeof(Stack)));  // kept until the process ends: a thread's ranges may outlive us
    if (stack != nullptr) stack->tid = static_cast<uint32_t>(syscall(SYS_gettid));
  }
  return stack;
}

void CopyText(char* to, const char* from) {
  const size_t size = strnlen(from, NvtxEvent::kTextBytes);
  if (size < NvtxEvent::kTextBytes) {
    memcpy(to, from, size + 1);
  } else {
    memcpy(to, from, NvtxEvent::kTextBytes - 4);
    memcpy(to + NvtxEvent::kTextBytes - 4, "...", 4);
  }
}

// UTF-8 of wide text, as much as fits.
void CopyWide(char* to, const wchar_t* from) {
  size_t at = 0;
  for (; *from != 0 && at + 5 < NvtxEvent::kTextBytes; ++from) {
    const auto code = static_cast<uint32_t>(*from);
    if (code < 0x80) {
      to[at++] = static_cast<char>(code);
    } else if (code < 0x800) {
      to[at++] = static_cast<char>(0xC0 | code >> 6);
      to[at++] = static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      to[at++] = static_cast<char>(0xE0 | code >> 12);
      to[at++] = static_cast<char>(0x80 | (code >> 6 & 0x3F));
      to[at++] = static_cast<char>(0x80 | (code & 0x3F));
    } else {
      to[at++] = static_cast<char>(0xF0 | (code >> 18 & 7));
      to[at++] = static_cast<char>(0x80 | (code >> 12 & 0x3F));
      to[at++] = static_cast<char>(0x80 | (code >> 6 & 0x3F));
      to[at++] = static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  to[at] = '\0';
}

template <typename Row>
void SetMessage(Row& row, const Attributes* attributes) {
  row.text = nullptr;
  row.copy[0] = '\0';
  row.category = 0;
  if (attributes == nullptr || attributes->size < sizeof(Attributes)) return;
  row.category = attributes->category;
  if (attributes->message == nullptr) return;
  if (attributes->message_type == 1) CopyText(row.copy, static_cast<const char*>(attributes->message));
  if (attributes->message_type == 2) CopyWide(row.copy, static_cast<const wchar_t*>(attributes->message));
  if (attributes->message_type == 3) row.text = static_cast<const char*>(attributes->message);  // see RegisterString
}

Attributes TextAttributes(const void* text, int32_t type) {
  Attributes attributes{};
  attributes.size = sizeof(Attributes);
  attributes.message_type = type;
  attributes.message = text;
  return attributes;
}

int Push(uint32_t domain, const Attributes* attributes) {
  Stack* stack = ThisStack();
  if (stack == nullptr) return -1;
  if (stack->depth < kMostDepth) {
    Open& level = stack->levels[stack->depth];
    SetMessage(level, attributes);
    level.domain = domain;
    level.start_ns = wire::NowNs();
  }
  return static_cast<int>(stack->depth++);
}

// Ranges of one domain nest; those of different domains may cross: the innermost open one of the domain ends.
int Pop(uint32_t domain) {
  Stack* stack = ThisStack();
  if (stack == nullptr || stack->depth == 0) return -1;
  uint32_t at = stack->depth - 1;
  if (at < kMostDepth) {
    while (at > 0 && stack->levels[at].domain != domain) --at;
    const Open& level = stack->levels[at];
    if (level.domain != domain) return -1;
    NvtxRing* ring = g_ring.load(std::memory_order_acquire);
    if (ring != nullptr) {
      NvtxEvent event;
      event.kind = NvtxEvent::kRange;
      event.tid = event.end_tid = stack->tid;
      event.category = level.category;
      event.domain = domain;
      event.start_ns = level.start_ns;
      event.end_ns = wire::NowNs();
      event.text = level.text;
      memcpy(event.copy, level.copy, sizeof(event.copy));
      ring->Put(event);
    }
    for (; at + 1 < stack->depth && at + 1 < kMostDepth; ++at) stack->levels[at] = stack->levels[at + 1];
  }
  return static_cast<int>(--stack->depth);
}

void Mark(uint32_t domain, const Attributes* attributes) {
  Stack* stack = ThisStack();
  NvtxRing* ring = g_ring.load(std::memory_order_acquire);
  if (stack == nullptr || ring == nullptr) return;
  NvtxEvent event;
  event.kind = NvtxEvent::kMark;
  SetMessage(event, attributes);
  event.tid = event.end_tid = stack->tid;
  event.domain = domain;
  event.start_ns = event.end_ns = wire::NowNs();
  ring->Put(event);
}

// Start and end may lie on different threads; a fixed table by id.
struct Span {
  uint64_t id;  // 0: free
  uint32_t tid;
  Open open;
};
Span* g_spans = nullptr;
uint64_t g_next_span = 1;

uint64_t StartSpan(uint32_t domain, const Attributes* attributes) {
  Stack* stack = ThisStack();
  pthread_mutex_lock(&g_lock);
  const uint64_t id = g_next_span++;
  if (g_spans == nullptr) g_spans = static_cast<Span*>(calloc(kMostSpans, sizeof(Span)));
  if (g_spans != nullptr && stack != nullptr) {
    Span& span = g_spans[id % kMostSpans];  // a span that is open for this many others is forgotten
    span.id = id;
    span.tid = stack->tid;
    SetMessage(span.open, attributes);
    span.open.domain = domain;
    span.open.start_ns = wire::NowNs();
  }
  pthread_mutex_unlock(&g_lock);
  return id;
}

void EndSpan(uint64_t id) {
  Stack* stack = ThisStack();
  NvtxRing* ring = g_ring.load(std::memory_order_acquire);
  NvtxEvent event;
  bool found = false;
  pthread_mutex_lock(&g_lock);
  if (g_spans != nullptr && id != 0 && g_spans[id % kMostSpans].id == id) {
    Span& span = g_spans[id % kMostSpans];
    span.id = 0;
    found = true;
    event.kind = NvtxEvent::kSpan;
    event.tid = span.tid;
    event.category = span.open.category;
    event.domain = span.open.domain;
    event.start_ns = span.open.start_ns;
    event.text = span.open.text;
    memcpy(event.copy, span.open.copy, sizeof(event.copy));
  }
  pthread_mutex_unlock(&g_lock);
  if (!found || ring == nullptr || stack == nullptr) return;
  event.end_tid = stack->tid;
  event.end_ns = wire::NowNs();
  ring->Put(event);
}

// A domain's handle is its number; 0 where there is no room, which is the default domain.
void* CreateDomain(const char* name) {
  if (name == nullptr) return nullptr;
  pthread_mutex_lock(&g_lock);
  uint32_t number = 1;
  while (number < g_domain_count && strncmp(g_domains[number], name, sizeof(g_domains[0]) - 1) != 0) ++number;
  if (number == g_domain_count) {
    if (g_domain_count == kMostDomains) number = 0;
    else strncpy(g_domains[g_domain_count++], name, sizeof(g_domains[0]) - 1);
  }
  pthread_mutex_unlock(&g_lock);
  return reinterpret_cast<void*>(static_cast<uintptr_t>(number));
}

void* CreateDomainWide(const wchar_t* name) {
  if (name == nullptr) return nullptr;
  char text[NvtxEvent::kTextBytes];
  CopyWide(text, name);
  return CreateDomain(text);
}

// The handle of a registered string is a copy of it, which is never freed: events may still point to it.
void* RegisterString(void*, const char* text) { return text == nullptr ? nullptr : strndup(text, 4096); }
void* RegisterStringWide(void*, const wchar_t* text) {
  if (text == nullptr) return nullptr;
  char copy[NvtxEvent::kTextBytes];
  CopyWide(copy, text);
  return strdup(copy);
}

uint32_t Number(void* domain) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(domain)); }

void MarkEx(const Attributes* a) { Mark(0, a); }
void MarkA(const char* text) {
  const Attributes a = TextAttributes(text, 1);
  Mark(0, &a);
}
void MarkW(const wchar_t* text) {
  const Attributes a = TextAttributes(text, 2);
  Mark(0, &a);
}
uint64_t RangeStartEx(const Attributes* a) { return StartSpan(0, a); }
uint64_t RangeStartA(const char* text) {
  const Attributes a = TextAttributes(text, 1);
  return StartSpan(0, &a);
}
uint64_t RangeStartW(const wchar_t* text) {
  const Attributes a = TextAttributes(text, 2);
  return StartSpan(0, &a);
}
void RangeEnd(uint64_t id) { EndSpan(id); }
int RangePushEx(const Attributes* a) { return Push(0, a); }
int RangePushA(const char* text) {
  const Attributes a = TextAttributes(text, 1);
  return Push(0, &a);
}
int RangePushW(const wchar_t* text) {
  const Attributes a = TextAttributes(text, 2);
  return Push(0, &a);
}
int RangePop() { return Pop(0); }
void DomainMarkEx(void* domain, const Attributes* a) { Mark(Number(domain), a); }
uint64_t DomainRangeStartEx(void* domain, const Attributes* a) { return StartSpan(Number(domain), a); }
void DomainRangeEnd(void*, uint64_t id) { EndSpan(id); }
int DomainRangePushEx(void* domain, const Attributes* a) { return Push(Number(domain), a); }
int DomainRangePop(void* domain) { return Pop(Number(domain)); }

using Function = void (*)();
struct Entry {
  uint32_t id;
  Function function;
};

template <typename F>
Function Plain(F* function) {
  return reinterpret_cast<Function>(function);
}

bool Fill(int (*get_table)(uint32_t, Function***, uint32_t*), uint32_t module, const Entry* entries, uint32_t count) {
  Function** table = nullptr;
  uint32_t size = 0;
  if (get_table(module, &table, &size) == 0 || table == nullptr) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (entries[i].id < size && table[entries[i].id] != nullptr) *table[entries[i].id] = entries[i].function;
  }
  return true;
}

}  // namespace

void SetNvtxRing(NvtxRing* ring) { g_ring.store(ring, std::memory_order_release); }

const char* NvtxDomainName(uint32_t domain) { return domain > 0 && domain < g_domain_count ? g_domains[domain] : ""; }

bool InstallNvtx(const void* (*get_export_table)(uint32_t id)) {
  struct Callbacks {
    size_t struct_size;
    int (*get_module_function_table)(uint32_t, Function***, uint32_t*);
  };
  constexpr uint32_t kCallbacksTable = 1, kCore = 1, kCore2 = 5;
  const auto* callbacks = static_cast<const Callbacks*>(get_export_table(kCallbacksTable));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(Callbacks)) return false;
  const Entry core[] = {{1, Plain(MarkEx)},       {2, Plain(MarkA)},       {3, Plain(MarkW)},
                        {4, Plain(RangeStartEx)}, {5, Plain(RangeStartA)}, {6, Plain(RangeStartW)},
                        {7, Plain(RangeEnd)},     {8, Plain(RangePushEx)}, {9, Plain(RangePushA)},
                        {10, Plain(RangePushW)},  {11, Plain(RangePop)}};
  const Entry core2[] = {
      {1, Plain(DomainMarkEx)},        {2, Plain(DomainRangeStartEx)}, {3, Plain(DomainRangeEnd)},
      {4, Plain(DomainRangePushEx)},   {5, Plain(DomainRangePop)},     {10, Plain(RegisterString)},
      {11, Plain(RegisterStringWide)}, {12, Plain(CreateDomain)},      {13, Plain(CreateDomainWide)}};
  const auto get = callbacks->get_module_function_table;
  const bool first = Fill(get, kCore, core, sizeof(core) / sizeof(core[0]));
  return Fill(get, kCore2, core2, sizeof(core2) / sizeof(core2[0])) || first;
}

}  // namespace warpscope::agent
