#include "agent/nvtx.h"

#include <wchar.h>

#include "agent/nvtx_names.h"
#include "agent/nvtx_payload.h"
#include "agent/nvtx_ranges.h"
#include "agent/nvtx_text.h"

// Names and numbers of the interface: the public NVTX 3 headers (nvToolsExt.h, nvtxDetail/nvtxTypes.h, nvtxExtTypes.h).
namespace warpscope::agent {
namespace {

using Attributes = NvtxAttributes;

Attributes TextAttributes(const void* text, int32_t type) {
  Attributes attributes{};
  attributes.size = sizeof(Attributes);
  attributes.message_type = type;
  attributes.message = text;
  return attributes;
}

// A domain's handle is its number.
uint32_t Number(void* domain) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(domain)); }
void* Handle(uint32_t domain) { return reinterpret_cast<void*>(static_cast<uintptr_t>(domain)); }

// Calls `use` with the text as UTF-8.
template <typename Use>
auto Narrowed(const wchar_t* text, Use use) {
  char narrow[NvtxContent::kTextBytes] = {};
  if (text != nullptr) CopyWide(narrow, sizeof(narrow), text);
  return use(text == nullptr ? nullptr : narrow);
}

void MarkEx(const Attributes* a) { PutMark(0, a, nullptr, 0); }
void MarkA(const char* text) {
  const Attributes a = TextAttributes(text, 1);
  MarkEx(&a);
}
void MarkW(const wchar_t* text) {
  const Attributes a = TextAttributes(text, 2);
  MarkEx(&a);
}
uint64_t RangeStartEx(const Attributes* a) { return StartSpan(0, a, nullptr, 0); }
uint64_t RangeStartA(const char* text) {
  const Attributes a = TextAttributes(text, 1);
  return RangeStartEx(&a);
}
uint64_t RangeStartW(const wchar_t* text) {
  const Attributes a = TextAttributes(text, 2);
  return RangeStartEx(&a);
}
void RangeEnd(uint64_t id) { EndSpan(id); }
int RangePushEx(const Attributes* a) { return PushRange(0, a, nullptr, 0); }
int RangePushA(const char* text) {
  const Attributes a = TextAttributes(text, 1);
  return RangePushEx(&a);
}
int RangePushW(const wchar_t* text) {
  const Attributes a = TextAttributes(text, 2);
  return RangePushEx(&a);
}
int RangePop() { return PopRange(0); }
void NameCategoryA(uint32_t category, const char* name) { NameCategory(0, category, name); }
void NameCategoryW(uint32_t category, const wchar_t* name) {
  Narrowed(name, [=](const char* text) { NameCategory(0, category, text); });
}
void NameOsThreadA(uint32_t tid, const char* name) { NameThread(tid, name); }
void NameOsThreadW(uint32_t tid, const wchar_t* name) {
  Narrowed(name, [=](const char* text) { NameThread(tid, text); });
}

void DomainMarkEx(void* domain, const Attributes* a) { PutMark(Number(domain), a, nullptr, 0); }
uint64_t DomainRangeStartEx(void* domain, const Attributes* a) { return StartSpan(Number(domain), a, nullptr, 0); }
void DomainRangeEnd(void*, uint64_t id) { EndSpan(id); }
int DomainRangePushEx(void* domain, const Attributes* a) { return PushRange(Number(domain), a, nullptr, 0); }
int DomainRangePop(void* domain) { return PopRange(Number(domain)); }
void DomainNameCategoryA(void* domain, uint32_t category, const char* name) {
  NameCategory(Number(domain), category, name);
}
void DomainNameCategoryW(void* domain, uint32_t category, const wchar_t* name) {
  Narrowed(name, [=](const char* text) { NameCategory(Number(domain), category, text); });
}
// The handle of a registered string is a copy of it, which is never freed: events may still point to it.
const void* RegisterString(void*, const char* text) { return KeepString(text); }
const void* RegisterStringWide(void*, const wchar_t* text) { return Narrowed(text, KeepString); }
void* CreateDomain(const char* name) { return Handle(DomainNumber(name)); }
void* CreateDomainWide(const wchar_t* name) { return Handle(Narrowed(name, DomainNumber)); }

