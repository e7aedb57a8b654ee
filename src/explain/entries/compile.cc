// torch.compile, extensions that are compiled at run time, and libraries that are loaded late.
#include "explain/explain.h"

namespace warpscope::explain {
namespace {

constexpr const char* kCompilerCheck =
    "Is a compiler there? $ gcc --version; ls $(python -c \"import sysconfig; "
    "print(sysconfig.get_path('include'))\")/Python.h\nDoes the linker find the driver? $ ldconfig -p | grep "
    "libcuda.so";

constexpr Entry kEntries[] = {
    {"compile.backend", "torch.compile's back end failed",
     "BackendCompilerFailed: backend={w}\nBackendCompilerFailed\nLoweringException\nInductorError: {w}", Role::kSymptom,
     "torch_compile",
     "torch.compile could not turn the model into kernels; what failed stands in the same message, behind the name of "
     "the back end.",
     "The line behind it: no Triton, no C compiler, a GPU that is too old, or an operator that fails.",
     "The inner error? Read the lines right below this one.\nDoes the model run without? $ TORCH_COMPILE_DISABLE=1 "
     "PROGRAM",
     "Correct the inner error.\nTo go on meanwhile: TORCH_COMPILE_DISABLE=1, or "
     "torch._dynamo.config.suppress_errors = True, which falls back to eager.",
     "Do not leave suppress_errors on: it hides that nothing is compiled.", "PyTorch, torch.compile troubleshooting"},
    {"compile.recompiles", "torch.compile gave a function up after too many recompilations",
     "torch._dynamo hit config.recompile_limit\ntorch._dynamo hit config.cache_size_limit\ntorch._dynamo hit "
     "config.accumulated_cache_size_limit\nhit config.recompile_limit",
     Role::kRemark, "torch_compile",
     "The function was compiled again for each new shape, type or constant, until the limit; from now on it runs "
     "uncompiled.",
     "A size, Python number or module attribute that changes from call to call.",
     "Which guard fails? $ TORCH_LOGS=recompiles PROGRAM",
     "Sizes: torch.compile(..., dynamic=True), or torch._dynamo.mark_dynamic(x, 0).\nNumbers: give them as tensors.\n"
     "Batches of few sizes: pad to those sizes.",
     "Do not only raise the limit: each compilation costs seconds to minutes.",
     "PyTorch, torch.compile troubleshooting"},
    {"compile.cudagraph_skip", "torch.compile goes without CUDA graphs", "skipping cudagraphs due to {*}",
     Role::kRemark, "torch_compile",
     "mode='reduce-overhead' wanted to record a CUDA graph and found something that a graph cannot hold; the program "
     "runs "
     "with ordinary launches.",
     "Inputs that are changed in place, work on the CPU, or dynamic shapes; the reason stands behind 'due to'.",
     "Where? $ TORCH_LOGS=perf_hints PROGRAM",
     "Move the part out of the compiled function, or write into new tensors instead of in place.", "",
     "PyTorch, CUDAGraph Trees"},
    {"compile.compiler", "The host's C compiler failed or is missing",
     "Failed to find C compiler. Please specify via CC environment variable\nInvalidCxxCompiler\nNo working C++ "
     "compiler "
     "found\nCalledProcessError: Command '['/usr/bin/gcc'\nCalledProcessError: Command '['gcc'\nCalledProcessError: "
     "Command '['/usr/bin/clang'\ncannot find -lcuda\ncannot find -lcudart",
     Role::kRoot, "torch_compile", "Triton and Inductor build small C programs at run time, and that failed.",
     "No gcc, no Python headers (python3-dev), or the linker does not find libcuda.so: in containers it is only there "
     "when a GPU was given.",
     kCompilerCheck,
     "apt-get install gcc g++ python3-dev (or the distribution's packages).\n'cannot find -lcuda': start the container "
     "with "
     "GPUs; else export LIBRARY_PATH=/usr/local/cuda/lib64/stubs for linking.",
     "Do not put the stubs folder on LD_LIBRARY_PATH: programs would load the stub instead of the driver.",
     "Triton, triton.runtime.build; PyTorch, Inductor"},
    {"compile.python_h", "Python's headers are not installed", "Python.h: No such file or directory", Role::kRoot,
     "torch_compile", "A compiler needs Python's own header files to build an extension or Triton's launcher.",
     "The package python3-dev (python3-devel) for this very Python version is missing.", kCompilerCheck,
     "apt-get install python3-dev (or python3.12-dev for that version); dnf install python3-devel; conda brings them.",
     "", "CPython, extension modules"},
    {"compile.extension", "A C++ or CUDA extension could not be built",
     "Error compiling objects for extension\nError building extension '{w}'\nNinja is required to load C++ extensions\n"
     "subprocess.CalledProcessError: Command '['ninja'",
     Role::kSymptom, "extension_build", "The compiler's summary: the reason is the first line with 'error:' above it.",
     "nvcc and PyTorch of two CUDA versions, a host compiler that is too new, memory that ran out with many jobs, or "
     "ninja "
     "missing.",
     "The first error? $ grep -nE 'error:|fatal|Killed' build.log | head\nWhich versions? $ nvcc --version; gcc "
     "--version; "
     "python -c \"import torch; print(torch.version.cuda)\"",
     "Correct that first error.\n'Killed' or no error at all: MAX_JOBS=2, since each nvcc takes gigabytes.\nNinja: pip "
     "install ninja.\nBetter: take the project's ready wheel.",
     "Do not read the last lines only: they say nothing.", "PyTorch, torch.utils.cpp_extension"},
    {"compile.half_cpu", "Half precision on the CPU", "not implemented for 'Half'", Role::kRoot, "cpu_half",
     "An operation was called on the CPU with float16, for which the CPU has no kernel: the model is not on the GPU.",
     "The program fell back to the CPU, or a part of the model was never moved.",
     "Does PyTorch see the GPU? $ python -c \"import torch; print(torch.cuda.is_available(), "
     "torch.version.cuda)\"\nWhere "
     "is the model? print(next(model.parameters()).device)",
     "Move model and inputs to the GPU (.to('cuda')).\nMeant to run on the CPU: float32 or bfloat16 (--no-half, "
     "torch_dtype=torch.float32).",
     "Do not convert to float32 before looking: with a GPU there it would hide that it is not used.",
     "PyTorch, forums and issue tracker"},
    {"compile.unscale", "The gradient scaler meets half-precision weights", "Attempting to unscale FP16 gradients",
     Role::kRoot, "", "GradScaler needs gradients in float32, and the parameters are float16 themselves.",
     "model.half() or torch_dtype=torch.float16 together with fp16 training.", "",
     "Load the model in float32 and let autocast choose the precision; or train in bfloat16, which needs no scaler.\n"
     "LoRA: only the trainable parameters must be float32.",
     "Do not remove the scaler with float16: gradients vanish.", "PyTorch, automatic mixed precision"},
    {"compile.glibcxx", "The C++ or C library is older than a package needs",
     "version `GLIBCXX_{w}' not found\nversion `GLIBC_{w}' not found\nversion `CXXABI_{w}' not found\nversion "
     "'GLIBCXX_{w}' "
     "not found",
     Role::kRoot, "abi", "A library was built on a newer system than the one it is loaded on.",
     "An older libstdc++ of the system (or of conda) comes first; GLIBC_: the system itself is too old for the wheel.",
     "Which one is loaded, what has it? $ ldconfig -p | grep libstdc++; strings $CONDA_PREFIX/lib/libstdc++.so.6 | "
     "grep "
     "GLIBCXX | tail -3",
     "conda: conda install -c conda-forge libstdcxx-ng, and put $CONDA_PREFIX/lib first.\nSystem: a newer distribution "
     "or "
     "container image.\nGLIBC_: an older wheel, or a newer image.",
     "Do not copy libstdc++ or glibc files into the system folders.", "GCC, libstdc++ manual: ABI"},
    {"compile.libgl", "A graphics library is missing, not a GPU one",
     "libGL.so.1: cannot open shared object file\nlibGLX.so.0: cannot open shared object file\nlibgthread-2.0.so.0: "
     "cannot "
     "open shared object file",
     Role::kRoot, "",
     "OpenCV (or another package with windows) loads libraries for drawing; small images do not have them.",
     "opencv-python in a container without libGL.", "",
     "pip uninstall -y opencv-python; pip install opencv-python-headless\nOr apt-get install libgl1 libglib2.0-0.",
     "Do not reinstall the driver or CUDA for it.", "OpenCV, Python packages"},
    {"compile.tensorrt_engine", "The TensorRT engine was built for another version or GPU",
     "Serialization assertion stdVersionRead == serializationVersion failed\nThe engine plan file is not compatible "
     "with this "
     "version of TensorRT, expecting library version {w} got {w}\nThe engine plan file is generated on an incompatible "
     "device, "
     "expecting compute {n} got compute {n}\nVersion tag does not match\nUsing an engine plan file across different "
     "models of "
     "devices is not recommended",
     Role::kRoot, "tensorrt",
     "An engine file holds code for one TensorRT version and one kind of GPU; it is no exchange format.",
     "The file was made on another machine or before an update of TensorRT.",
     "Which version is here? $ python -c \"import tensorrt; print(tensorrt.__version__)\"\nWhich GPU? $ nvidia-smi "
     "--query-gpu=name,compute_cap --format=csv",
     "Build the engine again here, from the ONNX file: trtexec --onnx=model.onnx --saveEngine=model.plan\nShipping to "
     "several: "
     "--versionCompatible and --hardwareCompatibilityLevel.",
     "Do not copy engine files between machines.",
     "NVIDIA TensorRT developer guide, version and hardware compatibility"},
    {"compile.tensorrt_memory", "TensorRT ran out of device memory",
     "Error Code 2: OutOfMemory\nRequested amount of GPU memory ({n} bytes) could not be allocated", Role::kRoot,
     "memory", "Building or running an engine needed more device memory than was free.",
     "Another process on the GPU, a large workspace, or a large profile of shapes.",
     "Who holds memory? $ nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",
     "End the other process; a smaller maximum batch or shape in the profile; limit the workspace "
     "(--memPoolSize=workspace:2048).",
     "", "NVIDIA TensorRT developer guide, memory"},
};

}  // namespace

extern const std::span<const Entry> kCompile;
const std::span<const Entry> kCompile = kEntries;

}  // namespace warpscope::explain
