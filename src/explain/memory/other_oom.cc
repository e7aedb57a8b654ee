#include "explain/memory/other_oom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

void AddBytes(Answer* answer, const char* name, const char* label, double bytes) {
  answer->facts.push_back({name, label, FormatBytes(bytes), bytes});
}

// Bytes of an element by TensorFlow's name of the type; 0 if it is not known.
double ElementBytes(std::string_view type) {
  struct Row {
    std::string_view name;
    double bytes;
  };
  constexpr Row kTypes[] = {{"float", 4},  {"float32", 4}, {"double", 8},    {"float64", 8},
                            {"half", 2},   {"float16", 2}, {"bfloat16", 2},  {"int32", 4},
                            {"int64", 8},  {"int8", 1},    {"uint8", 1},     {"int16", 2},
                            {"uint16", 2}, {"bool", 1},    {"complex64", 8}, {"complex128", 16}};
  for (const Row& row : kTypes) {
    if (EqualsNoCase(type, row.name)) return row.bytes;
  }
  return 0;
}

// Product of "256,1024,64"; 0 where it is no list of numbers.
double ElementsOf(std::string_view shape) {
  double product = 1;
  bool any = false;
  while (!shape.empty()) {
    const size_t comma = shape.find(',');
    const auto size = NumberOf(shape.substr(0, comma));
    if (!size) return 0;
    product *= *size;
    any = true;
    if (comma == std::string_view::npos) break;
    shape.remove_prefix(comma + 1);
  }
  return any && product <= 1e18 ? product : 0;
}

}  // namespace

void WorkTensorflowOom(std::span<const Match> matches, Answer* answer) {
  const auto match = Find("shape[{*}] and type {w} on", matches.front().window);
  if (!match) return;
  const double bytes = ElementsOf(match->captures[0]) * ElementBytes(match->captures[1]);
  if (bytes <= 0) return;
  AddBytes(answer, "asked_bytes", "the tensor takes", bytes);
  answer->headline = fmt::format("TensorFlow could not get {} of device memory for one tensor of shape [{}], type {}.",
                                 FormatBytes(bytes), match->captures[0], match->captures[1]);
  const std::string_view shape = match->captures[0];
  const size_t comma = shape.find(',');
  const auto batch = NumberOf(shape.substr(0, comma));
  if (comma != std::string_view::npos && batch && *batch > 1)
    answer->fixes.insert(answer->fixes.begin(),
                         fmt::format("If the first dimension ({:.0f}) is the batch: half of it makes this tensor {}, "
                                     "and the others of the step likewise.",
                                     *batch, FormatBytes(bytes / 2)));
}

// "Currently allocated : 7.20 GiB Requested : 1.25 GiB Device limit : 8.00 GiB".
void WorkAsyncOom(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  const auto held = BytesAfter(window, "Currently allocated :"), asked = BytesAfter(window, "Requested :"),
             limit = BytesAfter(window, "Device limit :");
  if (!held || !asked || !limit) return;
  AddBytes(answer, "asked_bytes", "asked for", *asked);
  AddBytes(answer, "allocated_bytes", "held by the program", *held);
  AddBytes(answer, "total_bytes", "the device has", *limit);
  answer->headline = fmt::format("Out of device memory: {} asked for on top of {}, and the device has {}.",
                                 FormatBytes(*asked), FormatBytes(*held), FormatBytes(*limit));
  if (*held + *asked < *limit)
    answer->cause =
        fmt::format("Other programs or contexts hold at least {} of the device.", FormatBytes(*limit - *held - *asked));
}

void WorkXlaOom(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  auto asked = BytesAfter(window, "trying to allocate");
  if (!asked) asked = BytesAfter(window, "allocate request for");
  if (!asked) asked = BytesAfter(window, "Out of memory allocating");
  if (!asked) asked = BytesAfter(window, "Attempting to allocate");
  if (!asked) return;
  AddBytes(answer, "asked_bytes", "asked for", *asked);
  answer->headline = fmt::format("XLA (JAX) could not get {} of device memory.", FormatBytes(*asked));
  if (const auto total = BytesAfter(window, "total allocation")) {
    AddBytes(answer, "program_bytes", "the compiled program needs in all", *total);
    answer->headline = fmt::format("XLA (JAX) could not get {} of device memory; the compiled program needs {} in all.",
                                   FormatBytes(*asked), FormatBytes(*total));
  }
  if (const auto temp = BytesAfter(window, "preallocated temp allocation"))
    AddBytes(answer, "temporary_bytes", "of it for temporaries", *temp);
  constexpr double kSmall = 64.0 * (1 << 20);
  if (*asked < kSmall) {
    answer->cause =
        "The request is small, so the device is full already: another process (each JAX process takes 75 % of the "
        "device at its start), or the "
        "preallocated share is used up.";
  }
}

void WorkVllmStart(std::span<const Match> matches, Answer* answer) {
  const auto match = Find("({n}/{n} GiB) on startup is less than desired GPU memory utilization ({n}, {n} GiB)",
                          matches.front().window);
  if (!match) return;
  const auto free = NumberOf(match->captures[0]);
  const auto total = NumberOf(match->captures[1]);
  const auto wanted = NumberOf(match->captures[3]);
  if (!free || !total || !wanted || *total <= 0) return;
  constexpr double kGibi = 1024.0 * 1024 * 1024;
  AddBytes(answer, "free_bytes", "free at the start", *free * kGibi);
  AddBytes(answer, "device_bytes", "the device has", *total * kGibi);
  AddBytes(answer, "wanted_bytes", "vLLM wants", *wanted * kGibi);
  const double share = std::floor(100 * (*free / *total) - 1) / 100;  // a hundredth for what comes and goes
  answer->headline = fmt::format(
      "Another process holds {:.2f} GiB of this GPU, so that vLLM cannot take the {:.2f} GiB that it wants at the "
      "start.",
      *total - *free, *wanted);
  answer->fixes = {fmt::format("End the other process; it frees up to {:.2f} GiB.", *total - *free)};
  if (share > 0)
    answer->fixes.push_back(
        fmt::format("Or share the GPU: --gpu-memory-utilization {:.2f} fits what is free now.", share));
}

