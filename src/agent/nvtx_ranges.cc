#include "agent/nvtx_ranges.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wire/clock.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostDepth = 64, kMostSpans = 4096, kMostStacks = 4096;

struct Open {
  std::atomic<uint32_t> serial;  // odd while the thread writes the level; another one with every push
  uint32_t told;                 // the serial that the writer was told, or 0
  std::atomic<int64_t> start_ns;
  NvtxContent
      content;  // read beside the thread only once the range is old, and thrown away if the serial changed meanwhile
};

struct Stack {
  std::atomic<uint32_t> depth;  // may exceed kMostDepth: those levels are not recorded
  std::atomic<uint32_t> tid;    // 0: of a thread that is gone, free for the next
  Open levels[kMostDepth];
};

struct Span {
  uint64_t id;  // 0: free
  uint32_t tid;
  bool told;
  int64_t start_ns;
  NvtxContent content;
};

std::atomic<NvtxRing*> g_ring{nullptr};
std::atomic<RangeWatcher> g_watcher{nullptr};
std::atomic<Stack*> g_stacks[kMostStacks];
pthread_once_t g_key_once = PTHREAD_ONCE_INIT;
pthread_key_t g_key;
pthread_mutex_t g_span_lock = PTHREAD_MUTEX_INITIALIZER;
Span* g_spans = nullptr;
uint64_t g_next_span = 1;
uint32_t g_open_spans = 0;
thread_local Stack* t_stack = nullptr;

// A thread ends: its stack serves the next one, unless ranges are open on it.
void Leave(void* stack_pointer) {
  auto* stack = static_cast<Stack*>(stack_pointer);
  t_stack = nullptr;
  if (stack->depth.load(std::memory_order_relaxed) == 0) stack->tid.store(0, std::memory_order_release);
}
void MakeKey() { pthread_key_create(&g_key, Leave); }

Stack* NewStack() {
  const auto tid = static_cast<uint32_t>(syscall(SYS_gettid));
  for (std::atomic<Stack*>& slot : g_stacks) {
    Stack* stack = slot.load(std::memory_order_acquire);
    if (stack == nullptr) {
      auto* fresh = static_cast<Stack*>(calloc(1, sizeof(Stack)));
      if (fresh == nullptr) return nullptr;
      fresh->tid.store(tid, std::memory_order_relaxed);
      if (slot.compare_exchange_strong(stack, fresh, std::memory_order_acq_rel)) return fresh;
      free(fresh);
    }
    uint32_t nobody = 0;
    if (stack->tid.compare_exchange_strong(nobody, tid, std::memory_order_acq_rel)) return stack;
  }
  return nullptr;
}

Stack* ThisStack() {
  if (t_stack == nullptr) {
    t_stack = NewStack();
    pthread_once(&g_key_once, MakeKey);
    if (t_stack != nullptr) pthread_setspecific(g_key, t_stack);
  }
  return t_stack;
}

// A thread begins one range at a time, and a span's number is its own.
uint64_t KeyOf(uint32_t tid, int64_t start_ns) { return (static_cast<uint64_t>(start_ns) ^ uint64_t{tid} << 40) | 1; }
uint64_t KeyOfSpan(uint64_t id) { return id << 1; }

void Watch(const NvtxContent* content, uint64_t key) {
  const RangeWatcher watcher = g_watcher.load(std::memory_order_acquire);
  if (watcher == nullptr) return;
  watcher(content == nullptr ? nullptr : content->text != nullptr ? content->text : content->copy, key);
}

}  // namespace

void SetRangeWatcher(RangeWatcher watcher) { g_watcher.store(watcher, std::memory_order_release); }

void SetNvtxRing(NvtxRing* ring) { g_ring.store(ring, std::memory_order_release); }

