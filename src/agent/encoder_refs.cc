// Encoder: definitions of texts, threads, streams, launches and calls, written before their first use.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/encoder.h"
#include "agent/nvtx_names.h"

namespace warpscope::agent {
namespace {

constexpr uint32_t kMostTextBytes = 32768;  // longer names are cut; a C++ name of this length is a template gone wild

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

}  // namespace

uint32_t Encoder::TextRef(const char* text) {
  return text == nullptr ? 0 : TextRef(text, strnlen(text, kMostTextBytes));
}

uint32_t Encoder::TextRef(const char* text, size_t size) {
  bool is_new = false;
  const uint32_t ref = texts_.Find(text, size, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->BlockFor(static_cast<uint32_t>(size));
    block.Begin(wire::kText);
    block.Put(ref);
    block.PutBytes(text, static_cast<uint32_t>(size));
  }
  return ref;
}

uint32_t Encoder::StreamRef(uint32_t device, uint32_t context, uint32_t stream) {
  bool is_new = false;
  const uint32_t ref = streams_.Find({device, context, stream}, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kStream);
    block.Put(ref);
    block.Put(device);
    block.Put(context);
    block.Put(stream);
    if (device < 64) devices_used_.fetch_or(uint64_t{1} << device, std::memory_order_relaxed);
  }
  return ref;
}

uint32_t Encoder::ShapeRef(const cupti::Kernel& kernel) {
  ShapeKey key{};
  for (int i = 0; i < 3; ++i) {
    key.grid[i] = static_cast<uint32_t>(kernel.grid[i]);
    key.block[i] = static_cast<uint32_t>(kernel.block[i]);
    key.cluster[i] = HasFrom(cupti::kSinceCluster) ? kernel.cluster[i] : 0;
  }
  key.registers = kernel.registers_per_thread;
  key.shared = static_cast<uint32_t>(kernel.static_shared) + static_cast<uint32_t>(kernel.dynamic_shared);
  bool is_new = false;
  const uint32_t ref = shapes_.Find(key, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kLaunchShape);
    block.Put(ref);
    for (const uint32_t size : key.grid) block.Put(size);
    for (const uint32_t size : key.block) block.Put(size);
    block.Put(key.registers);
    block.Put(key.shared);
    for (const uint32_t size : key.cluster) block.Put(size);
  }
  return ref;
}

uint32_t Encoder::LaunchRef(const cupti::Kernel& kernel) {
  CachedLaunch want{};
  static_assert(sizeof(want) == 96, "no padding: it is compared as bytes");
  static_assert(offsetof(cupti::Kernel, local_per_thread) - offsetof(cupti::Kernel, device_id) == sizeof(want.placed));
  want.name = kernel.name;
  want.node_id = kernel.graph_node_id;
  memcpy(want.placed, &kernel.device_id, sizeof(want.placed));
  if (HasFrom(cupti::kSinceCluster)) memcpy(want.cluster, kernel.cluster, sizeof(want.cluster));
  if (want.node_id != 0 && HasFrom(cupti::kSinceGraphId)) want.graph_id = kernel.graph_id;
  want.registers = kernel.registers_per_thread;
  uint64_t hash = Mix(reinterpret_cast<uintptr_t>(want.name), want.node_id);
  hash = Mix(hash, uint64_t{want.placed[2]} << 32 | want.placed[3]);   // stream, grid x
  hash = Mix(hash, uint64_t{want.placed[4]} << 32 | want.placed[6]);   // grid y, block x
  hash = Mix(hash, uint64_t{want.placed[5]} << 32 | want.placed[10]);  // grid z, dynamic shared
  CachedLaunch& slot = launch_cache_[hash % kLaunchCache];
  want.text = slot.text;
  want.ref = slot.ref;
  // The address alone does not tell the name: the text that we wrote decides.
  if (slot.ref != 0 && memcmp(&slot, &want, sizeof(want)) == 0 && strcmp(slot.text, want.name) == 0) return slot.ref;
  const uint32_t name = TextRef(kernel.name);
  want.text = kernel.name == nullptr ? nullptr : texts_.last_stored();
  const uint32_t ref = NewLaunchRef(kernel, name);
  want.ref = ref;
  if (want.text != nullptr) slot = want;
  return ref;
}

