#include "import/foreign.h"

#include <algorithm>
#include <array>

#include "import/foreign_text.h"

namespace warpscope::import {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view advice;
};

constexpr std::string_view kUnpack = "Unpack it first and give the JSON file inside.";

constexpr Magic kMagics[] = {
    {"version https://git-lfs", "a Git LFS pointer, not the file itself",
     "Fetch the content with `git lfs pull` and try again."},
    {"NVR\x00", "an Nsight Compute report (.ncu-rep)",
     "Counter reports are not read as a timeline. Give a torch.profiler trace."},
    {"PK\x03\x04", "a zip archive", kUnpack},
    {"\x28\xb5\x2f\xfd", "zstd data", kUnpack},
    {"\xfd"
     "7zXZ",
     "xz data", kUnpack},
    {"BZh", "bzip2 data", kUnpack},
    {"\x7f"
     "ELF",
     "a program or library", "Give the trace that the profiler wrote."},
    {"<?xml", "an XML document (nvidia-smi -q -x?)", "Give the trace that the profiler wrote."},
    {"<!DOCTYPE", "an HTML or XML page", "If it was downloaded, download the raw file instead of its page."},
    {"<html", "an HTML page", "If it was downloaded, download the raw file instead of its page."},
};

std::string_view SkipSpace(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

bool HasMember(std::string_view text, std::string_view quoted_key) {
  for (size_t at = text.find(quoted_key); at != std::string_view::npos; at = text.find(quoted_key, at + 1)) {
    const std::string_view behind = SkipSpace(text.substr(at + quoted_key.size()));
    if (!behind.empty() && behind.front() == ':') return true;
  }
  return false;
}

Status Refuse(const std::string& path, std::string_view what, std::string_view advice) {
  return Status(StatusCode::kUnsupported, path + ": byte 0: this is " + std::string(what) + ". " + std::string(advice));
}

bool LooksLikePickle(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

bool IsText(std::string_view head) {
  const auto odd = std::count_if(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && byte != 0x1b;
  });
  return odd == 0;
}

}  // namespace

std::optional<Status> RefuseForeign(const std::string& path, const Head& head) {
  const std::string_view bytes = head.bytes;
  if (SkipSpace(bytes).empty() && head.is_whole) {
    return Status(
        StatusCode::kCorrupt,
        path +
            ": byte 0: the file is empty. The traced program ended abnormally (crash, kill, full disk) before "
            "the profiler wrote its trace: profilers write it at the end. Let the profiled block end by itself "
            "and record again.");
  }
  for (const Magic& magic : kMagics) {
    if (bytes.substr(0, magic.bytes.size()) == magic.bytes) return Refuse(path, magic.what, magic.advice);
  }
  if (LooksLikePickle(bytes)) {
    return Refuse(path, "a Python pickle, but no memory snapshot of PyTorch",
                  "Pickles are never run here. Give what torch.cuda.memory._dump_snapshot() or "
                  "export_chrome_trace() wrote.");
  }
  const std::string_view text = SkipSpace(bytes);
  if (text.substr(0, 1) == "{" && !HasMember(text, "\"traceEvents\"")) {
    if (HasMember(text, "\"nodes\"") && (HasMember(text, "\"schema\"") || HasMember(text, "\"start_ts\""))) {
      return Refuse(path, "a PyTorch execution trace (operators and their inputs, no timeline)",
                    "Give the Kineto trace of the same run (torch.profiler's export_chrome_trace()).");
    }
    const bool thread_trace = HasMember(text, "\"wave_filenames\"") ||
                              (HasMember(text, "\"code\"") && text.find("Vaddr") != std::string_view::npos) ||
                              (HasMember(text, "\"wave\"") && HasMember(text, "\"instructions\""));
    if (thread_trace) {
      return Refuse(path, "part of an AMD thread trace (ATT: instructions of single waves, no timeline of kernels)",
                    "Open its folder with ROCprof Compute Viewer, or give what rocprofv3 --runtime-trace records of "
                    "the program.");
    }
    if (HasMember(text, "\"workload_graph\"")) {
      return Refuse(path, "a Chakra workload graph (no timeline)", "Give the Kineto trace of the same run.");
    }
  }
  if (text.substr(0, 1) == "[") {
    const std::string_view inner = SkipSpace(text.substr(1));
    // [time, action, bytes, category] of each allocation, or lists of times and of sizes: numbers in both.
    const std::string_view first = inner.substr(0, 1) == "[" ? SkipSpace(inner.substr(1)) : std::string_view();
    if (!first.empty() && (first[0] == '-' || (first[0] >= '0' && first[0] <= '9'))) {
      return Refuse(path,
                    "a memory timeline (export_memory_timeline), a list of allocations without operators or kernels",
                    "Give the trace that export_chrome_trace() wrote.");
    }
  }
  return std::nullopt;
}

Status RefuseUnknown(const std::string& path, const Head& head) {
  const std::string_view text = SkipSpace(head.bytes);
  const bool json = !text.empty() && (text.front() == '{' || text.front() == '[');
  if (IsText(head.bytes)) {
    if (const auto named = NameForeignText(head.bytes)) return Refuse(path, named->what, named->advice);
  }
  if (json) {
    return Refuse(path, "JSON, but no trace: a \"traceEvents\" array or a list of events was expected",
                  "Give the trace that torch.profiler's export_chrome_trace() wrote.");
  }
  if (IsText(head.bytes)) {
    return Refuse(path, "plain text that no profiler or monitor known here writes",
                  "Give the file that the profiler wrote; `warpscope --help` lists what is read.");
  }
  return Refuse(path, "binary data of an unknown kind",
                "Give the file that the profiler wrote; `warpscope --help` lists what is read.");
}

}  // namespace warpscope::import
