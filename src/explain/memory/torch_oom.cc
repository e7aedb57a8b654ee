#include "explain/memory/torch_oom.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

constexpr double kMebi = 1 << 20;
// What a CUDA context and its libraries take beside PyTorch's memory: 0.3 to 0.7 GiB on present devices.
constexpr double kContextBytes = 700 * kMebi;

constexpr double kRounding = 0.99;  // two decimals of GiB

// The message alone: what follows may be another process's.
std::string_view OneMessage(std::string_view window) {
  const size_t first = FindWord(window, "Tried to allocate");
  if (first == std::string_view::npos) return window;
  size_t end = window.size();
  for (const std::string_view next :
       {"Tried to allocate", "See documentation for Memory Management", "Traceback", "try setting"}) {
    end = std::min(end, FindWord(window, next, first + 20));
  }
  return window.substr(0, end);
}

struct Named {
  std::string pid;
  double bytes = 0;
};

// The message names this process like any other where it does not know its own number (in a container). Then PyTorch's
// memory beside all that is named would exceed what is in use; it is the smallest that can hold PyTorch's memory.
std::vector<Named>::iterator FindOwn(std::vector<Named>& named, const TorchOom& oom) {
  if (oom.this_process || !oom.total || !oom.free || !oom.allocated) return named.end();
  const double ours = *oom.allocated + oom.cached.value_or(0);
  double all = ours * kRounding;
  for (const Named& one : named) all += one.bytes;
  if (ours <= 0 || all <= *oom.total - *oom.free) return named.end();
  auto own = named.end();
  for (auto one = named.begin(); one != named.end(); ++one) {
    if (one->bytes >= ours * kRounding && (own == named.end() || one->bytes < own->bytes)) own = one;
  }
  return own;
}

void ReadNamedProcesses(std::string_view text, TorchOom* oom) {
  std::vector<Named> named;
  for (size_t from = 0; named.size() < 64;) {
    const auto match = Find("Process {n} has {n} {w} memory in use", text, from);
    if (!match) break;
    const auto bytes = BytesOf(std::string(match->captures[1]) + " " + std::string(match->captures[2]));
    if (bytes) named.push_back({std::string(match->captures[0]), *bytes});
    from = match->end;
  }
  const auto own = FindOwn(named, *oom);
  if (own != named.end()) {
    oom->this_process = own->bytes;
    oom->own_name = own->pid;
    named.erase(own);
  }
  for (const Named& one : named) oom->named_others += one.bytes;
  oom->named_count = named.size();
}

}  // namespace

std::optional<double> TorchOom::Outside() const {
  if (!total || !free) return std::nullopt;
  double ours = 0;
  if (this_process) {
    ours = *this_process;
  } else {
    if (!allocated) return std::nullopt;
    ours = *allocated + cached.value_or(0) + kContextBytes;
  }
  // Numbers of different moments: never more than the device has beside ours.
  return std::max(std::max(0.0, *total - *free - ours), std::min(named_others, std::max(0.0, *total - ours)));
}

std::string TorchOom::Contradiction() const {
  const auto words = [](double bytes) { return FormatBytes(bytes); };
  if (total && *total <= 0) return "a device of 0 bytes";
  if (total && free && *free * kRounding > *total)
    return fmt::format("{} free on a device of {}", words(*free), words(*total));
  if (total && free && allocated && *allocated <= *total && (*allocated + *free) * kRounding > *total)
    return fmt::format("{} in live tensors and {} free on a device of {}", words(*allocated), words(*free),
                       words(*total));
  if (is_reserved_less) return fmt::format("less reserved by PyTorch than the {} in live tensors", words(*allocated));
  return {};
}

std::optional<TorchOom> ParseTorchOom(std::string_view window) {
  const std::string_view text = OneMessage(window);
  TorchOom oom;
  const auto asked = BytesAfter(text, "Tried to allocate");
  if (!asked) return std::nullopt;
  oom.asked = *asked;
  oom.total = BytesBefore(text, "total capacity");
  if (!oom.total) oom.total = BytesAfter(text, "total capacity of");
  if (!oom.total) oom.total = BytesAfter(text, "total capacty of");  // as 2.0 and 2.1 spell it
  oom.free = BytesAfter(text, "of which");
  if (!oom.free) oom.free = BytesBefore(text, "free");
  oom.allocated = BytesBefore(text, "already allocated");
  if (!oom.allocated) oom.allocated = BytesBefore(text, "is allocated by PyTorch");
  if (!oom.allocated) oom.allocated = BytesBefore(text, "allocated by PyTorch");
  oom.cached = BytesBefore(text, "is reserved by PyTorch but unallocated");
  if (!oom.cached) oom.cached = BytesBefore(text, "reserved by PyTorch but unallocated");
  if (!oom.cached) {  // before 2.0: the sum of both
    auto reserved = BytesBefore(text, "reserved in total by PyTorch");
    if (reserved && oom.allocated) oom.cached = std::max(0.0, *reserved - *oom.allocated);
    oom.is_reserved_less = reserved && oom.allocated && *reserved < *oom.allocated * kRounding;
    // Up to 1.3 "cached" was what the allocator held beyond live tensors or all of it, by version: the smaller reading.
    const auto held = BytesBefore(text, "cached");
    if (!oom.cached && held && oom.allocated) oom.cached = *held >= *oom.allocated ? *held - *oom.allocated : *held;
  }
  oom.allowed = BytesBefore(text, "allowed");
  if (!oom.allowed) oom.allowed = BytesAfter(text, "max allowed:");
  oom.this_process = BytesAfter(text, "this process has");
  oom.graph_pools = BytesBefore(text, "allocated in private pools");
  ReadNamedProcesses(text, &oom);
  return oom;
}

OomKind KindOf(const TorchOom& oom) {
  const double cached = oom.cached.value_or(0);
  if (!oom.Contradiction().empty()) return OomKind::kContradiction;
  if (oom.total && oom.allocated && *oom.allocated > *oom.total) return OomKind::kSystemMemory;
  if (oom.allowed && oom.allocated && *oom.allocated + cached + oom.asked > *oom.allowed &&
      (!oom.total || *oom.allowed < *oom.total) && oom.free.value_or(oom.asked) >= oom.asked)
    return OomKind::kLimit;
  if (oom.total && oom.asked > *oom.total) return OomKind::kBeyondDevice;
  if (!oom.free || !oom.total) return OomKind::kUnknown;
  // A driver keeps a little of what it calls free to itself.
  constexpr double kKeptBack = 256 * kMebi;
  if (oom.asked + kKeptBack <= *oom.free) return OomKind::kRefused;
  if (!oom.allocated && oom.named_count == 0) return OomKind::kUnknown;  // who holds the rest is not told
  if (oom.asked > *oom.free && oom.asked <= *oom.free + cached) return OomKind::kFragmentation;
  const auto outside = oom.Outside();
  constexpr double kNotable = 0.03;  // of the device: less is the display or rounding
  if (outside && *outside > kNotable * *oom.total && oom.asked <= *oom.free + cached + *outside)
    return OomKind::kOtherProcess;
  return OomKind::kTooLittle;
}

}  // namespace warpscope::explain
