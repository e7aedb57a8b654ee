// The answer for PyTorch's out-of-memory message: one text a kind, with the numbers in it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/memory/torch_oom.h"
#include "explain/text/pattern.h"
#include "explain/text/quantity.h"

namespace warpscope::explain {
namespace {

std::string Gib(double bytes) { return FormatBytes(bytes); }
int Pct(double part, double whole) { return whole > 0 ? static_cast<int>(std::lround(100 * part / whole)) : 0; }

void AddFacts(const TorchOom& oom, std::vector<Fact>* facts) {
  const auto add = [facts](const char* name, const char* label, const std::optional<double>& bytes) {
    if (bytes) facts->push_back({name, label, Gib(*bytes), *bytes});
  };
  add("asked_bytes", "asked for", oom.asked);
  add("device_bytes", "the device has", oom.total);
  add("free_bytes", "free on it", oom.free);
  add("allocated_bytes", "in live tensors", oom.allocated);
  add("graph_pools_bytes", "of these in CUDA graph pools", oom.graph_pools);
  add("cached_bytes", "reserved by PyTorch, not used", oom.cached);
  add("this_process_bytes", "this process in all", oom.this_process);
  if (oom.this_process && !oom.own_name.empty()) facts->back().label += " (process " + oom.own_name + ")";
  if (oom.named_count > 0) add("named_processes_bytes", "other processes, as named", oom.named_others);
  const auto outside = oom.Outside();
  constexpr double kWorthTelling = 64.0 * (1 << 20);
  if (outside && *outside > kWorthTelling && (oom.named_count == 0 || *outside > oom.named_others * 1.05))
    add("outside_bytes", "held outside PyTorch (worked out)", outside);
  add("allowed_bytes", "limit of this process", oom.allowed);
  if (oom.free && oom.asked > *oom.free) add("missing_bytes", "missing (asked - free)", oom.asked - *oom.free);
}

void SayFragmentation(const TorchOom& oom, Answer* answer) {
  answer->headline = fmt::format(
      "Out of device memory by fragmentation: {} is free and {} cached, together enough for the {} asked for, but not "
      "in "
      "one piece.",
      Gib(*oom.free), Gib(oom.cached.value_or(0)), Gib(oom.asked));
  answer->cause =
      "PyTorch holds freed memory in segments that live tensors split; none of the gaps is large enough. Typical: "
      "sizes that change "
      "from step to step, or a large tensor asked for late.";
  answer->fixes = {fmt::format("Run with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True (PyTorch 2.1 and later, "
                               "Linux): segments grow, so that the {} "
                               "of cache can serve it. Most likely enough by itself.",
                               Gib(oom.cached.value_or(0))),
                   "Before 2.1: PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128 keeps large blocks whole.",
                   "Pad or bucket changing shapes; allocate the largest buffers first."};
  answer->avoid = "Do not call empty_cache() every step: it costs time and returns only whole free segments.";
}

void SayOther(const TorchOom& oom, Answer* answer) {
  const double outside = oom.Outside().value_or(0);
  answer->headline = fmt::format(
      "Out of device memory because others hold it: {} of {} are outside PyTorch; without them the {} asked for would "
      "fit.",
      Gib(outside), Gib(oom.total.value_or(0)), Gib(oom.asked));
  answer->cause = oom.named_count > 0
                      ? fmt::format("{} named in the message hold {}.",
                                    oom.named_count == 1 ? "The process" : "The processes", Gib(oom.named_others))
                      : "Another program on the same GPU, one that did not end, or another library in this process "
                        "(TensorFlow, JAX, a "
                        "second framework) that reserves memory by itself.";
  answer->checks = {
      {"Who holds it?", "nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv"},
      {"Nobody listed? Holders that are not shown (other containers, dead workers):", "fuser -v /dev/nvidia*"},
      {"Is another GPU free?", "nvidia-smi --query-gpu=index,memory.free --format=csv"}};
  answer->fixes = {
      fmt::format("End the other program, or take another GPU (CUDA_VISIBLE_DEVICES): frees up to {}.", Gib(outside)),
      "For JAX in the same process: XLA_PYTHON_CLIENT_PREALLOCATE=false; for TensorFlow: set_memory_growth.",
      fmt::format("If they must stay: make the program smaller by at least {}.",
                  Gib(oom.asked - oom.free.value_or(0)))};
  answer->avoid = "Do not set max_split_size_mb or expandable_segments for this: PyTorch's cache holds only " +
                  Gib(oom.cached.value_or(0)) + ".";
}

void SayTooLittle(const TorchOom& oom, Answer* answer) {
  const double cached = oom.cached.value_or(0);
  const double missing = oom.asked - oom.free.value_or(0) - cached;
  const double live = oom.allocated.value_or(0);
  const int share = Pct(std::max(missing, 0.0), live);
  answer->headline = fmt::format("Out of device memory, really: {} asked for on top of {} in live tensors; ",
                                 Gib(oom.asked), Gib(live));
  answer->headline += missing > 0
                          ? fmt::format("{} is missing even with the cache used to the last byte.", Gib(missing))
                          : std::string("what is free is nearly nothing, and the driver keeps some of it back.");
  answer->cause =
      "Model, gradients, optimizer states, activations or caches together need more than the device has. It is not "
      "fragmentation "
      "and nobody else holds the missing part.";
  std::string how;
  if (live <= 0) how = "Make the request smaller.";
  else if (share <= 15)
    how = fmt::format(
        "It misses {} % of what lives: a batch or sequence smaller by about a quarter is likely enough in training.",
        std::max(share, 1));
  else if (share <= 60)
    how = fmt::format(
        "It misses {} % of what lives: halve the batch (gradient accumulation keeps the effect) and use bf16 or fp16; "
        "in training add "
        "activation checkpointing.",
        share);
  else
    how = fmt::format(
        "It misses {} % of what lives: tuning does not bridge that. Shard over GPUs (FSDP, tensor parallel), offload, "
        "quantise (8 bit halves "
        "16-bit weights, 4 bit quarters them), or take a larger GPU.",
        share);
  answer->fixes = {how,
                   "Inference: torch.inference_mode() keeps no activations; limit the context length and the number of "
                   "requests, since the KV cache "
                   "grows with both.",
                   "Does it grow from step to step? Then references are kept: sum losses with .item() or .detach()."};
  answer->avoid = fmt::format(
      "Do not set max_split_size_mb or expandable_segments for this: only {} is cached and unused.", Gib(cached));
}

void SayBeyond(const TorchOom& oom, Answer* answer) {
  answer->headline = fmt::format("One request of {} is larger than the whole device ({}).", Gib(oom.asked),
                                 Gib(oom.total.value_or(0)));
  answer->cause =
      "A single tensor is too large: most often an attention matrix or pairwise table that grows with the square of "
      "the length, an image at full "
      "size, or a wrong shape.";
  answer->fixes = {"Look at the shape in the failing line; split that operation into pieces.",
                   "Attention: use scaled_dot_product_attention or flash attention, which never build the matrix.",
                   "Batch and image size go into it in proportion; length with its square."};
  answer->avoid = "Do not tune the allocator: no setting makes a request fit that exceeds the device.";
}

void SayLimit(const TorchOom& oom, Answer* answer) {
  answer->headline = fmt::format("A limit of {} for this process is reached, not the device: {} is free on it.",
                                 Gib(*oom.allowed), oom.free ? Gib(*oom.free) : std::string("memory"));
  answer->cause =
      "set_per_process_memory_fraction (or the allocator's per_process_memory_fraction) was set; on Apple GPUs "
      "PYTORCH_MPS_HIGH_WATERMARK_RATIO.";
  answer->checks = {{"Where is it set?", "grep -rn \"memory_fraction\\|HIGH_WATERMARK\" . ; env | grep PYTORCH"}};
  const double need = oom.allocated.value_or(0) + oom.asked;
  answer->fixes = {
      fmt::format("Raise the limit to at least {} (live tensors + request){}.", Gib(need),
                  oom.total ? fmt::format(": a fraction of {:.2f}", std::min(1.0, need / *oom.total)) : std::string()),
      "Or make the program smaller, if the limit protects a neighbour."};
  answer->avoid = "Do not look for leaks or fragmentation first: the device has room.";
}

void SaySystemMemory(const TorchOom& oom, Answer* answer) {
  answer->headline = fmt::format(
      "{} are allocated on a device of {}: the driver had moved memory to the host, and that was full as well.",
      Gib(*oom.allocated), Gib(*oom.total));
  answer->cause =
      "Windows and WSL drivers fall back to system memory when the device is full. The program ran, slowly, far beyond "
      "the device before "
      "it failed.";
  answer->fixes = {
      fmt::format(
          "Bring the need under {}: it is at {} with this request. Smaller batch, resolution or model; fewer bits.",
          Gib(*oom.total), Gib(*oom.allocated + oom.asked)),
      "NVIDIA Control Panel, 'CUDA - Sysmem Fallback Policy': 'Prefer No Sysmem Fallback' makes it fail early instead "
      "of running slowly."};
  answer->avoid = "Do not tune max_split_size_mb: it is the sum that does not fit.";
}

void SayRefused(const TorchOom& oom, Answer* answer) {
  answer->headline = fmt::format("{} asked for with {} free: the device refused although it has room.", Gib(oom.asked),
                                 Gib(*oom.free));
  answer->cause =
      "The lack is somewhere else: host memory or locked memory for the mapping, a limit of a container, of MPS or of "
      "a MIG slice - or another "
      "process held the memory for a moment and gave it back before the numbers were taken.";
  answer->checks = {{"Limits and host memory?", "ulimit -a; free -g; cat /sys/fs/cgroup/memory.max"},
                    {"What else starts on this GPU?",
                     "nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv -l 1"}};
  answer->fixes = {
      "Give host memory or raise the limit; where several processes start at once, start them one after the other.",
      "With expandable_segments on: try without it; it maps memory in another way."};
  answer->avoid = "Do not shrink the model first.";
}

void SayContradiction(const TorchOom& oom, Answer* answer) {
  answer->headline =
      fmt::format("Out of device memory, with numbers that cannot all be true: {}.", oom.Contradiction());
  answer->cause =
      "The text was cut, mixed with another message, or copied wrongly; so it does not tell whether memory is too "
      "little, in pieces, or held by others.";
  answer->checks = {{"What holds memory now?", "nvidia-smi"}};
  answer->fixes = {"Give the whole message as the program printed it.",
                   "Or look at the allocator itself: print(torch.cuda.memory_summary()) before the line that fails."};
  answer->avoid = "Do not work with these numbers.";
}

}  // namespace

void WorkTorchOom(std::span<const Match> matches, Answer* answer) {
  const auto oom = ParseTorchOom(matches.front().window);
  if (!oom) {
    if (Has(matches.front().window.substr(0, 120), "more than 1EB")) {
      answer->headline = "More than 1 EB was asked for: a size is wrong, memory is not the matter.";
      answer->cause =
          "A size was computed from values that overflowed or came from memory that a failed operation left behind.";
      answer->fixes = {"Look for an error before this one; print the shape in the failing line."};
      answer->avoid = "Do not tune memory.";
    }
    if (Has(matches.front().window.substr(0, 120), "allocate -")) {
      answer->headline = "A negative size was asked for: a size is wrong, memory is not the matter.";
      answer->cause = "A size overflowed, or a length was computed as a difference that came out negative.";
      answer->fixes = {"Print the shape in the failing line; compute sizes in 64 bits."};
      answer->avoid = "Do not tune memory.";
    }
    return;
  }
  AddFacts(*oom, &answer->facts);
  switch (KindOf(*oom)) {
    case OomKind::kUnknown:
      answer->headline =
          oom->free && oom->total
              ? fmt::format(
                    "Out of device memory: {} was asked for and {} of {} is free; the text does not say who "
                    "holds the rest.",
                    Gib(oom->asked), Gib(*oom->free), Gib(*oom->total))
              : fmt::format("Out of device memory: {} was asked for, and the message does not say what is free.",
                            Gib(oom->asked));
      break;
    case OomKind::kContradiction: SayContradiction(*oom, answer); break;
    case OomKind::kSystemMemory: SaySystemMemory(*oom, answer); break;
    case OomKind::kLimit: SayLimit(*oom, answer); break;
    case OomKind::kBeyondDevice: SayBeyond(*oom, answer); break;
    case OomKind::kFragmentation: SayFragmentation(*oom, answer); break;
    case OomKind::kOtherProcess: SayOther(*oom, answer); break;
    case OomKind::kTooLittle: SayTooLittle(*oom, answer); break;
    case OomKind::kRefused: SayRefused(*oom, answer); break;
  }
  constexpr double kManyPools = 0.1;
  if (oom->graph_pools && oom->total && *oom->graph_pools > kManyPools * *oom->total)
    answer->fixes.push_back(fmt::format(
        "CUDA graphs keep {} for themselves: capture fewer sizes, or run without graphs.", Gib(*oom->graph_pools)));
}

}  // namespace warpscope::explain
