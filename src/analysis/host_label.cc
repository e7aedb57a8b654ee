#include "analysis/host_label.h"

#include <algorithm>
#include <iterator>

namespace warpscope::analysis {
namespace {

bool Has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }
bool StartsWith(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }
bool HasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (Has(text, word)) return true;
  }
  return false;
}

HostLabel LabelAnnotation(std::string_view name) {
  if (StartsWith(name, "ProfilerStep#") || StartsWith(name, "ProfilerStep*")) return HostLabel::kStepMarker;
  if (HasAny(name, {"enumerate(DataLoader)", "enumerate(DataPipe)", "DataLoaderIter", "dataloader", "DataLoader"})) {
    return HostLabel::kDataLoading;
  }
  if (StartsWith(name, "Optimizer.step#") || StartsWith(name, "Optimizer.zero_grad#")) return HostLabel::kOptimizerStep;
  if (StartsWith(name, "nccl:") || StartsWith(name, "gloo:") || StartsWith(name, "c10d::"))
    return HostLabel::kCommunication;
  if (StartsWith(name, "PyTorch Profiler")) return HostLabel::kProfiler;
  if (name == "dynamo" || name == "inductor") return HostLabel::kCompilation;
  if (HasAny(name, {"_compile.compile_inner", "compile_fx", "TorchDynamo Compile", "dynamo_timed", "inductor_compile",
                    "async_compile", "CachingAutotuner"})) {
    return HostLabel::kCompilation;
  }
  return HostLabel::kPlain;
}

// Operators that only make or change tensor descriptions, whatever they take; sorted.
constexpr std::string_view kViewOperators[] = {
    "aten::_reshape_alias",
    "aten::_unsafe_view",
    "aten::alias",
    "aten::as_strided",
    "aten::chunk",
    "aten::detach",
    "aten::detach_",
    "aten::diagonal",
    "aten::empty",
    "aten::empty_like",
    "aten::empty_strided",
    "aten::expand",
    "aten::expand_as",
    "aten::flatten",
    "aten::is_nonzero",
    "aten::lift_fresh",
    "aten::movedim",
    "aten::narrow",
    "aten::new_empty",
    "aten::new_empty_strided",
    "aten::numpy_T",
    "aten::permute",
    "aten::reshape",
    "aten::resize_",
    "aten::resolve_conj",
    "aten::resolve_neg",
    "aten::result_type",
    "aten::select",
    "aten::set_",
    "aten::slice",
    "aten::split",
    "aten::split_with_sizes",
    "aten::squeeze",
    "aten::squeeze_",
    "aten::t",
    "aten::transpose",
    "aten::transpose_",
    "aten::unbind",
    "aten::unflatten",
    "aten::unfold",
    "aten::unsqueeze",
    "aten::unsqueeze_",
    "aten::view",
    "aten::view_as",
    "detach",
    "detach_",
};

HostLabel LabelOperator(std::string_view name) {
  if (std::binary_search(std::begin(kViewOperators), std::end(kViewOperators), name)) return HostLabel::kViewOperator;
  if (StartsWith(name, "autograd::engine::evaluate_function")) return HostLabel::kBackward;
  if (StartsWith(name, "record_param_comms") || StartsWith(name, "c10d::") || StartsWith(name, "nccl:") ||
      StartsWith(name, "_c10d_functional")) {
    return HostLabel::kCommunication;
  }
  if (HasAny(name, {"convolution", "cudnn_", "miopen_"})) return HostLabel::kPlannedOperator;
  return LabelAnnotation(name);  // 1.8-era files record these as operators
}

