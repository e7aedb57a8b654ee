// Names of operators, frames, annotations and calls that tell an activity. Sources: PyTorch's own names
// (torch/utils/data, torch/_dynamo, torch/_inductor, torch/serialization.py), CPython's built-ins as the PyTorch
// profiler writes them ("<built-in function sleep>"), CUDA and HIP API names.
#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

#include "analysis/host_time.h"

namespace warpscope::analysis {
namespace {

using model::HostKind;

bool HasAny(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// A Python frame reads "path(line): function" or "<built-in function name>". Library paths decide by path; what user
// code does is told by its function's name only (a script called dataloader_test.py loads nothing by being run).
struct Words {
  HostActivity activity;
  std::span<const std::string_view> paths;      // part of a frame's path
  std::span<const std::string_view> functions;  // part of a frame's function, a built-in or an annotation
};

constexpr std::string_view kGarbageFunctions[] = {"<built-in function collect>", "gc.collect", "gc_collect", "garbage"};
constexpr std::string_view kCompilePaths[] = {"torch/_dynamo/", "torch/_inductor/", "torch/fx/", "torch/_functorch/aot",
                                              "triton/compiler", "triton/backends", "triton/runtime/jit.py", "jit/_script.py",
                                              "jit/_trace.py", "cpp_extension.py"};
constexpr std::string_view kCompileFunctions[] = {"(dynamo_timed)", "compile_inner", "frame_compile", "backend_compile",
                                                  "compile_fx", "graphlowering", "async_compile", "nvrtccompile"};
// Compiled code running, not being compiled.
constexpr std::string_view kCompiledCode[] = {
    "torch-compiled region", "cache lookup", "compiledfunction", "call compiledfxgraph", "eval_frame.py",
    "torch/_inductor/output_code.py", "torch/_inductor/utils.py", "torch/_functorch/_aot_autograd/runtime",
    "torch/_dynamo/callback", "runtime_wrappers.py", "torch/_inductor/cudagraph", "torch/_inductor/codecache.py",
    "torch/_dynamo/utils.py", "triton_heuristics.py", "torch/fx/traceback", "torch/fx/graph_module.py", "torch/_inductor/runtime/"};
constexpr std::string_view kLoadPaths[] = {"torch/utils/data/", "nvidia/dali/", "webdataset/", "torchdata/"};
constexpr std::string_view kLoadFunctions[] = {
    "enumerate(dataloader)", "dataloader", "data_loader", "dataiter", "__getitem__", "collate", "data_loading", "data loading",
    "load_data", "load_batch", "fetch_batch", "get_batch", "next_batch", "read_batch", "make_batch", "load_sample",
    "load_image", "decode_image", "input_pipeline", "fetch_data", "next_data", "prefetch"};
constexpr std::string_view kFilePaths[] = {"torch/serialization.py", "/pickle.py", "npyio.py", "h5py/", "pil/image.py",
                                           "distributed/checkpoint/", "safetensors/", "json/__init__.py"};
constexpr std::string_view kFileFunctions[] = {
    "save_checkpoint", "checkpoint_save", "load_checkpoint", "save_pretrained", "<built-in function open>", "torch::save",
    "torch.save", "<built-in method write of", "<built-in method write_record of", "<built-in method read of",
    "<built-in method flush of", "<built-in function fsync>", "<built-in function dump>", "safetensors"};
constexpr std::string_view kWaitFunctions[] = {
    "<built-in function sleep>", "time.sleep", "<built-in method acquire of", "<built-in method wait of",
    "<built-in method __enter__ of _thread.", "lock.acquire", "<built-in method poll of", "<built-in method select of",
    "<built-in function select>", "<built-in method recv of", "<built-in method join of", "<built-in method get of _queue"};
// Waits only by the function called in them: every thread's frames stand below threading.py(...): _bootstrap.
constexpr std::string_view kWaitPaths[] = {"threading.py", "queue.py", "concurrent/futures/", "selectors.py",
                                           "multiprocessing/connection.py", "subprocess.py"};
constexpr std::string_view kWaitVerbs[] = {"wait", "join", "acquire", "result", "get", "put", "select", "poll", "recv", "communicate"};

constexpr Words kWords[] = {
    {HostActivity::kGarbageCollection, {}, kGarbageFunctions},
    {HostActivity::kCompilation, kCompilePaths, kCompileFunctions},
    {HostActivity::kDataLoading, kLoadPaths, kLoadFunctions},
    {HostActivity::kFileIo, kFilePaths, kFileFunctions},
    {HostActivity::kSleepOrLock, {}, kWaitFunctions},
};
constexpr std::string_view kModuleCalls[] = {"ModuleLoad", "LibraryLoad", "cuLink", "ModuleGetFunction", "GraphInstantiate"};
constexpr std::string_view kAllocation[] = {"cudaMalloc", "cudaFree", "hipMalloc", "hipFree", "cuMemAlloc", "cuMemFree",
                                            "HostAlloc", "HostFree", "FreeHost", "cuMemCreate", "cuMemMap", "cuMemUnmap",
                                            "cuMemRelease", "HostRegister", "HostUnregister", "cuMemAddressReserve"};
constexpr std::string_view kDeviceWaits[] = {"Synchronize", "StreamQuery", "EventQuery"};

HostActivity ClassifyCall(std::string_view name) {
  if (HasAny(name, kModuleCalls)) return HostActivity::kCompilation;
  if (HasAny(name, kAllocation)) return HostActivity::kAllocation;
  if (HasAny(name, kDeviceWaits)) return HostActivity::kDeviceWait;
  return HostActivity::kCall;
}

}  // namespace

bool IsSticky(HostActivity activity) {
  return activity == HostActivity::kDataLoading || activity == HostActivity::kCompilation ||
         activity == HostActivity::kFileIo || activity == HostActivity::kGarbageCollection ||
         activity == HostActivity::kSleepOrLock || activity == HostActivity::kProfiler;
}

HostActivity ClassifyName(std::string_view name, HostKind kind) {
  switch (kind) {
    case HostKind::kRuntimeCall:
    case HostKind::kDriverCall: return ClassifyCall(name);
    case HostKind::kOverhead: return HostActivity::kProfiler;
    case HostKind::kOsCall: return HostActivity::kSleepOrLock;
    case HostKind::kAnnotation:
    case HostKind::kPython:
    case HostKind::kOperator: break;
  }
  const std::string lower = Lower(name);
  if (kind == HostKind::kOperator) {
    // Operators are framework code; only the loader and the compiler write marker operators.
    if (lower.find("enumerate(dataloader)") != std::string::npos) return HostActivity::kDataLoading;
    return HostActivity::kUnrecorded;
  }
  if (lower.find("torch/profiler/") != std::string::npos || lower.find("torch/autograd/profiler.py") != std::string::npos) {
    return kind == HostKind::kPython && lower.find(": step") == std::string::npos ? HostActivity::kUnrecorded
                                                                                 : HostActivity::kProfiler;
  }
  if (HasAny(lower, kCompiledCode)) return HostActivity::kUnrecorded;
  const size_t colon = lower.find("): ");
  const bool frame = kind == HostKind::kPython && colon != std::string::npos;
  const std::string_view path = frame ? std::string_view(lower).substr(0, colon) : std::string_view();
  const std::string_view function = frame ? std::string_view(lower).substr(colon + 3) : std::string_view(lower);
  for (const Words& words : kWords) {
    if (HasAny(path, words.paths) || HasAny(function, words.functions)) return words.activity;
  }
  if (HasAny(path, kWaitPaths) && HasAny(function, kWaitVerbs)) return HostActivity::kSleepOrLock;
  return HostActivity::kUnrecorded;
}

std::string_view HostActivityName(HostActivity activity) {
  switch (activity) {
    case HostActivity::kUnrecorded: return "host work that was not recorded";
    case HostActivity::kPython: return "Python";
    case HostActivity::kOperator: return "operators";
    case HostActivity::kCall: return "device calls";
    case HostActivity::kDeviceWait: return "waiting for the device";
    case HostActivity::kAllocation: return "memory allocation";
    case HostActivity::kDataLoading: return "data loading";
    case HostActivity::kCompilation: return "compilation and loading of code";
    case HostActivity::kFileIo: return "file reading and writing";
    case HostActivity::kGarbageCollection: return "garbage collection";
    case HostActivity::kSleepOrLock: return "sleeping or waiting for a lock";
    case HostActivity::kProfiler: return "the profiler itself";
  }
  return "";
}

}  // namespace warpscope::analysis