int PushRange(uint32_t domain, const NvtxAttributes* attributes, const void* data, size_t count) {
  Stack* stack = ThisStack();
  if (stack == nullptr) return -1;
  const uint32_t depth = stack->depth.load(std::memory_order_relaxed);
  if (depth < kMostDepth) {
    Open& level = stack->levels[depth];
    const uint32_t serial = level.serial.load(std::memory_order_relaxed);
    level.serial.store(serial + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    TakeContent(domain, attributes, data, count, &level.content);
    level.start_ns.store(wire::NowNs(), std::memory_order_relaxed);
    level.serial.store(serial + 2, std::memory_order_release);
  }
  stack->depth.store(depth + 1, std::memory_order_release);
  if (depth < kMostDepth)
    Watch(&stack->levels[depth].content, KeyOf(stack->tid.load(std::memory_order_relaxed),
                                               stack->levels[depth].start_ns.load(std::memory_order_relaxed)));
  return static_cast<int>(depth);
}

// Ranges of one domain nest; those of different domains may cross: the innermost open one of the domain ends.
int PopRange(uint32_t domain) {
  Stack* stack = ThisStack();
  uint32_t depth = stack == nullptr ? 0 : stack->depth.load(std::memory_order_relaxed);
  if (depth == 0) return -1;
  uint32_t at = depth - 1;
  if (at < kMostDepth) {
    while (at > 0 && stack->levels[at].content.domain != domain) --at;
    const Open& level = stack->levels[at];
    if (level.content.domain != domain) return -1;
    if (NvtxRing* ring = g_ring.load(std::memory_order_acquire); ring != nullptr) {
      NvtxEvent event;
      event.kind = NvtxEvent::kRange;
      event.tid = event.end_tid = stack->tid.load(std::memory_order_relaxed);
      event.start_ns = level.start_ns.load(std::memory_order_relaxed);
      event.end_ns = wire::NowNs();
      CopyContent(level.content, &event.content);
      ring->Put(event);
    }
    Watch(nullptr, KeyOf(stack->tid.load(std::memory_order_relaxed), level.start_ns.load(std::memory_order_relaxed)));
    for (; at + 1 < depth && at + 1 < kMostDepth; ++at) {
      Open& to = stack->levels[at];
      const Open& from = stack->levels[at + 1];
      const uint32_t serial = to.serial.load(std::memory_order_relaxed);
      to.serial.store(serial + 1, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_release);
      CopyContent(from.content, &to.content);
      to.start_ns.store(from.start_ns.load(std::memory_order_relaxed), std::memory_order_relaxed);
      to.serial.store(serial + 2, std::memory_order_release);
    }
  }
  stack->depth.store(--depth, std::memory_order_release);
  return static_cast<int>(depth);
}

void PutMark(uint32_t domain, const NvtxAttributes* attributes, const void* data, size_t count) {
  NvtxRing* ring = g_ring.load(std::memory_order_acquire);
  Stack* stack = ring == nullptr ? nullptr : ThisStack();
  if (stack == nullptr) return;
  NvtxEvent event;
  event.kind = NvtxEvent::kMark;
  TakeContent(domain, attributes, data, count, &event.content);
  event.tid = event.end_tid = stack->tid.load(std::memory_order_relaxed);
  event.start_ns = event.end_ns = wire::NowNs();
  ring->Put(event);
}

uint64_t StartSpan(uint32_t domain, const NvtxAttributes* attributes, const void* data, size_t count) {
  Stack* stack = ThisStack();
  NvtxContent watched;
  bool kept = false;
  pthread_mutex_lock(&g_span_lock);
  const uint64_t id = g_next_span++;
  if (g_spans == nullptr) g_spans = static_cast<Span*>(calloc(kMostSpans, sizeof(Span)));
  if (g_spans != nullptr && stack != nullptr) {
    Span& span = g_spans[id % kMostSpans];  // a span that is open for this many others is forgotten
    g_open_spans += span.id == 0 ? 1 : 0;
    span.id = id;
    span.told = false;
    span.tid = stack->tid.load(std::memory_order_relaxed);
    TakeContent(domain, attributes, data, count, &span.content);
    span.start_ns = wire::NowNs();
    kept = g_watcher.load(std::memory_order_relaxed) != nullptr;
    if (kept) CopyContent(span.content, &watched);
  }
  pthread_mutex_unlock(&g_span_lock);
  if (kept) Watch(&watched, KeyOfSpan(id));
  return id;
}

void EndSpan(uint64_t id) {
  Stack* stack = ThisStack();
  NvtxRing* ring = g_ring.load(std::memory_order_acquire);
  NvtxEvent event;
  bool found = false;
  pthread_mutex_lock(&g_span_lock);
  if (g_spans != nullptr && id != 0 && g_spans[id % kMostSpans].id == id) {
    Span& span = g_spans[id % kMostSpans];
    span.id = 0;
    --g_open_spans;
    found = true;
    event.kind = NvtxEvent::kSpan;
    event.tid = span.tid;
    event.start_ns = span.start_ns;
    CopyContent(span.content, &event.content);
  }
  pthread_mutex_unlock(&g_span_lock);
  if (!found) return;
  if (ring != nullptr && stack != nullptr) {
    event.end_tid = stack->tid.load(std::memory_order_relaxed);
    event.end_ns = wire::NowNs();
    ring->Put(event);
  }
  Watch(nullptr, KeyOfSpan(id));
}

namespace {

// A consistent copy of a level that has been open since `before_ns`, or false.
bool ReadLevel(Open& level, int64_t before_ns, NvtxEvent* event) {
  const uint32_t serial = level.serial.load(std::memory_order_acquire);
  const int64_t start_ns = level.start_ns.load(std::memory_order_relaxed);
  if (serial == 0 || serial % 2 != 0 || serial == level.told || start_ns > before_ns) return false;
  event->start_ns = start_ns;
  memcpy(&event->content, &level.content, sizeof(level.content));
  std::atomic_thread_fence(std::memory_order_acquire);
  if (level.serial.load(std::memory_order_relaxed) != serial) return false;
  level.told = serial;
  return true;
}

}  // namespace

uint32_t ForOpenRanges(int64_t before_ns, void (*see)(void* context, const NvtxEvent& event), void* context) {
  uint32_t count = 0;
  NvtxEvent event;
  event.kind = NvtxEvent::kOpenRange;
  event.end_ns = 0;
  for (std::atomic<Stack*>& slot : g_stacks) {
    Stack* stack = slot.load(std::memory_order_acquire);
    if (stack == nullptr) break;
    const uint32_t depth = stack->depth.load(std::memory_order_acquire);
    for (uint32_t at = 0; at < depth && at < kMostDepth; ++at) {
      if (!ReadLevel(stack->levels[at], before_ns, &event)) continue;
      if (stack->depth.load(std::memory_order_acquire) <= at) break;  // it ended meanwhile
      event.tid = event.end_tid = stack->tid.load(std::memory_order_relaxed);
      see(context, event);
      ++count;
    }
  }
  event.kind = NvtxEvent::kOpenSpan;
  pthread_mutex_lock(&g_span_lock);
  for (uint32_t at = 0; g_open_spans > 0 && at < kMostSpans; ++at) {
    Span& span = g_spans[at];
    if (span.id == 0 || span.told || span.start_ns > before_ns) continue;
    span.told = true;
    event.tid = event.end_tid = span.tid;
    event.start_ns = span.start_ns;
    memcpy(&event.content, &span.content, sizeof(span.content));
    see(context, event);
    ++count;
  }
  pthread_mutex_unlock(&g_span_lock);
  return count;
}

void ResetNvtxRangesAfterFork() {
  g_span_lock = PTHREAD_MUTEX_INITIALIZER;
  for (std::atomic<Stack*>& slot : g_stacks) {
    Stack* stack = slot.load(std::memory_order_relaxed);
    if (stack == nullptr) break;
    for (Open& level : stack->levels) level.told = 0;
    if (stack == t_stack) {
      stack->tid.store(static_cast<uint32_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
    } else {
      stack->depth.store(0, std::memory_order_relaxed);
      stack->tid.store(0, std::memory_order_relaxed);
    }
  }
  for (uint32_t at = 0; g_spans != nullptr && at < kMostSpans; ++at) g_spans[at].told = false;
}

}  // namespace warpscope::agent