// <built-in ...> and other frames without a file.
HostLabel LabelBuiltin(std::string_view name) {
  if (Has(name, "method run_backward of")) return HostLabel::kBackward;
  if (HasAny(name, {"of type object", "of Tensor object"})) return HostLabel::kLibraryPython;
  if (HasAny(name, {"built-in function sleep", "method acquire of", "method wait of", "method poll of",
                    "method get of _queue", "built-in function select", "built-in function waitpid", "method join of",
                    "lock_acquire", "method recv of", "method recv_into of", "method accept of"})) {
    return HostLabel::kHostWait;
  }
  if (HasAny(name, {"built-in function collect>"})) return HostLabel::kGarbageCollect;
  if (HasAny(name, {"built-in function open>",  "method read of _io",          "method readinto of _io",
                    "method readline of _io",   "method write of _io",         "method flush of _io",
                    "method write_record of",   "method get_record",           "method get_storage_from_record",
                    "built-in function fsync",  "built-in function dump>",     "built-in function load>",
                    "built-in function dumps>", "built-in function fromfile>", "method tofile of",
                    "method write of zipfile",  "PyTorchFileWriter",           "PyTorchFileReader",
                    "method dump of _pickle",   "method load of _pickle",      "built-in function _from_file"})) {
    return HostLabel::kFileIo;
  }
  return HostLabel::kLibraryPython;
}

struct FrameRule {
  std::string_view file, function;  // "" = any
  HostLabel label;
};

// A function of a library file; the file matches as the path's end, the function exactly.
constexpr FrameRule kFrameRules[] = {
    {"torch/utils/data/dataloader.py", "", HostLabel::kDataLoading},
    {"torch/utils/data/_utils/fetch.py", "", HostLabel::kDataLoading},
    {"torch/utils/data/_utils/collate.py", "", HostLabel::kDataLoading},
    {"torch/utils/data/_utils/pin_memory.py", "", HostLabel::kDataLoading},
    {"torch/utils/data/_utils/worker.py", "", HostLabel::kDataLoading},
    {"torch/utils/data/dataset.py", "", HostLabel::kDataLoading},
    {"torch/serialization.py", "save", HostLabel::kFileIo},
    {"torch/serialization.py", "_save", HostLabel::kFileIo},
    {"torch/serialization.py", "load", HostLabel::kFileIo},
    {"torch/serialization.py", "_load", HostLabel::kFileIo},
    {"safetensors/torch.py", "save_file", HostLabel::kFileIo},
    {"safetensors/torch.py", "load_file", HostLabel::kFileIo},
    {"torch/_dynamo/convert_frame.py", "_compile", HostLabel::kCompilation},
    {"torch/_dynamo/convert_frame.py", "compile_inner", HostLabel::kCompilation},
    {"torch/_dynamo/convert_frame.py", "_compile_inner", HostLabel::kCompilation},
    {"torch/_inductor/compile_fx.py", "compile_fx", HostLabel::kCompilation},
    {"torch/_inductor/async_compile.py", "", HostLabel::kCompilation},
    {"torch/_inductor/codecache.py", "", HostLabel::kCompilation},
    {"torch/_inductor/runtime/triton_heuristics.py", "autotune_to_one_config", HostLabel::kCompilation},
    {"torch/_inductor/runtime/triton_heuristics.py", "benchmark_all_configs", HostLabel::kCompilation},
    {"torch/_inductor/runtime/triton_heuristics.py", "precompile", HostLabel::kCompilation},
    {"torch/_inductor/select_algorithm.py", "", HostLabel::kCompilation},
    {"torch/utils/cpp_extension.py", "", HostLabel::kCompilation},
    {"triton/compiler/compiler.py", "compile", HostLabel::kCompilation},
    {"triton/runtime/jit.py", "_do_compile", HostLabel::kCompilation},
    {"triton/runtime/autotuner.py", "_bench", HostLabel::kCompilation},
    {"triton/testing.py", "do_bench", HostLabel::kCompilation},
    {"torch/cuda/graphs.py", "capture_begin", HostLabel::kCompilation},
    {"torch/cuda/graphs.py", "capture_end", HostLabel::kCompilation},
    {"torch/profiler/profiler.py", "", HostLabel::kProfiler},
    {"torch/autograd/profiler.py", "start_trace", HostLabel::kProfiler},
    {"torch/autograd/profiler.py", "_start_trace", HostLabel::kProfiler},
    {"torch/autograd/profiler.py", "_prepare_trace", HostLabel::kProfiler},
    {"torch/distributed/distributed_c10d.py", "", HostLabel::kCommunication},
    {"torch/_tensor.py", "backward", HostLabel::kBackward},
    {"torch/autograd/__init__.py", "backward", HostLabel::kBackward},
    {"torch/autograd/graph.py", "_engine_run_backward", HostLabel::kBackward},
    {"threading.py", "wait", HostLabel::kHostWait},
    {"threading.py", "join", HostLabel::kHostWait},
    {"threading.py", "acquire", HostLabel::kHostWait},
    {"threading.py", "_wait_for_tstate_lock", HostLabel::kHostWait},
    {"queue.py", "get", HostLabel::kHostWait},
    {"queue.py", "put", HostLabel::kHostWait},
    {"selectors.py", "select", HostLabel::kHostWait},
    {"multiprocessing/connection.py", "wait", HostLabel::kHostWait},
    {"multiprocessing/connection.py", "poll", HostLabel::kHostWait},
    {"multiprocessing/connection.py", "_poll", HostLabel::kHostWait},
    {"multiprocessing/queues.py", "get", HostLabel::kHostWait},
    {"multiprocessing/popen_fork.py", "wait", HostLabel::kHostWait},
    {"concurrent/futures/_base.py", "result", HostLabel::kHostWait},
    {"subprocess.py", "wait", HostLabel::kHostWait},
    {"subprocess.py", "communicate", HostLabel::kHostWait},
};