uint64_t ExtSchemaRegister(void* domain, const void* a) { return RegisterPayloadSchema(Number(domain), a); }
uint64_t ExtEnumRegister(void* domain, const void* a) { return RegisterPayloadEnum(Number(domain), a); }
void ExtMark(void* domain, const void* data, size_t count) { PutMark(Number(domain), nullptr, data, count); }
int ExtPush(void* domain, const void* data, size_t count) { return PushRange(Number(domain), nullptr, data, count); }
int ExtPop(void* domain, const void*, size_t) { return PopRange(Number(domain)); }
uint64_t ExtStart(void* domain, const void* data, size_t count) {
  return StartSpan(Number(domain), nullptr, data, count);
}
void ExtEnd(void*, uint64_t id, const void*, size_t) { EndSpan(id); }
uint8_t ExtIsEnabled(void*) { return 1; }

using Function = void (*)();
struct Entry {
  uint32_t id;
  Function function;
};

template <typename F>
Function Plain(F* function) {
  return reinterpret_cast<Function>(function);
}

template <size_t kCount>
bool Fill(int (*get_table)(uint32_t, Function***, uint32_t*), uint32_t module, const Entry (&entries)[kCount]) {
  Function** table = nullptr;
  uint32_t size = 0;
  if (get_table(module, &table, &size) == 0 || table == nullptr) return false;
  for (const Entry& entry : entries) {
    if (entry.id < size && table[entry.id] != nullptr) *table[entry.id] = entry.function;
  }
  return true;
}

}  // namespace

bool InstallNvtx(const void* (*get_export_table)(uint32_t id)) {
  struct Callbacks {
    size_t struct_size;
    int (*get_module_function_table)(uint32_t, Function***, uint32_t*);
  };
  constexpr uint32_t kCallbacksTable = 1, kCore = 1, kCore2 = 5;
  const auto* callbacks = static_cast<const Callbacks*>(get_export_table(kCallbacksTable));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(Callbacks)) return false;
  const Entry core[] = {{1, Plain(MarkEx)},         {2, Plain(MarkA)},          {3, Plain(MarkW)},
                        {4, Plain(RangeStartEx)},   {5, Plain(RangeStartA)},    {6, Plain(RangeStartW)},
                        {7, Plain(RangeEnd)},       {8, Plain(RangePushEx)},    {9, Plain(RangePushA)},
                        {10, Plain(RangePushW)},    {11, Plain(RangePop)},      {12, Plain(NameCategoryA)},
                        {13, Plain(NameCategoryW)}, {14, Plain(NameOsThreadA)}, {15, Plain(NameOsThreadW)}};
  const Entry core2[] = {
      {1, Plain(DomainMarkEx)},        {2, Plain(DomainRangeStartEx)}, {3, Plain(DomainRangeEnd)},
      {4, Plain(DomainRangePushEx)},   {5, Plain(DomainRangePop)},     {8, Plain(DomainNameCategoryA)},
      {9, Plain(DomainNameCategoryW)}, {10, Plain(RegisterString)},    {11, Plain(RegisterStringWide)},
      {12, Plain(CreateDomain)},       {13, Plain(CreateDomainWide)}};
  const auto get = callbacks->get_module_function_table;
  const bool first = Fill(get, kCore, core);
  return Fill(get, kCore2, core2) || first;
}

bool InstallNvtxExtension(void* module) {
  struct Segment {  // nvtxExtModuleSegment_t
    size_t id, slot_count;
    intptr_t* slots;
  };
  struct Module {  // nvtxExtModuleInfo_t
    uint16_t version, size, module_id, compatibility;
    size_t segment_count;
    Segment* segments;
  };
  constexpr uint16_t kPayloadModule = 2;
  const auto* info = static_cast<const Module*>(module);
  if (info == nullptr || info->size < sizeof(Module) || info->module_id != kPayloadModule || info->segment_count == 0 ||
      info->segments == nullptr)
    return false;
  const Entry entries[] = {{0, Plain(ExtSchemaRegister)},
                           {1, Plain(ExtEnumRegister)},
                           {2, Plain(ExtMark)},
                           {3, Plain(ExtPush)},
                           {4, Plain(ExtPop)},
                           {5, Plain(ExtStart)},
                           {6, Plain(ExtEnd)},
                           {7, Plain(ExtIsEnabled)}};
  const Segment& segment = info->segments[0];
  for (const Entry& entry : entries) {
    if (entry.id < segment.slot_count) segment.slots[entry.id] = reinterpret_cast<intptr_t>(entry.function);
  }
  return true;
}

void ResetNvtxAfterFork() {
  ResetNvtxNamesAfterFork();
  ResetNvtxPayloadAfterFork();
  ResetNvtxRangesAfterFork();
}

}  // namespace warpscope::agent