uint32_t Encoder::NewLaunchRef(const cupti::Kernel& kernel, uint32_t name) {
  const uint64_t node = kernel.graph_node_id;
  const uint32_t graph = node != 0 && HasFrom(cupti::kSinceGraphId) ? kernel.graph_id : 0;
  const LaunchKey key = {name,
                         StreamRef(kernel.device_id, kernel.context_id, kernel.stream_id),
                         ShapeRef(kernel),
                         graph,
                         static_cast<uint32_t>(node),
                         static_cast<uint32_t>(node >> 32)};
  bool is_new = false;
  const uint32_t ref = launches_.Find(key, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kLaunchKey);
    block.Put(ref);
    block.Put(key.name);
    block.Put(key.stream);
    block.Put(key.shape);
    block.Put(graph);
    block.Put(node);
  }
  return ref;
}

uint32_t Encoder::ThreadRef(uint32_t tid) {
  if (tid == 0) return 0;
  bool is_new = false;
  const uint32_t ref = threads_.Find({tid}, &is_new);
  if (!is_new) return ref;
  char path[64], name[64] = {};
  snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    const ssize_t got = read(descriptor, name, sizeof(name) - 1);
    close(descriptor);
    if (got > 0 && name[got - 1] == '\n') name[got - 1] = '\0';
  }
  const char* given = NvtxThreadName(tid);
  DefineThread(ref, tid, *given != '\0' ? given : name);
  return ref;
}

void Encoder::DefineThread(uint32_t ref, uint32_t tid, const char* name) {
  const uint32_t name_ref = *name == '\0' ? 0 : TextRef(name);
  wire::BlockWriter& block = file_->block();
  block.Begin(wire::kThread);
  block.Put(ref);
  block.Put(tid);
  block.Put(name_ref);
}

uint32_t Encoder::CallNameRef(uint32_t api, uint32_t cbid) {
  if (cbid < kCallbackIds && call_names_[api][cbid] != 0) return call_names_[api][cbid];
  const char* name = nullptr;
  char numbered[48];
  const uint32_t domain = api == 1 ? cupti::kDriverDomain : cupti::kRuntimeDomain;
  if (functions_->GetCallbackName == nullptr || functions_->GetCallbackName(domain, cbid, &name) != cupti::kSuccess ||
      name == nullptr) {
    snprintf(numbered, sizeof(numbered), "%s call %u", api == 1 ? "driver" : "runtime", cbid);
    name = numbered;
  }
  const uint32_t ref = TextRef(name);
  if (cbid < kCallbackIds) call_names_[api][cbid] = ref;
  return ref;
}

uint32_t Encoder::CallRef(uint32_t api, uint32_t cbid, uint32_t tid) {
  const CallKey key = {api, cbid, tid};
  CachedCall& slot = call_cache_[Mix(uint64_t{cbid} << 1 | api, tid) % kCallCache];
  if (slot.ref != 0 && memcmp(&slot.key, &key, sizeof(key)) == 0) return slot.ref;
  const uint32_t name = CallNameRef(api, cbid);
  const uint32_t thread = ThreadRef(tid);
  bool is_new = false;
  const uint32_t ref = calls_.Find(key, &is_new);
  if (is_new) {
    wire::BlockWriter& block = file_->block();
    block.Begin(wire::kCallKey);
    block.Put(ref);
    block.Put(api);
    block.Put(name);
    block.Put(thread);
  }
  slot = {key, ref};
  return ref;
}

}  // namespace warpscope::agent