bool EndsWithPath(std::string_view path, std::string_view tail) {
  if (path.size() < tail.size() || path.substr(path.size() - tail.size()) != tail) return false;
  return path.size() == tail.size() || path[path.size() - tail.size() - 1] == '/';
}

// C and C++ functions: "memcpy [libc.so.6]", "[unknown in server]", "std::sort".
bool IsNativeLibrary(std::string_view name) {
  const bool in_library = name.back() == ']' && (name.front() == '[' || Has(name, " ["));
  return in_library || StartsWith(name, "std::") || StartsWith(name, "__gnu_cxx::");
}

HostLabel LabelPython(std::string_view name) {
  if (StartsWith(name, "nn.Module: ")) return HostLabel::kModule;
  if (name.empty() || name.front() == '<') return LabelBuiltin(name);
  if (IsNativeLibrary(name)) return HostLabel::kLibraryPython;
  const PythonFrame frame = ParsePythonFrame(name);
  for (const FrameRule& rule : kFrameRules) {
    if (EndsWithPath(frame.file, rule.file) && (rule.function.empty() || frame.function == rule.function))
      return rule.label;
  }
  if (frame.function == "__getitem__" && Has(frame.file, "dataset")) return HostLabel::kDataLoading;
  return IsLibraryPath(frame.file) ? HostLabel::kLibraryPython : HostLabel::kUserPython;
}

}  // namespace

HostLabel LabelHost(std::string_view name, model::HostKind kind) {
  switch (kind) {
    case model::HostKind::kAnnotation: return LabelAnnotation(name);
    case model::HostKind::kOperator: return LabelOperator(name);
    case model::HostKind::kNative:
    case model::HostKind::kPython: return LabelPython(name);
    case model::HostKind::kOverhead:
      if (HasAny(name, {"Lazy Function Loading", "Module Loading", "JIT"})) return HostLabel::kCompilation;
      // The device's queue is full: the host is ahead of it, with or without a recorder.
      return name == "Command Buffer Full" ? HostLabel::kPlain : HostLabel::kProfiler;
    case model::HostKind::kOsCall:
      if (HasAny(name, {"sem_wait", "pthread_cond", "pthread_mutex", "poll", "select", "nanosleep", "sleep", "epoll",
                        "futex", "sem_timedwait", "waitpid", "wait4", "waitid", "accept", "recv", "pause",
                        "io_getevents", "(wait)"})) {  // the last: off the CPU in an unknown call, as the kernel told
        return HostLabel::kHostWait;
      }
      return HasAny(name, {"read", "write", "open", "fsync", "fdatasync", "mmap"}) ? HostLabel::kFileIo
                                                                                   : HostLabel::kPlain;
    case model::HostKind::kRuntimeCall:
    case model::HostKind::kDriverCall: return HostLabel::kPlain;
  }
  return HostLabel::kPlain;
}

}  // namespace warpscope::analysis