void WorkVllmKvCache(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  const auto length = NumberAfter(window, "max seq len");
  if (const auto match =
          Find("({n} GiB KV cache is needed, which is larger than the available KV cache memory ({n} GiB)", window)) {
    const auto need = NumberOf(match->captures[0]);
    const auto have = NumberOf(match->captures[1]);
    if (!need || !have || *need <= 0) return;
    constexpr double kGibi = 1024.0 * 1024 * 1024;
    AddBytes(answer, "needed_bytes", "KV cache for one request", *need * kGibi);
    AddBytes(answer, "available_bytes", "left for the KV cache", *have * kGibi);
    answer->headline =
        fmt::format("One request of full length needs {:.2f} GiB of KV cache and {:.2f} GiB are left.", *need, *have);
    if (length) {
      const double fits = std::floor(*length * *have / *need);
      answer->fixes.insert(
          answer->fixes.begin(),
          fmt::format("--max-model-len {:.0f} fits: the cache grows in proportion to the length ({:.0f} now).", fits,
                      *length));
    }
    return;
  }
  const auto stored = NumberAfter(window, "stored in KV cache");
  if (length && stored && *stored > 0) {
    answer->headline =
        fmt::format("The model's length of {:.0f} tokens does not fit: the KV cache holds {:.0f}.", *length, *stored);
    answer->fixes.insert(answer->fixes.begin(),
                         fmt::format("--max-model-len {:.0f}, if requests are shorter than that.", *stored));
  }
}

void WorkAskedBytes(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = std::string_view(matches.front().window).substr(0, 500);
  for (const std::string_view words :
       {"allocating", "Cannot allocate", "failed to allocate", "failed to alloc", "buffer of size",
        "requested buffer of size", "you tried to allocate", "Unable to allocate"}) {
    const auto bytes = BytesAfter(window, words);
    if (!bytes || *bytes <= 0) continue;
    AddBytes(answer, "asked_bytes", "asked for", *bytes);
    if (const auto free = BytesAfter(window, "available memory is only")) {
      AddBytes(answer, "free_bytes", "free", *free);
      if (*bytes > *free) AddBytes(answer, "missing_bytes", "missing", *bytes - *free);
    }
    answer->headline += fmt::format(" {} was asked for.", FormatBytes(*bytes));
    return;
  }
  const auto plain = NumberAfter(window, "buffer of size");
  if (plain && *plain > 0) {
    AddBytes(answer, "asked_bytes", "asked for", *plain);
    answer->headline += fmt::format(" {} was asked for.", FormatBytes(*plain));
  }
}

void WorkSharedMemory(std::span<const Match> matches, Answer* answer) {
  const std::string_view window = matches.front().window;
  const auto need = NumberAfter(window, "Required");
  const auto limit = NumberAfter(window, Has(window, "Hardware limitation") ? "Hardware limitation" : "Hardware limit");
  if (!need || !limit || *limit <= 0) return;
  const bool registers = Has(window.substr(0, 80), "registers");
  if (registers || Has(window.substr(0, 80), "threads")) {
    answer->headline = fmt::format("A Triton kernel needs {:.0f} {} for a block and the GPU has {:.0f}.", *need,
                                   registers ? "registers" : "threads", *limit);
    return;
  }
  AddBytes(answer, "required_bytes", "a block needs", *need);
  AddBytes(answer, "limit_bytes", "a block may have", *limit);
  const double factor = *need / *limit;
  answer->headline = fmt::format(
      "A Triton kernel needs {} of shared memory for a block and this GPU allows {} ({:.2f} times too much).",
      FormatBytes(*need), FormatBytes(*limit), factor);
  // Limits of a block: CUDA programming guide, technical specifications by compute capability.
  struct Row {
    double bytes;
    std::string_view devices;
  };
  constexpr Row kLimits[] = {{49152, "compute capability 5.x, 6.x"},
                             {65536, "7.5 (Turing), or AMD GPUs"},
                             {98304, "7.0 (V100)"},
                             {101376, "8.6, 8.9 or 12.0 (RTX 30, 40, 50, A10, L4, L40)"},
                             {166912, "8.0, 8.7 (A100, Orin)"},
                             {232448, "9.0, 10.0 (H100, H200, B200)"}};
  for (const Row& row : kLimits) {
    if (row.bytes == *limit)
      answer->cause = fmt::format("The limit is that of {}; the kernel's configuration was chosen for a GPU with more.",
                                  row.devices);
  }
  answer->fixes.insert(
      answer->fixes.begin(),
      factor <= 2
          ? std::string("num_stages one lower, or one block dimension halved: each stage holds one tile of every "
                        "operand, so that either is "
                        "likely enough.")
          : fmt::format("Halve block dimensions until the need falls by {:.1f} times; num_stages=1 first.", factor));
}

}  // namespace warpscope::explain
